/**
 * Runs a graph on the device node by node, so that ops are tested without the compiler.
 *
 * @module
 */
import { Device } from "../../runtime/device/device.ts";
import type { KernelPlan } from "../../runtime/device/kernel.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { GraphRunner, type GraphRunnerOptions } from "../../runtime/engine/graph_runner.ts";
import * as graph from "../../runtime/graph/candidates.ts";
import { leafAttrs } from "../../runtime/graph/leaf.ts";
import type { Tensor } from "../../runtime/graph/op.ts";

let opened: Promise<Device> | undefined;

/** Returns the device that all tests of a process share. */
export function testDevice(): Promise<Device> {
  return opened ??= Device.open();
}

/** Returns the candidates of the node that computes a tensor. */
export function candidatesOf({ node }: Tensor, traits: DeviceTraits): readonly KernelPlan[] {
  return graph.candidatesOf(node, traits);
}

export interface EvaluateOptions extends GraphRunnerOptions {
  readonly seed?: number;
  readonly step?: number;
}

/**
 * Computes `outputs` from the values of leaves by name, which are logical and row-major, as are the results. A leaf
 * that an op mutates may be an output and then has the written values.
 */
export async function evaluate(
  outputs: readonly Tensor[],
  leaves: ReadonlyMap<string, ArrayLike<number>>,
  options: EvaluateOptions = {},
): Promise<Float64Array[]> {
  const given = new Map(leaves);
  for (const node of outputs[0]!.graph.nodes) {
    const kind = leafAttrs({ node })?.kind;
    if (given.has(node.id)) continue;
    if (kind === "stepState") given.set(node.id, [options.seed ?? 1, options.step ?? 0, 0, 0]);
    if (kind === "lossScale") given.set(node.id, [1]);
  }
  const runner = await GraphRunner.create(await testDevice(), outputs, options);
  try {
    return await runner.run(given);
  } finally {
    runner.free();
  }
}
