import { CommandProcess } from "../../attach/programs/command/command_process.ts";
import type { SteppedProgram } from "../../attach/programs/program_process.ts";
import type { CompleteCommand } from "../../scenario/command.ts";
import { commandStart } from "./command_start.ts";
import { SteppedArm } from "./stepped_arm.ts";

/** Arm that runs a command in steps, which lines on its stdout end. */
export class CommandStepsArm extends SteppedArm<CompleteCommand> {
  #starter: CommandProcess | null = null;

  protected override async start(): Promise<SteppedProgram> {
    this.#starter ??= await CommandProcess.start(commandStart(this.program, this.place));
    return await this.#starter.step();
  }

  override async close(): Promise<void> {
    await super.close();
    const warning = await this.#starter?.close() ?? null;
    this.#starter = null;
    if (warning !== null) this.place.onWarning(`${this.name}: ${warning}`);
  }
}
