import { programFindings } from "../../analysis/attach/advice/findings.ts";
import type { ProgramProcess } from "../../attach/programs/program_process.ts";
import { InterruptedError, TachoError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import { median } from "../../core/statistics.ts";
import type { AttachedProgram } from "../../result/schema.ts";
import type { ProgramSpec } from "../../scenario/program.ts";
import type { ArmProfiling, ArmRecord, OnProgress } from "../arm.ts";
import { profileProgram, type ProgramProfile } from "./profile_program.ts";
import { programCounts } from "./program_counts.ts";
import { startProgram } from "./start_program.ts";
import { SteppedArm } from "./stepped_arm.ts";

/** Arm that runs a program of Deno, which is held in its calls of WebGPU or at its marks. */
export class ProgramArm extends SteppedArm<ProgramSpec> {
  /** Always runs unless the program's options say otherwise: the measured blocks know nothing of its kernels. */
  readonly profiling: ArmProfiling = {
    always: this.program.program.profile,
    setUp: () => Promise.resolve(),
    run: (onStep) => this.#runProfile(onStep),
  };
  #profile: ProgramProfile | null = null;

  protected override start(): Promise<ProgramProcess> {
    return startProgram(this.program, this.place);
  }

  override record(): ArmRecord {
    const record = super.record();
    if (this.#profile === null) return record;
    const { result, timeline } = this.#profile;
    const exact = programCounts(result);
    return {
      variant: {
        ...record.variant,
        attached: result as unknown as AttachedProgram,
        findings: programFindings(result),
        ...exact === null ? {} : { exact },
      },
      ...{ timeline, ablations: null, data: null },
    };
  }

  /** Runs the program once more to profile it. The measured blocks count even if this fails. */
  async #runProfile(onStep: OnProgress): Promise<void> {
    if (!this.profiling.always || this.blocks.length === 0) return;
    const { interrupted, onWarning } = this.place;
    const stepTime = median(this.blocks.map(({ wall, steps }) => wall / steps.length));
    const expected = { stepTime, warmUp: this.blocks[0]!.steps[0]!.index, lasts: this.lasted };
    try {
      this.#profile = await profileProgram(this.program, expected, { interrupted, onStep });
    } catch (error) {
      if (isInstance(error, InterruptedError) || !isInstance(error, TachoError)) throw error;
      onWarning(`${this.name} was measured, but not profiled: ${error.message}`);
    }
  }
}
