import type { Patches } from "../patch.ts";
import { RENDER_PASS } from "../records.ts";
import type { Tag } from "../tag.ts";
import type { Commands } from "./commands.ts";

/** Times whole render passes, except those that carry timestamps of the program. */
export function patchRenderPasses(patches: Patches, encoders: Tag<Commands>): void {
  patches.method(GPUCommandEncoder.prototype, "beginRenderPass", (encoder, args, call) => {
    const commands = encoders.get(encoder);
    if (commands === undefined) return call(encoder, args);
    const { device } = commands;
    const descriptor = args[0] as GPURenderPassDescriptor | undefined;
    const selfTimed = descriptor?.timestampWrites !== undefined;
    const slot = selfTimed || descriptor === undefined ? null : device.slot(commands.between);
    if (slot === null) {
      const pass = call(encoder, args) as GPURenderPassEncoder;
      commands.renderPasses.push({ label: pass.label, selfTimed });
      commands.between++;
      return pass;
    }
    const { queries, at } = slot;
    const timestampWrites = { querySet: queries.set, beginningOfPassWriteIndex: at, endOfPassWriteIndex: at + 1 };
    const pass = call(encoder, [{ ...descriptor, timestampWrites }]) as GPURenderPassEncoder;
    commands.renderPasses.push({ label: pass.label, selfTimed });
    slot.site = device.site({ kernel: RENDER_PASS, grid: null, bytes: 0, line: device.line(), pass: pass.label });
    commands.slots.push(slot);
    commands.between = 0;
    return pass;
  });
}
