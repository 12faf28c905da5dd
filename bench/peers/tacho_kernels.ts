/** The kernels in Tacho: the default candidates on this adapter, without autotuning, with images in NHWC. */
import { add } from "../../ops/add.ts";
import { conv2d } from "../../ops/conv2d.ts";
import { matmul } from "../../ops/matmul.ts";
import { toLogical, toPhysical } from "../../runtime/core/layout.ts";
import { Device } from "../../runtime/device/device.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import type { Tensor } from "../../runtime/graph/op.ts";
import { activation } from "../../runtime/graph/types.ts";
import { candidatesOf, timePlan } from "../plan_timer.ts";
import { elementAt, kernelNamed, type KernelTime, MIN_MS, operand, operandShapes } from "./kernels.ts";

const one = kernelNamed(Deno.args[0]);
const device = await Device.open();
const output = kernel();
const { node } = output;
const inputs = node.inputs.map(({ shape, type }, i) => toPhysical(operand(one, i as 0 | 1), shape, type.layout));
const [usual] = candidatesOf(node, device);
const timing = await timePlan(device, node, usual!, inputs, { rounds: 3, minimum: MIN_MS });
const values = toLogical(timing.output, output.shape, output.type.layout);
const measured: KernelTime = { library: "tacho", time: timing.wall, element: values[elementAt(one)]! };
console.log(JSON.stringify(measured));
Deno.exit(0);

function kernel(): Tensor {
  const graph = new Graph();
  const [first, second] = operandShapes(one);
  const a = graph.leaf("input", "a", activation(first, "f32"));
  if (one.op === "conv") {
    const weight = graph.leaf("parameter", "b", { shape: second, dtype: "f32", layout: "hwio" });
    const padding = [one.kernel >> 1, one.kernel >> 1] as const;
    return conv2d(a, weight, null, { stride: [1, 1], padding, dilation: [1, 1], groups: 1 });
  }
  const b = graph.leaf("input", "b", activation(second, "f32"));
  return one.op === "matmul" ? matmul(a, b) : add(a, b);
}
