/// <reference lib="dom" />
import type { OpRecord } from "../../../../result/schema.ts";
import { formatCounted } from "../../../format.ts";
import { rooflineTable } from "../../../profile/roofline.ts";
import type { VariantContext } from "../context.ts";
import { el, swatch } from "../dom.ts";
import { phaseColor } from "../palette.ts";
import { hrefOf } from "../route.ts";
import { type Section, tableContent } from "../section.ts";
import { noOps } from "./ops.ts";
import { rooflineChart } from "./roofline_chart.ts";

/** Returns the section of ops under the adapter's roofline. */
export function rooflineSection(context: VariantContext): Section {
  const base = { anchor: "roofline", title: "Roofline" };
  const { overview: { roofline }, variant } = context;
  const missing = noOps(context) ?? (roofline === null ? "the adapter's peaks were not measured" : null);
  if (missing !== null || roofline === null) return { ...base, content: missing ?? "" };
  const spec = rooflineTable(roofline, variant, null);
  if (spec.rows.length === 0) return { ...base, content: "no op's work is known" };
  const href = (op: OpRecord) => hrefOf({ variant: variant.name, anchor: `op:${op.id}` });
  return {
    ...base,
    about: `${formatCounted(spec.rows.length, "op")}; the area of a point is the op's time per step`,
    content: [
      rooflineChart(spec.rows, roofline.peaks, href),
      ...tableContent(spec, {
        limit: 15,
        cells: {
          op: ({ op }, text) =>
            el("span", { class: "name" }, swatch(phaseColor(op.phase)), el("a", { href: href(op) }, text)),
        },
      }),
    ],
  };
}
