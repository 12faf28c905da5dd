import { summarize } from "../../analysis/metrics.ts";
import { TachoError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import { type AdapterInfo, describeDevice } from "../../device/adapter.ts";
import type { HeldEvent } from "../../attach/programs/protocol.ts";
import type { Block, Loss, Unit, VariantResult } from "../../result/schema.ts";
import type { ResolvedProgram } from "../../scenario/program.ts";
import type { KeptBlock } from "../../store/run_recorder.ts";
import { LossesOfProcesses } from "../distributed/processes/losses_of_processes.ts";
import { hostResult } from "../host_result.ts";

/** Place of a program in a comparison. */
export interface ProgramPlace {
  /** Settings in its result. */
  readonly config: VariantResult["config"];
  /** It is the second copy of the baseline. */
  readonly isControl: boolean;
  interrupted(): boolean;
  /** Called with the adapter of the program once it is known. */
  onAdapter(info: AdapterInfo): void;
  /** Called with what the user should know about the program. */
  onWarning(message: string): void;
}

/** Blocks, losses and state of an arm that runs a program. */
export abstract class ProgramArmBase<S extends ResolvedProgram["program"] = ResolvedProgram["program"]> {
  readonly name: string;
  readonly unit = 1;
  readonly blocks: Block[] = [];
  /** Outputs of its first process, or of runs that differ. */
  outputs: readonly unknown[] = [];
  protected readonly ran = new LossesOfProcesses();
  failure: Error | null = null;
  interrupted = false;
  protected readonly program: ResolvedProgram<S>;
  protected readonly place: ProgramPlace;
  #adapter: AdapterInfo | null = null;

  constructor(program: ResolvedProgram<S>, place: ProgramPlace) {
    this.name = program.name;
    this.program = program;
    this.place = place;
  }

  get running(): boolean {
    return this.failure === null && !this.interrupted;
  }

  get steps(): number {
    return this.ran.all.length;
  }

  get losses(): readonly (Loss | null)[] {
    return this.ran.all;
  }

  /** Adapter that the program uses; null before its first step. */
  get adapter(): AdapterInfo | null {
    return this.#adapter;
  }

  get unitOfRate(): Unit {
    return `${this.program.program.unit}/s`;
  }

  fail(error: unknown): void {
    this.failure = isInstance(error, Error) ? error : new Error(String(error));
  }

  interrupt(): void {
    if (this.failure === null) this.interrupted = true;
  }

  endWarmUp(): void {}

  skip(losses: readonly (Loss | null)[]): void {
    this.ran.add(losses);
  }

  restoreBlock({ block }: Omit<KeptBlock, "arm">): void {
    this.blocks.push(block);
  }

  /** Remembers what the first hold of a process says. */
  protected began({ device, losses }: HeldEvent): void {
    this.ran.add(losses);
    if (device === null || this.#adapter !== null) return;
    this.#adapter = describeDevice(device).info;
    this.place.onAdapter(this.#adapter);
  }

  /**
   * Returns the result of the measured blocks.
   *
   * @param times time to prepare the program, and of its first step, in ms; null if unknown
   */
  protected result({ setup, firstStep }: { setup: number | null; firstStep: number | null }): VariantResult {
    const { name, blocks, losses, failure } = this;
    const metrics = summarize({
      blocks,
      runtimeWaits: blocks.map(() => NaN),
      amortised: false,
      unit: this.unitOfRate,
      ...{ setup, firstStep, accuracy: null, timing: null, profilingCost: null },
    });
    const status: VariantResult["status"] = failure !== null ? "failed" : this.interrupted ? "interrupted" : "ok";
    const error = failure && {
      message: failure.message,
      exitStatus: failure instanceof TachoError ? failure.exitStatus : 1,
    };
    const reported = losses.some((loss) => loss !== null) ? [...losses] : [];
    const { program } = this.program;
    return {
      ...hostResult(name, this.place.config, { metrics, status, error, blocks, losses: reported }),
      axes: program.kind === "command" ? program.parameters : {},
    };
  }
}

/** Host figures of a program's block, which nothing in this process measures. */
export const NO_HOST: KeptBlock["host"] = { runtimeWait: 0, counts: {}, letData: [], hostQueue: [], deviceQueue: [] };
