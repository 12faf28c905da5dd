import assert from "node:assert/strict";
import { type ClockSample, fitClock } from "../../runtime/record/clock_fit.ts";

/** Returns samples of a device clock that ticks every `nsPerTick`, with the given errors. */
function samples(nsPerTick: number, at: readonly number[], error = 0.02, uncertaintyMs = 0.1): ClockSample[] {
  const origin = 9_000_000_000_000_000n; // 104 days: more than a double holds exactly
  return at.map((ms, i) => ({
    hostMs: ms + (i % 2 === 0 ? error : -error),
    deviceNs: origin + BigInt(Math.round((ms * 1e6) / nsPerTick)),
    uncertaintyMs,
  }));
}

Deno.test("ticks within the uncertainty of a nanosecond count as nanoseconds", () => {
  const given = samples(1, [10, 12, 2010, 2012]);
  const fit = fitClock(given)!;
  assert.equal(fit.scale, 1);
  assert.ok(Math.abs(fit.nsPerTick - 1) <= fit.nsPerTickUncertainty);
  assert.ok(fit.offsetUncertaintyMs < 0.1);
  assert.ok(Math.abs(fit.toHost(given[0]!.deviceNs) - 10) <= fit.offsetUncertaintyMs);
  assert.equal(fit.toMs(1_500_000n), 1.5);
});

Deno.test("ticks of 83.3 ns are detected and converted", () => {
  const given = samples(1000 / 12, [0, 5, 4000, 4005]);
  const fit = fitClock(given)!;
  assert.ok(Math.abs(fit.scale - 1000 / 12) <= fit.nsPerTickUncertainty);
  assert.ok(Math.abs(fit.toMs(12_000_000n) - 1000) < 0.1);
  assert.ok(Math.abs(fit.toHost(given[2]!.deviceNs) - 4000) < 0.1);
});

Deno.test("one sample gives the offset and leaves the rate unknown", () => {
  const [only] = samples(1, [50]);
  const fit = fitClock([only!])!;
  assert.equal(fit.scale, 1);
  assert.equal(fit.nsPerTickUncertainty, Infinity);
  assert.ok(Math.abs(fit.toHost(only!.deviceNs) - only!.hostMs) < 1e-9);
  assert.equal(fitClock([]), null);
});

Deno.test("contradictory samples widen the uncertainty of the offset", () => {
  const [a, b, c] = samples(1, [0, 0.5, 1000]);
  const jumped = { ...b!, hostMs: b!.hostMs + 5 };
  const fit = fitClock([a!, jumped, c!])!;
  assert.ok(fit.offsetUncertaintyMs > 2.4, `${fit.offsetUncertaintyMs}`);
});
