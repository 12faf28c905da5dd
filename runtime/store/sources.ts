import type { Database } from "./database.ts";
import type { ModuleSource } from "./module_source.ts";
import { pack } from "./packing.ts";

/** Keeps the modules of a run in place of those that it has. A text that several runs share is kept once. */
export function keepModules(db: Database, id: string, modules: readonly ModuleSource[]): void {
  db.run("DELETE FROM modules WHERE run = ?", id);
  modules.forEach(({ path, sha256, text, imports, names }, i) => {
    db.run("INSERT OR IGNORE INTO sources VALUES (?, ?)", sha256, pack(text));
    const more = [JSON.stringify(imports), JSON.stringify(names)] as const;
    db.run("INSERT INTO modules VALUES (?, ?, ?, ?, ?, ?)", id, i, path, sha256, ...more);
  });
}
