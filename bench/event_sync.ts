/**
 * Compares the time of a long kernel on the host's clock, including the wait, with the device's timestamps.
 *
 *     deno run -A bench/event_sync.ts
 */
import { bind } from "../runtime/device/bind.ts";
import { Device } from "../runtime/device/device.ts";
import { multiplyAddShapes, OUTPUT_BYTES } from "../runtime/engine/peak_kernels.ts";
import { Stopwatch } from "../runtime/engine/stopwatch.ts";

/** Target duration of the kernel, in ms. */
const LONG = 100;
const REPEATS = 20;

const device = await Device.open();
if (!device.timestamps) throw new Error("This adapter has no timestamps");
const buffer = device.buffer("out", OUTPUT_BYTES, GPUBufferUsage.STORAGE);
const shape = multiplyAddShapes("f32", device.traits)[1]!;

const stopwatch = new Stopwatch(device);
const kernelOf = (rounds: number) => bind(device, [{ kernel: shape(rounds).kernel, buffers: [{ buffer }] }]);
let rounds = 64;
for (let time = 0; time < LONG / 2; rounds *= 2) {
  const kernel = await kernelOf(rounds);
  time = await stopwatch.fastest(kernel, 2);
  kernel.free();
}

const kernel = await kernelOf(rounds);
const waited = Array.from({ length: REPEATS }, () => stopwatch.run(kernel));
const ratios = (await stopwatch.read()).flatMap((time, i) => time === null ? [] : [waited[i]! / time - 1]);
ratios.sort((a, b) => a - b);
waited.sort((a, b) => a - b);
const percent = (part: number) => `${(part * 100).toFixed(2)} %`;

console.log(`${device.info.name}: a kernel of ${waited[REPEATS >> 1]!.toFixed(1)} ms, ${ratios.length} runs`);
console.log(
  `sync above event: median ${percent(ratios[ratios.length >> 1]!)}, from ${percent(ratios[0]!)} to ` +
    `${percent(ratios.at(-1)!)} (aim: within 3 %)`,
);
kernel.free();
stopwatch.free();
device.destroy();
