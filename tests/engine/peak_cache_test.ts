import assert from "node:assert/strict";
import { dirname } from "node:path";
import { Device } from "../../runtime/device/device.ts";
import { adapterPeaks, keptPeaks, type PeakOptions, peaksFile } from "../../runtime/engine/peak_cache.ts";
import { measurePeaks } from "../../runtime/engine/peaks.ts";
import type { Peaks } from "../../runtime/record/peaks.ts";
import { testDevice } from "../support/evaluate.ts";
import { peaksOf } from "../support/peaks.ts";

Deno.test("measured peaks are positive, have their conditions, and all buffers are freed", async () => {
  const device = await Device.open();
  try {
    const steps: [number, number][] = [];
    const began = Date.now();
    const { f32, f16, copy, clock } = (await measurePeaks(device, (done, all) => steps.push([done, all])))!;
    const all = steps[0]![1];
    assert.deepEqual(steps, Array.from({ length: all + 1 }, (_, i) => [i, all]), "each kernel moves the progress");
    assert(all >= 6);
    assert.ok(f32.value > 1e6 && copy.value > 1e8, `${f32.value} FLOP/s, ${copy.value} bytes/s`);
    assert.equal(f16 === null, !device.traits.f16);
    for (const { date, load, spread } of [f32, copy]) {
      assert(Date.parse(date) >= began && Date.parse(date) <= Date.now() && spread !== null);
      assert.equal(load !== null, Deno.build.os === "linux");
    }
    assert.equal(clock, device.timestamps ? "device" : "host");
    assert.equal(device.bytes, 0);
    await device.settle();
  } finally {
    device.destroy();
  }
});

/** Runs a test with a device and an empty cache folder. */
async function withCache(test: (device: Device) => Promise<void>): Promise<void> {
  const before = Deno.env.get("TACHO_CACHE");
  const folder = await Deno.makeTempDir();
  Deno.env.set("TACHO_CACHE", `${folder}/new`);
  try {
    await test(await testDevice());
  } finally {
    if (before === undefined) Deno.env.delete("TACHO_CACHE");
    else Deno.env.set("TACHO_CACHE", before);
    await Deno.remove(folder, { recursive: true });
  }
}

/** Asks for peaks, which a measurement would find to be `measured`. Returns them, and whether they were measured. */
async function ask(device: Device, measured: Peaks, options: PeakOptions = {}) {
  let runs = 0;
  const peaks = await adapterPeaks(device, {
    load: () => Promise.resolve(0),
    ...options,
    measure: () => {
      runs++;
      return Promise.resolve(measured);
    },
  });
  return { peaks, measured: runs > 0 };
}

const QUIET = { load: 0, spread: 0.01 };
const BUSY = { load: 0.6, spread: 0.4 };

