/** Tests of `measure()` within one process. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  AbortedError,
  DeviceError,
  InputError,
  linear,
  measure,
  type MeasurementOptions,
  type RunEvent,
  type Scenario,
  sequential,
  TachoError,
} from "../../mod.ts";
import { resultSchema } from "../../runtime/result/schema.ts";
import { openStore } from "../../runtime/store/store.ts";
import { loaderOnly, tiny } from "../experiment/running.ts";
import { sampled } from "../support/full.ts";

/** A training whose run has every stage. */
const everyStage: Scenario = tiny({
  model: sequential({ wide: linear(288), fc: linear(3) }),
  variants: { baseline: {}, sink: { sink: 2 } },
  measure: { steps: 2, skip: 2, maxSkip: 2, rounds: 2, opRounds: 1 },
  compile: { autotune: { start: 0, stop: 2, seconds: 1 } },
  evaluate: { every: 1 },
  target: { loss: 0.01, maxSteps: 24, every: 2 },
});

/** Aborts at the first event that `at` selects, and returns the error. */
async function abortAt(scenario: Scenario, at: (event: RunEvent) => boolean, options: MeasurementOptions = {}) {
  const controller = new AbortController();
  const onEvent = (event: RunEvent) => {
    if (at(event)) controller.abort("enough");
  };
  const error = await measure(scenario, { ...options, signal: controller.signal, onEvent }).then(
    () => assert.fail("it was not aborted"),
    (error: unknown) => error,
  );
  assert.ok(error instanceof AbortedError && error instanceof TachoError, Deno.inspect(error));
  assert.deepEqual([error.cause, error.exitStatus, error.name], ["enough", 130, "AbortedError"]);
  return error;
}

Deno.test("a measurement resolves to a valid result, and its options are settings, variants and a seed", async () => {
  const scenario = loaderOnly({ variants: { baseline: {}, other: { loader: { batchSize: 8 } }, third: {} } });
  const result = await measure(scenario, { settings: ["measure.rounds=2"], variants: ["baseline", "other"], seed: 9 });
  resultSchema.parse(result);
  assert.deepEqual(result.variants.map(({ name, status }) => [name, status]), [["baseline", "ok"], ["other", "ok"]]);
  assert.deepEqual([result.scenario.seed, result.procedure!.rounds], [9, 2]);
});

Deno.test("events arrive by callback and by iteration", async () => {
  const called: RunEvent[] = [];
  const progress: string[] = [];
  const running = measure(loaderOnly(), {
    onEvent: (event) => void called.push(event),
    onProgress: ({ type }) => void progress.push(type),
  });
  const iterated = await Array.fromAsync(running);
  assert.deepEqual([iterated[0]!.type, iterated.at(-1)!.type], ["start", "result"]);
  const others = (events: readonly RunEvent[]) => events.filter(({ type }) => type !== "progress");
  assert.deepEqual(others(iterated), others(called));
  assert.equal(progress.length, called.length - others(called).length);
  assert.ok(progress.length > 0 && progress.every((type) => type === "progress"));
  const last = iterated.at(-1)!;
  assert.deepEqual(await running, last.type === "result" ? last.result : null);
});

Deno.test("leaving the loop over the events aborts the measurement", async () => {
  const running = measure(loaderOnly(), { settings: ["measure.rounds=1000000"] });
  for await (const event of running) if (event.type === "round") break;
  await assert.rejects(running, (error) => error instanceof AbortedError && error.partial!.procedure!.rounds > 0);
});

Deno.test("an abort in any stage rejects with the result so far", async () => {
  // Without times in the cache, kernels are timed
  const cache = Deno.env.get("TACHO_CACHE");
  Deno.env.set("TACHO_CACHE", "/no/such/folder");
  try {
    for (const stage of sampled(["compile", "tune", "warmup", "measure", "evaluate", "profile", "target"], 4)) {
      const reached = (event: RunEvent) => event.type === "progress" && event.stage === stage;
      const { partial } = await abortAt(everyStage, reached, { profile: stage === "profile" });
      resultSchema.parse(partial);
      const blocks = partial!.variants[0]!.blocks.length;
      assert.ok(["evaluate", "profile", "target"].includes(stage) ? blocks === 2 : blocks <= 1, `${stage}: ${blocks}`);
    }
  } finally {
    if (cache === undefined) Deno.env.delete("TACHO_CACHE");
    else Deno.env.set("TACHO_CACHE", cache);
  }
});

