import assert from "node:assert/strict";
import { dirname } from "node:path";
import { Device } from "../../runtime/device/device.ts";
import { adapterPeaks, peaksFile } from "../../runtime/engine/peak_cache.ts";
import { measurePeaks } from "../../runtime/engine/peaks.ts";
import type { Peaks } from "../../runtime/record/peaks.ts";

Deno.test("measured peaks are positive, and all buffers are freed", async () => {
  const device = await Device.open();
  try {
    const { f32, f16, copy, clock } = (await measurePeaks(device))!;
    assert.ok(f32.value > 1e6 && copy.value > 1e6);
    assert.equal(f16 === null, !device.traits.f16);
    assert.equal(clock, device.timestamps ? "device" : "host");
    assert.equal(device.bytes, 0);
    await device.settle();
  } finally {
    device.destroy();
  }
});

Deno.test("peaks are measured once, and again if the cache is broken or another adapter's", async () => {
  const before = Deno.env.get("TACHO_CACHE");
  const folder = await Deno.makeTempDir();
  Deno.env.set("TACHO_CACHE", `${folder}/new`);
  const device = await Device.open();
  const peak = { value: 7, unit: "FLOP/s", kernel: "none" } as const;
  const fixed: Peaks = { date: "2026-01-02T03:04:05.000Z", clock: "device", f32: peak, f16: null, copy: peak };
  try {
    const warnings: string[] = [];
    const ask = () =>
      adapterPeaks(device, {
        onWarning: (message) => warnings.push(message),
        measure: () => Promise.resolve(fixed),
      });
    assert.deepEqual(await ask(), fixed);
    const file = peaksFile(device);
    const other = device.traits.class === "cpu" ? "gpu" : "cpu";
    assert.notEqual(peaksFile({ info: device.info, traits: { ...device.traits, class: other } }), file);
    assert.deepEqual([...Deno.readDirSync(dirname(file))].length, 1);
    const text = await Deno.readTextFile(file);
    const known = text.replace('"value": 7', '"value": 12345');
    await Deno.writeTextFile(file, known);
    assert.equal((await ask())!.f32.value, 12345);
    assert.deepEqual(warnings, []);
    const again = await adapterPeaks(device, {
      remeasure: true,
      measure: () => Promise.resolve({ ...fixed, copy: { ...peak, value: 8 } }),
    });
    assert.deepEqual([again!.f32.value, again!.copy.value], [12345, 8], "the higher value of each peak is kept");
    assert.deepEqual(await ask(), again);
    for (
      const [broken, expected] of [["{", /does not hold/], ["{}", /does not hold/], [
        known.replace(/"name": "/, "$&x"),
        /another adapter/,
      ]] as const
    ) {
      await Deno.writeTextFile(file, broken);
      assert.deepEqual(await ask(), fixed);
      assert.match(warnings.pop() ?? "", expected);
    }
  } finally {
    device.destroy();
    if (before === undefined) Deno.env.delete("TACHO_CACHE");
    else Deno.env.set("TACHO_CACHE", before);
    await Deno.remove(folder, { recursive: true });
  }
});
