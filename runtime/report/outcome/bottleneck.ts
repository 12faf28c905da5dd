import type { Bottleneck, Roofline, StepBound, VariantResult } from "../../result/schema.ts";
import type { Tone } from "../color.ts";
import { formatInterval, formatPercent, formatRatio } from "../format.ts";
import { peaksLine } from "../peaks.ts";
import { nameInProse } from "../plain_text.ts";
import { type Column, counts, figures, names, type TableSpec, words } from "../spec.ts";

/** Longest reason in the table of a terminal; the notes have longer ones in full. */
const LONGEST_REASON = 54;

interface Variants {
  readonly variants: readonly Pick<VariantResult, "name" | "bottleneck">[];
}

/** Result, or its part that the table of bottlenecks needs. */
interface Bounded extends Variants {
  readonly roofline: Pick<Roofline, "peaks"> | null;
}

interface Found {
  readonly name: string;
  readonly bottleneck: Bottleneck;
}

/** Returns the table of what bounds each variant's step, by rules and by ablations. */
export function bottleneckTable({ variants, roofline }: Bounded): TableSpec<Found> {
  const rows = variants.flatMap(({ name, bottleneck }) => bottleneck === null ? [] : [{ name, bottleneck }]);
  const [rules, ablations] = [
    rows.some(({ bottleneck }) => bottleneck.byRules !== null),
    rows.some(({ bottleneck }) => bottleneck.byArms !== null),
  ];
  const onDevice = rows.some(({ bottleneck }) => bottleneck.device !== null);
  return {
    title: "Bottleneck of a step",
    columns: [
      names("variant", ({ name }) => name),
      ...rules ? [boundColumn("rules", "byRules")] : [],
      ...ablations ? [boundColumn("ablations", "byArms")] : [],
      ...onDevice ? [DEVICE] : [],
      WHY,
    ],
    rows,
    notes: [
      ...rules ? ["rules: derived from the step trace and the queues"] : [],
      ...ablations
        ? ["ablations: shares attributed to the parts by ablations, within the limits of the step's own clocks"]
        : [],
      ...onDevice && roofline !== null ? [peaksLine(roofline.peaks)] : [],
      ...rows.flatMap(({ name, bottleneck }) => {
        const { byRules, byArms } = bottleneck;
        // The next table ends with what ablations say
        return byRules === null || byArms !== null || byRules.reason.length <= LONGEST_REASON
          ? []
          : [`${nameInProse(name)}: ${byRules.bound}: ${byRules.reason}`];
      }),
    ],
  };
}

interface AblationRow {
  readonly variant: string;
  readonly ablation: Bottleneck["arms"][number];
}

/** Returns the table of a step's cost without each of its parts, and what follows from it. */
export function ablationsTable({ variants }: Variants): TableSpec<AblationRow> {
  const rows = variants.flatMap(({ name, bottleneck }) =>
    (bottleneck?.arms ?? []).map((ablation): AblationRow => ({ variant: name, ablation }))
  );
  return {
    title: "Ablations: the step with one part removed",
    columns: ABLATION_COLUMNS,
    rows,
    notes: [
      "measured; ratio: time of the full step / time without that part; ×1.00: the part costs nothing",
      ...new Set(rows.map(({ ablation }) => `${ablation.name}: without ${ablation.what}`)),
      ...conclusions({ variants }),
    ],
  };
}

const TONES: Readonly<Partial<Record<StepBound, Tone>>> = {
  input: "input",
  host: "host",
  device: "device",
  transfer: "warning",
};

/** Returns the tone of a bound; null for none. */
export function boundTone(bound: StepBound | null | undefined): Tone | null {
  return bound === null || bound === undefined ? null : TONES[bound] ?? null;
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

const WHY: Column<Found> = words("why", whyOf, {
  most: LONGEST_REASON,
  cut: true,
});

function whyOf({ bottleneck: { byRules, byArms } }: Found): string | null {
  return (byArms ?? byRules)?.reason ?? null;
}

const ABLATION_COLUMNS: readonly Column<AblationRow>[] = [
  names("variant", ({ variant }) => variant),
  words("ablation", ({ ablation }) => ablation.name),
  figures("batch cost", ({ ablation }) => ablation.batchCost, { heading: ["ms per", "step"] }),
  figures("ratio", ({ ablation }) => ablation.ratio.value, { format: formatRatio }),
  words("interval", ({ ablation: { ratio: { low, high } } }) => {
    return low === null || high === null ? null : formatInterval(low, high);
  }, { align: "right", sort: ({ ablation }) => ablation.ratio.low }),
  counts("rounds", ({ ablation }) => ablation.rounds, { dropFirst: 2 }),
];

/** Returns what bounds the step of each variant with ablations, which measure what the rules conclude from a trace. */
function conclusions({ variants }: Variants): string[] {
  return variants.flatMap(({ name, bottleneck }) => {
    const { byRules = null, byArms = null } = bottleneck ?? {};
    if (byArms === null) return [];
    const differs = byRules === null || byRules.bound === byArms.bound
      ? ""
      : `. By the trace alone it would be ${byRules.bound} (${byRules.reason})`;
    const bound = byArms.bound === "none" ? "" : `bound by ${byArms.bound}: `;
    return [`${nameInProse(name)}: ${bound}${byArms.reason}${differs}.`];
  });
}
