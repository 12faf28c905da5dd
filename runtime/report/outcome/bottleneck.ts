import type { Bottleneck, Result, VariantResult } from "../../result/schema.ts";
import { boundCell } from "../bound_cell.ts";
import { formatInterval, formatNumber, formatPercent, formatRatio } from "../format.ts";
import type { DataColumn, Section } from "../page.ts";
import { clip, nameInProse, printable } from "../plain_text.ts";

/** Reasons are cut here within the table; notes have them whole. */
const LONGEST_REASON = 54;

type Found = VariantResult & { readonly bottleneck: Bottleneck };

/** What bounds each variant, by the trace and by taking parts of the step away; null where nothing was found out. */
export function bottleneckSection({ variants }: Result): Section<Found> | null {
  const rows = variants.filter((variant): variant is Found => variant.bottleneck !== null);
  if (rows.length === 0) return null;
  const [rules, arms] = [
    rows.some(({ bottleneck }) => bottleneck.byRules !== null),
    rows.some(({ bottleneck }) => bottleneck.byArms !== null),
  ];
  return {
    title: "What bounds a step",
    columns: [
      VARIANT,
      ...rules ? [boundColumn("rules", "byRules")] : [],
      ...arms ? [boundColumn("arms", "byArms")] : [],
      ...rows.some(({ bottleneck }) => bottleneck.device !== null) ? [DEVICE] : [],
      WHY,
    ],
    rows,
    notes: [
      ...rules ? ["rules: by reading the step trace and the queues"] : [],
      ...arms ? ["arms: by running the same with a part taken away, which shows what the part costs"] : [],
      ...rows.flatMap(({ name, bottleneck }) => {
        const { byRules, byArms } = bottleneck;
        const who = nameInProse(name);
        if (byRules !== null && byArms !== null && byRules.bound !== byArms.bound) {
          return [
            `${who}: rules say ${byRules.bound} (${byRules.reason}), but arms ${byArms.bound} (${byArms.reason})`,
          ];
        }
        const found = byArms ?? byRules;
        return found === null || found.reason.length <= LONGEST_REASON
          ? []
          : [`${who}: ${found.bound}: ${found.reason}`];
      }),
    ],
  };
}

interface ArmRow {
  readonly variant: string;
  readonly arm: Bottleneck["arms"][number];
}

/** What a step costs without each of its parts; null where no arms were run. */
export function armsSection({ variants }: Result): Section<ArmRow> | null {
  const rows = variants.flatMap(({ name, bottleneck }) =>
    (bottleneck?.arms ?? []).map((arm): ArmRow => ({ variant: name, arm }))
  );
  return rows.length === 0 ? null : {
    title: "The same with a part taken away",
    columns: ARM_COLUMNS,
    rows,
    notes: [
      "ratio: time of a step as it is / without that part; ×1.00: the part costs nothing",
      ...new Set(rows.map(({ arm }) => `${arm.name}: without ${arm.what}`)),
    ],
  };
}

const VARIANT: DataColumn<Found> = {
  name: "variant",
  heading: ["variant"],
  align: "left",
  breakAfter: ",",
  cut: true,
  cell: ({ name }) => name,
};

function boundColumn(name: string, reading: "byRules" | "byArms"): DataColumn<Found> {
  return {
    name: `bound by ${name}`,
    heading: ["by", name],
    align: "left",
    cell: ({ bottleneck }) => {
      const found = bottleneck[reading];
      if (found === null) return null;
      return boundCell(found.bound);
    },
  };
}

const DEVICE: DataColumn<Found> = {
  name: "bound on the device",
  heading: ["on the", "device"],
  align: "left",
  dropFirst: 2,
  cell: ({ bottleneck: { device } }) =>
    device && `${device.bound} ${formatPercent(device.bound === "mixed" ? device.compute : device[device.bound])} %`,
};

const WHY: DataColumn<Found> = {
  name: "why",
  heading: ["why"],
  align: "left",
  cell: ({ bottleneck: { byRules, byArms } }) => {
    const reason = (byArms ?? byRules)?.reason;
    return reason === undefined ? null : clip(printable(reason), LONGEST_REASON);
  },
};

const ARM_COLUMNS: readonly DataColumn<ArmRow>[] = [
  { name: "variant", heading: ["variant"], align: "left", breakAfter: ",", cut: true, cell: ({ variant }) => variant },
  { name: "arm", heading: ["arm"], align: "left", cell: ({ arm }) => arm.name },
  { name: "batch cost", heading: ["ms a", "step"], align: "right", cell: ({ arm }) => formatNumber(arm.batchCost) },
  { name: "ratio", heading: ["ratio"], align: "right", cell: ({ arm }) => formatRatio(arm.ratio.value) },
  {
    name: "interval",
    heading: ["interval"],
    align: "right",
    cell: ({ arm: { ratio: { low, high } } }) => low === null || high === null ? null : formatInterval(low, high),
  },
  { name: "rounds", heading: ["rounds"], align: "right", dropFirst: 2, cell: ({ arm }) => String(arm.rounds) },
];
