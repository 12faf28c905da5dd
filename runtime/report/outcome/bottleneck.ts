import type { Bottleneck, VariantResult } from "../../result/schema.ts";
import { boundTone } from "../bound.ts";
import { formatInterval, formatPercent, formatRatio } from "../format.ts";
import { clip, nameInProse, printable } from "../plain_text.ts";
import { type Column, counts, figures, names, type TableSpec, words } from "../spec.ts";

/** Reasons are cut here within the table; notes have them whole. */
const LONGEST_REASON = 54;

interface Variants {
  readonly variants: readonly Pick<VariantResult, "name" | "bottleneck">[];
}

interface Found {
  readonly name: string;
  readonly bottleneck: Bottleneck;
}

/** What bounds each variant, by the trace and by taking parts of the step away. */
export function bottleneckTable({ variants }: Variants): TableSpec<Found> {
  const rows = variants.flatMap(({ name, bottleneck }) => bottleneck === null ? [] : [{ name, bottleneck }]);
  const [rules, arms] = [
    rows.some(({ bottleneck }) => bottleneck.byRules !== null),
    rows.some(({ bottleneck }) => bottleneck.byArms !== null),
  ];
  return {
    title: "What bounds a step",
    columns: [
      names("variant", ({ name }) => name),
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

/** What a step costs without each of its parts. */
export function armsTable({ variants }: Variants): TableSpec<ArmRow> {
  const rows = variants.flatMap(({ name, bottleneck }) =>
    (bottleneck?.arms ?? []).map((arm): ArmRow => ({ variant: name, arm }))
  );
  return {
    title: "The same with a part taken away",
    columns: ARM_COLUMNS,
    rows,
    notes: [
      "ratio: time of a step as it is / without that part; ×1.00: the part costs nothing",
      ...new Set(rows.map(({ arm }) => `${arm.name}: without ${arm.what}`)),
    ],
  };
}

function boundColumn(name: string, reading: "byRules" | "byArms"): Column<Found> {
  return words(`bound by ${name}`, ({ bottleneck }) => bottleneck[reading]?.bound ?? null, {
    heading: ["by", name],
    tone: ({ bottleneck }) => boundTone(bottleneck[reading]?.bound),
  });
}

const DEVICE: Column<Found> = words("bound on the device", ({ bottleneck: { device } }) => {
  return device &&
    `${device.bound} ${formatPercent(device.bound === "mixed" ? device.compute : device[device.bound])} %`;
}, { heading: ["on the", "device"], dropFirst: 2 });

const WHY: Column<Found> = words("why", whyOf, { text: (row) => clip(printable(whyOf(row)!), LONGEST_REASON) });

function whyOf({ bottleneck: { byRules, byArms } }: Found): string | null {
  return (byArms ?? byRules)?.reason ?? null;
}

const ARM_COLUMNS: readonly Column<ArmRow>[] = [
  names("variant", ({ variant }) => variant),
  words("arm", ({ arm }) => arm.name),
  figures("batch cost", ({ arm }) => arm.batchCost, { heading: ["ms a", "step"] }),
  figures("ratio", ({ arm }) => arm.ratio.value, { format: formatRatio }),
  words("interval", ({ arm: { ratio: { low, high } } }) => {
    return low === null || high === null ? null : formatInterval(low, high);
  }, { align: "right", sort: ({ arm }) => arm.ratio.low }),
  counts("rounds", ({ arm }) => arm.rounds, { dropFirst: 2 }),
];
