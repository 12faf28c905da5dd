import type { DType } from "../core/dtype.ts";
import { InputError } from "../core/errors.ts";
import { formatShape, sameShape, type Shape } from "../core/shape.ts";
import { clipped } from "../core/shown.ts";
import { FLOAT_TYPES, WeightFile } from "../data/safetensors/weight_file.ts";
import type { StoredTensor } from "../data/safetensors/header.ts";
import type { Plan } from "../compile/plan.ts";
import { type ModelState, shapesOf } from "./model_state.ts";

/** Result of loading weights: tensors that differ from those of the model, or that are not finite. */
export interface LoadedWeights {
  /** Number of tensors that were loaded. */
  readonly loaded: number;
  /** Tensors of the model that the file does not have; they keep their values. */
  readonly missing: readonly string[];
  /** Tensors of the file that the model does not have. */
  readonly unexpected: readonly string[];
  /** Loaded tensors with NaN or infinities, or with values that are infinite in the model's f16. */
  readonly notFinite: readonly string[];
}

/** Names listed per problem. */
const MAX_NAMES = 20;

/**
 * Reads parameters and running values from a safetensors file, f32, f16 or bf16, or from the index of several files.
 * Integers that the model does not have, such as PyTorch's `num_batches_tracked`, are skipped, and so are masks and
 * frequencies in files of Hugging Face, and copies of a matrix that the model shares between layers, such as
 * `lm_head.weight`. Names may lack the first part of the model's, as in the files of GPT-2.
 *
 * @param strict requires that file and model have the same tensors, and that all values are finite; otherwise only the
 * shapes must agree
 * @throws {InputError} if the file is damaged, or listing every tensor that does not fit or is not finite; nothing is
 * changed then
 */
export function loadWeights(state: ModelState, path: string, strict = true): LoadedWeights {
  using file = WeightFile.open(path);
  const { fitting, ...others } = fit(file, state.shapes, strict);
  if (strict) refuseNonFinite(file, fitting, state.dtypes);
  const notFinite: string[] = [];
  for (const { name, stored, shape } of fitting) {
    const data = file.read(stored);
    if (!strict && describeNonFinite(data, state.dtypes.get(name)!) !== null) notFinite.push(name);
    state.load(new Map([[name, { shape, data }]]));
  }
  return { loaded: fitting.length, ...others, notFinite };
}

/** @throws {InputError} listing the tensors with values that are not finite */
function refuseNonFinite(file: WeightFile, fitting: readonly Fitting[], dtypes: ReadonlyMap<string, DType>): void {
  const found = fitting.flatMap(({ name, stored }) => {
    const values = describeNonFinite(file.read(stored), dtypes.get(name)!);
    return values === null ? [] : [`  ${clipped(name)}: ${values}`];
  });
  if (found.length === 0) return;
  const more = found.length > MAX_NAMES ? [`  and ${found.length - MAX_NAMES} more tensors`] : [];
  throw new InputError(
    [
      `The weights ${file.path} have values that are not finite:`,
      ...found.slice(0, MAX_NAMES),
      ...more,
      "Expected finite values; load(file, { strict: false }) of a trainer loads them as they are",
    ].join("\n"),
  );
}

/**
 * Checks that a file has the tensors of a model.
 *
 * @throws {InputError} as {@linkcode loadWeights} does
 */
export function checkWeights(plan: Plan, path: string): void {
  using file = WeightFile.open(path);
  fit(file, shapesOf(plan), true);
}

