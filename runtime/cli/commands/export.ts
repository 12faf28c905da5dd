import { InputError } from "../../core/errors.ts";
import { writeFile } from "../../core/files.ts";
import { StoreError } from "../../store/problems.ts";
import { moment, oneOf } from "../flag_values.ts";
import { runOf } from "../parse_command.ts";
import { writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { blockRows, exportCsv, exportJson, metricRows } from "./export_formats.ts";
import { leftOut, needStore } from "./store_access.ts";

const FORMATS = ["json", "csv"] as const;

export const define = () =>
  createCommand({
    name: "export",
    description:
      "Writes kept runs as JSON, with everything that is kept, or as CSV, with a row per metric and a column " +
      "per swept setting.",
    examples: [
      ["tacho export last -o run.json", "write settings, environment, script and result of one run"],
      ["tacho export --scenario lenet -o lenet.csv", "write all metrics of all runs of a scenario"],
      ["tacho export --since 7d --blocks -o blocks.csv", "write a row per block"],
    ],
  })
    .argument("[runs...]", "IDs, parts of them, last or last~1 (default: every run that the flags select)")
    .option("-o, --output <file>", "file to write (default: stdout)")
    .option("--format <format>", "json or csv (default: by the file name)", oneOf("--format", FORMATS))
    .option("--blocks", "write CSV of blocks instead of metrics")
    .option("--scenario <name>", "select runs of this scenario")
    .option("--since <when>", "select runs started since then: an age such as 7d, or a date", moment("--since"));

/** Writes kept runs for other programs. */
export const run = runOf(
  define,
  ({ store: folder, output, format: named, blocks = false, scenario, since }, [texts]) => {
    const format = named ?? (blocks || output?.toLowerCase().endsWith(".csv") ? "csv" : "json");
    if (blocks && format !== "csv") throw new InputError("--blocks: needs --format csv, got json");
    using store = needStore(folder);
    if (texts.length > 0 && (scenario ?? since) !== undefined) {
      throw new InputError("tacho export: name runs, or select them with --scenario and --since, but not both");
    }
    const ids = texts.length > 0
      ? texts.map((name) => store.resolve(name))
      : store.find({ scenario, since }, leftOut).map(({ id }) => id).reverse();
    const pieces = format === "json" ? exportJson(store, ids) : exportCsv(store, ids, blocks ? blockRows : metricRows);
    if (output === undefined) { for (const piece of pieces) writeOut(piece); }
    else writePieces(output, pieces);
  },
);

/** Writes piece by piece, since all runs may not fit in memory. */
function writePieces(path: string, pieces: Iterable<string>): void {
  try {
    writeFile(path, pieces);
  } catch (cause) {
    if (cause instanceof StoreError) throw cause; // of a piece
    throw new InputError(`--output ${path}: cannot be written (${(cause as Error).message})`, { cause });
  }
}
