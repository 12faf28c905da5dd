/// <reference lib="dom" />
import { rate } from "../../../../analysis/op_groups.ts";
import { placeOp } from "../../../../analysis/roofline.ts";
import type { OpRecord, Peak, Roofline } from "../../../../result/schema.ts";
import { formatNumber, MISSING } from "../../../format.ts";
import type { VariantContext } from "../context.ts";
import { el, swatch } from "../dom.ts";
import { nameText } from "../names.ts";
import { numberText, percentText } from "../numbers.ts";
import { phaseColor } from "../palette.ts";
import { hrefOf } from "../route.ts";
import { notes, type Section } from "../section.ts";
import { createTable } from "../table.ts";
import { noOps } from "./ops.ts";
import { type PlacedOp, rooflineChart } from "./roofline_chart.ts";

/** The ops against what the adapter can do. */
export function rooflineSection(context: VariantContext): Section {
  const base = { anchor: "roofline", title: "Roofline" };
  const { overview: { roofline }, variant } = context;
  const missing = noOps(context) ?? (roofline === null ? "the adapter's peaks were not measured" : null);
  if (missing !== null || roofline === null) return { ...base, content: missing ?? "" };
  const placed = variant.ops.flatMap((op): PlacedOp[] => {
    const placement = placeOp(op, roofline.peaks);
    if (placement === null) return [];
    const speed = rate(op.flops, op.mean);
    return [{
      op,
      placement,
      reached: speed === null || speed === 0 ? null : speed * 1e9,
      lost: op.mean === null ? null : Math.max(0, op.mean - placement.attainableTime),
    }];
  });
  if (placed.length === 0) return { ...base, content: "no op's work is known" };
  const href = (op: OpRecord) => hrefOf({ variant: variant.name, anchor: `op:${op.id}` });
  return {
    ...base,
    about: `${placed.length} ops; a point's area is the op's time in a step`,
    content: [
      rooflineChart(placed, roofline.peaks, href),
      lostTable(placed, href),
      notes([
        stepLine(roofline, variant.name),
        peaksLine(roofline),
        "over 100 % where a cache spared bytes that count here",
      ]),
    ],
  };
}

function lostTable(placed: readonly PlacedOp[], href: (op: OpRecord) => string): HTMLElement {
  return createTable<PlacedOp>({
    caption: "Ops against their roof",
    columns: [
      {
        title: "op",
        align: "left",
        value: ({ op }) => op.name,
        show: ({ op }) =>
          el(
            "span",
            { class: "name" },
            swatch(phaseColor(op.phase)),
            el("a", { href: href(op) }, nameText(op.name, 56)),
          ),
      },
      { title: "bound", align: "left", value: ({ placement }) => placement.bound },
      {
        title: "FLOP/byte",
        value: ({ placement }) => placement.intensity,
        show: ({ placement }) => numberText(placement.intensity),
      },
      {
        title: "GFLOP/s",
        value: ({ reached }) => reached && reached / 1e9,
        show: ({ reached }) => numberText(reached && reached / 1e9),
      },
      {
        title: "roof",
        unit: "GFLOP/s",
        value: ({ placement: { attainable } }) => attainable && attainable / 1e9,
        show: ({ placement: { attainable } }) => numberText(attainable && attainable / 1e9),
      },
      {
        title: "of the roof",
        value: ({ placement }) => placement.share,
        show: ({ placement }) => percentText(placement.share),
      },
      {
        title: "lost",
        unit: "ms",
        value: ({ lost }) => lost,
        show: ({ lost }) => numberText(lost),
        help: "Time of a call over what the roof allows",
      },
    ],
    rows: placed.toSorted((a, b) => (b.lost ?? -1) - (a.lost ?? -1)),
    limit: 15,
  }).element;
}

function stepLine({ steps }: Roofline, variant: string): string {
  const step = steps.find((step) => step.variant === variant);
  if (step === undefined) return "";
  return `the step as a whole: ${step.bound}-bound, ${percentText(step.share)} of the roof (${
    numberText(step.attainableTime)
  } of ` +
    `${numberText(step.time)} ms); ${percentText(step.opShare)} if each op is held against its own roof`;
}

function peaksLine({ peaks }: Roofline): string {
  const rate = ({ value, unit }: Peak) => `${formatNumber(value / 1e9)} G${unit === "FLOP/s" ? "FLOP/s" : "B/s"}`;
  return `peaks: f32 ${rate(peaks.f32)}, f16 ${peaks.f16 === null ? MISSING : rate(peaks.f16)}, copy ${
    rate(peaks.copy)
  }; ` +
    `measured ${peaks.date.slice(0, 10)} on the ${peaks.clock}'s clock`;
}
