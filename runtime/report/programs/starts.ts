import { median } from "../../core/statistics.ts";
import type { Block, Start, VariantResult } from "../../result/schema.ts";
import { counts, figures, names, type TableSpec } from "../spec.ts";

interface StartsRow {
  readonly name: string;
  readonly starts: readonly (Start & { readonly all: number })[];
}

const PARTS: readonly (readonly [name: keyof Start, heading: readonly [string] | readonly [string, string]])[] = [
  ["loading", ["loading"]],
  ["compilation", ["compi-", "lation"]],
  ["upload", ["upload"]],
  ["firstRun", ["first", "run"]],
];

/** Returns the table of the time to the first result of programs that are started anew for each block. */
export function startsTable(
  { variants }: {
    readonly variants:
      readonly (Pick<VariantResult, "name"> & { readonly blocks: readonly Pick<Block, "wall" | "start">[] })[];
  },
): TableSpec<StartsRow> {
  const rows = variants.flatMap(({ name, blocks }): StartsRow[] => {
    const starts = blocks.flatMap(({ wall, start }) => start === undefined ? [] : [{ ...start, all: wall }]);
    return starts.length === 0 ? [] : [{ name, starts }];
  });
  const part = (of: keyof StartsRow["starts"][number]) => ({ starts }: StartsRow) =>
    median(starts.map((one) => one[of]));
  return {
    title: "Time to the first result, in ms",
    columns: [
      names("variant", ({ name }) => name),
      counts("starts", ({ starts }) => starts.length),
      figures("all", part("all"), { unit: "ms" }),
      ...PARTS.map(([name, heading]) => figures<StartsRow>(name, part(name), { heading, unit: "ms" })),
    ],
    rows,
    notes: [
      "medians of fresh processes with empty shader caches; loading: until the program has a device; first run: everything " +
      "else, also shaders that the driver compiles at their first use",
    ],
  };
}
