import { StepWord } from "../../ops/optimizer/step_state.ts";
import type { DType } from "../core/dtype.ts";
import { InputError } from "../core/errors.ts";
import { formatShape, sameShape } from "../core/shape.ts";
import { clipped } from "../core/shown.ts";
import { WeightFile } from "../data/safetensors/weight_file.ts";
import { writeSafetensors, type WrittenTensor } from "../data/safetensors/write.ts";
import { describeNonFinite } from "./load_weights.ts";
import type { ModelState, WideArena } from "./model_state.ts";

/** Progress of a training. */
export interface Progress {
  /** Batches so far: micro-batches of steps that accumulate gradients. */
  readonly batches: number;
  /** Batches that were taken from the scenario's data. */
  readonly drawn: number;
}

/** Names of the tensors that a checkpoint has beside parameters and running values. */
const STEP = "@step";
const DRAWN = "@drawn";
const AVERAGES = "@average/";
const stateOf = (kind: string, n: number) => `@optimizer.${kind}.${n}/`;

/**
 * Writes all that training depends on to a safetensors file: parameters and running values under their names, the
 * optimizer's state, moving averages, and the step state with counters, loss scale and bias corrections.
 *
 * @param kind kind of the optimizer; null without one
 * @param drawn batches taken from the scenario's data
 * @throws {InputError} if the file cannot be written
 */
export async function writeCheckpoint(
  file: string,
  state: ModelState,
  kind: string | null,
  drawn: number,
): Promise<void> {
  const tensors = new Map<string, WrittenTensor>([...await state.read("parameters"), ...await state.read("state")]);
  for (const { prefix, arena } of arenasOf(state, kind)) {
    for (const [name, tensor] of await state.read(arena)) tensors.set(`${prefix}${name}`, tensor);
  }
  const words = await state.readStep();
  tensors.set(STEP, { shape: [words.length], data: new Int32Array(words.buffer) });
  tensors.set(DRAWN, { shape: [1], data: Int32Array.of(drawn) });
  await writeSafetensors(file, tensors);
}

/**
 * Restores a checkpoint. Averages that the file lacks start at its parameters; those that the training does not have are
 * ignored. The seed stays that of the scenario.
 *
 * @param accumulate micro-batches of a step
 * @throws {InputError} if the file is damaged or of another model or optimizer; nothing is changed then
 */
export function readCheckpoint(
  path: string,
  state: ModelState,
  kind: string | null,
  accumulate: number,
): Progress {
  using file = WeightFile.open(path);
  const { tensors } = file;
  if (!tensors.has(STEP) || !tensors.has(DRAWN)) {
    throw new InputError(`${path} has weights, but no state of a training; read it with load(), not loadCheckpoint()`);
  }
  const averaged = [...tensors.keys()].some((name) => name.startsWith(AVERAGES));
  const arenas = arenasOf(state, kind).filter(({ prefix }) => prefix !== AVERAGES || averaged);
  const wanted = new Map([...state.shapes].map(([name, shape]) => [name, { shape, dtype: "F32" }]));
  for (const { prefix } of arenas) {
    for (const name of state.parameterNames) wanted.set(prefix + name, { ...wanted.get(name)! });
  }
  wanted.set(STEP, { shape: [state.stepWords], dtype: "I32" });
  wanted.set(DRAWN, { shape: [1], dtype: "I32" });
  const problems = [...wanted].flatMap(([name, { shape, dtype }]) => {
    const found = tensors.get(name);
    if (found === undefined) return [`  missing: ${clipped(name)}`];
    if (found.dtype === dtype && sameShape(found.shape, shape)) return [];
    return [
      `  ${clipped(name)} is ${found.dtype} ${formatShape(found.shape)}, expected ${dtype} ${formatShape(shape)}`,
    ];
  });
  const unknown = [...tensors.keys()].filter((name) => !wanted.has(name) && !name.startsWith(AVERAGES));
  problems.push(...unknown.map((name) => `  not in this training: ${clipped(name)}`));
  if (problems.length > 0) {
    throw new InputError(`The checkpoint ${path} is of another model or optimizer:\n${linesOf(problems)}`);
  }
  const words = new Uint32Array(file.readWords(STEP).buffer);
  const drawn = file.readWords(DRAWN)[0]!;
  const damage = [
    ...stepDamage(words, drawn),
    ...state.parameterNames.flatMap((name) => [
      ...valueDamage(file, name, state.dtypes.get(name)!),
      ...arenas.flatMap(({ prefix }) => valueDamage(file, prefix + name, "f32")),
    ]),
  ];
  if (damage.length > 0) {
    throw new InputError(`The checkpoint ${path} is damaged, or its training diverged:\n${linesOf(damage)}`);
  }
  const batches = words[StepWord.step]!;
  if (batches % accumulate !== 0) {
    throw new InputError(
      `The checkpoint ${path} was written after ${batches} micro-batches, which is no multiple of accumulate ${accumulate}`,
    );
  }
  for (const [name, shape] of state.shapes) state.load(new Map([[name, { shape, data: file.read(name) }]]));
  for (const { prefix, arena } of arenas) {
    for (const name of state.parameterNames) state.writeWide(arena, name, file.read(prefix + name));
  }
  state.writeStep(words);
  return { batches, drawn };
}

/** Problems listed in a message. */
const MAX = 20;

function linesOf(problems: readonly string[]): string {
  const more = problems.length > MAX ? `\n  and ${problems.length - MAX} more` : "";
  return `${problems.slice(0, MAX).join("\n")}${more}`;
}

/** Returns what is wrong with the step state and the number of batches. */
function stepDamage(words: Uint32Array<ArrayBuffer>, drawn: number): string[] {
  const scale = new Float32Array(words.buffer)[StepWord.lossScale]!;
  return [
    ...scale > 0 && scale < Infinity ? [] : [`  the loss scale is ${scale}; expected a number above 0`],
    ...drawn >= 0 ? [] : [`  ${drawn} batches were taken from the data; expected at least 0`],
  ];
}

/** Returns what is wrong with the values of a tensor: they are not finite, or not in `dtype`. */
function valueDamage(file: WeightFile, name: string, dtype: DType): string[] {
  const values = describeNonFinite(file.read(name), dtype);
  return values === null ? [] : [`  ${clipped(name)}: ${values}; expected finite values`];
}

function arenasOf(state: ModelState, kind: string | null): { prefix: string; arena: WideArena }[] {
  return state.wideArenas.map((arena) => ({
    prefix: arena === "averages" ? AVERAGES : stateOf(kind ?? "none", Number(arena.slice("optimizer".length))),
    arena,
  }));
}
