/**
 * Writes results of benchmarks to the file of this machine.
 *
 * @module
 */
import { join } from "node:path";
import { type Figures, type Line, lineSchema, readLines, RESULTS } from "./line.ts";
import { describeMachine, slugOf } from "./machine.ts";

const RECORD = "--record";

const DIGITS = 6;

/** Records the figures of a case. Does nothing without `--record`. */
export type RecordCase = (name: string, figures: Figures) => void;

/**
 * Returns the arguments of a benchmark without `--record`, and a function that records its figures: with `--record` in the
 * file of this machine, where a line replaces the one of the same benchmark and case.
 *
 * @param section name of the section of the results, if not the benchmark's
 */
export async function recorder(
  benchmark: string,
  args: readonly string[] = Deno.args,
  section = benchmark,
): Promise<{ readonly args: string[]; readonly record: RecordCase }> {
  const rest = args.filter((arg) => arg !== RECORD);
  if (rest.length === args.length) return { args: rest, record: () => {} };
  const machine = await describeMachine();
  const path = join(RESULTS, `${slugOf(machine)}.jsonl`);
  const command = ["deno task", `bench:${benchmark}`, ...rest.map(quoted)].join(" ");
  return {
    args: rest,
    record: (name, figures) =>
      replaceLine(path, { ...machine, command, benchmark: section, case: name, figures: rounded(figures) }),
  };
}

/** Adds a line to a file, in place of the one of the same benchmark and case. An interruption leaves the file as it was. */
export function replaceLine(path: string, line: Line): void {
  const lines = readLines(path);
  const at = lines.findIndex(({ benchmark, case: name }) => benchmark === line.benchmark && name === line.case);
  lines.splice(at < 0 ? lines.length : at, at < 0 ? 0 : 1, lineSchema.parse(line));
  const part = `${path}.part`;
  Deno.writeTextFileSync(part, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  Deno.renameSync(part, path);
}

/** Rounds all but counts to as many digits as a measurement has at most; what is no finite number is null. */
function rounded(figures: Figures): Figures {
  const round = (value: number | null) => {
    if (value === null || !Number.isFinite(value)) return null;
    return Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS));
  };
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, round(value)]));
}

function quoted(arg: string): string {
  return /^[\w./=,:@+-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`;
}
