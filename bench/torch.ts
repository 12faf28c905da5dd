/**
 * Compares a training step or single kernels in Tacho with PyTorch eager. Libraries take turns, and each measurement is
 * a separate process.
 *
 *     deno task bench:torch                      # ResNet-50 in f32 and in mixed precision, on a GPU
 *     deno task bench:torch --kernels            # GEMM and 3x3 convolutions
 *     deno task bench:torch --help               # sizes, precision, PyTorch's device, another Python
 *     deno task bench:torch --record             # also writes the result to bench/results/
 *
 * Needs PyTorch 1.13 or newer in `python3`. Both libraries start from the same weights and have the same batch on the
 * device. The benchmark stops with an error if their numbers of parameters or their first losses differ. The time is
 * wall time per step over a block with a single wait; `device ms` is the same on the device's clock.
 *
 * @module
 */
import { requireAdapter } from "../runtime/device/adapter.ts";
import { compareKernelsWithTorch } from "./torch/kernels.ts";
import { compareNets } from "./torch/nets.ts";
import { recorder } from "./record/recorder.ts";
import { readArguments } from "./torch/arguments.ts";
import { findTorch } from "./torch/process.ts";

const { args, record } = await recorder("torch");
const options = readArguments(args);
const torch = await findTorch(options.python);
const device = options.device ?? (torch.cuda === null ? "cpu" : "cuda");
if (device === "cuda" && torch.cuda === null) {
  console.error(`--device cuda: PyTorch ${torch.version} of ${options.python} finds no CUDA device`);
  Deno.exit(2);
}
const { info, traits } = await requireAdapter({ match: "high-performance" });
const place = device === "cuda"
  ? `${torch.cuda}, cuDNN ${torch.cudnn}${options.channelsLast ? ", channels last" : ""}`
  : `the CPU with ${torch.threads} threads`;
console.log(`Tacho, Deno ${Deno.version.deno}, on ${info.name}; PyTorch ${torch.version} on ${place}`);
if (info.fallback && device === "cuda") console.log("Tacho runs on the CPU: the ratios compare two devices");

const withF16 = device === "cuda" && traits.f16;
if (!withF16 && options.precisions.includes("amp")) {
  const reason = device === "cpu"
    ? "on the CPU, PyTorch's mixed precision uses bfloat16"
    : "the WebGPU adapter has no shader-f16";
  console.log(`Skipping amp (f16): ${reason}`);
}
const precisions = options.precisions.filter((precision) => precision === "f32" || withF16);
if (precisions.length === 0) Deno.exit(0);
if (options.kernels) {
  const dtypes = precisions.map((precision) => precision === "amp" ? "f16" as const : "f32" as const);
  await compareKernelsWithTorch(options, device, dtypes, record);
} else await compareNets(options, device, precisions, record);
