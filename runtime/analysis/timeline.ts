import type { PlannedNode } from "../compile/plan.ts";
import type { MemoryPoint } from "../result/schema.ts";
import type { CounterSample, Flow, Span, Timeline } from "../record/timeline.ts";
import type { StepPasses } from "../record/op_statistics.ts";
import { levelsOf } from "./device_ranges.ts";
import type { RunStep } from "./profiled_ops.ts";

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
 * to its first kernel, and memory by op. An op has a slice for each of its dispatches, so that its slices add up to its time.
 *
 * @param run ops and dispatches of a step, in the order of its passes
 * @param toHost converts a device timestamp to the host's axis in ms
 */
export function buildTimeline(
  variant: string,
  run: RunStep,
  nodes: readonly PlannedNode[],
  steps: readonly TimedStep[],
  memory: readonly MemoryPoint[],
  host: HostRecord,
  toHost: (deviceNs: bigint) => number,
): Timeline {
  const spans: Span[] = [...host.spans];
  const counters: CounterSample[] = [...host.counters];
  const flows: Flow[] = [...host.flows];
  const pointOf = new Map(memory.map((point) => [point.op, point]));
  const parts = partsOf(run, nodes);
  for (const { index: step, passes, submits } of steps) {
    const timed = passes.map((pass, i): TimedPart | null =>
      pass === null ? null : { ...parts[i]!, start: toHost(pass.begin), end: toHost(pass.end) }
    );
    const known = timed.filter((part) => part !== null);
    const began = known[0]?.start;
    if (began !== undefined && memory[0] !== undefined) {
      for (const key of KEPT) counters.push({ counter: `memory: ${key}`, time: began, value: memory[0][key] });
    }
    for (const { node, kernel, opArgs, start, end, first } of known) {
      spans.push({ track: "device kernels", name: kernel, args: { op: node.id }, start, end, step });
      spans.push({ track: "device ops", name: node.id, args: opArgs, start, end, step });
      const point = first ? pointOf.get(node.id) : undefined;
      if (point !== undefined) {
        for (const key of ["activations", "workspace"] as const) {
          counters.push({ counter: `memory: ${key}`, time: start, value: point[key] });
        }
      }
    }
    spans.push(...groupSpans("device phases", known, ({ phase, batch }) => ({ name: phase, parts: [batch] }), step));
    const recomputed = ({ node, batch }: Part) =>
      node.recomputed === true ? { name: "recomputed", parts: [batch] } : null;
    spans.push(...groupSpans("device phases", known, recomputed, step));
    spans.push(...rangeSpans(known, step));
    for (const { firstPass, time } of submits) {
      const first = timed[firstPass];
      if (first == null) continue;
      flows.push({
        name: `step ${step}`,
        from: { track: "main", time },
        to: { track: "device kernels", time: first.start },
      });
    }
  }
  return { variant, spans, counters, flows };
}

/** A dispatch of a step, as its slices show it. */
interface Part {
  readonly node: PlannedNode;
  readonly phase: string;
  readonly kernel: string;
  readonly batch: number | null;
  /** True for the first dispatch of an op in its micro-batch. */
  readonly first: boolean;
  readonly opArgs: Readonly<Record<string, string | number>>;
}

type TimedPart = Part & { readonly start: number; readonly end: number };

/** Describes each dispatch of a step. The first one of an op has the op's work, so that the work of slices adds up. */
function partsOf({ ops, dispatches }: RunStep, nodes: readonly PlannedNode[]): Part[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  let start = 0;
  const starts = dispatches.map(({ op, batch }, i) => {
    const before = dispatches[i - 1];
    if (before?.op !== op || before.batch !== batch) start = i;
    return start;
  });
  const together = Map.groupBy(starts, (start) => start);
  return dispatches.map(({ op, kernel, batch }, i): Part => {
    const { nodeId, phase } = ops[op]!;
    const node = byId.get(nodeId)!;
    const first = starts[i] === i;
    const count = together.get(starts[i]!)!.length;
    return {
      node,
      phase,
      kernel,
      batch,
      first,
      opArgs: {
        ...describeOp(node),
        ...first && { flops: node.flops, bytes: node.bytes },
        ...count > 1 && { dispatch: `${i - starts[i]! + 1} of ${count}` },
        ...batch !== null && { "micro-batch": batch },
      },
    };
  });
}

function describeOp(node: PlannedNode): Record<string, string | number> {
  const shapes = (types: PlannedNode["inputs"]) => types.map(({ shape, dtype }) => `${dtype}[${shape}]`).join(" ");
  return {
    type: node.type,
    kernel: node.kernel,
    inputs: shapes(node.inputs),
    outputs: shapes(node.outputs),
    ...node.recomputed === true && { recomputed: "yes" },
  };
}

/** Group of a dispatch: its name, and what else must be equal in neighbours for one span. */
interface SpanKey {
  readonly name: string;
  readonly parts: readonly unknown[];
}

/** Returns a span for each run of consecutive dispatches of one group. */
function groupSpans(
  track: string,
  timed: readonly TimedPart[],
  keyOf: (part: TimedPart) => SpanKey | null,
  step: number,
): Span[] {
  const spans: Span[] = [];
  let open: { key: SpanKey; start: number; end: number } | null = null;
  const close = () => {
    if (open !== null) spans.push({ track, name: open.key.name, start: open.start, end: open.end, step });
    open = null;
  };
  for (const part of timed) {
    const key = keyOf(part);
    if (open !== null && key !== null && isSame(open.key, key)) open.end = part.end;
    else {
      close();
      if (key !== null) open = { key, start: part.start, end: part.end };
    }
  }
  close();
  return spans;
}

function isSame(a: SpanKey, b: SpanKey): boolean {
  return a.name === b.name && a.parts.every((part, i) => part === b.parts[i]);
}

/** Returns spans of nested ranges, level by level. Each entry of a range has its own, and so does each phase. */
function rangeSpans(timed: readonly TimedPart[], step: number): Span[] {
  const ranges = new Map(timed.map((part) => [part, levelsOf(part.node.range)]));
  const depth = ranges.values().reduce((most, levels) => Math.max(most, levels.length), 0);
  const spans: Span[] = [];
  for (let level = 0; level < depth; level++) {
    const keyOf = (part: TimedPart) => {
      const entry = ranges.get(part)![level];
      return entry === undefined ? null : { name: entry.path, parts: [entry, part.phase, part.batch] };
    };
    spans.push(...groupSpans("device ranges", timed, keyOf, step));
  }
  return spans;
}
