import assert from "node:assert/strict";
import { fitClock } from "../../runtime/record/clock_fit.ts";
import { ClockTrack } from "../../runtime/record/clock_track.ts";
import { cleanPasses, NO_DEFECTS, type PassTimes, type RawPass } from "../../runtime/record/device_samples.ts";

/** The device's clock at a host time in ms. */
type Clock = (ms: number) => bigint;

const NS_PER_MS = 1_000_000;
const ticks = (ms: number) => BigInt(Math.round(ms * NS_PER_MS));
/** A clock that started 50 s before the host's. */
const steady: Clock = (ms) => ticks(50_000 + ms);
/** A counter of 36 bits, which wraps around 18.7 s later. */
const wrapping: Clock = (ms) => steady(ms) % 2n ** 36n;
const WRAP = 2 ** 36 / NS_PER_MS - 50_000;
/** A clock that starts again from a second at a host time of 20 s. */
const restarting: Clock = (ms) => ms < 20_000 ? steady(ms) : ticks(ms - 19_000);

/** Time of a step's three passes, and from one step to the next, in ms. */
const PASSES = [[1, 3.000_007], [3.000_007, 7.000_068], [7.000_068, 8.000_13]] as const;
const STEP = 10;
const STEPS = 20;

/** Reads a device whose clock is simulated: every step is a submit, and every block is read at its end. */
class SimulatedDevice {
  readonly track = new ClockTrack();
  readonly #clock: Clock;
  readonly #ahead: boolean;
  #last = 0n;

  /** @param options `ahead`: the host waits at the end of a block only */
  constructor(clock: Clock, { ahead = false } = {}) {
    this.#clock = clock;
    this.#ahead = ahead;
    this.sample(0);
    this.sample(20);
  }

