import { analyseAttached } from "../../analysis/attach/analyse.ts";
import { parseSteps, type Steps } from "../../attach/settings.ts";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { renderAttached } from "../../report/attach/text.ts";
import { readRecords } from "../attach/read_records.ts";
import { recordedCommand } from "../attach/recorded_command.ts";
import { runProgram } from "../attach/run_program.ts";
import { wholeNumber } from "../flag_values.ts";
import { checkTarget, STDOUT, writeJson } from "../json_output.ts";
import { parseCommand } from "../parse_command.ts";
import { lookOfStderr, writeError } from "../terminal.ts";
import { createCommand } from "./command.ts";

/** Default number of kernels in print. */
const DEFAULT_TOP = 12;

export const define = () =>
  createCommand({
    name: "attach",
    description:
      "Runs any WebGPU program in Deno and reports where its time goes: kernels, idle time by cause, uploads, " +
      "reads, memory, pipelines, errors. Its output, its results and its status stay the same; the report goes to stderr.",
    examples: [
      ["tacho attach -- deno run -A train.ts", "record a program; steps are found where they repeat"],
      [
        "tacho attach --steps mark -- deno run -A train.ts",
        'steps end where the program calls performance.mark("step")',
      ],
      ["tacho attach --steps submit:4 -- deno run -A train.ts", "a step has four submits"],
      ["tacho attach --stack -- deno run -A train.ts", "name the lines that dispatch kernels and create buffers"],
      ["tacho attach --json out.json -- deno test -A", "record tests, and write everything as JSON"],
    ],
  })
    .usage("[options] -- deno run [arguments...]")
    .argument("[command...]", "command that runs the program, after --")
    .option("--steps <how>", "how steps are told: auto, wait, submit:N or mark", stepsValue, { by: "auto" } as Steps)
    .option("--stack", "record the program's lines; calls take longer")
    .option("--top <n>", `print the first n kernels (default: ${DEFAULT_TOP})`, wholeNumber("--top", 1))
    .option("--budget <percent>", "largest slowdown by timing kernels, such as 5% (default: 5%)", percentValue)
    .option("--json <file>", "write the whole result as JSON");

/** Records a program. */
export async function run(args: readonly string[]): Promise<number> {
  const at = args.indexOf("--");
  const command = define();
  if (!parseCommand(command, at < 0 ? args : args.slice(0, at))) return ExitStatus.ok;
  const { steps, stack = false, top = DEFAULT_TOP, budget = 0.05, json, color } = command.opts();
  if (at < 0 || at === args.length - 1) {
    throw new InputError("tacho attach: expected -- and a command, such as: tacho attach -- deno run -A program.ts");
  }
  if (json === STDOUT) throw new InputError("--json -: stdout is the program's; expected a file name");
  if (json !== undefined) await checkTarget(json);
  const folder = await Deno.makeTempDir({ prefix: "tacho-attach-" });
  try {
    const status = await runProgram(
      recordedCommand(args.slice(at + 1), folder, { steps, stack, budget, timing: true }),
    );
    const result = analyseAttached(await readRecords(folder), steps.by);
    writeError(renderAttached(result, lookOfStderr(color), top));
    if (json !== undefined) await writeJson(json, result);
    return status;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function stepsValue(text: string): Steps {
  const steps = parseSteps(text);
  if (steps === null) throw new InputError(`--steps: expected auto, wait, submit:N or mark, got "${text}"`);
  return steps;
}

function percentValue(text: string): number {
  const percent = Number(/^(\d+(?:\.\d+)?)\s*%$/.exec(text)?.[1]);
  if (!(percent > 0 && percent <= 100)) {
    throw new InputError(`--budget: expected per cent above 0, such as 5%, got "${text}"`);
  }
  return percent / 100;
}
