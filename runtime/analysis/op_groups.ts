import { phasesNamed } from "../record/phases.ts";
import type { KernelTimes, OpRecord } from "../result/schema.ts";

/** Properties that ops can be grouped by. */
export const GROUPINGS = ["type", "layer", "phase", "kernel"] as const;

export type Grouping = (typeof GROUPINGS)[number];

/** A group of ops. A sum is null if the value of any op is unknown. */
export interface OpGroup {
  readonly name: string;
  /** Nesting depth; more than 0 only for layers, and for recomputed activations of a phase. */
  readonly depth: number;
  /** Number of ops. */
  readonly ops: number;
  /** Calls of all ops; of a kernel, its dispatches. */
  readonly calls: number;
  /** ms over all calls. */
  readonly total: number | null;
  /** ms per step: the sum of the ops' medians. */
  readonly perStep: number | null;
  /** ms per step: the sum of the ops' means. */
  readonly mean: number | null;
  /** Shortest and longest call: ms. */
  readonly min: number | null;
  readonly max: number | null;
  /** `perStep` as a fraction of that of all ops, from 0 to 1. */
  readonly share: number | null;
  /** FLOPs and bytes per step; null for a kernel that does only a part of an op. */
  readonly flops: number | null;
  readonly bytes: number | null;
  /** GFLOP/s and GB/s. */
  readonly gflops: number | null;
  readonly gbps: number | null;
}

/** Deeper layers are added to their ancestor at this depth. */
const DEEPEST = 8;

/**
 * Groups ops by type or phase, and their dispatches by kernel, the longest first and phases in their order. Recomputed
 * activations are a group within their phase. By layer, returns every scope followed by its children, in the order of the
 * model.
 */
export function groupOps(ops: readonly OpRecord[], by: Grouping): OpGroup[] {
  const whole = sum(ops.map((op) => op.median));
  if (by === "layer") return layerGroups(ops, whole);
  if (by === "kernel") return kernelGroups(ops, whole).toSorted(byTime);
  const groups = [...Map.groupBy(ops, (op) => op[by])].map(([name, members]) => summarizeOps(name, 0, members, whole));
  if (by !== "phase") return groups.toSorted(byTime);
  const phases = phasesNamed(ops.map((op) => op.phase)).map(({ name }) => name);
  return groups.toSorted((a, b) => phases.indexOf(a.name) - phases.indexOf(b.name)).flatMap((group) => {
    const again = ops.filter(({ phase, recomputed }) => phase === group.name && recomputed === true);
    return again.length === 0 ? [group] : [group, summarizeOps(`${group.name}: recomputed`, 1, again, whole)];
  });
}

function byTime(a: OpGroup, b: OpGroup): number {
  return (b.perStep ?? -1) - (a.perStep ?? -1);
}

/** Returns all dispatches of ops. */
export function dispatchesOf(ops: readonly OpRecord[]): KernelTimes[] {
  return ops.flatMap(({ kernels }) => kernels);
}

/** Returns the time of all calls of all ops or dispatches in ms; null without any, or where one was not timed. */
export function totalOf(timed: readonly Pick<KernelTimes, "total">[]): number | null {
  return timed.length === 0 ? null : sum(timed.map(({ total }) => total));
}

function kernelGroups(ops: readonly OpRecord[], whole: number | null): OpGroup[] {
  const dispatches = ops.flatMap((op) => op.kernels.map((kernel) => ({ ...kernel, op })));
  return [...Map.groupBy(dispatches, ({ name }) => name)].map(([name, members]) => {
    const owners = [...new Set(members.map(({ op }) => op))];
    const alone = owners.every(({ kernels }) => kernels.every((kernel) => kernel.name === name));
    const work = (key: "flops" | "bytes") => alone ? sum(owners.map((op) => op[key])) : null;
    return summarize(name, 0, {
      owners: owners.length,
      timed: members,
      flops: work("flops"),
      bytes: work("bytes"),
    }, whole);
  });
}

/** Returns work per time in units of 1e9 per second: GFLOP/s from FLOPs, GB/s from bytes. */
export function rate(work: number | null, ms: number | null): number | null {
  return work === null || ms === null || ms <= 0 ? null : work / ms / 1e6;
}

/** Returns the set-up time of an op in ms; null if neither part was measured. */
export function setupOf({ setup: { pipeline, firstDispatch } }: OpRecord): number | null {
  return pipeline === null && firstDispatch === null ? null : (pipeline ?? 0) + (firstDispatch ?? 0);
}

interface Scope {
  readonly path: string;
  readonly own: OpRecord[];
  readonly children: Map<string, Scope>;
}

function layerGroups(ops: readonly OpRecord[], whole: number | null): OpGroup[] {
  const root: Scope = { path: "", own: [], children: new Map() };
  for (const op of ops) {
    let scope = root;
    for (const path of prefixes(op.layer)) {
      const child = scope.children.get(path) ?? { path, own: [], children: new Map() };
      scope.children.set(path, child);
      scope = child;
    }
    scope.own.push(op);
  }
  const walk = (scope: Scope, depth: number): OpGroup[] => {
    const children = [...scope.children.values()];
    // Skip a scope that only wraps another one
    if (scope.own.length === 0 && children.length === 1) return walk(children[0]!, depth);
    return [
      summarizeOps(scope.path, depth, within(scope), whole),
      ...children.flatMap((child) => walk(child, depth + 1)),
    ];
  };
  return [...root.children.values()].flatMap((scope) => walk(scope, 0));
}

/** `layer1.0.conv1` -> `layer1`, `layer1.0`, `layer1.0.conv1`. */
function prefixes(layer: string): string[] {
  const parts = layer.split(".");
  const levels = Math.min(parts.length, DEEPEST);
  return Array.from({ length: levels }, (_, i) => i === levels - 1 ? layer : parts.slice(0, i + 1).join("."));
}

function within(scope: Scope): OpRecord[] {
  return [...scope.own, ...[...scope.children.values()].flatMap(within)];
}

function summarizeOps(name: string, depth: number, ops: readonly OpRecord[], whole: number | null): OpGroup {
  const [flops, bytes] = [sum(ops.map((op) => op.flops)), sum(ops.map((op) => op.bytes))];
  return summarize(name, depth, { owners: ops.length, timed: ops, flops, bytes }, whole);
}

/** Ops or dispatches, the number of ops that they belong to, and their work. */
interface Members {
  readonly owners: number;
  readonly timed: readonly KernelTimes[];
  readonly flops: number | null;
  readonly bytes: number | null;
}

function summarize(name: string, depth: number, members: Members, whole: number | null): OpGroup {
  const { owners, timed, flops, bytes } = members;
  const perStep = sum(timed.map(({ median }) => median));
  const known = (key: "min" | "max") => timed.map((one) => one[key]).filter((time) => time !== null);
  return {
    name,
    depth,
    ops: owners,
    calls: timed.reduce((sum, { calls }) => sum + calls, 0),
    total: sum(timed.map(({ total }) => total)),
    perStep,
    mean: sum(timed.map(({ mean }) => mean)),
    min: least(known("min")),
    max: most(known("max")),
    share: perStep === null || whole === null || whole <= 0 ? null : perStep / whole,
    flops,
    bytes,
    gflops: rate(flops, perStep),
    gbps: rate(bytes, perStep),
  };
}

/** Returns null if any value is null. */
function sum(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>((sum, value) => sum === null || value === null ? null : sum + value, 0);
}

function least(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));
}

function most(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
}
