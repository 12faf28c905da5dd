import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { checkFolder, writeReport } from "../../library/report_folder.ts";
import { runCommand } from "../../library/script.ts";
import { folder } from "../flag_values.ts";
import { openPage } from "../open_page.ts";
import { runOf } from "../parse_command.ts";
import { warn, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { needStore } from "./store_access.ts";

export const define = () =>
  createCommand({
    name: "report",
    description: "Writes report.html, report.md, profile.csv and result.json of a kept run to a folder.",
    examples: [
      ["tacho report last", "write the report of the latest run to report-ID"],
      ["tacho report last --open", "write it and open its page"],
      ["tacho report 1m7x --out out", "write the report of another run to out"],
    ],
  })
    .argument("[run]", "ID of the run, a part of it, last or last~1", "last")
    .option("--out <dir>", "folder to write (default: report-ID)", folder("--out"))
    .option("--open", "open report.html with the system's program for web pages");

/** Writes the report of a kept run, like `--report`, but without the trace, whose spans are not kept. */
export const run = runOf(define, async ({ store: place, out, open = false }, [name]) => {
  using store = needStore(place);
  const kept = store.run(store.resolve(name));
  const { id } = kept;
  const result = store.result(id);
  if (result === null) throw new InputError(`Run ${id} has no result to report; "tacho show ${id}" says why`);
  const target = out ?? `report-${id}`;
  await checkFolder(target, "--out");
  await writeReport(target, result, { timelines: null, command: runCommand(kept) }, "--out");
  const page = join(target, "report.html");
  writeOut(`${page}\n`);
  if (!open) return;
  const problem = await openPage(page);
  if (problem !== null) warn(`${page} could not be opened: ${problem}; open it in a browser yourself`);
});
