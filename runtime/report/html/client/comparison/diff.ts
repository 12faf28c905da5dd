/// <reference lib="dom" />
import { opDiff } from "../../../../analysis/op_diff/op_diff.ts";
import { DIFF_UNITS, type DiffUnit, roundsOf, variantSide } from "../../../../analysis/op_diff/side.ts";
import { diffSumsTable, diffTable } from "../../../op_diff/tables.ts";
import type { Overview } from "../../embedded.ts";
import { readVariant } from "../data.ts";
import { type Child, el } from "../dom.ts";
import { nameText } from "../names.ts";
import type { Content } from "../section.ts";
import { notes } from "../section.ts";
import { createTable } from "../table.ts";

/** Returns the section of differences by op between two variants that the reader chooses. */
export function diffSection(overview: Overview): Content {
  const programs = overview.variants.flatMap(({ name, attached }, i) => attached === undefined ? [] : [{ name, i }]);
  const variants = overview.variants.flatMap(({ name, memoryOverStep }, i) =>
    memoryOverStep.length === 0 ? [] : [{ name, i }]
  );
  // Variants and programs have no kernels with common names
  const units: readonly DiffUnit[] = variants.length >= 2 ? DIFF_UNITS : ["kernel"];
  const profiled = variants.length >= 2 ? variants : programs;
  if (profiled.length < 2) return "fewer than two variants were profiled (--verbosity 2)";
  const first = Math.max(0, profiled.findIndex(({ name }) => name === overview.baseline));
  const options = profiled.map(({ name }) => name);
  const a = select("A", options, first);
  const b = select("B", options, first === 0 ? 1 : 0);
  const by = select("by", units, 0);
  const shown = el("div", { class: "diff" });
  const fill = () =>
    shown.replaceChildren(
      ...content(
        overview,
        profiled[a.list.selectedIndex]!.i,
        profiled[b.list.selectedIndex]!.i,
        units[by.list.selectedIndex]!,
      ),
    );
  for (const { list } of [a, b, by]) list.addEventListener("change", fill);
  fill();
  return [el("div", { class: "choices" }, a.element, b.element, by.element), shown];
}

/** Returns the tables of a difference. */
function content(overview: Overview, first: number, second: number, by: DiffUnit): HTMLElement[] {
  const [a, b] = [first, second].map((index) => {
    const variant = readVariant(overview, index);
    return variantSide(variant.name, variant, by, roundsOf(overview, variant.name));
  });
  const diff = opDiff(a!, b!, overview.procedure?.minEffect);
  const spec = diffTable(diff, { by, top: null });
  const rows = createTable(spec, {
    limit: 20,
    search: {
      label: by === "op" ? "Search differences by op" : "Search differences by kernel",
      text: ({ name, phase, kernels }) => [name, phase ?? "", ...kernels.map((kernel) => kernel ?? "")].join(" "),
      found: (found) => `${found.length} of ${diff.rows.length}`,
    },
  });
  const sums = diffSumsTable(diff);
  const some: Child[] = [
    el("p", {}, spec.title),
    rows.element,
    notes(spec.notes ?? []),
    createTable(sums).element,
    notes(sums.notes ?? []),
  ];
  return some.filter((child) => child instanceof HTMLElement);
}

function select(
  name: string,
  options: readonly string[],
  chosen: number,
): { element: HTMLElement; list: HTMLSelectElement } {
  const list = el("select", {}, ...options.map((option) => el("option", {}, nameText(option, 60))));
  list.selectedIndex = chosen;
  return { element: el("label", {}, `${name} `, list), list };
}
