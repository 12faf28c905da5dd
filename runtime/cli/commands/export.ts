import { ExitStatus, InputError } from "../../core/errors.ts";
import { oneOf } from "../flag_values.ts";
import { parseCommand } from "../parse_command.ts";
import { writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { blockRows, exportCsv, exportJson, metricRows } from "./export_formats.ts";
import { needStore } from "./store_access.ts";
import { moment } from "./times.ts";

const FORMATS = ["json", "csv"] as const;

/** Writes kept runs for other programs. */
export async function run(args: readonly string[]): Promise<number> {
  const command = createCommand({
    name: "export",
    description: "Writes kept runs as JSON, with all that is kept of them, or as CSV, a row for each metric.",
    examples: [
      ["tacho export last -o run.json", "one run: settings, environment, script and result"],
      ["tacho export --scenario lenet -o lenet.csv", "a table of all metrics of all its runs"],
      ["tacho export --since 7d --blocks -o blocks.csv", "a row for each block"],
    ],
  })
    .argument("[runs...]", "ids, parts of them, last or last~1; every run that the flags let through when left out")
    .option("-o, --output <file>", "write to a file; stdout otherwise")
    .option("--format <format>", "json or csv; by the file's name when left out", oneOf("--format", FORMATS))
    .option("--blocks", "CSV of blocks in place of metrics")
    .option("--scenario <name>", "only this scenario's")
    .option("--since <when>", "only runs since then: an age such as 7d, or a date", moment("--since"));
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const { store: folder, output, format: named, blocks = false, scenario, since } = command.opts();
  const format = named ?? (blocks || output?.toLowerCase().endsWith(".csv") ? "csv" : "json");
  if (blocks && format !== "csv") throw new InputError("--blocks: makes CSV, which --format json is not");
  using store = needStore(folder);
  const [texts] = command.processedArgs;
  if (texts.length > 0 && (scenario ?? since) !== undefined) {
    throw new InputError("tacho export: name runs, or choose them by --scenario and --since, not both");
  }
  const ids = texts.length > 0
    ? texts.map((name) => store.resolve(name))
    : store.find({ scenario, since }).map(({ id }) => id).reverse();
  const pieces = format === "json" ? exportJson(store, ids) : exportCsv(store, ids, blocks ? blockRows : metricRows);
  if (output === undefined) { for (const piece of pieces) writeOut(piece); }
  else writePieces(output, pieces);
  return await Promise.resolve(ExitStatus.ok);
}

/** One run after the other: all of them may be more than fits the memory. */
function writePieces(path: string, pieces: Iterable<string>): void {
  const encoder = new TextEncoder();
  try {
    using file = Deno.openSync(path, { create: true, write: true, truncate: true });
    for (const piece of pieces) {
      const bytes = encoder.encode(piece);
      for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    }
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    throw new InputError(`--output ${path}: cannot be written (${(cause as Error).message})`, { cause });
  }
}
