import { figures, names, type TableSpec, words } from "../report/spec.ts";
import { instructionsPerMultiplyAdd, spillsOf } from "./tables.ts";
import type { Figures } from "./figures.ts";
import type { IsaEstimate, KernelEstimate } from "./types.ts";

/** A kernel on a GPU in two versions. */
export interface KernelChange {
  readonly kernel: string;
  readonly gpu: string;
  readonly before: Figures | null;
  readonly after: Figures | null;
}

/** Pairs the kernels of two estimates by name and GPU. Those that are equal in all figures are left out. */
export function changesOf(before: readonly KernelEstimate[], after: readonly KernelEstimate[]): KernelChange[] {
  const key = ({ kernel, gpu }: KernelEstimate) => `${gpu} ${kernel}`;
  const then = new Map(before.map((row) => [key(row), row]));
  const now = new Map(after.map((row) => [key(row), row]));
  return [...new Set([...now.keys(), ...then.keys()])].flatMap((each) => {
    const [a, b] = [then.get(each), now.get(each)];
    const { kernel, gpu } = (b ?? a)!;
    const [before, after] = [a?.figures ?? null, b?.figures ?? null];
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ kernel, gpu, before, after }];
  });
}

/** Returns the table of kernels that changed. */
export function changesTable(changes: readonly KernelChange[], against: string): TableSpec<KernelChange> {
  const pair = (read: (figures: Figures) => number | null) => ({ before, after }: KernelChange) => {
    const [a, b] = [before, after].map((figures) => figures === null ? null : read(figures));
    if (a == null && b == null) return null;
    const show = (value: number | null | undefined) => value == null ? "–" : String(Number(value.toFixed(2)));
    return a === b ? show(a) : `${show(a)} → ${show(b)}`;
  };
  const column = (name: string, read: (figures: Figures) => number | null) =>
    words<KernelChange>(name, pair(read), { align: "right" });
  return {
    title: `Changes against ${against} (estimate)`,
    columns: [
      names("kernel", ({ kernel }) => kernel, { most: 60 }),
      words("GPU", ({ gpu }) => gpu),
      column("vector regs", ({ vectorRegisters }) => vectorRegisters),
      column("spills", spillsOf),
      column("waves", ({ waves }) => waves),
      column("instructions", ({ instructions }) => instructions),
      column("per multiply-add", instructionsPerMultiplyAdd),
      figures("cost", costRatio, {
        format: (ratio) => `×${ratio.toFixed(3)}`,
        tone: (row) => (costRatio(row) ?? 1) > 1.01 ? "bad" : (costRatio(row) ?? 1) < 0.99 ? "good" : null,
      }),
    ],
    rows: changes,
  };
}

/** Returns cost now / cost then. */
function costRatio({ before, after }: KernelChange): number | null {
  if (before?.cost == null || after?.cost == null || before.cost === 0) return null;
  return after.cost / before.cost;
}

/** Returns true for an estimate as `--json` writes it, as far as comparisons read it. */
export function isEstimate(value: unknown): value is IsaEstimate {
  const rows = (value as Partial<IsaEstimate> | null)?.rows;
  return Array.isArray(rows) && rows.every((row) => typeof row?.kernel === "string" && typeof row.gpu === "string");
}
