/**
 * Limits of a software adapter, as minimal kernels: what a copy costs that reads a storage buffer, or windows of it as
 * uniforms; what one in f16 costs with and without a multiply; what a reduction costs that only reads; and what a
 * convolution costs when its loads are replaced by arithmetic. `kernels.ts` compares Tacho's kernels with each other;
 * these say how far a kernel can get.
 *
 *     deno task bench:limits
 *
 * Times are the minimum processor time over interleaved rounds. The probes of the convolution need subgroups of 8.
 *
 * @module
 */
import { cpuUsage } from "node:process";
import { vectorLoop } from "../ops/kernels/elementwise.ts";
import { HIDDEN_ZERO, PACK_F16, UNPACK_F16 } from "../ops/kernels/half_words.ts";
import { bindPlan, type BoundKernels } from "../runtime/device/bind.ts";
import { Device } from "../runtime/device/device.ts";
import {
  type BufferRef,
  defineKernel,
  type KernelSpec,
  LINEAR_INDEX,
  linearGrid,
  WINDOW_BYTES,
} from "../runtime/device/kernel.ts";
import { Stopwatch } from "../runtime/engine/stopwatch.ts";
import { candidatesOf } from "./plan_timer.ts";
import { conv } from "./product_cases.ts";

/** Numbers that the copies move. */
const NUMBERS = 1 << 20;
/** Loads per lane of the kernels that only read. */
const TERMS = 64;
const ROUNDS = 9;
/** Processor time of a round in ms. */
const ROUND = 15;

interface Probe {
  readonly name: string;
  readonly kernel: KernelSpec;
}

const device = await Device.open();
const stopwatch = new Stopwatch(device);
console.log(`${device.info.name ?? "unknown adapter"}, load ${Deno.loadavg()[0]!.toFixed(1)}`);

const copies = await times([
  copy("f32 copy", "vec4<f32>", 4, "y[i] = x[i];"),
  windowedCopy(),
  copy("f16 copy", "vec4<u32>", 8, "y[i] = x[i];"),
  copy(
    "f16 copy with a multiply",
    "vec4<u32>",
    8,
    `let words = x[i];
y[i] = vec4<u32>(packF16(unpackF16(words.xy, ${HIDDEN_ZERO}) * 1.5), packF16(unpackF16(words.zw, ${HIDDEN_ZERO}) * 1.5));`,
    `${UNPACK_F16}\n${PACK_F16}`,
  ),
]);
const f32 = copies[0]!.ms;
for (const { name, ms } of copies) show(name, ms, name.startsWith("f16") ? 0.5 : 1);

// Four numbers of f32, or eight of f16, per load
const WIDENED = `unpackF16(words.xy, ${HIDDEN_ZERO})`;
const reads = await times([
  read("f32 read and added", "vec4<f32>", 4, "total += x[at];"),
  read(
    "f16 words read and joined, not widened",
    "vec4<u32>",
    8,
    "total = bitcast<vec4<f32>>(bitcast<vec4<u32>>(total) ^ x[at]);",
  ),
  read(
    "f16 read, widened and added",
    "vec4<u32>",
    8,
    `let words = x[at];
    total += ${WIDENED} + ${WIDENED.replace("xy", "zw")};`,
  ),
  read(
    "f16 read, widened, raised and added",
    "vec4<u32>",
    8,
    `let words = x[at];
    total += exp(${WIDENED}) + exp(${WIDENED.replace("xy", "zw")});`,
  ),
]);
for (const { name, ms } of reads) show(name, ms, name.startsWith("f16") ? 0.25 : 0.5);

const [forward] = conv("conv", "f32", 32, 32, 16, 16, 3, 1, 1);
const { flops } = forward!.output.node.op.cost(
  forward!.output.node.inputs.map(({ type }) => type),
  forward!.output.node.outputs,
  forward!.output.node.attrs,
);
const kernels = candidatesOf(forward!.output.node, device).flatMap((plan) => plan.kernels)
  .filter(({ name }) => name.includes(".runs."));
const kernel = kernels.find(({ slices }) => slices === undefined);
const windowed = kernels.find(({ slices }) => slices !== undefined);
if (kernel !== undefined && windowed !== undefined) {
  const probes = await times([
    { name: "conv 3x3 16-16, 32 x 32, batch 32", kernel },
    { name: "with windows, read as uniforms", kernel: windowed },
    { name: "without loads of pixels", kernel: withoutLoads(kernel, ["source"]) },
    { name: "without loads of weights", kernel: withoutLoads(kernel, ["weight"]) },
    { name: "without loads", kernel: withoutLoads(kernel, ["source", "weight"]) },
  ]);
  for (const { name, ms } of probes) {
    console.log(`${name}: ${ms.toFixed(2)} ms, ${(flops / ms / 1e6).toFixed(1)} GFLOP/s of processor time`);
  }
} else console.log("No probe of the convolution: this adapter has no kernel for runs of pixels");
stopwatch.free();
Deno.exit(0);

