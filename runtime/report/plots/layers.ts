import type { Result } from "../../result/schema.ts";
import { formatNumber } from "../format.ts";
import { nncEntries } from "../nnc_entries.ts";
import { bars, type Part, withLegend } from "./phases.ts";
import { label, type Plot, WIDTH } from "./plot.ts";
import { rowsPlot } from "./rows.ts";

/** Most layers that a plot shows. */
const MOST = 40;

/**
 * Returns the plot of each layer's time, forward and backward, in the order of the model, of the baseline; null where no op was
 * timed. Of larger models it has the longest layers.
 */
export function layersPlot({ variants, baseline }: Pick<Result, "variants" | "baseline">): Plot | null {
  const variant = variants.find(({ name }) => name === baseline) ?? variants[0];
  const layers = variant === undefined ? [] : layersOf(variant);
  if (layers.length === 0) return null;
  const ends = layers.map(totalOf).toSorted((a, b) => b - a);
  const shown = layers.filter((layer) => totalOf(layer) >= (ends[MOST - 1] ?? 0)).slice(0, MOST);
  const plot = rowsPlot({
    width: WIDTH,
    name: "layers",
    title: `Layers of ${variant!.name}`,
    about: "Median time of each layer on the device in profiled steps, in the order of the model" +
      (shown.length < layers.length ? `; the ${shown.length} longest of ${layers.length}` : ""),
    unit: "ms per step",
    rowHeight: 18,
    domain: [0, ends[0]! * 1.02],
    rows: shown.map((layer) => ({
      name: layer.name,
      draw: (x, top, height) => [
        ...bars(layer.parts, x, top + 1, height - 4),
        label(x(totalOf(layer)) + 5, top + height / 2 + 4, formatNumber(totalOf(layer))),
      ],
    })),
  });
  return withLegend(plot, [["forward", "forward"], ["backward", "backward"]]);
}

interface Layer {
  readonly name: string;
  readonly parts: readonly Part[];
}

function totalOf({ parts }: Layer): number {
  return parts.reduce((sum, [, , ms]) => sum + ms, 0);
}

/** Returns the layers with their times, from the lines of the log of Neural Network Console. */
function layersOf(variant: Result["variants"][number]): Layer[] {
  const parts = nncEntries(variant).flatMap(({ function: name, layer, ms }) => {
    const phase = name === "forward_function" ? "forward" : name === "backward_function" ? "backward" : null;
    return phase === null || ms === null || ms <= 0 ? [] : [{ layer, part: [phase, phase, ms] as const }];
  });
  return [...Map.groupBy(parts, ({ layer }) => layer)].map(([name, own]) => ({
    name,
    parts: own.map(({ part }) => part),
  }));
}