function fit(file: WeightFile, shapes: ReadonlyMap<string, Shape>, strict: boolean) {
  const { path, tensors } = file;
  const prefix = missingPrefix([...tensors.keys()], [...shapes.keys()]);
  const stored = (name: string) => name.startsWith(prefix) ? name.slice(prefix.length) : name;
  const known = new Set([...shapes.keys()].map(stored));
  const missing = [...shapes.keys()].filter((name) => !tensors.has(stored(name)));
  const unexpected = [...tensors]
    .filter(([name, tensor]) => !known.has(name) && !isCounter(tensor.dtype) && !isRecomputed(name, tensor))
    .map(([name]) => name)
    .filter((name) => !isCopy(file, name, known));
  const fitting = [...shapes].flatMap(([name, shape]) => {
    const tensor = tensors.get(stored(name));
    return tensor === undefined ? [] : [{ name, stored: stored(name), shape, tensor }];
  });
  const problems = [
    ...(strict ? listed("missing in the file", missing.map((name) => typed(name, shapes.get(name)!))) : []),
    ...(strict ? listed("not in the model", unexpected.map((name) => typed(name, tensors.get(name)!.shape))) : []),
    ...listed("of another shape", fitting.flatMap(shapeProblem)),
    ...listed(`of another type than ${FLOAT_TYPES.join(", ")}`, fitting.flatMap(typeProblem)),
  ];
  if (problems.length > 0) {
    const hint = strict && missing.length + unexpected.length > 0
      ? "\nload(file, { strict: false }) of a trainer loads the rest"
      : "";
    throw new InputError(`The weights ${path} do not fit the model:\n${problems.join("\n")}${hint}`);
  }
  return { fitting, missing, unexpected };
}

/**
 * Returns the first part of the model's names with its dot if the file's names lack it: Hugging Face's files of a base
 * model have `h.0.ln_1.weight` where the language model has `transformer.h.0.ln_1.weight`. Empty if a name fits as it is.
 */
function missingPrefix(stored: readonly string[], names: readonly string[]): string {
  const first = names[0]?.split(".", 1)[0];
  const known = new Set(names);
  if (first === undefined || stored.some((name) => known.has(name))) return "";
  return stored.some((name) => known.has(`${first}.${name}`)) ? `${first}.` : "";
}

interface Fitting {
  readonly name: string;
  /** Name in the file. */
  readonly stored: string;
  readonly shape: Shape;
  readonly tensor: StoredTensor;
}

function shapeProblem({ name, shape, tensor }: Fitting): string[] {
  if (sameShape(shape, tensor.shape)) return [];
  return [`${typed(name, tensor.shape)}, the model's is ${formatShape(shape)}`];
}

function typeProblem({ name, tensor: { dtype } }: Fitting): string[] {
  return FLOAT_TYPES.includes(dtype) ? [] : [`${clipped(name)}: ${dtype}`];
}

function typed(name: string, shape: Shape): string {
  return `${clipped(name)} ${formatShape(shape)}`;
}

function isCounter(dtype: string): boolean {
  return /^[IU]|^BOOL/.test(dtype);
}

/** Returns true for masks and rotary frequencies, which older files of Hugging Face contain. */
function isRecomputed(name: string, { shape }: StoredTensor): boolean {
  if (/(^|\.)rotary_emb\.inv_freq$/.test(name)) return true;
  return /(^|\.)attn\.(masked_)?bias$/.test(name) && shape.length !== 1;
}

/**
 * Returns true for a matrix with the content of a tensor of the model. Files of Hugging Face may contain a weight once for
 * each layer that shares it.
 */
function isCopy(file: WeightFile, name: string, known: ReadonlySet<string>): boolean {
  const { shape } = file.tensors.get(name)!;
  return shape.length > 1 && [...known].some((other) => file.tensors.has(other) && file.isDuplicate(name, other));
}

/** Formats names as one line; none if there are none. */
function listed(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const others = names.length - MAX_NAMES;
  return [`  ${what}: ${names.slice(0, MAX_NAMES).join("; ")}${others > 0 ? ` and ${others} more` : ""}`];
}

/** Smallest magnitude that becomes infinite in f16: the largest finite value and half a unit of its last place. */
const BEYOND_F16 = 65520;

/**
 * Describes the values of a tensor that are not finite, or that become infinite in `dtype`: `1 NaN and 2 infinities among
 * 25 values`. Returns null if all are finite.
 */
export function describeNonFinite(values: Float32Array, dtype: DType): string | null {
  const limit = dtype === "f16" ? BEYOND_F16 : Infinity;
  let [nan, infinite, large] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i]!);
    if (size < limit) continue;
    if (size === Infinity) infinite++;
    else if (size >= limit) large++;
    else nan++;
  }
  const counts = [
    ...nan === 0 ? [] : [`${nan} NaN`],
    ...infinite === 0 ? [] : [`${infinite} ${infinite === 1 ? "infinity" : "infinities"}`],
    ...large === 0 ? [] : [`${large} beyond the range of f16`],
  ];
  return counts.length === 0 ? null : `${counts.join(", ")} among ${values.length} values`;
}
