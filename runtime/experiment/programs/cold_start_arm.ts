import { toByPhase } from "../../record/phases.ts";
import type { Block, Start, Unit } from "../../result/schema.ts";
import type { HeldEvent } from "../../attach/programs/protocol.ts";
import { parseSteps, type Steps } from "../../attach/settings.ts";
import type { KeptBlock } from "../../store/run_recorder.ts";
import type { ProgramSpec } from "../../scenario/program.ts";
import type { Arm, ArmRecord } from "../arm.ts";
import { NO_HOST, ProgramArmBase } from "./program_arm_base.ts";
import { startProgram } from "./start_program.ts";

/** Variables with the folders of drivers' shader caches: Mesa's, and NVIDIA's. */
const SHADER_CACHES = ["MESA_SHADER_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH"] as const;

/**
 * Arm that starts a program for each block, in a fresh process with empty shader caches, and ends it at its first result.
 * The time of a block is that from the start of the process to the first result.
 */
export class ColdStartArm extends ProgramArmBase<ProgramSpec> implements Arm {
  readonly stateful = false;

  override get unitOfRate(): Unit {
    return "starts/s";
  }

  async prepare(): Promise<void> {}

  /** Does nothing: a cold start has no warm-up. */
  warmUp(): Promise<{ wall: number }> {
    return Promise.resolve({ wall: 0 });
  }

  /** Starts the program once, regardless of the number of steps. */
  async block(
    ...[place, , { onStep }]: Parameters<Arm["block"]>
  ): Promise<Omit<KeptBlock, "arm"> | null> {
    const index = this.ran.done;
    const caches = await Deno.makeTempDir({ prefix: "tacho-shaders-" });
    try {
      const env = Object.fromEntries(SHADER_CACHES.map((name) => [name, caches]));
      const begin = performance.timeOrigin + performance.now();
      const process = await startProgram(this.program, this.place, { env, steps: this.#steps });
      let held: HeldEvent;
      try {
        held = await process.held();
      } finally {
        await process.close();
      }
      this.began(held);
      if (this.blocks.length === 0) this.outputs = process.outputs;
      const start = startOf(held, begin);
      const wall = start.loading + start.compilation + start.upload + start.firstRun;
      onStep(1);
      const step = { readerCost: null, stepTime: null, iterationGap: null, ...toByPhase<number>([]) };
      const block: Block = {
        ...place,
        ...{ samples: 1, wall, start },
        steps: [{ index, batchCost: wall, ...step, loss: held.losses[0] ?? null }],
      };
      this.blocks.push(block);
      return { block, host: NO_HOST };
    } finally {
      await Deno.remove(caches, { recursive: true });
    }
  }

  record(): ArmRecord {
    const variant = this.result({ setup: null, firstStep: null });
    return { variant, timeline: null, ablations: null, data: null };
  }

  async close(): Promise<void> {}

  /** Steps that repeat are known too late, so the first wait for the device is the first result. */
  get #steps(): Steps {
    const steps = parseSteps(this.program.program.steps)!;
    return steps.by === "auto" ? { by: "wait" } : steps;
  }
}

/**
 * Splits the time to the first result.
 *
 * @param begin start of the process, in ms since 1970
 */
function startOf({ start, end }: HeldEvent, begin: number): Start {
  const { device, compilation, upload } = start!;
  const all = end - begin;
  const loading = Math.min(all, Math.max(0, device - begin));
  return { loading, compilation, upload, firstRun: Math.max(0, all - loading - compilation - upload) };
}
