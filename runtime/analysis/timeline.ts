import type { PlannedNode } from "../compile/plan.ts";
import type { MemoryPoint } from "../result/schema.ts";
import type { CounterSample, Flow, Span, Timeline } from "../record/timeline.ts";
import type { StepPasses } from "../record/op_statistics.ts";
import type { RunOp } from "./profiled_ops.ts";

/** A profiled step: a pass on the device for each dispatch, and its submits on the host. */
export interface TimedStep {
  readonly index: number;
  readonly passes: StepPasses;
  readonly submits: readonly { readonly firstPass: number; readonly time: number }[];
}

/** Memory classes kept across steps. */
const KEPT = ["parameters", "gradients", "optimizer", "feed"] as const;

/** Host events during the profiled steps. */
export interface HostRecord {
  readonly spans: readonly Span[];
  readonly counters: readonly CounterSample[];
  readonly flows: readonly Flow[];
}

/**
 * Builds a timeline of host and device on one axis: phases, ops, kernels and ranges on the device, an arrow from each submit
 * to its first kernel, and memory by op.
 *
 * @param toHost converts a device timestamp to the host's axis in ms
 */
export function buildTimeline(
  variant: string,
  ops: readonly RunOp[],
  nodes: readonly PlannedNode[],
  steps: readonly TimedStep[],
  memory: readonly MemoryPoint[],
  host: HostRecord,
  toHost: (deviceNs: bigint) => number,
): Timeline {
  const spans: Span[] = [...host.spans];
  const counters: CounterSample[] = [...host.counters];
  const flows: Flow[] = [...host.flows];
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const pointOf = new Map(memory.map((point) => [point.op, point]));
  const dispatches = ops.flatMap(({ nodeId, kernels }) => kernels.map((name) => ({ name, args: { op: nodeId } })));
  for (const step of steps) {
    const passes = step.passes.map((pass) =>
      pass === null ? null : { start: toHost(pass.begin), end: toHost(pass.end) }
    );
    passes.forEach((time, i) => {
      if (time !== null) spans.push({ track: "device kernels", ...dispatches[i]!, ...time, step: step.index });
    });
    const timed = passes.length === 0 ? [] : opTimes(passes, ops);
    const began = timed.find((time) => time !== null)?.start;
    if (began !== undefined && memory[0] !== undefined) {
      for (const key of KEPT) counters.push({ counter: `memory: ${key}`, time: began, value: memory[0][key] });
    }
    timed.forEach((time, i) => {
      if (time === null) return;
      const node = byId.get(ops[i]!.nodeId)!;
      spans.push({ track: "device ops", name: node.id, ...time, step: step.index, args: describeOp(node) });
      const point = pointOf.get(node.id);
      if (point !== undefined) {
        for (const key of ["activations", "workspace"] as const) {
          counters.push({ counter: `memory: ${key}`, time: time.start, value: point[key] });
        }
      }
    });
    spans.push(...groupSpans("device phases", timed, (i) => ops[i]!.phase, step.index));
    spans.push(...rangeSpans(timed, (i) => byId.get(ops[i]!.nodeId)!.range, step.index));
    for (const { firstPass, time } of step.submits) {
      const first = passes[firstPass];
      if (first == null) continue;
      flows.push({
        name: `step ${step.index}`,
        from: { track: "main", time },
        to: { track: "device kernels", time: first.start },
      });
    }
  }
  return { variant, spans, counters, flows };
}

function describeOp(node: PlannedNode): Record<string, string | number> {
  const shapes = (types: PlannedNode["inputs"]) => types.map(({ shape, dtype }) => `${dtype}[${shape}]`).join(" ");
  return {
    type: node.type,
    kernel: node.kernel,
    inputs: shapes(node.inputs),
    outputs: shapes(node.outputs),
    flops: node.flops,
    bytes: node.bytes,
  };
}

type Timed = readonly ({ readonly start: number; readonly end: number } | null)[];

/** Returns the time of each op, from the start of its first dispatch to the end of its last; null if one is untimed. */
function opTimes(passes: Timed, ops: readonly RunOp[]): Timed {
  let next = 0;
  return ops.map(({ kernels }) => {
    const own = passes.slice(next, next += kernels.length);
    return own.includes(null) ? null : { start: own[0]!.start, end: own.at(-1)!.end };
  });
}

/** Returns a span for each run of consecutive ops with the same key; skips untimed ops. */
function groupSpans(track: string, timed: Timed, keyOf: (index: number) => string | null, step: number): Span[] {
  const spans: Span[] = [];
  let open: { name: string; start: number; end: number } | null = null;
  const close = () => {
    if (open !== null) spans.push({ track, ...open, step });
    open = null;
  };
  timed.forEach((time, i) => {
    if (time === null) return;
    const key = keyOf(i);
    if (open !== null && open.name === key) open.end = time.end;
    else {
      close();
      if (key !== null) open = { name: key, ...time };
    }
  });
  close();
  return spans;
}

/** Returns spans of nested ranges, level by level. */
function rangeSpans(timed: Timed, rangeOf: (index: number) => string | null, step: number): Span[] {
  const depth = timed.reduce((most, _, i) => Math.max(most, rangeOf(i)?.split("/").length ?? 0), 0);
  const spans: Span[] = [];
  for (let level = 1; level <= depth; level++) {
    const prefix = (i: number) => {
      const parts = rangeOf(i)?.split("/") ?? [];
      return parts.length < level ? null : parts.slice(0, level).join("/");
    };
    spans.push(...groupSpans("device ranges", timed, prefix, step));
  }
  return spans;
}
