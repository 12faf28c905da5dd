/** Unusable stores: one message says what is wrong and what to do. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { deflateSync } from "node:zlib";
import { LARGEST } from "../../runtime/core/files.ts";
import { RandomStream } from "../../runtime/core/random.ts";
import { pack } from "../../runtime/store/packing.ts";
import { StoreError } from "../../runtime/store/problems.ts";
import { openStore, openStoreToRead } from "../../runtime/store/store.ts";
import { full } from "../support/full.ts";
import { SPECIAL_FILES } from "../support/special_files.ts";
import { checkWhole, keepWhole, outcome, round, spec, start } from "./synthetic_run.ts";
import { startWriter } from "./writer_process.ts";

interface Place {
  readonly folder: string;
  readonly file: string;
  /** Runs in the store, all of them complete. */
  readonly ids: readonly string[];
}

async function withRuns(count: number, test: (place: Place) => void | Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const ids: string[] = [];
    let file = "";
    {
      using store = openStore(folder);
      file = store.file;
      for (let i = 0; i < count; i++) ids.push(keepWhole(store));
    }
    await test({ folder, file, ids });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns the message of the `StoreError` that `work` throws. */
function complaint(work: () => void): string {
  try {
    work();
  } catch (error) {
    assert(error instanceof StoreError, String(error));
    return error.message;
  }
  assert.fail("expected a StoreError");
}

function sql(file: string, statement: string): void {
  const db = new DatabaseSync(file);
  db.exec(statement);
  db.close();
}

Deno.test("a store of a newer version is left unchanged", () =>
  withRuns(1, ({ folder, file }) => {
    sql(file, "PRAGMA user_version = 99");
    const before = Deno.readFileSync(file);
    for (const open of [openStore, openStoreToRead]) {
      assert.match(
        complaint(() => open(folder)),
        /runs\.sqlite was written by a newer Tacho \(store version 99, supported \d+\); update Tacho, or set another/,
      );
    }
    assert.deepEqual(Deno.readFileSync(file), before);
  }));

Deno.test("the database of another program is rejected", () =>
  withRuns(0, ({ folder, file }) => {
    Deno.removeSync(file);
    sql(file, "CREATE TABLE theirs (a); PRAGMA user_version = 1");
    assert.match(complaint(() => openStore(folder)), /runs\.sqlite is not a Tacho store; set another folder/);
  }));

Deno.test("a file that is not a database, or is truncated, is reported as damaged", async (t) => {
  const cases: [string, (bytes: Uint8Array) => Uint8Array][] = [
    ["text", () => new TextEncoder().encode("not a database at all, but long enough to look at\n".repeat(50))],
    ["header overwritten", (bytes) => bytes.fill(0x5a, 0, 100)],
    ["one page left", (bytes) => bytes.slice(0, 4096)],
    ["half of it left", (bytes) => bytes.slice(0, bytes.length >> 1)],
    ["a part of a page left", (bytes) => bytes.slice(0, 1000)],
  ];
  for (const [name, change] of cases) {
    await t.step(name, () =>
      withRuns(3, ({ folder, file, ids }) => {
        Deno.writeFileSync(file, change(Deno.readFileSync(file)));
        const message = complaint(() => {
          using store = openStore(folder);
          keepWhole(store);
          for (const id of ids) store.result(id);
        });
        assert.match(message, /is damaged; move .*runs\.sqlite\* away to start a new one/);
      }));
  }
});

Deno.test("an empty file becomes a new store", () =>
  withRuns(1, ({ folder, file }) => {
    Deno.truncateSync(file);
    using store = openStore(folder);
    assert.deepEqual(store.find(), []);
    assert.deepEqual(store.find().length, 0);
    assert.equal(store.result(keepWhole(store))?.variants.length, 2);
  }));

Deno.test("with random bytes overwritten, a run is either kept and readable or the damage is reported", () =>
  withRuns(12, ({ folder, file }) => {
    const whole = Deno.readFileSync(file);
    const random = new RandomStream(1);
    let reported = 0;
    for (let trial = 0; trial < (full ? 60 : 20); trial++) {
      const bytes = whole.slice();
      const at = random.below(bytes.length - 512);
      for (let i = 0; i < 512; i++) bytes[at + i] = random.below(256);
      for (const { name } of Deno.readDirSync(folder)) if (name !== "running") Deno.removeSync(join(folder, name));
      Deno.writeFileSync(file, bytes);
      let kept: string | null = null;
      try {
        using store = openStore(folder);
        kept = keepWhole(store);
      } catch (error) {
        assert(error instanceof StoreError, String(error));
        reported++;
      }
      if (kept === null) continue;
      using store = openStore(folder);
      assert.equal(store.result(kept)?.variants.length, 2, `trial ${trial}`);
    }
    assert(reported > 0);
  }));

Deno.test("a damaged row is reported as damaged, and content of another version is not", () =>
  withRuns(2, ({ folder, file, ids: [one = "", two = ""] }) => {
    const [early, late] = [pack({ variants: "none" }), Uint8Array.from({ length: 200 }, (_, i) => i)];
    const db = new DatabaseSync(file);
    const write = db.prepare("UPDATE results SET content = ? WHERE run = ?");
    write.run(early, one);
    write.run(late, two);
    db.exec(`UPDATE runs SET environment = '{}' WHERE id = '${one}'; UPDATE runs SET args = '[' WHERE id = '${two}'`);
    db.close();
    using store = openStore(folder);
    for (const read of [() => store.result(one), () => store.run(one)]) {
      assert.match(complaint(() => void read()), /^Run \w+ was kept by another version of Tacho in an unsupported/);
    }
    for (const read of [() => store.result(two), () => store.run(two)]) {
      assert.match(
        complaint(() => void read()),
        new RegExp(`^Run ${two} in .* is damaged \\(.*; other runs are not affected$`),
      );
    }
    const damaged: string[] = [];
    assert.deepEqual(store.find({}, (id) => damaged.push(id)).map(({ id }) => id), [one]);
    assert.deepEqual(damaged, [two]);
  }));

Deno.test("a number that is too large for a run is reported as damage", () =>
  withRuns(1, ({ folder, file, ids: [id = ""] }) => {
    sql(file, "UPDATE runs SET started = 9007199254740992");
    using store = openStore(folder);
    const damaged: string[] = [];
    assert.deepEqual(store.find({}, (id) => damaged.push(id)), []);
    assert.deepEqual(damaged, [id]);
    assert.match(complaint(() => store.run(id)), /^Run \w+ in .* is damaged/);
  }));

Deno.test("content that would take far more memory than its row is damage, and hides no other run", () =>
  withRuns(2, ({ folder, file, ids: [one = "", two = ""] }) => {
    const packed = (text: string, times: number) => deflateSync(text.repeat(times));
    const bombs = [
      deflateSync(JSON.stringify(outcome(100)) + " ".repeat(LARGEST.text)), // valid
      packed("[", 2 ** 20),
      packed("{},", 2 ** 24),
      deflateSync(`{"schemaVersion":1,"variants":[${"{},".repeat(500_000)}{}]}`),
      deflateSync(`{"schemaVersion":1,"variants":[{"ops":[null]}]}`),
    ];
    using store = openStore(folder);
    for (const bomb of bombs) {
      const db = new DatabaseSync(file);
      db.prepare("UPDATE results SET content = ? WHERE run = ?").run(bomb, one);
      db.close();
      assert.match(complaint(() => store.result(one)), new RegExp(`run ${one}`, "i"));
      assert.ok(store.result(two));
      assert.equal(store.find().length, 2);
    }
  }));

Deno.test("a value that is too large to be read again is not kept", () => {
  assert.match(
    complaint(() => pack(" ".repeat(LARGEST.text))),
    /^It takes \d+ bytes, and the store keeps at most \d+$/,
  );
});

Deno.test({
  name: "a store whose files are pipes or devices is refused before SQLite opens them",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    for (const name of ["runs.sqlite", "runs.sqlite-journal", "runs.sqlite-wal", "runs.sqlite-shm"]) {
      for (const [kind, make] of Object.entries(SPECIAL_FILES)) {
        await withRuns(1, ({ folder }) => {
          const path = join(folder, name);
          if (name === "runs.sqlite") Deno.removeSync(path);
          using _special = make(path);
          for (const open of [openStore, openStoreToRead]) {
            assert.match(complaint(() => open(folder)), new RegExp(`${name} is not a file; set another folder`), kind);
          }
        });
      }
    }
  },
});

