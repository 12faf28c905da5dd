import { opDiff } from "../../analysis/op_diff/op_diff.ts";
import { type DiffUnit, variantSide } from "../../analysis/op_diff/side.ts";
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
  { variants, procedure }: Pick<Result, "variants" | "procedure">,
  flags: DiffFlags,
): ShownDiff[] {
  const { diff = [], diffBy: by = "op", top = DEFAULT_TOP } = flags;
  checkDiffs(flags, variants.map(({ name }) => name));
  return diff.map((names): ShownDiff => {
    const [a, b] = names.map((name) => variants.find((one) => one.name === name)!) as [VariantResult, VariantResult];
    const reason = untimed(a) ?? untimed(b);
    if (reason !== null) return { diff: reason, by, top };
    const [left, right] = [a, b].map((variant) => variantSide(variant.name, variant, by));
    return { diff: opDiff(left!, right!, procedure?.minEffect), by, top };
  });
}

/** Returns why a variant has no op times; null where it has some. */
export function untimed({ name, ops, status }: Pick<VariantResult, "name" | "ops" | "status">): string | null {
  if (ops.some(({ median }) => median !== null)) return null;
  if (ops.length > 0) return `no op of ${name} was timed: the adapter has no timestamps`;
  return status === "ok"
    ? `${name} has no op times: run it with --diff, --verbosity 2 or --report`
    : `${name} ended before its ops were timed`;
}
