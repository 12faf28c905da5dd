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
    commands.renderPasses++;
    const descriptor = args[0] as GPURenderPassDescriptor | undefined;
    const isSelfTimed = descriptor?.timestampWrites !== undefined;
    const slot = isSelfTimed || descriptor === undefined ? null : device.slot(commands.between);
    if (slot === null) {
      if (isSelfTimed) device.selfTimedRenderPass();
      commands.between++;
      return call(encoder, args);
    }
    const { queries, at } = slot;
    const timestampWrites = { querySet: queries.set, beginningOfPassWriteIndex: at, endOfPassWriteIndex: at + 1 };
    const pass = call(encoder, [{ ...descriptor, timestampWrites }]) as GPURenderPassEncoder;
    slot.site = device.site({ kernel: RENDER_PASS, grid: null, bytes: 0, line: device.line(), pass: pass.label });
    commands.slots.push(slot);
    commands.between = 0;
    return pass;
  });
}