Deno.test({
  name: "a run whose lock is a pipe, a socket or a device has no process",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    for (const [kind, make] of Object.entries(SPECIAL_FILES)) {
      await withRuns(1, ({ folder, file, ids: [id = ""] }) => {
        sql(file, "UPDATE runs SET status = 'running'");
        Deno.mkdirSync(join(folder, "running"), { recursive: true });
        using _special = make(join(folder, "running", id));
        using store = openStore(folder);
        assert.equal(store.find()[0]!.status, "interrupted", kind);
      });
    }
  },
});

Deno.test("a damaged write-ahead log loses only the runs in it", async () => {
  const folder = await Deno.makeTempDir();
  const writer = startWriter(folder);
  await writer.said(11);
  writer.kill(); // leaves its write-ahead log behind
  const { ids } = await writer.end;
  const log = join(folder, "runs.sqlite-wal");
  const bytes = Deno.readFileSync(log);
  const damages: ((bytes: Uint8Array) => Uint8Array)[] = [
    (bytes) => bytes.slice(0, bytes.length - 1000),
    (bytes) => bytes.fill(7, bytes.length >> 1, (bytes.length >> 1) + 4096),
    (bytes) => bytes.fill(7),
    () => new Uint8Array(0),
  ];
  for (const damage of damages) {
    const copy = await Deno.makeTempDir();
    Deno.copyFileSync(join(folder, "runs.sqlite"), join(copy, "runs.sqlite"));
    Deno.writeFileSync(join(copy, "runs.sqlite-wal"), damage(bytes.slice()));
    using store = openStore(copy);
    checkWhole(store);
    const left = store.find({ status: "complete" }).map(({ id }) => id).reverse();
    // The last one may have been kept and not yet reported
    assert.deepEqual(left.slice(0, ids.length), ids.slice(0, left.length));
    assert(left.length <= ids.length + 1);
    assert.equal(store.result(keepWhole(store))?.variants.length, 2);
    await Deno.remove(copy, { recursive: true });
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a path that is not a folder, or cannot become one, is reported", async () => {
  const root = await Deno.makeTempDir();
  const file = join(root, "file");
  await Deno.writeTextFile(file, "");
  await Deno.mkdir(join(root, "taken", "runs.sqlite"), { recursive: true });
  for (const folder of [file, join(file, "below"), join(root, "taken")]) {
    assert.match(
      complaint(() => openStore(folder)),
      /^The store .*runs\.sqlite (cannot be (opened|written)|is not a file)/,
      folder,
    );
  }
  if (Deno.build.os === "linux") {
    assert.match(complaint(() => openStore("/proc/tacho")), /^The store .*Create it, or set another folder/);
  }
  await Deno.remove(root, { recursive: true });
});

Deno.test({
  name: "on a full disk, reported runs survive, the error says so, and the next run is kept",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const folder = await Deno.makeTempDir();
    // Limits files to this many blocks of 512 bytes; without the trap, the signal would end the process
    const writer = startWriter(folder, Infinity, "trap '' XFSZ\nulimit -f 4000");
    const { ids, code, stderr } = await writer.end;
    assert.notEqual(code, 0);
    assert.match(
      stderr,
      /StoreError: The store .* (has no space left; free some|cannot be read or written; check the disk)/,
    );
    assert(ids.length > 3, `${ids.length} runs: ${stderr}`);
    using store = openStore(folder);
    assert.deepEqual(store.find({ status: "complete" }).map(({ id }) => id).reverse(), ids);
    checkWhole(store);
    assert.equal(store.result(keepWhole(store))?.variants.length, 2);
    await Deno.remove(folder, { recursive: true });
  },
});

