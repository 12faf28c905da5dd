import assert from "node:assert/strict";
import { Device } from "../../runtime/device/device.ts";
import { phaseValues } from "../../runtime/record/phases.ts";
import { renderMatrix } from "../../runtime/report/matrix/matrix.ts";
import { runScenario, tiny } from "./running.ts";

/** Every third reading of passes finds that the device's clock has jumped among them. */
const EVERY = 3;

/** Size of a jump in ns, back and forth: longer than any step takes on any machine. */
const JUMP = 2n ** 40n;

/** Makes the clock of all devices jump while `body` runs, among the passes of a block. */
async function withJumps<T>(body: () => Promise<T>): Promise<T> {
  const { read } = Device.prototype;
  /** True timestamps at which the clock jumps. */
  const jumps: bigint[] = [];
  let readings = 0;
  Device.prototype.read = async function (ranges) {
    const results = await read.call(this, ranges);
    const labelled = (label: string) =>
      results.flatMap((bytes, i) => ranges[i]!.buffer.label === label ? [new BigUint64Array(bytes)] : []);
    for (const values of labelled("timestamps")) {
      const written = [...values].filter((value) => value !== 0n).sort((a, b) => a < b ? -1 : 1);
      if (++readings % EVERY === 0) jumps.push(written[written.length >> 1]!);
    }
    for (const values of ["timestamps", "clock"].flatMap(labelled)) {
      values.forEach((value, i) => {
        const epoch = jumps.findLastIndex((jump) => jump <= value) + 1;
        if (value !== 0n && epoch % 2 === 0) values[i] = value + JUMP;
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

Deno.test("a counter that jumps costs no block its phases", async () => {
  const scenario = tiny({
    variants: { baseline: {}, sink: { sink: 2 }, event: { timing: "event" } },
    measure: { steps: 4, skip: 2, maxSkip: 2, rounds: 6 },
  });
  const result = await withJumps(() => runScenario(scenario));
  const { clockResets } = result.variants[0]!.timestamps!;
  assert(clockResets > 1, `the counter jumped ${clockResets} times`);
  for (const { name, blocks, timestamps, metrics } of result.variants) {
    const { passes, usable } = timestamps!;
    assert.equal(passes, 3 * 6 * 4, name);
    assert(passes - usable <= clockResets, `${name}: ${usable} of ${passes} passes are usable`);
    for (const { round, steps } of blocks) {
      assert(steps.some((step) => phaseValues(step).length === 3), `${name} has no phases in round ${round}`);
      const times = steps.flatMap((step) => [...phaseValues(step), step.iterationGap ?? 0]);
      assert(times.every((time) => Math.abs(time) < Number(JUMP) / 2e6), `${name}, round ${round}: ${times}`);
    }
    assert(metrics.forward !== null && metrics.iterationGap !== null);
  }
  const text = renderMatrix(result, { columns: 200, color: false });
  assert.match(text, /the device's clock wrapped around or was reset \d+ times? and was fitted again/);
});
