/**
 * Whether a wait on the host's clock and the device's own timestamps agree on a long kernel, run by run.
 *
 *     deno run -A bench/event_sync.ts
 */
import { Device } from "../runtime/device/device.ts";
import { TimestampRecorder } from "../runtime/device/timestamps.ts";
import { multiplyAddShapes, OUTPUT_BYTES } from "../runtime/engine/peak_kernels.ts";
import { Prepared, stopwatchOf } from "../runtime/engine/stopwatch.ts";
import { cleanPasses } from "../runtime/record/device_samples.ts";

/** How long the kernel is made: ms. */
const LONG = 100;
const REPEATS = 20;

const device = await Device.open();
if (!device.timestamps) throw new Error("This adapter has no timestamps");
const buffer = device.buffer("out", OUTPUT_BYTES, GPUBufferUsage.STORAGE);
const shape = multiplyAddShapes("f32", device.traits)[1]!;

const stopwatch = await stopwatchOf(device);
let rounds = 64;
for (let time = 0; time < LONG / 2; rounds *= 2) {
  time = await stopwatch.fastest(await Prepared.create(device, shape(rounds).kernel, [buffer]), 2);
}
stopwatch.free();

const timestamps = new TimestampRecorder(device);
const work = await Prepared.create(device, shape(rounds).kernel, [buffer]);
const waited: number[] = [];
for (let repeat = 0; repeat < REPEATS; repeat++) {
  const encoder = device.gpu.createCommandEncoder({ label: "long kernel" });
  const pass = encoder.beginComputePass({ label: "long kernel", timestampWrites: timestamps.next() });
  work.encode(pass);
  pass.end();
  timestamps.endSubmit(encoder);
  const start = performance.now();
  device.submit(encoder);
  device.wait();
  waited.push(performance.now() - start);
}
const { passes, defects } = cleanPasses(await timestamps.read(), 0n);
const ratios = passes.flatMap((pass, i) =>
  pass === null ? [] : [waited[i]! / (Number(pass.end - pass.begin) / 1e6) - 1]
);
ratios.sort((a, b) => a - b);
waited.sort((a, b) => a - b);
const percent = (part: number) => `${(part * 100).toFixed(2)} %`;

console.log(`${device.info.name}: a kernel of ${waited[REPEATS >> 1]!.toFixed(1)} ms, ${ratios.length} runs`);
console.log(
  `sync above event: median ${percent(ratios[ratios.length >> 1]!)}, from ${percent(ratios[0]!)} to ` +
    `${percent(ratios.at(-1)!)} (aim: within 3 %)`,
);
const wrong = Object.entries(defects).filter(([, count]) => count > 0);
if (wrong.length > 0) console.log(`timestamps: ${wrong.map(([name, count]) => `${count} ${name}`).join(", ")}`);
work.free();
timestamps.free();
device.destroy();
