/**
 * Estimates of the default kernels on GPUs that are not here: `deno task bench:kernels --isa`.
 *
 * @module
 */
import { estimateKernels } from "../../runtime/isa/estimate.ts";
import type { Figures } from "../../runtime/isa/figures.ts";
import { DEFAULT_GPUS, findGpu } from "../../runtime/isa/gpus.ts";
import { instructionsPerMultiplyAdd, spillsOf } from "../../runtime/isa/tables.ts";
import type { KernelEstimate } from "../../runtime/isa/types.ts";
import type { RecordCase } from "../record/recorder.ts";
import { benchKernels } from "./kernels.ts";

/** Where the instructions per multiply-add are read; the three differ little. */
const FIRST = DEFAULT_GPUS[0]!;

/** Estimates the default kernels whose names contain all words, prints and records them. Returns the number of failures. */
export async function estimateDefaults(words: readonly string[], record: RecordCase): Promise<number> {
  const kernels = [...benchKernels()].filter(({ name }) => words.every((word) => name.includes(word)));
  const { rows, compiler, frontEnd } = await estimateKernels(kernels, { gpus: DEFAULT_GPUS.map(findGpu) });
  console.log(`${compiler} from ${frontEnd}: estimates, without a GPU`);
  const groups = Map.groupBy(rows, ({ kernel }) => familyOf(kernel));
  for (const [name, all] of groups) {
    const figures = Object.fromEntries((["f32", "f16"] as const).flatMap((dtype) => [...figuresOf(dtype, all)]));
    record(name, { ...figures, spills_count: worst(all, spillsOf, Math.max) });
    console.log(
      `${name.padEnd(60)} ${Object.entries(figures).map(([key, value]) => `${key} ${value ?? "–"}`).join("  ")}`,
    );
  }
  const failed = rows.filter(({ error }) => error !== null);
  for (const { kernel, gpu, error } of failed) console.error(`${kernel} on ${gpu}: ${error}`);
  return failed.length;
}

/** Returns a kernel's name with T for the types of its elements, and without a number. */
function familyOf(kernel: string): string {
  return kernel.replace(/#\d+$/, "").replaceAll(/(?<=[._-])f(?:16|32)(?=[._-]|$)/g, "T").replaceAll(
    /T(?:[-_]T)+/g,
    "T",
  );
}

function* figuresOf(dtype: "f32" | "f16", rows: readonly KernelEstimate[]): Generator<[string, number | null]> {
  const own = rows.filter(({ kernel }) => kernel.includes("f16") === (dtype === "f16"));
  const on = (gpu: string) => own.filter((row) => row.gpu === gpu);
  for (const gpu of DEFAULT_GPUS) {
    yield [`${dtype}_${gpu.toLowerCase()}_waves_count`, worst(on(gpu), ({ waves }) => waves, Math.min)];
  }
  yield [`${dtype}_registers_count`, worst(on(FIRST), ({ vectorRegisters }) => vectorRegisters, Math.max)];
  yield [`${dtype}_per_multiply_add_ratio`, worst(on(FIRST), instructionsPerMultiplyAdd, Math.max)];
}

/** Returns the worst of several versions of a kernel; null if none has the figure. */
function worst(
  rows: readonly KernelEstimate[],
  read: (figures: Figures) => number | null,
  pick: (...values: number[]) => number,
): number | null {
  const values = rows.map(({ figures }) => figures === null ? null : read(figures)).filter((value) => value !== null);
  return values.length === 0 ? null : pick(...values);
}
