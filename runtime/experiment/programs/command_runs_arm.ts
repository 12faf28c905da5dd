import { CommandProcess } from "../../attach/programs/command/command_process.ts";
import type { RunFacts } from "../../attach/programs/command/protocol.ts";
import { LARGEST_OUTPUT } from "../../attach/programs/output_value.ts";
import { EXACT, outputDifference } from "../../analysis/comparison/outputs.ts";
import { InputError } from "../../core/errors.ts";
import { toByPhase } from "../../record/phases.ts";
import type { Block } from "../../result/schema.ts";
import { type CompleteCommand, STDOUT_OUTPUT } from "../../scenario/command.ts";
import type { KeptBlock } from "../../store/run_recorder.ts";
import type { Arm, ArmRecord } from "../arm.ts";
import { commandStart } from "./command_start.ts";
import { readOutput } from "./read_output.ts";
import { NO_HOST, ProgramArmBase } from "./program_arm_base.ts";

/** Exit status of a shell that does not find a program, and of one that may not run it. */
const [NOT_FOUND, NOT_EXECUTABLE] = [127, 126];

/** Arm that runs a command from its start to its end, each time in a fresh process. */
export class CommandRunsArm extends ProgramArmBase<CompleteCommand> implements Arm {
  readonly stateful = false;
  readonly settles = false;
  #starter: CommandProcess | null = null;

  /** Starts the process that starts the command. */
  async prepare(): Promise<void> {
    this.#starter ??= await CommandProcess.start(commandStart(this.program, this.place));
  }

  async warmUp(runs: number, onRun: (done: number) => void = () => {}): Promise<{ wall: number }> {
    return { wall: wallOf(await this.#run(runs, onRun)) };
  }

  async block(...[place, count, { onStep }]: Parameters<Arm["block"]>): Promise<Omit<KeptBlock, "arm"> | null> {
    const first = this.ran.done;
    const runs = await this.#run(count, onStep);
    const unknown = { readerCost: null, stepTime: null, iterationGap: null, ...toByPhase<number>([]), loss: null };
    const block: Block = {
      ...place,
      samples: count * this.program.program.perStep,
      wall: wallOf(runs),
      steps: runs.map(({ wall }, i) => ({ index: first + i, batchCost: wall, ...unknown })),
      runs,
    };
    this.blocks.push(block);
    return { block, host: NO_HOST };
  }

  record(): ArmRecord {
    const variant = this.result({ setup: null, firstStep: null });
    return { variant, timeline: null, ablations: null, data: null };
  }

  async close(): Promise<void> {
    const warning = await this.#starter?.close() ?? null;
    this.#starter = null;
    if (warning !== null) this.place.onWarning(`${this.name}: ${warning}`);
  }

  /** @throws {InputError} if a run fails, unless failures are ignored */
  async #run(count: number, onRun: (done: number) => void): Promise<RunFacts[]> {
    const runs: RunFacts[] = [];
    while (runs.length < count) {
      const run = await this.#starter!.run();
      if (run.status !== 0 && !this.program.program.ignoreFailure) throw this.#failure(run.status);
      runs.push(run);
      this.#keepOutput();
      this.ran.add([null]);
      onRun(runs.length);
    }
    return runs;
  }

  /** Keeps the output of a run where it differs from that of the first. */
  #keepOutput(): void {
    const { output, cwd } = this.program.program;
    if (output === null || this.outputs.length >= LARGEST_OUTPUT.outputs) return;
    const made = output === STDOUT_OUTPUT ? readOutput(this.#starter!.stdout, null) : readOutput(output, cwd);
    if (this.outputs.some((earlier) => outputDifference(made, earlier, EXACT) === null)) return;
    this.outputs = [...this.outputs, made];
  }

  #failure(status: number): InputError {
    const lines = this.#starter!.lastLines();
    const fix = status === NOT_FOUND
      ? ", which means that a program is not found"
      : status === NOT_EXECUTABLE
      ? ", which means that a program cannot be executed"
      : "; -i (ignoreFailure) measures it all the same";
    return new InputError(`The command ended with status ${status}${fix}${lines}`);
  }
}

function wallOf(runs: readonly RunFacts[]): number {
  return runs.reduce((sum, { wall }) => sum + wall, 0);
}
