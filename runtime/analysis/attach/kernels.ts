import { type KernelRecord, RENDER_PASS } from "../../attach/records.ts";
import { median } from "./median.ts";
import type { DeviceRecording, Pass } from "./recording.ts";
import type { Step } from "./steps.ts";

/** A kernel, with its timed dispatches. */
export interface KernelResult {
  /** Label, else what its WGSL does, with the entry point and the hash of the code. */
  readonly name: string;
  readonly label: string;
  readonly entryPoint: string;
  readonly hash: string;
  /** Description of its WGSL. */
  readonly does: string;
  /** Source line of the dispatches; null without call sites. */
  readonly line: string | null;
  /** Dispatches in the whole run, timed or not; null for rows by source line. */
  readonly dispatches: number | null;
  /** Timed dispatches. */
  readonly calls: number;
  /** Timed dispatches per timed step; null without steps. */
  readonly perStep: number | null;
  /** Sum and median of the timed dispatches, in ms. */
  readonly total: number;
  readonly median: number;
  /** Part of the sum over all kernels. */
  readonly share: number;
  /** Bytes of the bound buffers per second, in GB/s: an upper bound on what it reads and writes. */
  readonly boundGBs: number | null;
  /** Grids in workgroups, the most frequent first. `null` is an indirect dispatch. */
  readonly grids: readonly { readonly grid: readonly [number, number, number] | null; readonly calls: number }[];
}

/** Sums timed dispatches by kernel, and by source line where they are known; the longest first. */
export function kernelResults(
  { kernels, passes, state }: DeviceRecording,
  timedSteps: readonly Step[],
): readonly KernelResult[] {
  const inSteps = timedSteps.length === 0 ? passes : passes.filter(({ submit }) => {
    return timedSteps.some(({ firstSubmit, endSubmit }) => submit >= firstSubmit && submit < endSubmit);
  });
  const groups = Map.groupBy(
    inSteps,
    ({ site }) => `${site.kernel} ${site.kernel === RENDER_PASS ? site.pass : ""} ${site.line}`,
  );
  const sum = (of: readonly Pass[]) => of.reduce((ms, { begin, end }) => ms + end - begin, 0);
  const whole = sum(inSteps);
  return [...groups.values()].map((own): KernelResult => {
    const { site } = own[0]!;
    const kernel = kernels[site.kernel];
    const total = sum(own);
    const bytes = own.reduce((all, pass) => all + pass.site.bytes, 0);
    return {
      ...namesOf(
        kernel,
        site.kernel === RENDER_PASS ? `render pass ${site.pass}`.trim() : "made before recording began",
      ),
      line: site.line,
      dispatches: site.line === null ? state?.calls[site.kernel] ?? null : null,
      calls: own.length,
      perStep: timedSteps.length === 0 ? null : own.length / timedSteps.length,
      total,
      median: median(own.map(({ begin, end }) => end - begin)),
      share: total / whole,
      boundGBs: bytes === 0 || total === 0 ? null : bytes / total / 1e6,
      grids: gridsOf(own),
    };
  }).sort((a, b) => b.total - a.total);
}

/** Name of a kernel: its label and the hash of its code, or what the code does. */
export function kernelName({ label, entryPoint, hash, does }: KernelRecord): string {
  const name = label !== "" ? label : `${entryPoint || "?"}: ${does || "unknown code"}`;
  return hash === "" ? name : `${name} #${hash}`;
}

function namesOf(kernel: KernelRecord | undefined, other: string) {
  if (kernel === undefined) return { name: other, label: "", entryPoint: "", hash: "", does: "" };
  const { label, entryPoint, hash, does } = kernel;
  return { name: kernelName(kernel), label, entryPoint, hash, does };
}

function gridsOf(passes: readonly Pass[]): KernelResult["grids"] {
  return [...Map.groupBy(passes, ({ site }) => String(site.grid)).values()]
    .map((own) => ({ grid: own[0]!.site.grid, calls: own.length }))
    .sort((a, b) => b.calls - a.calls);
}
