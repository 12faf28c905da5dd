import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { InputError } from "../../core/errors.ts";
import { writeFile } from "../../core/files.ts";
import { printableJson } from "../../core/printable.ts";
import { paperFiles } from "../../report/paper/document.ts";
import type { Store } from "../../store/store.ts";
import { folder } from "../flag_values.ts";
import { runOf } from "../parse_command.ts";
import { lockText } from "../repeat/lock_file.ts";
import { recipeOfRun } from "../repeat/recipe_of_run.ts";
import { checkFolder } from "../../library/report_folder.ts";
import { warn, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { blockRows, exportCsv, metricRows } from "./export_formats.ts";
import { needStore } from "./store_access.ts";

export const define = () =>
  createCommand({
    name: "paper",
    description:
      "Writes a kept run for a publication: LaTeX tables (booktabs, siunitx), the plot of the intervals (pgfplots), a " +
      "paragraph on methods with its bibliography, a document that includes them, and an archive of the lock file and " +
      "every block.",
    examples: [
      ["tacho paper last", "write the files of the latest run to paper-ID"],
      ["tacho paper 1m7x --out paper", "write those of another run to paper"],
    ],
  })
    .argument("[run]", "ID of the run, a part of it, last or last~1", "last")
    .option("--out <dir>", "folder to write (default: paper-ID)", folder("--out"));

/** Writes a kept run for a publication. */
export const run = runOf(define, async ({ store: kept, out }, [name]) => {
  using store = needStore(kept);
  const { id, started } = store.run(store.resolve(name));
  const result = store.result(id);
  if (result === null) throw new InputError(`Run ${id} has no result to publish; "tacho show ${id}" says why`);
  const target = out ?? `paper-${id}`;
  await checkFolder(target, "--out");
  for (const [name, text] of Object.entries(paperFiles(result))) {
    writeFile(join(target, name), text);
  }
  const files = {
    ...await lockOf(store, id),
    "result.json": `${printableJson(result)}\n`,
    "blocks.csv": [...exportCsv(store, [id], blockRows)].join(""),
    "metrics.csv": [...exportCsv(store, [id], metricRows)].join(""),
  };
  const entries = Object.entries(files).map(([name, text]) => [`${id}/${name}`, strToU8(text)] as const);
  writeFile(join(target, "data.zip"), zipSync(Object.fromEntries(entries), { mtime: started }));
  writeOut(`${join(target, "paper.tex")}\n`);
});

/** Returns the lock file of a run by its name; nothing where its script was not kept. */
async function lockOf(store: Store, id: string): Promise<Record<string, string>> {
  try {
    const recipe = recipeOfRun(store, id);
    return { [`${recipe.spec.scenario}.lock.json`]: await lockText(recipe) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    warn(`data.zip has no lock file: ${error.message}`);
    return {};
  }
}