Deno.test("a run whose rounds cannot be kept continues and reports the problem", async () => {
  const folder = await Deno.makeTempDir();
  {
    using store = openStore(folder);
    const run = store.begin(start());
    run.recorder.keepRound(round(0));
    sql(store.file, "ALTER TABLE rounds RENAME TO elsewhere");
    run.recorder.keepRound(round(1));
    run.recorder.keepLosses("baseline", 0, [1]);
    assert.match(String(run.problem), /StoreError: The store .* cannot be used \(no such table/);
    sql(store.file, "ALTER TABLE elsewhere RENAME TO rounds");
    run.recorder.keepRound(round(2)); // would leave a hole
    run.abandon();
    assert.deepEqual(store.resume(run.id, spec()).recorder.rounds.map((kept) => kept.round), [0]);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a run is not kept if its store is removed or replaced meanwhile", async () => {
  for (const replaced of [false, true]) {
    const folder = await Deno.makeTempDir();
    {
      using store = openStore(folder);
      const run = store.begin(start());
      for (const { name } of Deno.readDirSync(folder)) Deno.removeSync(join(folder, name), { recursive: true });
      if (replaced) openStore(folder).close();
      assert.match(
        complaint(() => run.finish(outcome(100))),
        /was moved, removed or replaced while it was in use$|disk I\/O error/,
      );
      run.abandon();
    }
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("runs are removed from a store to whose folder only the database was copied", () =>
  withRuns(2, async ({ file, ids }) => {
    const copy = await Deno.makeTempDir();
    Deno.copyFileSync(file, join(copy, "runs.sqlite"));
    {
      using store = openStore(copy);
      assert.deepEqual(store.prune({ keep: 1, dryRun: false }).map(({ id }) => id), [ids[0]]);
    }
    await Deno.remove(copy, { recursive: true });
  }));
