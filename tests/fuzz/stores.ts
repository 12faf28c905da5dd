import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { deflateSync } from "node:zlib";
import { LARGEST } from "../../runtime/core/files.ts";
import type { RandomStream } from "../../runtime/core/random.ts";
import { SCHEMA_VERSION } from "../../runtime/result/schema.ts";
import { pack } from "../../runtime/store/packing.ts";
import { openStore, openStoreToRead, type Store } from "../../runtime/store/store.ts";
import { keepWhole, outcome } from "../store/synthetic_run.ts";
import { chance, changed, damaged, drawValue, NUMBERS, pick, TEXTS } from "./draws.ts";
import { type Fuzzer, survives } from "./fuzzer.ts";
import { special } from "./special.ts";

/** Stores with damaged bytes, and with rows that Tacho would not write. */
export const stores: Fuzzer = {
  name: "stores",
  few: 40,
  begin(folder) {
    const good = join(folder, "good");
    const ids: string[] = [];
    let file = "";
    {
      using store = openStore(good);
      for (let i = 0; i < 4; i++) ids.push(keepWhole(store, 100 + i));
      store.setBaseline("synthetic", null, ids[0]!);
      file = store.file;
    }
    const bytes = Deno.readFileSync(file);
    return async (random) => {
      const place = join(folder, "damaged");
      Deno.mkdirSync(place);
      try {
        const copy = join(place, "runs.sqlite");
        if (chance(random, 0.4)) Deno.writeFileSync(copy, damaged(random, bytes));
        else {
          Deno.writeFileSync(copy, bytes);
          changeRows(random, copy, ids);
        }
        if (chance(random, 0.1)) placeSpecial(random, place, copy, ids);
        await survives("opening to read", () => use(place, openStoreToRead, readAll(ids)));
        await survives("opening to write", () => use(place, openStore, (store) => void keepWhole(store)));
      } finally {
        Deno.removeSync(place, { recursive: true });
      }
    };
  },
};

async function use(
  folder: string,
  open: (folder: string) => Store | null,
  work: (store: Store) => void | Promise<void>,
): Promise<void> {
  using store = open(folder);
  if (store !== null) await work(store);
}

/** Reads everything, so that one damaged part hides no other. */
function readAll(ids: readonly string[]): (store: Store) => Promise<void> {
  return async (store) => {
    const read = (what: string, work: () => unknown) => survives(what, work);
    await read("find", () => store.find().map(({ started }) => new Date(started).toISOString()));
    await read("baselines", () => store.baselines());
    await read("history", () => store.history("ips", "baseline"));
    await read("variants", () => store.variantNames());
    await read("last", () => store.resolve("last"));
    for (const id of ids) {
      await read("run", () => store.run(id));
      await read("result", () => store.result(id));
    }
  };
}

/** Puts a pipe, a socket or a device where SQLite or a lock has a file. */
function placeSpecial(random: RandomStream, place: string, file: string, ids: readonly string[]): void {
  if (Deno.build.os === "windows") return;
  const folder = join(place, "running");
  const lock = chance(random, 0.5);
  const path = lock ? join(folder, pick(random, ids)) : file + pick(random, ["", "-wal", "-shm", "-journal"]);
  if (lock) Deno.mkdirSync(folder);
  if (path === file) Deno.removeSync(file);
  special(random, path);
}

/** Overwrites values of random rows and columns. */
function changeRows(random: RandomStream, file: string, ids: readonly string[]): void {
  const db = new DatabaseSync(file);
  try {
    for (let i = random.below(3); i >= 0; i--) {
      const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      const table = String(pick(random, tables)["name"]);
      const columns = db.prepare(`PRAGMA table_info("${table}")`).all();
      const column = String(pick(random, columns)["name"]);
      try {
        db.prepare(`UPDATE "${table}" SET "${column}" = ? WHERE rowid % 2 = ?`).run(
          newValue(random, ids),
          random.below(2),
        );
      } catch {
        // a constraint of the table
      }
    }
  } finally {
    db.close();
  }
}

/** Returns little content that takes far more memory once it is unpacked, parsed or checked. */
function bomb(random: RandomStream): Uint8Array {
  const many = 2 ** (1 + random.below(19));
  if (chance(random, 0.02)) return deflateSync(JSON.stringify(outcome(100)) + " ".repeat(LARGEST.text));
  return deflateSync(pick(random, [
    "[".repeat(many),
    `${"[".repeat(many)}${"]".repeat(many)}`,
    `{"schemaVersion":${SCHEMA_VERSION},"variants":[${"{},".repeat(many)}{}]}`,
    `{"schemaVersion":1,"variants":[${'{"ops":[null]},'.repeat(many)}{}]}`,
    `[${"1,".repeat(many)}1]`,
  ]));
}

function newValue(random: RandomStream, ids: readonly string[]): null | number | string | Uint8Array {
  switch (random.below(8)) {
    case 0:
      return null;
    case 1:
      return pick(random, NUMBERS.filter((value) => Number.isFinite(value)));
    case 2:
      return pick(random, [...TEXTS, ...ids]);
    case 3:
      return JSON.stringify(drawValue(random)) ?? "";
    case 4:
      return pack(changed(random, outcome(100)));
    case 5:
      return pack(changed(random, { ...outcome(100), schemaVersion: 1 + random.below(SCHEMA_VERSION) }));
    case 6:
      return bomb(random);
    default:
      return damaged(random, pack(outcome(100)));
  }
}
