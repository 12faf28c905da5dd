/**
 * Limit of software adapters on loops. In lavapipe, all loops of an invocation together, with the iterations of inner ones,
 * end without an error after 65,535 iterations; see docs/platform.md.
 *
 * @module
 */
import { InputError } from "../../runtime/core/errors.ts";
import type { DeviceTraits } from "../../runtime/device/traits.ts";
import { unroll } from "./unroll.ts";

/** Iterations that a kernel may plan for an invocation: some are left for loops that are not counted. */
export const MAX_ITERATIONS = 60_000;

/** Numbers per iteration of a loop over a long row. */
const STEPS = [1, 8, 16] as const;

/**
 * Returns the numbers that an iteration takes of a row that an invocation goes over `times` times: as few as the limit
 * allows.
 *
 * @throws {InputError} if the row is too long
 */
export function stepOfRow(width: number, times: number, { class: kind }: DeviceTraits): number {
  if (kind !== "cpu") return 1;
  const iterations = (step: number) => times * Math.ceil(width / step);
  const last = STEPS.at(-1)!;
  if (iterations(last) > MAX_ITERATIONS) {
    throw new InputError(
      `A row of ${width} numbers is too long for a software adapter, whose loops end early; expected at most ` +
        `${Math.floor(MAX_ITERATIONS / times) * last}, or use a GPU`,
    );
  }
  return STEPS.find((step) => iterations(step) <= MAX_ITERATIONS / 8) ?? last;
}

/**
 * Returns the iterations of a loop over rows that contains one over columns. Lavapipe counts the end of the inner loop as an
 * iteration, too.
 */
export function nestedIterations(rows: number, columns: number): number {
  return rows * (2 + columns);
}

/**
 * Returns the pixels of a row that an iteration takes of a window of images: as few as the limit allows.
 *
 * @throws {InputError} if the window is too large
 */
export function stepOfWindow(rows: number, columns: number, { class: kind }: DeviceTraits): number {
  if (kind !== "cpu") return 1;
  const iterations = (step: number) => nestedIterations(rows, Math.ceil(columns / step));
  const last = STEPS.at(-1)!;
  if (iterations(last) > MAX_ITERATIONS) {
    throw new InputError(
      `A window of ${rows} x ${columns} pixels is too large for a software adapter, whose loops end early; pool with ` +
        "smaller windows, or use a GPU",
    );
  }
  return STEPS.find((step) => iterations(step) <= MAX_ITERATIONS / 8) ?? last;
}

/**
 * Checks that an invocation's loops over pixels of pooling windows end by themselves.
 *
 * @throws {InputError} if a software adapter would end them early
 */
export function checkWindowLoops(
  op: string,
  { kernel, iterations }: { readonly kernel: readonly [number, number]; readonly iterations: number },
  { class: kind }: DeviceTraits,
): void {
  if (kind !== "cpu" || iterations <= MAX_ITERATIONS) return;
  throw new InputError(
    `${op} with windows of ${kernel.join(" x ")} takes ${iterations} iterations for a pixel, too many for a software ` +
      `adapter, whose loops end early; expected at most ${MAX_ITERATIONS}. Pool with smaller windows or larger ` +
      "strides, or use a GPU",
  );
}

/** Returns the least number of parts of a sum whose loops take `iterations` in all. */
export function leastParts(iterations: number, { class: kind }: DeviceTraits): number {
  return kind === "cpu" ? Math.ceil(iterations / MAX_ITERATIONS) : 1;
}

/** Returns the least number of lanes that share `rows` rows, if each row takes an invocation `iterations` iterations. */
export function leastLanes(rows: number, iterations: number, { class: kind }: DeviceTraits): number {
  return kind === "cpu" ? Math.ceil(rows / Math.max(1, Math.floor(MAX_ITERATIONS / (iterations + 1)))) : 1;
}

/** A loop over the numbers `first`, `first + by`, ... below `end`; an iteration takes `step` of them. */
export interface StepLoop {
  readonly first: string;
  readonly by: string;
  readonly end: string;
  readonly step: number;
}

/**
 * Returns the WGSL of a loop.
 *
 * @param line returns the code for number `k`; `k` may exceed `end` in the last iteration of several numbers, where the
 * expressions `kept(value, otherwise)` are `otherwise`
 */
export function stepLoop(
  { first, by, end, step }: StepLoop,
  line: (k: string, kept: (value: string, otherwise: string) => string) => string,
): string {
  if (step === 1) return `for (var k = ${first}; k < ${end}; k += ${by}) {\n${line("k", (value) => value)}\n}`;
  const kept = (value: string, otherwise: string) => `select(${otherwise}, ${value}, k < ${end})`;
  return `for (var start = ${first}; start < ${end}; start += ${step}u * ${by}) {
${unroll(step, (v) => `{\nlet k = start + ${v}u * ${by};\n${line("k", kept)}\n}`)}
}`;
}
