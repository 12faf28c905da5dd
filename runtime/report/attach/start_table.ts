import type { AttachedBrowser, AttachedDevice } from "../../result/attach_result.ts";
import { median } from "../../core/statistics.ts";
import { formatBytes } from "../quantities.ts";
import { formatCounted, formatNumber } from "../format.ts";
import { counts, figures, type TableSpec, words } from "../spec.ts";

/** A part of a page's start; null where it is not known. */
interface StartRow {
  readonly part: string;
  readonly count: number | null;
  readonly ms: number | null;
  readonly bytes: number | null;
}

/**
 * Table of a page's start and memory; null where they are not known.
 *
 * @param browser the page, beside its first device
 */
export function startTable(
  browser: AttachedBrowser | null,
  { pipelines, steps, memory }: Pick<AttachedDevice, "pipelines" | "steps" | "memory">,
): TableSpec<StartRow> | null {
  const load = browser?.load ?? null;
  if (load === null) return null;
  const [first] = steps.steps;
  const steady = steps.steps.filter(({ warmUp }) => !warmUp).map(({ wall }) => wall);
  const compileMs = pipelines.reduce((sum, { callMs, readyMs }) => sum + (readyMs ?? callMs), 0);
  const row = (part: string, count: number | null, ms: number | null, bytes: number | null = null) => ({
    ...{ part, count, ms, bytes },
  });
  return {
    title: "Start of the page, and memory at its end",
    columns: [
      words("part", ({ part }) => part),
      counts("count", ({ count }) => count),
      figures("ms", ({ ms }) => ms, { unit: "ms" }),
      figures("bytes", ({ bytes }) => bytes, { format: formatBytes }),
    ],
    rows: [
      row("downloads", load.downloads, load.downloadMs, load.downloadBytes),
      row("WebAssembly: compiling, instantiating", load.wasm, load.wasmMs),
      row("pipelines: calls, or until ready", pipelines.length, compileMs),
      row("first step", null, first?.wall ?? null),
      row("a step after the warm-up", steady.length || null, steady.length === 0 ? null : median(steady)),
      row("page blocked: tasks over 50 ms", load.longTasks, load.longTaskMs),
      row("buffers and textures", null, null, memory?.now ?? null),
      row("JavaScript's heap", null, null, load.heapBytes),
      row("memory of WebAssembly", null, null, load.wasmBytes),
    ].filter(({ count, ms, bytes }) => count !== 0 && (count !== null || ms !== null || (bytes ?? 0) > 0)),
    notes: [
      `${formatCounted(load.cached, "download")} from a cache; times overlap and do not add up`,
      ...load.longTasks === 0 ? [] : [`longest task: ${formatNumber(load.longestTaskMs)} ms`],
      "pipelines that the page does not await are compiled while it runs: that time is in the first step",
    ],
  };
}
