/// <reference lib="dom" />
import { groupOps, type OpGroup, rate, setupOf } from "../../../../analysis/op_groups.ts";
import { roofsOf } from "../../../../analysis/roofline.ts";
import type { OpRecord } from "../../../../result/schema.ts";
import { formatBytes, formatFlops, formatTensors } from "../../../quantities.ts";
import { notProfiled, untimed, type VariantContext } from "../context.ts";
import { el, swatch } from "../dom.ts";
import { nameText } from "../names.ts";
import { numberText, percentText } from "../numbers.ts";
import { phaseColor } from "../palette.ts";
import { notes, type Section } from "../section.ts";
import { createTable, type TableColumn } from "../table.ts";
import { flameGraph } from "./flame_graph.ts";

/** Why there are no op times, or null where there are. */
export function noOps({ overview, variant }: VariantContext): string | null {
  if (variant.ops.some(({ mean }) => mean !== null)) return null;
  return notProfiled(variant) ?? untimed(overview) ?? "no op was timed";
}

/** Ops added up by type. */
export function typesSection(context: VariantContext): Section {
  const base = { anchor: "types", title: "Ops by type" };
  const { ops, profile } = context.variant;
  if (ops.length === 0) return { ...base, content: noOps(context) ?? "" };
  const groups = groupOps(ops, "type");
  return { ...base, about: profiledSteps(profile?.steps), content: [groupTable("Ops by type", "type", groups)] };
}

/** Scopes with what is under them: a flame graph and a table. */
export function layersSection(context: VariantContext): Section {
  const base = { anchor: "layers", title: "Ops by layer" };
  const { ops, profile, name } = context.variant;
  const missing = noOps(context);
  if (missing !== null) return { ...base, content: missing };
  const layers = groupOps(ops, "layer");
  return {
    ...base,
    about: `${profiledSteps(profile?.steps)}; a layer holds what is under it`,
    content: [flameGraph(ops, name), groupTable("Ops by layer", "layer", layers)],
  };
}

function groupTable(caption: string, by: string, groups: readonly OpGroup[]): HTMLElement {
  const number = (
    title: string,
    unit: string | undefined,
    value: (group: OpGroup) => number | null,
  ): TableColumn<OpGroup> => ({
    title,
    ...(unit === undefined ? {} : { unit }),
    value,
    show: (group) => numberText(value(group)),
  });
  return createTable<OpGroup>({
    caption,
    columns: [
      { title: by, align: "left", breakable: true, value: ({ name }) => name, show: (group) => indented(group, by) },
      { title: "ops", value: ({ ops }) => ops },
      { title: "calls", value: ({ calls }) => calls === 0 ? null : calls },
      number("total", "ms", ({ total }) => total),
      number("a step", "ms", ({ perStep }) => perStep),
      shareColumn(({ share }) => share),
      number("GFLOP/s", undefined, ({ gflops }) => gflops),
      number("GB/s", undefined, ({ gbps }) => gbps),
    ],
    rows: groups,
    limit: 40,
  }).element;
}

function indented({ name, depth }: OpGroup, by: string): HTMLElement {
  const text = el("span", { title: nameText(name, 400) }, name === "" ? `(no ${by})` : nameText(name, 64));
  text.style.paddingLeft = `${Math.min(depth, 8)}em`;
  return text;
}

/** A share with a bar of its length behind it. */
function shareColumn<Row>(share: (row: Row) => number | null): TableColumn<Row> {
  return {
    title: "share",
    value: share,
    show: (row) => {
      const known = share(row);
      if (known === null) return null;
      const text = el("span", { class: "share" }, percentText(known));
      text.style.setProperty("--share", String(Math.max(0, Math.min(1, known))));
      return text;
    },
  };
}

/** Every op with all that is known of it. */
export function opsSection(context: VariantContext): Section {
  const base = { anchor: "ops", title: "Ops" };
  const { overview, variant, words, anchors } = context;
  if (variant.ops.length === 0) return { ...base, content: noOps(context) ?? "" };
  const { roofline } = overview;
  const roofs = roofline === null ? null : roofsOf(variant.ops, roofline.peaks);
  const number = (
    title: string,
    unit: string | undefined,
    value: (op: OpRecord) => number | null,
  ): TableColumn<OpRecord> => ({
    title,
    ...(unit === undefined ? {} : { unit }),
    value,
    show: (op) => numberText(value(op)),
  });
  const table = createTable<OpRecord>({
    caption: "Ops",
    columns: [
      {
        title: "op",
        align: "left",
        breakable: true,
        value: ({ name }) => name,
        show: ({ id, name, phase }) =>
          el("span", { class: "name", title: nameText(id, 400) }, swatch(phaseColor(phase)), nameText(name, 56)),
      },
      { title: "phase", align: "left", value: ({ phase }) => phase },
      {
        title: "type",
        align: "left",
        breakable: true,
        value: ({ type }) => type,
        show: ({ type }) => nameText(type, 40),
      },
      { title: "calls", value: ({ calls }) => calls === 0 ? null : calls },
      number("mean", "ms", ({ mean }) => mean),
      number("min", "ms", ({ min }) => min),
      number("max", "ms", ({ max }) => max),
      shareColumn(({ share }) => share),
      number("GFLOP/s", undefined, ({ flops, mean }) => rate(flops, mean)),
      number("GB/s", undefined, ({ bytes, mean }) => rate(bytes, mean)),
      ...roofs === null ? [] : [{
        title: "of the roof",
        value: ({ id }: OpRecord) => roofs.get(id)?.share ?? null,
        show: ({ id }: OpRecord) => percentText(roofs.get(id)?.share),
        help: "What the adapter's peaks allow / what was reached",
      }],
      number("set-up", "ms", setupOf),
      { title: "work", value: ({ flops }) => flops, show: ({ flops }) => flops === null ? null : formatFlops(flops) },
      { title: "bytes", value: ({ bytes }) => bytes, show: ({ bytes }) => bytes === null ? null : formatBytes(bytes) },
      { title: "dispatches", value: ({ dispatches }) => dispatches },
      {
        title: "kernel",
        align: "left",
        breakable: true,
        value: ({ kernel }) => kernel,
        show: ({ kernel }) => nameText(kernel, 60),
      },
      { title: "shapes", align: "left", breakable: true, value: shapes, show: (op) => nameText(shapes(op), 80) },
      {
        title: "members",
        align: "left",
        breakable: true,
        value: ({ members }) => members.length < 2 ? null : members.join(" "),
        show: ({ members }) => members.length < 2 ? null : nameText(members.join(" "), 80),
        help: "What a fused kernel does",
      },
    ],
    rows: variant.ops,
    key: ({ id }) => id,
  });
  anchors.setFamily("op", table.rows);
  return {
    ...base,
    about: `${variant.ops.length} in the order of the step; ${profiledSteps(variant.profile?.steps)}`,
    content: [table.element, notes([noOps(context) ?? "", words.residuals ?? "", ...words.opTrust])],
  };
}

function shapes({ inputs, outputs, dtype }: OpRecord): string {
  return `${dtype} · ${formatTensors(inputs, dtype)} → ${formatTensors(outputs, dtype)}`;
}

function profiledSteps(steps: number | undefined): string {
  return steps === undefined ? "" : `of ${steps} profiled steps`;
}
