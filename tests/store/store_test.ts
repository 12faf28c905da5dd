import assert from "node:assert/strict";
import { join } from "node:path";
import { RandomStream } from "../../runtime/core/random.ts";
import type { ModuleSource } from "../../runtime/store/module_source.ts";
import { sha256 } from "../../runtime/core/sha256.ts";
import { StoreError } from "../../runtime/store/problems.ts";
import { createRunId } from "../../runtime/store/run_name.ts";
import { openStore, openStoreToRead, type Store } from "../../runtime/store/store.ts";
import { failed, result, speedup as asSpeedup, variant } from "../report/result_fixture.ts";
import { keepWhole, outcome, round, spec, start } from "./synthetic_run.ts";

/** Runs a test with a new store and removes it afterwards. */
async function withStore(test: (store: Store, folder: string) => void): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    using store = openStore(join(folder, "new", "store"));
    test(store, store.folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("IDs sort by the time of their creation", () => {
  const times = [0, 1, 31, 32, 1023, 1024, 1_700_000_000_000, 1_800_000_000_000, 2 ** 44];
  const ids = times.map((time) => createRunId(time));
  assert.deepEqual(ids.toSorted(), ids);
  for (const id of ids) assert.match(id, /^[0-9a-hjkmnp-tv-z]{12}$/);
  assert.equal(new Set(Array.from({ length: 100 }, () => createRunId(1))).size > 95, true);
});

Deno.test("a kept run and its result are read back unchanged", () =>
  withStore((store) => {
    const run = store.begin(start());
    assert.equal(store.run(run.id).status, "running");
    assert.equal(store.result(run.id), null);
    const result = outcome(120);
    run.finish(result);
    assert.deepEqual(store.result(run.id), result);
    const kept = store.run(run.id);
    const { modules, args, cwd, script } = start();
    assert.deepEqual({ modules: kept.modules, args: kept.args, cwd: kept.cwd, script: kept.script }, {
      modules,
      args,
      cwd,
      script,
    });
    assert.deepEqual(kept.spec, spec());
    assert.deepEqual(kept.environment, result.environment);
    assert.deepEqual([kept.status, kept.ips, kept.unit, kept.variants, kept.failed], [
      "complete",
      120,
      "images/s",
      2,
      0,
    ]);
    assert.equal(kept.adapter, result.environment.adapter!.name);
    assert(kept.ended! >= kept.started);
  }));

Deno.test("interrupted and failed results set the status of the run", () =>
  withStore((store) => {
    const end = (change: (result: ReturnType<typeof outcome>) => ReturnType<typeof outcome>) => {
      const run = store.begin(start());
      run.recorder.keepRound(round(0));
      run.finish(change(outcome(100)));
      return store.run(run.id);
    };
    const interrupted = end((result) => ({
      ...result,
      variants: [variant("baseline"), variant("sink", { status: "interrupted" })],
    }));
    assert.equal(interrupted.status, "interrupted");
    assert.equal(store.roundCount(interrupted.id), 1);
    const all = end((result) => ({
      ...result,
      variants: [failed("baseline", "no memory", 2), failed("sink", "no", 2)],
    }));
    assert.deepEqual([all.status, all.message, all.failed], ["failed", "no memory", 2]);
    const one = end((result) => ({ ...result, variants: [variant("baseline"), failed("sink", "no memory", 2)] }));
    assert.deepEqual([one.status, one.failed, store.roundCount(one.id)], ["complete", 1, 0]);
    const run = store.begin(start());
    run.fail("The device was lost");
    assert.deepEqual([store.run(run.id).status, store.run(run.id).message], ["failed", "The device was lost"]);
  }));

Deno.test("a run without a process counts as interrupted and resumes with its rounds", () =>
  withStore((store) => {
    const first = store.begin(start());
    first.recorder.keepWarmUp({ arm: "baseline", steps: 4, steady: true });
    first.recorder.keepLosses("baseline", 0, [4, 3, 2, "NaN"]);
    first.recorder.keepRound(round(0));
    first.recorder.keepLosses("baseline", 3, [1, null]);
    first.recorder.keepRound(round(1));
    first.recorder.keepFailure({ arm: "sink", round: 2, message: "no", exitStatus: 3 });
    const training = { arm: "baseline", seed: 1, steps: 4, plan: "f00", loss: "NaN", accuracy: null } as const;
    first.recorder.keepTraining({ ...training, loss: 2 });
    first.recorder.keepTraining(training);
    first.recorder.keepLosses("baseline", 5, [9, 9]); // of a round that is never complete
    assert.equal(store.run(first.id).status, "running");
    assert.throws(() => store.resume(first.id, spec()), /is still running in another process/);
    assert.equal(store.unfinished(spec()), null);
    first.abandon();
    assert.equal(store.run(first.id).status, "interrupted");
    assert.equal(store.unfinished(spec())?.id, first.id);
    assert.equal(store.unfinished(spec({ seed: 2 })), null);

    const second = store.resume(first.id, spec());
    const { rounds, warmUps, failures, trainings, resumed } = second.recorder;
    assert.deepEqual(rounds, [round(0), round(1)]);
    assert.deepEqual(warmUps, [{ arm: "baseline", steps: 4, steady: true }]);
    assert.deepEqual(failures, [{ arm: "sink", round: 2, message: "no", exitStatus: 3 }]);
    assert.deepEqual(trainings, [training]);
    assert.deepEqual([resumed, second.recorder.losses("baseline")], [1, [4, 3, 2, 1, null]]);
    assert.deepEqual(second.recorder.losses("sink"), []);
    assert.equal(store.run(first.id).status, "running");
    second.finish(outcome(100));
    assert.deepEqual([store.run(first.id).status, store.run(first.id).resumed], ["complete", 1]);
    assert.throws(() => store.resume(first.id, spec()), /is complete and cannot be resumed/);
  }));

Deno.test("rounds and losses after a gap are ignored", () =>
  withStore((store) => {
    const run = store.begin(start());
    run.recorder.keepLosses("baseline", 0, [4]);
    run.recorder.keepLosses("baseline", 2, [2]);
    for (const i of [0, 1, 3]) run.recorder.keepRound(round(i));
    run.abandon();
    const { recorder } = store.resume(run.id, spec());
    assert.deepEqual(recorder.rounds.map((kept) => kept.round), [0, 1]);
    assert.deepEqual(recorder.losses("baseline"), [4]);
  }));

Deno.test("a run with another spec is not resumed, and the differences are listed", () =>
  withStore((store) => {
    const run = store.begin(start());
    run.abandon();
    const [baseline, sink] = spec().variants;
    const other = spec({
      sha256: sha256("else"),
      seed: 2,
      variants: [baseline!, { ...sink!, config: { ...sink!.config, sink: 20, epochs: 1 } }],
    });
    assert.throws(() => store.resume(run.id, other), (error: Error) => {
      assert(error instanceof StoreError);
      assert.match(error.message, /cannot be resumed, since it has changed/);
      assert.match(error.message, /^ {2}the script has changed$/m);
      assert.match(error.message, /^ {2}sink: sink: 10 then, 20 now$/m);
      assert.match(error.message, /^ {2}sink: epochs: unset then, 1 now$/m);
      return true;
    });
    assert.equal(store.run(run.id).status, "interrupted");
    const fewer = spec({ variants: [baseline!], baseline: "sink" });
    assert.throws(
      () => store.resume(run.id, fewer),
      /baseline: "baseline" then, "sink" now\n.*variants: \["baseline","sink"\] then, \["baseline"\] now/,
    );
  }));

Deno.test("a run is not resumed if an imported module has changed, and it knows its adapter", () =>
  withStore((store) => {
    const module = (path: string, text: string) => ({ path, text, sha256: sha256(text), imports: {}, names: [] });
    const modules = [module("a.ts", "script"), module("lib/net.ts", "32"), module("lib/gone.ts", "")];
    const run = store.begin({ ...start(), modules });
    run.recorder.keepAdapter(result([]).environment.adapter!);
    run.abandon();
    const { adapter, driver, environment } = store.run(run.id);
    assert.deepEqual(environment.adapter, result([]).environment.adapter);
    assert.deepEqual([adapter, driver], [environment.adapter!.name, environment.adapter!.driver]);
    const now = [module("a.ts", "script"), module("lib/net.ts", "64"), module("lib/new.ts", "")];
    assert.throws(
      () => store.resume(run.id, spec(), now),
      /\n {2}lib\/net\.ts has changed\n {2}lib\/gone\.ts is no longer imported\n {2}lib\/new\.ts is now imported$/,
    );
    assert.equal(store.resume(run.id, spec(), modules).recorder.adapter, adapter);
  }));

Deno.test("a run is named by its ID, a unique part of it, last, or last~1", () =>
  withStore((store) => {
    assert.throws(() => store.resolve("last"), /has no runs yet/);
    const ids = [keepWhole(store), keepWhole(store), keepWhole(store)];
    const running = store.begin(start());
    assert.equal(store.resolve("last"), ids[2]);
    assert.equal(store.resolve("LAST~2"), ids[0]);
    assert.throws(() => store.resolve("last~3"), /has only 3 runs/);
    for (const id of ids) {
      assert.equal(store.resolve(id), id);
      assert.equal(store.resolve(id.toUpperCase().slice(0, -1)), id);
      assert.equal(store.resolve(id.slice(3)), id);
    }
    assert.throws(() => store.resolve("1"), /is ambiguous: /);
    assert.throws(() => store.resolve("zzzzzzzz"), /no ID in .*runs\.sqlite matches/);
    for (const hostile of ["", "*", "%", "' OR 1", "last~", "last~99999999999", "\x1b[2J", "[a-z]*", "?"]) {
      assert.throws(() => store.resolve(hostile), StoreError, hostile);
    }
    running.abandon();
    assert.equal(store.resolve("last"), running.id);
  }));

Deno.test("filters select runs by scenario, status, adapter, text, time and number", () =>
  withStore((store) => {
    const one = keepWhole(store, 100);
    const two = keepWhole(store, 110, { spec: spec({ scenario: "other" }), args: ["amp=O2", "100%_x"] });
    const dead = store.begin(start());
    dead.abandon();
    const alive = store.begin(start());
    const ids = (filter: Parameters<Store["find"]>[0]) => store.find(filter).map(({ id }) => id);
    assert.deepEqual(ids({}), [alive.id, dead.id, two, one]);
    assert.deepEqual(ids({ limit: 2 }), [alive.id, dead.id]);
    assert.deepEqual(ids({ scenario: "other" }), [two]);
    assert.deepEqual(ids({ scenario: "oth" }), []);
    assert.deepEqual(ids({ status: "complete" }), [two, one]);
    assert.deepEqual(ids({ status: "interrupted" }), [dead.id]);
    assert.deepEqual(ids({ status: "running" }), [alive.id]);
    assert.deepEqual(ids({ status: "failed" }), []);
    assert.deepEqual(ids({ adapter: "LLVMpipe" }), [two, one]);
    assert.deepEqual(ids({ text: "AMP=" }), [two]);
    assert.deepEqual(ids({ text: "0%_X" }), [two]);
    assert.deepEqual(ids({ text: one.slice(2) }), [one]);
    assert.deepEqual(ids({ since: Date.now() + 1000 }), []);
    assert.deepEqual(ids({ before: Date.now() + 1000, status: "complete", limit: 1 }), [two]);
  }));

Deno.test("the history of a metric starts with the earliest run", () =>
  withStore((store) => {
    const ids = [100, 120].map((ips) => keepWhole(store, ips));
    const points = store.history("ips", "sink");
    assert.deepEqual(points.map(({ run, value, unit }) => [run.id, value, unit]), [
      [ids[0], 100, "images/s"],
      [ids[1], 120, "images/s"],
    ]);
    for (const { low, high, value } of points) assert(low! < Number(value) && high! > Number(value));
    assert.deepEqual(store.history("memory.peak", "baseline").map(({ value, unit }) => [value, unit]), [
      [312 * 2 ** 20, "bytes"],
      [312 * 2 ** 20, "bytes"],
    ]);
    assert.deepEqual(store.history("accuracy", "sink").map(({ value }) => value), [null, null]);
    assert.deepEqual(store.history("status", "sink").map(({ value }) => value), ["ok", "ok"]);
    assert.deepEqual(store.history("ips", "nobody"), []);
    assert.deepEqual(store.history("ips", "sink", { scenario: "other" }), []);
    assert.deepEqual(store.variantNames(), ["baseline", "sink"]);
    assert.equal(store.latestScenario("sink"), "synthetic");
  }));

Deno.test("pruning spares running runs and baselines, and frees what only removed runs used", () =>
  withStore((store, folder) => {
    const random = new RandomStream(5); // letters that hardly compress
    const text = Array.from({ length: 200_000 }, () => random.below(36).toString(36)).join("");
    const large: ModuleSource = { path: "a.ts", sha256: sha256(text), text, imports: {}, names: [] };
    const first = keepWhole(store, 100, { modules: [large] });
    const second = keepWhole(store, 100);
    const marked = keepWhole(store, 100);
    const last = keepWhole(store, 100);
    const other = keepWhole(store, 100, { spec: spec({ scenario: "other" }) });
    const going = store.begin(start());
    store.setBaseline("synthetic", "llvmpipe", marked);
    const ids = (runs: readonly { id: string }[]) => runs.map(({ id }) => id);
    const size = () =>
      [...Deno.readDirSync(folder)].reduce((sum, { name }) => sum + Deno.statSync(join(folder, name)).size, 0);
    const before = size();
    assert.deepEqual(ids(store.prune({ keep: 1, scenario: "synthetic", dryRun: true })), [second, first]);
    assert.deepEqual(ids(store.prune({ before: Date.now() + 1000, scenario: "other", dryRun: true })), [other]);
    assert.equal(store.find().length, 6);
    assert.deepEqual(ids(store.prune({ keep: 1, dryRun: false })), [second, first]);
    assert.deepEqual(ids(store.find()), [going.id, other, last, marked]);
    assert(size() < before - 100_000, `${before} ${size()}`);
    assert.equal(store.result(last)?.variants.length, 2);
    store.setBaseline("synthetic", "llvmpipe", null);
    assert.deepEqual(ids(store.prune({ before: Date.now() + 1000, dryRun: false })), [other, last, marked]);
    assert.deepEqual([...Deno.readDirSync(join(folder, "running"))].map(({ name }) => name), [going.id]);
    going.finish(outcome(100));
    assert.equal(store.run(going.id).modules.length, 1);
  }));

Deno.test("each scenario has one baseline per adapter", () =>
  withStore((store) => {
    const [one, two] = [keepWhole(store), keepWhole(store)];
    assert.equal(store.baseline("synthetic", "llvmpipe"), null);
    store.setBaseline("synthetic", "llvmpipe", one);
    store.setBaseline("synthetic", null, two);
    store.setBaseline("synthetic", "llvmpipe", two);
    assert.equal(store.baseline("synthetic", "llvmpipe"), two);
    assert.deepEqual(store.baselines(), [
      { scenario: "synthetic", adapter: null, run: two },
      { scenario: "synthetic", adapter: "llvmpipe", run: two },
    ]);
    assert.throws(() => store.setBaseline("synthetic", "x", "nosuchrun"), /FOREIGN KEY/);
  }));

Deno.test("opening a missing store to read does not create it", async () => {
  const folder = await Deno.makeTempDir();
  assert.equal(openStoreToRead(join(folder, "none")), null);
  assert.deepEqual([...Deno.readDirSync(folder)], []);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the summary names the fastest variant with the verdict faster", () =>
  withStore((store) => {
    const best = (speedup: number, verdict: "faster" | "unclear" | "invalid") => {
      const made = outcome(100);
      const [baseline, sink] = made.variants as [typeof made.variants[number], typeof made.variants[number]];
      const metrics = { ...sink.metrics, speedup: asSpeedup(speedup) };
      const run = store.begin(start());
      run.finish({ ...made, variants: [baseline, { ...sink, metrics, verdict }] });
      const { best, bestSpeedup } = store.run(run.id);
      return [best, bestSpeedup];
    };
    assert.deepEqual(best(2, "faster"), ["sink", 2]);
    assert.deepEqual(best(2, "unclear"), [null, null]);
    assert.deepEqual(best(2, "invalid"), [null, null]);
  }));
