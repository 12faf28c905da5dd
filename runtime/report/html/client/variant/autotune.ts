/// <reference lib="dom" />
import type { AutotuneResult, TunedOpResult } from "../../../../result/schema.ts";
import { formatPercent } from "../../../format.ts";
import { notTuned, type VariantContext } from "../context.ts";
import { nameText } from "../names.ts";
import { numberText } from "../numbers.ts";
import { notes, type Section } from "../section.ts";
import { createTable } from "../table.ts";

/** What autotuning did, op by op. */
export function autotuneSection({ variant }: VariantContext): Section {
  const base = { anchor: "autotune", title: "Autotuning" };
  const { autotune } = variant;
  if (autotune === null) return { ...base, content: notTuned(variant)! };
  const table = createTable<TunedOpResult>({
    caption: "Tuned ops",
    columns: [
      { title: "op", align: "left", value: ({ op }) => op, show: ({ op }) => nameText(op, 40) },
      { title: "in a step", value: ({ nodes }) => nodes.length },
      { title: "default", unit: "ms", value: byDefault, show: (op) => numberText(byDefault(op)) },
      { title: "chosen", unit: "ms", value: chosen, show: (op) => numberText(chosen(op)) },
      {
        title: "kernel",
        align: "left",
        breakable: true,
        value: (op) => op.chosen,
        show: (op) => nameText(op.chosen, 60),
      },
      { title: "candidates", value: ({ candidates }) => candidates.length },
      { title: "from", align: "left", value: ({ source }) => source },
      { title: "shapes", align: "left", breakable: true, value: ({ inputs }) => nameText(inputs.join(" "), 80) },
    ],
    rows: autotune.ops,
    limit: 40,
  });
  return { ...base, about: `On the ${autotune.clock}'s clock`, content: [table.element, notes(remarks(autotune))] };
}

function byDefault({ candidates }: TunedOpResult): number | null {
  return candidates[0]?.time ?? null;
}

function chosen({ candidates }: TunedOpResult): number | null {
  return candidates.find(({ chosen }) => chosen)?.time ?? null;
}

function remarks({ ops, hits, spent, before, after, cache, warnings }: AutotuneResult): string[] {
  const gain = before > 0 ? ` (${formatPercent(1 - after / before)} % less)` : "";
  return [
    `tuned ops of a step: ${numberText(before)} ms with the default kernels, ${
      numberText(after)
    } ms with the chosen ones${gain}`,
    `${hits} of ${ops.length} from the cache (${nameText(cache, 200)}); ${numberText(spent / 1000)} s spent`,
    ...warnings.map((warning) => nameText(warning, 400)),
  ];
}