Deno.test("peaks are measured once, and again if the cache is broken or another adapter's", () =>
  withCache(async (device) => {
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const fixed = peaksOf(7, 7);
    assert.deepEqual(await ask(device, fixed, { onWarning }), { peaks: fixed, measured: true });
    const file = peaksFile(device);
    const other = device.traits.class === "cpu" ? "gpu" : "cpu";
    assert.notEqual(peaksFile({ info: device.info, traits: { ...device.traits, class: other } }), file);
    assert.deepEqual([...Deno.readDirSync(dirname(file))].length, 1);
    const known = (await Deno.readTextFile(file)).replace('"value": 7', '"value": 12345');
    await Deno.writeTextFile(file, known);
    assert.equal((await ask(device, fixed, { onWarning })).peaks!.f32.value, 12345);
    assert.deepEqual(warnings, []);
    const again = await ask(device, peaksOf(7, 8), { remeasure: true });
    assert.deepEqual([again.peaks!.f32.value, again.peaks!.copy.value], [12345, 8], "the better of each is kept");
    assert.deepEqual(await ask(device, fixed), { peaks: again.peaks, measured: false });
    for (
      const [broken, expected] of [["{", /does not hold/], ["{}", /does not hold/], [
        known.replace(/"name": "/, "$&x"),
        /another adapter/,
      ]] as const
    ) {
      await Deno.writeTextFile(file, broken);
      assert.deepEqual((await ask(device, fixed, { onWarning })).peaks, fixed);
      assert.match(warnings.pop() ?? "", expected);
    }
  }));

Deno.test("peaks that are not kept are measured once in a process, and kept peaks are used", () =>
  withCache(async (device) => {
    const [own, kept] = [peaksOf(5, 5), peaksOf(6, 6)];
    assert.deepEqual(await ask(device, own, { keep: false }), { peaks: own, measured: true });
    assert.deepEqual(await ask(device, kept, { keep: false }), { peaks: own, measured: false });
    assert.throws(() => Deno.statSync(dirname(peaksFile(device))), Deno.errors.NotFound);
    assert.deepEqual(await ask(device, kept), { peaks: kept, measured: true });
    assert.deepEqual(await ask(device, own, { keep: false }), { peaks: kept, measured: false });
  }));

Deno.test("peaks measured under load are measured again when there is less of it", () =>
  withCache(async (device) => {
    const [busy, quiet] = [peaksOf(21, 1, null, BUSY), peaksOf(64, 5, null, QUIET)];
    await ask(device, busy);
    const asBusy = await ask(device, quiet, { load: () => Promise.resolve(0.5) });
    assert.deepEqual(asBusy, { peaks: busy, measured: false });
    assert.deepEqual(await ask(device, quiet), { peaks: quiet, measured: true });
    assert.deepEqual(await ask(device, busy), { peaks: quiet, measured: false });
    const forced = await ask(device, peaksOf(99, 9, null, BUSY), { remeasure: true });
    assert.deepEqual(forced.peaks, quiet, "a busy measurement does not replace a quiet one");
  }));

Deno.test("what a measurement under the same load did not improve is not measured in each run", () =>
  withCache(async (device) => {
    const load = () => Promise.resolve(0.25);
    await ask(device, peaksOf(64, 5, null, BUSY));
    const slower = peaksOf(40, 4, null, { load: 0.25, spread: 0.3 });
    const again = await ask(device, slower, { load });
    assert.deepEqual([again.measured, again.peaks!.f32.value], [true, 64], "the higher one of two busy ones");
    for (let i = 0; i < 3; i++) assert.equal((await ask(device, slower, { load })).measured, false);
    assert.equal((await ask(device, peaksOf(80, 6), { load: () => Promise.resolve(0.02) })).measured, true);
  }));

Deno.test("a spread on an idle machine does not make each run measure", () =>
  withCache(async (device) => {
    for (const load of [0.03, null]) {
      await ask(device, peaksOf(64, 5, null, { load, spread: 0.4 }), { remeasure: true });
      assert.equal((await ask(device, peaksOf(1, 1))).measured, false, `load ${load}`);
    }
  }));

Deno.test("an op above its roof triggers one measurement, not one in each run", () =>
  withCache(async (device) => {
    const [low, high] = [peaksOf(10, 10), peaksOf(30, 30)];
    /** Shares of ops at 28 FLOP/s and, by caches, at 45 FLOP/s. */
    const reached = (rate: number) => ({ reached: ({ f32 }: Peaks) => rate / f32.value });
    await ask(device, low);
    assert.deepEqual(await ask(device, high, reached(28)), { peaks: high, measured: true });
    assert.equal((await ask(device, high, reached(28))).measured, false);
    assert.equal((await ask(device, high, reached(45))).measured, true);
    for (const rate of [45, 46, 44]) assert.equal((await ask(device, high, reached(rate))).measured, false);
    assert.equal((await ask(device, high, reached(60))).measured, true, "further above the roof than before");
  }));

Deno.test("files of earlier versions are read, and their peaks are measured again as their conditions are unknown", () =>
  withCache(async (device) => {
    await ask(device, peaksOf(64, 5));
    const file = peaksFile(device);
    const { adapter } = JSON.parse(await Deno.readTextFile(file));
    const date = "2025-12-31T00:00:00.000Z";
    const f32 = { value: 21, unit: "FLOP/s", kernel: "a" };
    const copy = { value: 1, unit: "bytes/s", kernel: "b" };
    const old = { adapter, peaks: { date, clock: "device", f32, f16: null, copy } };
    await Deno.writeTextFile(file, JSON.stringify(old));
    const [kept] = await keptPeaks();
    assert.deepEqual(kept!.peaks.f32, { ...f32, date, load: null, spread: null });
    assert.equal(kept!.reached, 1);
    const failed = await adapterPeaks(device, { measure: () => Promise.resolve(null) });
    assert.deepEqual(failed, kept!.peaks, "a failed measurement keeps them");
    const busy = peaksOf(20, 0.5, null, BUSY);
    assert.equal((await ask(device, busy)).measured, true);
    assert.equal((await ask(device, busy, { load: () => Promise.resolve(0.6) })).measured, false, "only once");
    assert.deepEqual(await ask(device, peaksOf(60, 4)), { peaks: peaksOf(60, 4), measured: true });
  }));

Deno.test("unreadable files are no kept peaks", () =>
  withCache(async (device) => {
    assert.deepEqual(await keptPeaks(), [], "there is no folder");
    await ask(device, peaksOf(64, 5));
    await Deno.writeTextFile(`${dirname(peaksFile(device))}/peaks-0.json`, "{");
    await Deno.writeTextFile(`${dirname(peaksFile(device))}/tuning-0.json`, "{}");
    assert.deepEqual((await keptPeaks()).map(({ file }) => file), [peaksFile(device)]);
  }));
