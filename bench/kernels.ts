/**
 * Speed of kernels by family and shape: every candidate of convolutions, linear layers, matrix products, attention and
 * memory-bound ops, forward and gradients. The same run compares a sample of each result with double precision.
 *
 *     deno task bench:kernels                # all
 *     deno task bench:kernels resnet f16     # cases and kernels whose line contains all of these words
 *     deno task bench:kernels --default      # only the kernel that each case gets without autotuning
 *     deno task bench:kernels --isa          # what Mesa's compiler makes of the default kernels for AMD GPUs; needs no GPU
 *     deno task bench:kernels --record       # also writes the default kernels' figures to bench/results/
 *
 * On a GPU, or with `TACHO_KERNELS=gpu`, the cases include the shapes of ResNet-50 at batch 64 and larger products.
 * `share` is the fraction of the adapter's own peak, measured first: its multiply-adds for kernels with at least 8
 * operations per byte. For the others it is the fraction of the bandwidth of a copy that runs just before and just after
 * them. `cpu ms` is processor time, which on a software adapter is the kernel's alone, regardless of other load; the
 * fraction of a copy is computed from it there. There, `torch` is the processor time of the op in PyTorch (`python3`, or
 * the path in `PYTHON`), in f32 and with oneDNN's convolutions and products, divided by the kernel's: 100 % is as fast as
 * oneDNN. `first cpu` is that of the first run in ms, in which adapters compile the
 * shaders (with `MESA_SHADER_CACHE_DISABLE=true`, lavapipe always does). Exits with 1 if a result is wrong.
 *
 * @module
 */
import { bytesOf } from "../ops/buffers.ts";
import { copy } from "../ops/copy.ts";
import { maxPool2dGradOp } from "../ops/max_pool2d.ts";
import type { FloatType } from "../runtime/core/dtype.ts";
import { RandomStream } from "../runtime/core/random.ts";
import { Device } from "../runtime/device/device.ts";
import type { OpDef } from "../runtime/graph/op.ts";
import { measurePeaks } from "../runtime/engine/peaks.ts";
import { Graph } from "../runtime/graph/graph.ts";
import { rowMajor } from "../runtime/graph/types.ts";
import { attentionCases } from "./attention_cases.ts";
import type { KernelCase } from "./kernel_case.ts";
import { drawInputs, TOLERANCE, worstError } from "./kernel_check.ts";
import { gpuMemoryCases, memoryCases } from "./memory_cases.ts";
import { candidatesOf, timePlan, type Timing } from "./plan_timer.ts";
import { gpuProductCases, productCases } from "./product_cases.ts";
import { ProcessorOps } from "./processor_ops.ts";
import { recorder } from "./record/recorder.ts";
import { reductionCases } from "./reduction_cases.ts";
import { transformerMemory, transformerProducts } from "./transformer_cases.ts";

/** Operations per byte from which a kernel should be compute-bound. */
const COMPUTE_BOUND = 8;
/** Values of the copy that memory-bound kernels are compared with. */
const COPIED = 1 << 22;

const DEFAULT = "--default";
const ISA = "--isa";

if (Deno.args.includes(ISA)) {
  const { estimateDefaults } = await import("./isa/estimate.ts");
  const { args, record } = await recorder("kernels", Deno.args, "isa");
  Deno.exit(await estimateDefaults(args.filter((arg) => arg !== ISA), record) > 0 ? 1 : 0);
}
const { args, record } = await recorder("kernels");
const words = args.filter((arg) => arg !== DEFAULT);
const onlyDefault = words.length < args.length;
const torch = new ProcessorOps(Deno.env.get("PYTHON") ?? "python3");
/** Device time of ResNet-20's convolutions at batch 32 with the default kernels, by part. */
const resnet = new Map<string, { device: number; processor: number }>();
let wrong = 0;
const device = await Device.open();
console.log(`${device.info.name ?? "unknown adapter"} (${device.traits.class}), load ${load()}`);
const peaks = await measurePeaks(device);
if (peaks !== null) {
  const giga = (value: number) => (value / 1e9).toFixed(1);
  const f16 = peaks.f16 === null ? "" : `, f16 ${giga(peaks.f16.value)} GFLOP/s`;
  console.log(`peaks: f32 ${giga(peaks.f32.value)} GFLOP/s${f16}, copy ${giga(peaks.copy.value)} GB/s`);
}
console.log(row("case", "kernel", "ms", "cpu ms", "GFLOP/s", "GB/s", "share", "torch", "first cpu"));
for (const dtype of ["f32", "f16"] as const) {
  if (dtype === "f16" && !device.traits.f16) continue;
  for (const item of casesOf(dtype)) await measure(item, dtype);
}
for (const [part, { device, processor }] of resnet) {
  console.log(`ResNet-20 b32, ${part}: ${device.toFixed(1)} ms, ${processor.toFixed(1)} ms of processor time`);
}
console.log(`${device.pipelines.size} pipelines, load ${load()}`);
if (device.traits.class === "cpu" && !torch.runs) console.log("torch: Python has no PyTorch here; set PYTHON");
torch.close();
if (wrong > 0) console.error(`${wrong} kernels differ from the reference`);
Deno.exit(wrong > 0 ? 1 : 0);

