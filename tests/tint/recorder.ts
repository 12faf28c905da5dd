/**
 * Preloaded into test files by `deno task tint`: records every kernel that they generate. For each node that a test builds,
 * it also generates the node's kernels for other kinds of adapters.
 *
 * Only the kernels are of interest, so that the tests run without dispatches, which takes a software adapter a small part
 * of the time, and without assertions on what would have been computed.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { KernelPlan, KernelSpec } from "../../runtime/device/kernel.ts";
import { PipelineCache } from "../../runtime/device/pipelines.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import type { KernelContext, OpDef } from "../../runtime/graph/op.ts";
import { ALL_OPS } from "../../runtime/nn/all_ops.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { KernelFile } from "./kernel_file.ts";

/** Environment variable with the folder to write kernels to. */
export const FOLDER_VARIABLE = "TINT_KERNELS";

/** Kinds of adapters, by what kernels depend on. */
const ADAPTERS = (["cpu", "gpu"] as const).flatMap((kind) =>
  [null, 4, 8, 16, 32, 64].map((subgroupSize): Partial<DeviceTraits> => ({ class: kind, subgroupSize }))
);

const folder = Deno.env.get(FOLDER_VARIABLE);
if (folder !== undefined) {
  const file = new KernelFile(folder);
  for (const op of ALL_OPS) recordCandidates(op as OpDef<unknown>, file);
  recordPipelines(file);
  GPUComputePassEncoder.prototype.dispatchWorkgroups = () => {};
  for (const name of Object.keys(assert)) Object.assign(assert, { [name]: () => {} });
}

/** Records all candidates of each node of an op, once per set of attributes and types. */
function recordCandidates(op: OpDef<unknown>, file: KernelFile): void {
  const { candidates } = op;
  const done = new Set<string>();
  const record = (plans: readonly KernelPlan[]) => {
    for (const plan of plans) for (const kernel of plan.kernels) file.add(kernel, op.type);
  };
  const recording = (context: KernelContext<unknown>): readonly KernelPlan[] => {
    const plans = candidates.call(op, context);
    record(plans);
    const { traits, randomKey: _, ...node } = context;
    const key = JSON.stringify(node);
    if (!done.has(key)) {
      done.add(key);
      for (const adapter of ADAPTERS) {
        try {
          record(candidates.call(op, { ...context, traits: { ...traits, ...adapter } }));
        } catch (error) {
          if (!(error instanceof InputError)) throw error; // too large for this kind of adapter
        }
      }
    }
    return plans;
  };
  Object.assign(op, { candidates: recording });
}

/** Records the kernels that belong to no op, once Deno's own compiler has accepted them. */
function recordPipelines(file: KernelFile): void {
  const { get } = PipelineCache.prototype;
  PipelineCache.prototype.get = async function (this: PipelineCache, kernel: KernelSpec) {
    const pipeline = await get.call(this, kernel);
    file.add(kernel, null);
    return pipeline;
  };
}
