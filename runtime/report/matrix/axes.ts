import { type ComparedVariant, INTERRUPTED, type MatrixColumn, variantColumn } from "./column.ts";

/**
 * Returns the columns that name the variants: a column per swept setting with more than one value. Where these tell all
 * variants apart, lines omit the names, which repeat the values, and the page hides the values at first.
 *
 * @param unit heading of the first column of lines, where it tells the unit of the table
 */
export function variantColumns(variants: readonly ComparedVariant[], unit: string | null = null): MatrixColumn[] {
  const paths = sweptPaths(variants);
  if (paths.length === 0) return [variantColumn(unit ?? "variant")];
  const distinct = new Set(variants.map(({ axes }) => JSON.stringify(paths.map((path) => axes[path]))));
  const named = distinct.size < variants.length;
  const column = (path: string, i: number): MatrixColumn => ({
    ...axisColumn(path, paths, variants),
    ...i === paths.length - 1 && !named ? { mark: interruptedMark } : {},
    ...named ? {} : { minor: true },
  });
  const columns = paths.map(column);
  const names = variantColumn(unit ?? "variant");
  if (named) return [names, ...columns];
  const [first, ...rest] = columns;
  // Lines have the unit above the first axis, where the names would have it
  const above: readonly MatrixColumn[] = unit === null
    ? [first!]
    : [{ ...first!, heading: [unit, ...first!.heading], only: "lines" }, { ...first!, only: "data" }];
  return [{ ...names, only: "data" }, ...above, ...rest];
}

/** Returns the swept settings that differ between the variants; none if a variant lacks one. */
function sweptPaths(variants: readonly ComparedVariant[]): string[] {
  const paths = [...new Set(variants.flatMap(({ axes }) => Object.keys(axes)))];
  if (variants.some(({ axes }) => paths.some((path) => !Object.hasOwn(axes, path)))) return [];
  return paths.filter((path) => new Set(variants.map(({ axes }) => axes[path])).size > 1);
}

function axisColumn(path: string, paths: readonly string[], variants: readonly ComparedVariant[]): MatrixColumn {
  const numeric = variants.every(({ axes }) => typeof axes[path] === "number");
  return {
    name: path,
    heading: [labelOf(path, paths)],
    align: numeric ? "right" : "left",
    help: path,
    cut: true,
    value: ({ axes }) => axes[path]!,
    text: ({ axes }) => String(axes[path]),
  };
}

/** Returns the last key of a path, or the path if another one ends in the same key. */
function labelOf(path: string, paths: readonly string[]): string {
  const last = (of: string) => of.split(".").at(-1)!;
  return paths.filter((other) => last(other) === last(path)).length > 1 ? path : last(path);
}

function interruptedMark({ status }: ComparedVariant): string | null {
  return status === "interrupted" ? INTERRUPTED : null;
}