function* casesOf(dtype: FloatType): Generator<KernelCase> {
  yield* productCases(dtype);
  yield* transformerProducts(dtype);
  yield* memoryCases(dtype);
  yield* transformerMemory(dtype);
  yield* reductionCases(dtype);
  yield* attentionCases(dtype);
  if (device.traits.class !== "gpu") return;
  yield* gpuProductCases(dtype);
  yield* gpuMemoryCases(dtype);
}

async function measure(
  { name, output, reference, adjust, resnet: share }: KernelCase,
  dtype: FloatType,
): Promise<void> {
  const node = output.node;
  const largest = Math.max(...[...node.inputs.map(({ type }) => type), ...node.outputs].map((type) => bytesOf(type)));
  const random = new RandomStream(1);
  const adjusted = (drawn: Float32Array[]) => adjust?.(drawn) ?? drawn;
  let inputs: Float32Array[] | undefined;
  const candidates = candidatesOf(node, device);
  for (const [choice, plan] of (onlyDefault ? candidates.slice(0, 1) : candidates).entries()) {
    const label = `${name} ${dtype} ${plan.name}`;
    if (!words.every((word) => label.includes(word))) continue;
    if (largest > device.traits.maxStorageBindingBytes) {
      console.log(`${name} ${dtype}: skipped, since this adapter cannot bind a tensor of ${largest >> 20} MiB`);
      return;
    }
    inputs ??= adjusted(drawInputs(node, random));
    if ((node.op as OpDef<never>) === maxPool2dGradOp) inputs[2] = await pooled(output, inputs[1]!);
    const { flops, bytes } = node.op.cost(node.inputs.map((input) => input.type), node.outputs, node.attrs);
    const compute = flops >= COMPUTE_BOUND * bytes;
    const before = compute ? null : await timeCopy();
    const timing = await timePlan(device, node, plan, inputs);
    const after = compute ? null : await timeCopy();
    const rate = (work: number) => work / timing.median / 1e6;
    if (share !== undefined && choice === 0) {
      const part = `${share.part} ${dtype}`;
      const sum = resnet.get(part) ?? { device: 0, processor: 0 };
      sum.device += share.layers * timing.median;
      sum.processor += share.layers * timing.processor;
      resnet.set(part, sum);
    }
    const timeOf = ({ median, processor }: Timing) => device.traits.class === "cpu" ? processor : median;
    // Sums of f16 are f32
    const part = before === null || after === null
      ? peaks && rate(flops) / (peaks.f32.value / 1e9)
      : bytes / timeOf(timing) / (2 * 8 * COPIED / (timeOf(before) + timeOf(after)));
    const limit = device.traits.class === "cpu" ? await torch.time(node) : null;
    const error = worstError(timing.output, reference, inputs, random);
    const off = error > TOLERANCE[dtype];
    if (off) wrong++;
    else if (choice === 0) {
      record(`${name} ${dtype}`, {
        device_ms: timing.median,
        cpu_ms: timing.processor,
        done_gflop_per_s: rate(flops),
        moved_gb_per_s: rate(bytes),
        of_limit_percent: part === null ? null : 100 * part,
        of_torch_percent: limit === null ? null : 100 * limit / timing.processor,
      });
    }
    console.log(
      row(
        `${name} ${dtype}`,
        plan.name,
        timing.median.toFixed(3),
        timing.processor.toFixed(3),
        rate(flops).toFixed(1),
        rate(bytes).toFixed(1),
        part === null ? "–" : `${(100 * part).toFixed(0)} %`,
        limit === null ? "–" : `${(100 * limit / timing.processor).toFixed(0)} %`,
        timing.first.toFixed(0),
      ) + (off ? `  WRONG by ${error}` : ""),
    );
  }
}

/** Times a copy of f32 values to another buffer. */
async function timeCopy(): Promise<Timing> {
  const { node } = copy(new Graph().leaf("input", "x", rowMajor([COPIED], "f32")));
  return await timePlan(device, node, candidatesOf(node, device)[0]!, [new Float32Array(COPIED)], { rounds: 3 });
}

/** Computes the forward op of a pooling gradient, whose result is the gradient's third input. */
async function pooled(gradient: KernelCase["output"], x: Float32Array): Promise<Float32Array> {
  const forward = gradient.node.inputs[2]!.node;
  const { output } = await timePlan(device, forward, candidatesOf(forward, device)[0]!, [x], { rounds: 1, minimum: 0 });
  return output;
}

function row(name: string, kernel: string, ...figures: string[]): string {
  return `${name.padEnd(42)} ${kernel.padEnd(56)} ${figures.map((figure) => figure.padStart(8)).join(" ")}`;
}

function load(): string {
  return Deno.loadavg().map((value) => value.toFixed(1)).join(" ");
}
