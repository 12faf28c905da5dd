import type { PlannedNode } from "../compile/plan.ts";
import type { RangeEntry } from "../core/range.ts";
import type { MemoryPoint } from "../result/schema.ts";
import type { CounterSample, Flow, Span, Timeline } from "../record/timeline.ts";
import type { StepPasses } from "../record/op_statistics.ts";
import { levelsOf } from "./device_ranges.ts";
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
    spans.push(...groupSpans("device phases", timed, (i) => ({ name: ops[i]!.phase }), step.index));
    const recomputed = (i: number) => byId.get(ops[i]!.nodeId)!.recomputed === true ? { name: "recomputed" } : null;
    spans.push(...groupSpans("device phases", timed, recomputed, step.index));
    spans.push(...rangeSpans(timed, (i) => byId.get(ops[i]!.nodeId)!, step.index));
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
    ...node.recomputed === true && { recomputed: "yes" },
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

/** Group of an op: its name, and what else must be equal in neighbouring ops for one span. */
interface SpanKey {
  readonly name: string;
  readonly parts?: readonly unknown[];
}

/** Returns a span for each run of consecutive ops of one group; skips untimed ops. */
function groupSpans(track: string, timed: Timed, keyOf: (index: number) => SpanKey | null, step: number): Span[] {
  const spans: Span[] = [];
  let open: { key: SpanKey; start: number; end: number } | null = null;
  const close = () => {
    if (open !== null) spans.push({ track, name: open.key.name, start: open.start, end: open.end, step });
    open = null;
  };
  timed.forEach((time, i) => {
    if (time === null) return;
    const key = keyOf(i);
    if (open !== null && key !== null && isSame(open.key, key)) open.end = time.end;
    else {
      close();
      if (key !== null) open = { key, ...time };
    }
  });
  close();
  return spans;
}

function isSame(a: SpanKey, b: SpanKey): boolean {
  return a.name === b.name && (a.parts ?? []).every((part, i) => part === b.parts?.[i]);
}

/** Returns spans of nested ranges, level by level. Each entry of a range has its own, and so does each phase. */
function rangeSpans(
  timed: Timed,
  opAt: (index: number) => { readonly range: RangeEntry | null; readonly phase: string },
  step: number,
): Span[] {
  const ranges = timed.map((_, i) => levelsOf(opAt(i).range));
  const depth = ranges.reduce((most, levels) => Math.max(most, levels.length), 0);
  const spans: Span[] = [];
  for (let level = 0; level < depth; level++) {
    const keyOf = (i: number) => {
      const entry = ranges[i]![level];
      return entry === undefined ? null : { name: entry.path, parts: [entry, opAt(i).phase] };
    };
    spans.push(...groupSpans("device ranges", timed, keyOf, step));
  }
  return spans;
}
