import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { stagingFits } from "./sink.ts";

const FACTOR = 4;
const MOST_STEPS = 100;

/** Largest fraction of steps with an empty device queue; above it, the device waits for batches at any sink size. */
const FED = 0.1;

/** Proposes larger sinks if the device is idle between them. */
export const sinkSize = rule("sink-size", [], (context) => {
  const { parts, settings, variant } = context;
  if (settings.sink === "epoch" || settings.sink === 0) return null;
  const from = settings.sink;
  const to = Math.min(MOST_STEPS, from * FACTOR);
  const gap = variant.metrics.iterationGap?.value ?? 0;
  const starved = variant.pipeline?.queues.device?.empty ?? 0;
  if (to <= from || starved > FED || !stagingFits(context, from, to)) return null;
  const time = parts.step - Math.min(gap, parts.step / 2) * (1 - from / to);
  return {
    message: `The device is idle between sinks of ${from} steps: use sinks of ${to}`,
    evidence: [
      { label: "iteration gap", value: `${ms(gap)} of ${ms(parts.step)}`, where: "steps" },
      { label: "device queue empty", value: `${(starved * 100).toFixed(0)} %`, where: "queues" },
    ],
    changes: [{ path: "sink", from, to }],
    gain: parts.step / time,
    reasoning: `the gap between sinks is spread over ${to} steps instead of ${from}: ${ms(time)} per step instead of ` +
      ms(parts.step),
  };
});