function copy(name: string, type: string, width: number, code: string, prelude = ""): Probe {
  return {
    name,
    kernel: defineKernel({
      name,
      buffers: { x: { ref: { input: 0 }, type, access: "read" }, y: { ref: { output: 0 }, type } },
      prelude,
      ...vectorLoop(NUMBERS / width, device.traits, code),
    }),
  };
}

/** Returns a kernel that adds what it reads of `x` up in {@linkcode TERMS} terms per lane, neighbouring lanes side by side. */
function read(name: string, type: string, width: number, code: string): Probe {
  const lanes = NUMBERS / width / TERMS;
  return {
    name,
    kernel: defineKernel({
      name,
      buffers: { x: { ref: { input: 0 }, type, access: "read" }, y: { ref: { output: 0 }, type: "vec4<f32>" } },
      uniforms: { lanes, terms: TERMS },
      workgroupSize: [8],
      grid: linearGrid(lanes, 8, device.traits.maxWorkgroupsPerDimension),
      prelude: UNPACK_F16,
      body: `  let lane = ${LINEAR_INDEX(8)};
  if (lane >= u.lanes) { return; }
  var total = vec4<f32>();
  for (var t = 0u; t < u.terms; t++) {
    let at = t * u.lanes + lane;
    ${code}
  }
  y[lane] = total;`,
    }),
  };
}

/** @param bytes bytes that the probe moves per number, as a fraction of those of the f32 copy */
function show(name: string, ms: number, bytes: number): void {
  const share = 100 * bytes * f32 / ms;
  console.log(`${name}: ${(ms * 1e6 / NUMBERS).toFixed(2)} ns per number, ${share.toFixed(0)} % of the f32 copy`);
}

/** Returns a copy of f32 that is dispatched for each window of the buffers. */
function windowedCopy(): Probe {
  const name = "f32 copy of windows, read as uniforms";
  const window = { type: "vec4<f32>", window: WINDOW_BYTES };
  const kernel = defineKernel({
    name,
    buffers: { x: { ref: { input: 0 }, access: "uniform", ...window }, y: { ref: { output: 0 }, ...window } },
    slices: Array.from(
      { length: 4 * NUMBERS / WINDOW_BYTES },
      (_, i) => ({ x: i * WINDOW_BYTES, y: i * WINDOW_BYTES }),
    ),
    ...vectorLoop(WINDOW_BYTES / 16, device.traits, "y[i] = x[i];"),
  });
  return { name, kernel };
}

/** Returns a kernel whose loads from `buffers` are replaced by four different functions of the index. */
function withoutLoads(kernel: KernelSpec, buffers: readonly string[]): KernelSpec {
  let { wgsl } = kernel;
  for (const buffer of buffers) {
    const loads = new RegExp(`\\b${buffer}\\[(select\\(.*?Inside\\)|weights [^\\]]*)\\]`, "g");
    if (!loads.test(wgsl)) throw new Error(`${kernel.name} has no loads of ${buffer}`);
    wgsl = wgsl.replace(loads, "valueAt($1)");
    // The buffer stays bound
    const first = /(var sum0_0 = bias0[^;]*);/;
    wgsl = wgsl.replace(first, `$1 + 0.0 * ${buffer}[lix];`);
  }
  const value = "fn valueAt(i: u32) -> vec4<f32> { return vec4<f32>(vec4<u32>(i, i ^ 5u, i + 3u, i ^ 9u)); }";
  return { ...kernel, wgsl: wgsl.replace("@compute", `${value}\n@compute`) };
}

/** Returns the minimum processor time of each kernel in ms; the kernels take turns. */
async function times(probes: readonly Probe[]): Promise<{ name: string; ms: number }[]> {
  const STORAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
  const buffers = new Map<string, GPUBuffer>();
  const bufferOf = (ref: BufferRef) => {
    const key = JSON.stringify(ref);
    const known = buffers.get(key) ?? device.buffer("limits", 4 * NUMBERS, STORAGE);
    buffers.set(key, known);
    return known;
  };
  const items: { name: string; bound: BoundKernels; repeats: number; ms: number }[] = [];
  for (const { name, kernel } of probes) {
    const bound = await bindPlan(device, { name, kernels: [kernel], workspace: [] }, bufferOf);
    run(bound, 1);
    items.push({ name, bound, repeats: Math.max(1, Math.ceil(ROUND / run(bound, 1))), ms: Infinity });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const item of items) item.ms = Math.min(item.ms, run(item.bound, item.repeats));
  }
  return items;
}

/** Returns the processor time of one of `repeats` runs in ms. */
function run(bound: BoundKernels, repeats: number): number {
  const before = cpuUsage();
  stopwatch.run(bound, { repeats, timed: false });
  const { user, system } = cpuUsage(before);
  return (user + system) / 1000 / repeats;
}
