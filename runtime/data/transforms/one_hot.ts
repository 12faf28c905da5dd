import { InputError } from "../../core/errors.ts";
import type { InputTransformSpec, OneHotSpec, TransformSpec } from "./schema.ts";

/** The transforms of the input, each with its place in the list. */
export function inputTransforms(specs: readonly TransformSpec[]): { spec: InputTransformSpec; place: number }[] {
  return specs.flatMap((spec, place) => spec.kind === "oneHot" ? [] : [{ spec, place }]);
}

/**
 * What becomes of the target; null where it stays as it is.
 *
 * @throws {InputError} if targets are no class indices, or it is there twice
 */
export function oneHotOf(
  specs: readonly TransformSpec[],
  classes: number | null,
  place: string,
): OneHotSpec & { classes: number } | null {
  const found = specs.filter((spec) => spec.kind === "oneHot");
  const [spec] = found;
  if (spec === undefined) return null;
  const at = `${place}.transforms[${specs.indexOf(found.at(-1)!)}]`;
  if (found.length > 1) throw new InputError(`${at}: oneHot is there twice; leave one out`);
  if (classes === null) throw new InputError(`${at}: oneHot needs targets that are class indices`);
  return { ...spec, classes };
}

/** 1 at the label and 0 elsewhere, of which `smoothing` is spread over all classes. */
export function writeOneHot(
  label: number,
  { classes, smoothing }: { classes: number; smoothing: number },
  out: Float32Array | Int32Array,
  at: number,
): void {
  out.fill(smoothing / classes, at, at + classes);
  out[at + label]! += 1 - smoothing;
}
