/// <reference lib="dom" />
import type { OpGroup } from "../../../../analysis/op_groups.ts";
import { MISSING } from "../../../format.ts";
import { type Copies, copiesTable } from "../../../profile/host.ts";
import { groupTable, opsTable } from "../../../profile/ops.ts";
import type { OpRecord } from "../../../../result/schema.ts";
import type { TableSpec } from "../../../spec.ts";
import { notProfiled, notTuned, untimed, type VariantContext } from "../context.ts";
import { el, shareBar, swatch } from "../dom.ts";
import { nameText } from "../names.ts";
import { percentText } from "../numbers.ts";
import { phaseColor } from "../palette.ts";
import { type Content, notes, tableContent } from "../section.ts";
import { createTable } from "../table.ts";
import { flameGraph } from "./flame_graph.ts";
import { tuningTable } from "../../../tuning_table.ts";

/** Options for all rows, in step order. */
const WHOLE = { sort: "order", top: null } as const;

/** Returns the reason for missing op times; null if there are op times. */
export function noOps({ overview, variant }: VariantContext): string | null {
  if (variant.ops.some(({ median }) => median !== null)) return null;
  return notProfiled(variant) ?? untimed(overview) ?? "no op was timed";
}

/** Returns the section of ops summed by type. */
export function typesSection(context: VariantContext): Content {
  const { variant } = context;
  if (variant.ops.length === 0) return noOps(context) ?? "";
  const spec = groupTable(variant, "type", WHOLE);
  return { about: spec.title, content: groups(spec) };
}

/** Returns the section of layers, as a flame graph and a table. */
export function layersSection(context: VariantContext): Content {
  const { variant } = context;
  const missing = noOps(context);
  if (missing !== null) return missing;
  const spec = groupTable(variant, "layer", WHOLE);
  return {
    about: spec.title,
    content: [flameGraph(variant.ops, variant.name), ...groups(spec)],
  };
}

/** Returns the section of the shares of kernels in the device's time, and of the directions of copies in bytes and time. */
export function kernelsSection(context: VariantContext): Content {
  const { variant } = context;
  const [missing, copies] = [noOps(context), copiesTable(variant)];
  if (missing !== null && copies.rows.length === 0) return missing;
  const kernels = missing === null
    ? groups(groupTable(variant, "kernel", { sort: "total", top: null }))
    : [el("p", { class: "missing" }, `${MISSING} kernels: ${missing}`)];
  const cells = {
    "share of bytes": ({ ofBytes }: Copies, text: string) => shareBar(ofBytes, text),
    "share of time": ({ ofTime }: Copies, text: string) => shareBar(ofTime, text),
  };
  return {
    about: "Shares of the device's time by kernel, and of bytes and the host's time by direction of copies",
    content: [...kernels, ...tableContent(copies, { cells })],
  };
}

function groups(spec: TableSpec<OpGroup>) {
  return tableContent(spec, { limit: 40, cells: { share: ({ share }, text) => shareBar(share, text) } });
}

/** Returns the section of ops. */
export function opsSection(context: VariantContext): Content {
  const { overview: { roofline }, variant, anchors } = context;
  if (variant.ops.length === 0) return noOps(context) ?? "";
  const spec = opsTable(variant, { ...WHOLE, peaks: roofline?.peaks ?? null });
  const table = createTable(spec, {
    key: ({ id }) => id,
    search: { label: "Search ops", text: searchedText, found: (found) => foundText(found, variant.ops.length) },
    cells: {
      op: ({ id, phase }, text) =>
        el("span", { class: "name", title: nameText(id, 400) }, swatch(phaseColor(phase)), text),
      share: ({ share }, text) => shareBar(share, text),
    },
  });
  anchors.setFamily("op", table.rows);
  return {
    about: spec.title,
    content: [table.element, notes([noOps(context) ?? "", ...spec.notes ?? []])],
  };
}

/** Returns an op's names, type, layer, phase, data type and kernels. */
function searchedText({ id, name, type, layer, phase, dtype, members, kernels }: OpRecord): string {
  return [id, name, type, layer, phase, dtype, ...members, ...kernels.map(({ name }) => name)].join(" ");
}

/** Returns how many ops were found, and their time per step. */
function foundText(found: readonly OpRecord[], count: number): string {
  const share = found.reduce((sum, op) => sum + (op.share ?? 0), 0);
  const isTimed = found.some((op) => op.share !== null);
  return `${found.length} of ${count} ops${isTimed ? `, ${percentText(share)} of the time of all ops` : ""}`;
}

/** Returns the section of tuned kernels. */
export function autotuneSection({ variant }: VariantContext): Content {
  const { autotune } = variant;
  if (autotune === null) return notTuned(variant)!;
  const spec = tuningTable(variant);
  const table = createTable(spec, { limit: 40 });
  return { about: spec.title, content: [table.element, notes([...spec.notes ?? [], ...autotune.warnings])] };
}
