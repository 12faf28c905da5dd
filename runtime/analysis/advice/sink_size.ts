import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { stagingFits } from "./staging.ts";

const FACTOR = 4;
const MOST_STEPS = 100;

/** The device never waits for batches: else a sink of another size has the same to wait for. */
const FED = 0.1;

/** Makes sinks larger where the device still waits between them. */
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
    message: `The device is idle between sinks of ${from} steps: make them ${to}`,
    evidence: [
      { label: "iteration gap", value: `${ms(gap)} of ${ms(parts.step)}`, where: "steps" },
      { label: "device queue empty", value: `${(starved * 100).toFixed(0)} %`, where: "queues" },
    ],
    changes: [{ path: "sink", from, to }],
    gain: parts.step / time,
    reasoning: `the gap between two sinks stays, and falls on ${to} steps in place of ${from}: ${ms(time)} a step in ` +
      `place of ${ms(parts.step)}`,
  };
});
