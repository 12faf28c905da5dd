import { opDiff } from "../../analysis/op_diff/op_diff.ts";
import { type DiffUnit, roundsOf, variantSide } from "../../analysis/op_diff/side.ts";
import { InputError } from "../../core/errors.ts";
import { suggestion } from "../../core/nearest.ts";
import type { ShownDiff } from "../../report/op_diff/text.ts";
import type { Result, VariantResult } from "../../result/schema.ts";
import type { Pair } from "../flag_values.ts";

/** Rows in print; rows that changed are all printed. */
export const DEFAULT_TOP = 12;

/** Flags of differences. */
interface DiffFlags {
  readonly diff?: readonly Pair[] | undefined;
  readonly diffBy?: DiffUnit | undefined;
  readonly top?: number | undefined;
}

/**
 * Checks the flags of differences, before a long run.
 *
 * @throws {InputError} naming the variants, if there is none of a name
 */
export function checkDiffs({ diff, diffBy }: DiffFlags, variants: readonly string[]): void {
  if (diffBy !== undefined && diff === undefined) {
    throw new InputError("--diff-by: needs --diff, as in --diff baseline sink --diff-by kernel");
  }
  for (const name of (diff ?? []).flat()) {
    if (variants.includes(name)) continue;
    throw new InputError(
      `--diff: expected two of the variants ${variants.join(", ")}, got "${name}"${suggestion(name, variants)}`,
    );
  }
}

/**
 * Returns the differences between the pairs of variants that `--diff` names.
 *
 * @throws {InputError} if there is no variant of a name
 */
export function shownDiffs(
  result: Pick<Result, "variants" | "procedure" | "nodes">,
  flags: DiffFlags,
): ShownDiff[] {
  const { variants, procedure } = result;
  const { diff = [], diffBy: by = "op", top = DEFAULT_TOP } = flags;
  checkDiffs(flags, variants.map(({ name }) => name));
  return diff.map((names): ShownDiff => {
    const [a, b] = names.map((name) => variants.find((one) => one.name === name)!) as [VariantResult, VariantResult];
    const reason = untimed(a) ?? untimed(b) ?? mixed(a, b);
    if (reason !== null) return { diff: reason, by, top };
    const [left, right] = [a, b].map((variant) =>
      variantSide(variant.name, variant, by, roundsOf(result, variant.name))
    );
    return { diff: opDiff(left!, right!, procedure?.minEffect), by: unitOf(a, by), top };
  });
}

/** Returns why two variants cannot be compared: one is a program; null if they can. */
export function mixed(a: VariantResult, b: VariantResult): string | null {
  if ((a.attached === undefined) === (b.attached === undefined)) return null;
  const [program, other] = a.attached === undefined ? [b, a] : [a, b];
  return `${program.name} is a program and ${other.name} is not; their kernels have no common names`;
}

/** Returns the unit of the differences of a variant; kernels for a program, which has no ops. */
export function unitOf({ attached }: Pick<VariantResult, "attached">, by: DiffUnit | undefined): DiffUnit {
  return attached === undefined ? by ?? "op" : "kernel";
}

/** Returns why a variant has no op times; null where it has some. */
export function untimed({ name, ops, status, config, attached }: VariantResult): string | null {
  if (attached !== undefined) {
    const timed = attached.devices.some(({ kernels }) => kernels.some(({ median }) => median !== null));
    return timed ? null : `no kernel of ${name} was timed`;
  }
  if (config.mode === "program" && status === "ok") return `${name} is a program that was not profiled`;
  if (ops.some(({ median }) => median !== null)) return null;
  if (ops.length > 0) return `no op of ${name} was timed: the adapter has no timestamps`;
  return status === "ok"
    ? `${name} has no op times: run it with --diff, --verbosity 2 or --report`
    : `${name} ended before its ops were timed`;
}
