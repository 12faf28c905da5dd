import assert from "node:assert/strict";
import { Device } from "../../runtime/device/device.ts";
import { phaseValues } from "../../runtime/record/phases.ts";
import { renderMatrix } from "../../runtime/report/matrix/matrix.ts";
import { runScenario, tiny } from "./running.ts";

/** Bits of the device's counter, which wraps around every 0.5 s. */
const BITS = 29n;

/** Makes the timestamps of all devices those of a short counter while `body` runs. */
async function withShortCounter<T>(body: () => Promise<T>): Promise<T> {
  const read = Device.prototype.read;
  let start: bigint | null = null;
  Device.prototype.read = async function (ranges) {
    const results = await read.call(this, ranges);
    for (const [i, { buffer: { label } }] of ranges.entries()) {
      if (label !== "timestamps" && label !== "clock") continue;
      const values = new BigUint64Array(results[i]!);
      values.forEach((value, j) => {
        if (value === 0n) return;
        start ??= value - 1n;
        values[j] = BigInt.asUintN(Number(BITS), value - start);
      });
    }
    return results;
  };
  try {
    return await body();
  } finally {
    Device.prototype.read = read;
  }
}

Deno.test("a counter that wraps around costs no block its phases", async () => {
  const scenario = tiny({
    variants: { baseline: {}, sink: { sink: 2 }, event: { timing: "event" } },
    measure: { steps: 4, skip: 2, maxSkip: 2, rounds: 6 },
  });
  const result = await withShortCounter(() => runScenario(scenario));
  const { clockResets } = result.variants[0]!.timestamps!;
  assert(clockResets > 0, "the counter wrapped around");
  for (const { name, blocks, timestamps, metrics } of result.variants) {
    const { passes, usable } = timestamps!;
    assert.equal(passes, 3 * 6 * 4, name);
    assert(passes - usable <= clockResets, `${name}: ${usable} of ${passes} passes are usable`);
    for (const { round, steps } of blocks) {
      assert(steps.some((step) => phaseValues(step).length === 3), `${name} has no phases in round ${round}`);
      const times = steps.flatMap((step) => [...phaseValues(step), step.iterationGap ?? 0]);
      assert(times.every((time) => time > -1 && time < 400), `${name}, round ${round}: ${times}`);
    }
    assert(metrics.forward !== null && metrics.iterationGap !== null);
  }
  const text = renderMatrix(result, { columns: 200, color: false });
  assert.match(text, /the device's clock wrapped around or was reset \d+ times? and was fitted anew/);
});
