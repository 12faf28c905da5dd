/**
 * Kills the process at a moment of its work on the store, which `KILL_AT` names: `insert` (of a run) or `commit`. To be
 * loaded before the program: `deno run --preload kill_in_store.ts program.ts`.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";

const moment = Deno.env.get("KILL_AT");

function kill(at: string): void {
  if (at === moment) Deno.kill(Deno.pid, "SIGKILL");
}

const { prepare, exec } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (...args) {
  if (/^\s*insert into runs\b/i.test(args[0])) kill("insert");
  return prepare.apply(this, args);
};
DatabaseSync.prototype.exec = function (sql) {
  if (/^\s*commit\b/i.test(sql)) kill("commit");
  return exec.call(this, sql);
};