  sample(ms: number) {
    return this.track.observe(Array.from({ length: 12 }, (_, i) => {
      const hostMs = ms + 0.1 * i;
      return { hostMs: hostMs + (i % 2 ? 0.02 : -0.02), deviceNs: this.#clock(hostMs), uncertaintyMs: 0.05 };
    }));
  }

  /** Runs a block that starts at a host time, and returns its checked passes. */
  block(start: number, spoil: (pass: PassTimes, index: number) => PassTimes = (pass) => pass) {
    const submits = Array.from({ length: STEPS }, (_, step) => start + STEP * step);
    const end = start + STEP * STEPS;
    const raw = submits.flatMap((at, step) =>
      PASSES.map(([begin, done], i) => ({
        pass: spoil({ begin: this.#clock(at + begin), end: this.#clock(at + done) }, 3 * step + i),
        bracket: { submitted: this.#ahead ? start : at + 0.5, done: this.#ahead ? end : at + 8.5 },
      }))
    );
    this.sample(end);
    const placed = raw.map(({ pass, bracket }): RawPass => this.track.place(pass, bracket));
    const cleaned = cleanPasses(placed, this.#last);
    this.#last = cleaned.last;
    return cleaned;
  }
}

/** Durations in ns. */
const durations = (passes: readonly (PassTimes | null)[]) =>
  passes.map((pass) => pass === null ? null : Number(pass.end - pass.begin));
const lost = (passes: readonly (PassTimes | null)[]) => passes.filter((pass) => pass === null).length;
const EXPECTED = Array.from({ length: STEPS }, () => [2_000_007, 4_000_061, 1_000_062]).flat();

Deno.test("blocks before and after a wrap of a 36-bit counter keep all their passes", () => {
  const device = new SimulatedDevice(wrapping);
  for (let start = 100; start < 40_000; start += 1000) {
    const { passes, defects } = device.block(start);
    assert.deepEqual([durations(passes), defects], [EXPECTED, NO_DEFECTS], `block at ${start} ms`);
  }
  assert.equal(device.track.resets, 1);
});

Deno.test("a wrap in a block costs the pass that it interrupts, and time goes on", () => {
  const device = new SimulatedDevice(wrapping);
  device.block(1000);
  const start = WRAP - 4 * STEP - 5; // in the middle of the fifth step's second pass
  const { passes, defects } = device.block(start);
  assert.deepEqual(defects, { ...NO_DEFECTS, reset: 1 });
  assert.deepEqual(durations(passes), EXPECTED.map((time, i) => i === 13 ? null : time));
  const gap = Number(passes[15]!.begin - passes[11]!.end) / NS_PER_MS;
  assert(Math.abs(gap - (2 * STEP - 7)) < 0.3, `${gap} ms around the wrap`);
});

Deno.test("a clock that was reset to zero is fitted again", () => {
  const device = new SimulatedDevice(restarting);
  const samples = [device.sample(50)!];
  for (const start of [1000, 19_900, 21_000, 30_000]) {
    const { passes, defects } = device.block(start);
    assert(lost(passes) <= 1 && defects.reset === lost(passes), `${JSON.stringify(defects)} at ${start} ms`);
    assert.deepEqual(durations(passes).filter((time, i) => time !== null && time !== EXPECTED[i]), []);
  }
  assert.equal(device.track.resets, 1);
  samples.push(device.sample(40_000)!);
  const fit = fitClock(samples, device.track.resets)!;
  assert.equal(fit.scale, 1, "the reset does not change the rate");
  const [last] = device.block(45_000).passes;
  assert(Math.abs(fit.toHost(last!.begin) - 45_001) < 0.5, "times after the reset are on the host's axis");
});

Deno.test("one wrong end costs one pass", () => {
  for (const ahead of [false, true]) {
    const device = new SimulatedDevice(steady, { ahead });
    device.block(1000);
    const spoilt = device.block(2000, (pass, i) => i === 10 ? { ...pass, end: pass.end + 2n ** 45n } : pass);
    assert.deepEqual(spoilt.defects, { ...NO_DEFECTS, outside: 1 });
    assert.deepEqual(durations(spoilt.passes), EXPECTED.map((time, i) => i === 10 ? null : time));
    const { passes, defects } = device.block(3000);
    assert.deepEqual([durations(passes), defects], [EXPECTED, NO_DEFECTS]);
    assert.equal(device.track.resets, 0);
  }
});

Deno.test("one wrong begin and a negative duration cost their passes", () => {
  const device = new SimulatedDevice(steady);
  device.block(1000);
  const spoil = (pass: PassTimes, i: number) =>
    i === 10 ? { ...pass, begin: 7n } : i === 20 ? { begin: pass.end, end: pass.begin } : pass;
  const { passes, defects } = device.block(2000, spoil);
  assert.deepEqual(defects, { ...NO_DEFECTS, stale: 1, negative: 1 });
  assert.deepEqual(durations(passes), EXPECTED.map((time, i) => i === 10 || i === 20 ? null : time));
});

Deno.test("passes of a clock that stands still are discarded, and those after it are used", () => {
  const stopped: Clock = (ms) => steady(ms < 1500 ? ms : ms < 5000 ? 1500 : ms - 3500);
  const device = new SimulatedDevice(stopped);
  device.block(1000);
  const still = device.block(2000);
  assert.equal(lost(still.passes), still.passes.length);
  const { passes } = device.block(6000);
  assert.deepEqual(durations(passes), EXPECTED);

  const never = new SimulatedDevice(() => 5n);
  const { passes: none, defects } = never.block(1000);
  assert.equal(lost(none), none.length);
  assert.equal(defects.zero, none.length);
});

Deno.test("ticks of 83.3 ns are no reset", () => {
  const device = new SimulatedDevice((ms) => steady(ms) * 12n / 1000n);
  for (let start = 1000; start < 100_000; start += 10_000) {
    const { passes, defects } = device.block(start);
    assert.deepEqual([lost(passes), defects], [0, { ...NO_DEFECTS, quantised: defects.quantised }]);
  }
  assert.equal(device.track.resets, 0);
});

Deno.test("samples that leave the rate open do not calibrate, and passes are unbounded until others do", () => {
  const track = new ClockTrack();
  const at = (ms: number) => [{ hostMs: ms, deviceNs: steady(ms), uncertaintyMs: 1 }];
  const pass = { begin: steady(25), end: steady(26) };
  for (const ms of [0, 20, 40]) {
    track.observe(at(ms));
    assert.deepEqual([track.calibrated, track.place(pass, { submitted: 24, done: 27 })], [false, pass]);
  }
  track.observe(at(120));
  assert.equal(track.calibrated, true);
  const { within } = track.place(pass, { submitted: 24, done: 27 });
  assert(
    within!.begin > steady(20) && within!.begin < pass.begin && within!.end > pass.end && within!.end < steady(31),
  );
});

Deno.test("one wrong sample of the clock does not count", () => {
  const device = new SimulatedDevice(steady);
  const at = (ms: number, deviceNs = steady(ms)) => ({ hostMs: ms, deviceNs, uncertaintyMs: 0.05 });
  const wrong = { ...at(1000, steady(9000)), uncertaintyMs: 0.01 };
  assert.deepEqual(device.track.observe([at(1000), wrong, at(1000.1)])?.deviceNs, steady(1000));
  assert.equal(device.track.observe([at(2000, 9n), wrong, at(2000.2)]), null);
  assert.equal(device.track.resets, 0);
});
