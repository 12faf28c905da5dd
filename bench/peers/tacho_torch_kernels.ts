/** The kernels that are compared with PyTorch's, in Tacho, with a check of a sample of each result. */
import { RandomStream } from "../../runtime/core/random.ts";
import { Device } from "../../runtime/device/device.ts";
import type { KernelCase } from "../kernel_case.ts";
import { drawInputs, TOLERANCE, worstError } from "../kernel_check.ts";
import { candidatesOf, timePlan } from "../plan_timer.ts";
import { conv, gemm } from "../product_cases.ts";
import type { KernelsTask, KernelTimes, TorchKernel } from "./torch_kernels.ts";

const { cases, least, autotune }: KernelsTask = JSON.parse(Deno.args[0]!);
const device = await Device.open({ match: "high-performance" });
const times: Record<string, number> = {};
const flops: Record<string, number> = {};
for (const one of cases) await measure(one);
const measured: KernelTimes = { times, flops };
console.log(JSON.stringify(measured));
Deno.exit(0);

async function measure(one: TorchKernel): Promise<void> {
  const { output, reference } = caseOf(one);
  const { node } = output;
  const random = new RandomStream(1);
  const inputs = drawInputs(node, random);
  flops[one.name] = node.op.cost(node.inputs.map(({ type }) => type), node.outputs, node.attrs).flops;
  const candidates = candidatesOf(node, device);
  for (const plan of autotune ? candidates : candidates.slice(0, 1)) {
    const timing = await timePlan(device, node, plan, inputs, { rounds: 3, minimum: least });
    const error = worstError(timing.output, reference, inputs, random);
    if (!(error <= TOLERANCE[one.dtype])) throw new Error(`${one.name}: ${plan.name} is wrong by ${error}`);
    times[one.name] = Math.min(times[one.name] ?? Infinity, device.timestamps ? timing.median : timing.wall);
  }
}

function caseOf(one: TorchKernel): KernelCase {
  if (one.op === "matmul") return gemm(one.size, one.dtype);
  const { batch, size, inputs, outputs, kernel, stride, padding } = one;
  const parts = conv(one.name, one.dtype, batch, size, inputs, outputs, kernel, stride, padding);
  return parts.find(({ name }) => name === `${one.name} ${one.op}`)!;
}