Deno.test("an abort of ablations rejects with the complete rounds", async () => {
  const ablated = (event: RunEvent) => event.type === "progress" && /ablations/.test(event.message ?? "");
  const { partial } = await abortAt(tiny(), ablated, { settings: ["bottleneck=true"], profile: false });
  assert.equal(partial!.procedure!.rounds, 3);
});

Deno.test("an abort before the start or while waiting has no result", async () => {
  const signal = AbortSignal.abort("at once");
  await assert.rejects(
    measure(loaderOnly(), { signal }),
    (error) => error instanceof AbortedError && error.partial === null && error.cause === "at once",
  );
  const first = new AbortController();
  const running = measure(loaderOnly(), { settings: ["measure.rounds=1000000"], signal: first.signal });
  const second = new AbortController();
  const waiting = measure(loaderOnly(), { signal: second.signal });
  second.abort("tired");
  await assert.rejects(waiting, (error) => error instanceof AbortedError && error.partial === null);
  first.abort();
  await assert.rejects(running, AbortedError);
});

Deno.test("a further measurement waits for those before it", async () => {
  const log: string[] = [];
  const logged = (name: string) => (event: RunEvent) => void (event.type === "progress" || log.push(name));
  const [second] = await Promise.all([
    measure(loaderOnly(), { onEvent: logged("a") }).then(() => measure(loaderOnly(), { onEvent: logged("c") })),
    measure(loaderOnly(), { onEvent: logged("b") }),
  ]);
  assert.equal(second.variants[0]!.status, "ok");
  assert.match(log.join(""), /^a+b+c+$/);
});

Deno.test("a failed measurement does not hold up the next, which a callback may have started", async () => {
  let next: ReturnType<typeof measure> | null = null;
  const failing = measure(loaderOnly(), {
    onEvent: () => {
      next ??= measure(loaderOnly());
      throw new RangeError("no");
    },
  });
  await assert.rejects(failing, RangeError);
  assert.equal((await next!).variants[0]!.status, "ok");
});

Deno.test("errors are instances of exported classes and name the fix", async () => {
  const wrong = (options: object) => measure(loaderOnly(), options as MeasurementOptions);
  await assert.rejects(wrong({ sed: 1 }), inputError(/^measure\(\) has no "sed"; did you mean "seed"\?$/));
  await assert.rejects(
    wrong({ settings: "a=1" }),
    inputError(/^measure\(\)\.settings is "a=1"; expected a list of texts$/),
  );
  await assert.rejects(wrong({ settings: ["lodaer.batchSize=1"] }), inputError(/loader/));
  await assert.rejects(wrong({ variants: ["none"] }), inputError(/unknown variant|none/));
  await assert.rejects(wrong({ store: 5 }), inputError(/^measure\(\)\.store is 5; expected true, false or the path/));
  await assert.rejects(measure(tiny(), { adapter: "no such adapter" }), DeviceError);
});

function inputError(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof InputError, Deno.inspect(error));
    assert.match(error.message, message);
    return true;
  };
}

Deno.test("a failed variant is part of the result", async () => {
  const result = await measure(loaderOnly({ variants: { baseline: {}, large: { loader: { batchSize: 400 } } } }));
  assert.deepEqual(result.variants.map(({ status }) => status), ["ok", "failed"]);
  assert.match(result.variants[1]!.error!.message, /batchSize is 400/);
});

Deno.test("store keeps the run, and a store that cannot be written is an error", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const result = await measure(loaderOnly(), { store: join(folder, "store") });
    {
      using store = openStore(join(folder, "store"));
      const [run] = store.find();
      assert.deepEqual([run!.status, run!.script], ["complete", null]);
      assert.deepEqual(store.result(run!.id), result);
    }
    const { partial } = await abortAt(loaderOnly(), ({ type }) => type === "round", { store: join(folder, "store") });
    using store = openStore(join(folder, "store"));
    const interrupted = store.find({ status: "interrupted" });
    assert.deepEqual(store.result(interrupted[0]!.id), partial);
    await Deno.writeTextFile(join(folder, "file"), "");
    await assert.rejects(measure(loaderOnly(), { store: join(folder, "file", "store") }), inputError(/store/));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
