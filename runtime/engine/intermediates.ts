import { decode } from "../core/f16.ts";
import { toLogical } from "../core/layout.ts";
import { bytesOf } from "../compile/views.ts";
import type { Executor } from "./executor.ts";

/**
 * Runs a step of a plan and returns the outputs that some of its nodes computed, by node ID: logical and row-major. They
 * are copied right after the node, since later nodes reuse its memory. Of a step that accumulates gradients, they are
 * those of the last micro-batch.
 *
 * @param ids IDs of nodes of the plan's graph, as compiled: fusion replaces nodes, and views have no kernel
 */
export async function runIntermediates(
  executor: Executor,
  ids: Iterable<string>,
): Promise<Map<string, Float64Array[]>> {
  const { device, plan, ops, dispatches } = executor;
  const wanted = new Set(ids);
  const outputs = plan.nodes.flatMap(({ id, placed }) => {
    if (placed === undefined || !wanted.delete(id)) return [];
    return placed.node.outputs.map((type, i) => ({ id, type, range: executor.range(placed.outputs[i]!) }));
  });
  for (const id of wanted) throw new Error(`The plan computes no node ${id}`);
  let bytes = 0;
  const places = outputs.map(({ range }) => {
    const offset = bytes;
    bytes += range.size;
    return offset;
  });
  const copies = device.buffer("intermediates", bytes, GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC);
  try {
    const encoder = device.gpu.createCommandEncoder({ label: "intermediates" });
    dispatches.forEach((dispatch, n) => {
      dispatch.encode(encoder);
      const next = dispatches[n + 1];
      if (next?.op === dispatch.op && next.batch === dispatch.batch) return;
      outputs.forEach(({ id, range: { buffer, offset, size } }, i) => {
        if (id === ops[dispatch.op]!.nodeId) device.copy(encoder, buffer, offset, copies, places[i]!, size);
      });
    });
    device.submit(encoder);
    const contents = await device.read(
      outputs.map(({ type }, i) => ({ buffer: copies, offset: places[i]!, size: bytesOf(type) })),
    );
    const values = new Map<string, Float64Array[]>();
    outputs.forEach(({ id, type: { dtype, shape, layout } }, i) => {
      const data = toLogical(Float64Array.from(decode(contents[i]!, dtype)), shape, layout);
      values.set(id, [...values.get(id) ?? [], data]);
    });
    return values;
  } finally {
    device.free(copies);
  }
}
