import { Option } from "@commander-js/extra-typings";
import type { OutputTolerance } from "../../analysis/comparison/outputs.ts";
import { InputError } from "../../core/errors.ts";
import { createCommand } from "../commands/command.ts";
import { folder, wholeNumber } from "../flag_values.ts";
import { GATE, GATE_UNDECIDED } from "../gate_flags.ts";
import { MEASURE } from "../measure_flag.ts";
import { PROCESSES_HELP, STEP_TIMEOUT } from "../programs_flags.ts";
import { VERSUS } from "./kept_comparison.ts";
import { parameterOf, type Parameters } from "./parameters.ts";

/** Flags that write files, which a repeated comparison must not overwrite. */
export const EXPORT_FLAGS = ["--export-json", "--export-csv", "--export-markdown"] as const;

/** Collects the values of a flag that may be repeated. */
const collect = (text: string, earlier: readonly string[] = []): readonly string[] => [...earlier, text];

/** @throws {InputError} unless the text is one number of at least 0, or two */
function toleranceOf(text: string): OutputTolerance {
  const [relative = NaN, absolute = 0, ...rest] = text.split(",").map((part) =>
    part.trim() === "" ? NaN : Number(part)
  );
  if (rest.length === 0 && relative >= 0 && absolute >= 0 && Number.isFinite(relative + absolute)) {
    return { relative, absolute };
  }
  throw new InputError(`--output-tolerance: expected a number such as 1e-3, or two such as 1e-3,1e-6, got "${text}"`);
}

/** Declares the command line of `tacho versus`. */
export const define = () =>
  createCommand({
    name: VERSUS,
    description:
      "Compares commands: interleaved, in balanced orders, beside a second copy of the first one, with a verdict for " +
      "each. Any command is timed from its start to its end. Programs that use WebGPU in Deno run once for many " +
      "steps and are held between blocks of them; so is any program whose steps a line on stdout ends. Programs stay as " +
      'they are; one of Deno that reports losses does so with performance.mark("step", { detail: { loss } }). One ' +
      "command alone is measured without a verdict.",
    examples: [
      ["tacho versus -n old './bench-1.2' -n new './bench-1.3'", "compare two commands by whole runs"],
      [
        "tacho versus -N -w 3 -r 50 'jq . a.json' 'jaq . a.json'",
        "without a shell, after 3 warm-up runs, in 50 rounds",
      ],
      ["tacho versus -p 'make clean' 'make -j1' 'make -j2'", "run a command before each run, which is not timed"],
      ["tacho versus --parameter j=1..4 'make -B -j {j}'", "compare values of a parameter"],
      [
        "tacho versus --steps 'stdout:/loss (?<loss>.+)/' 'python3 a.py' 'python3 b.py'",
        "compare steps, each ended by a line on stdout",
      ],
      ['tacho versus "deno run -A a.ts" "deno run -A b.ts"', "compare steps of WebGPU, found where they repeat"],
      [
        'tacho versus --steps mark a="deno run -A a.ts" b="deno run -A b.ts"',
        'steps end at performance.mark("step")',
      ],
      [
        'tacho versus --gate "speedup.b>=1.1" "deno run -A a.ts" "deno run -A b.ts"',
        "fail unless the second one is 10 % faster",
      ],
      ['tacho versus --unit images --per-step 32 "deno run -A a.ts" "deno run -A b.ts"', "print images/s"],
    ],
  })
    .argument("<commands...>", "commands, each in quotes; name=COMMAND names one, NAME=value before it is a variable")
    .option("-n, --command-name <name>", "name of a command; repeat it for the next ones", collect)
    .option(
      "--steps <how>",
      "run (whole runs), stdout:/REGEX/, or for programs of Deno auto, wait, submit:N, mark (default: auto if all are " +
        "programs of Deno, else run)",
    )
    .option("-r, --rounds <n>", "number of rounds (default: 20 for whole runs, else 8)", wholeNumber("--rounds", 1))
    .option("-w, --warmup <n>", "warm-up runs of each command (default: 1)", wholeNumber("--warmup", 0))
    .option("-s, --setup <cmd>", "run this before the first run of each command")
    .option("-p, --prepare <cmd>", "run this before each run; once for all commands, or repeat it for each", collect)
    .option("--conclude <cmd>", "run this after each run; once for all commands, or repeat it for each", collect)
    .option("-c, --cleanup <cmd>", "run this after the last run of each command")
    .option("-S, --shell <shell>", "shell of the commands, started before the clock; none for none (default: sh)")
    .option("-N, --no-shell", "run commands without a shell")
    .option("-i, --ignore-failure", "count runs that end with another status than 0")
    .option("--input <file>", "file that commands read as stdin (default: empty)")
    .option(
      "--output <where>",
      "compare what runs write: stdout, or a file (text, JSON, .npy, bytes); another output makes a verdict invalid",
    )
    .option(
      "--output-tolerance <r>",
      "accept numbers in outputs within this part of the baseline's, or R,A for an absolute part, too (default: 0)",
      toleranceOf,
    )
    .addOption(
      new Option("--parameter <name=values>", "compare values in the place of {name}: 1..4, 1..9:2, a,b,c; repeatable")
        .argParser((text: string, earlier: Parameters | undefined) => parameterOf(text, earlier)),
    )
    .addOption(MEASURE)
    .option("--block <n>", "runs or steps per block (default: 1 run, 5 steps)", wholeNumber("--block", 1))
    .option("--skip <n>", "minimum number of warm-up steps (default: 3)", wholeNumber("--skip", 0))
    .option("--processes <n>", PROCESSES_HELP, wholeNumber("--processes", 1))
    .option("--unit <units>", "unit that a run or a step processes, in the plural (default: runs, steps)")
    .option("--per-step <n>", "units that a run or a step processes (default: 1)", wholeNumber("--per-step", 1))
    .option("--baseline <name>", "command that the others are compared with (default: the first)")
    .option("--name <name>", "name of the comparison in the store (default: versus)")
    .option("--seed <n>", "seed of the order of the blocks (default: 1)", wholeNumber("--seed", 0))
    .option(
      "--timeout <seconds>",
      `longest time without a step (default: ${STEP_TIMEOUT}), or of a run (default: 3600)`,
      wholeNumber("--timeout", 1),
    )
    .addOption(GATE)
    .addOption(GATE_UNDECIDED)
    .option("--report <dir>", "write a page, Markdown, CSV and JSON to this folder", folder("--report"))
    .option("--json <file>", "write the whole result as JSON; - for stdout")
    .option("--export-json <file>", "write the times of whole runs as hyperfine does, in JSON; - for stdout")
    .option("--export-csv <file>", "the same in CSV")
    .option("--export-markdown <file>", "the same as a table in Markdown")
    .option("--no-store", "do not keep the result");

export type VersusOptions = ReturnType<ReturnType<typeof define>["opts"]>;
