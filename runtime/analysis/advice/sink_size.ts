import { phaseValues } from "../../record/phases.ts";
import type { StepRecord } from "../../result/schema.ts";
import type { AdviceContext } from "./context.ts";
import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";
import { upperMedian } from "./op_times.ts";
import { SLEEP, stagingFits } from "./sink.ts";

const FACTOR = 4;
const MAX_STEPS = 100;

/** Largest fraction of steps with an empty device queue; above it, the device waits for batches at any sink size. */
const FED = 0.1;

/** Proposes larger sinks if the device is idle between them. */
export const sinkSize = rule("sink-size", [], (context) => {
  const { parts, settings, variant } = context;
  if (settings.sink === "epoch" || settings.sink === 0) return null;
  const from = settings.sink;
  const to = Math.min(MAX_STEPS, from * FACTOR);
  const starved = variant.pipeline?.queues.device?.empty ?? 0;
  const start = startOf(context, from);
  if (start === null || to <= from || starved > FED || !stagingFits(context, from, to)) return null;
  const { gap, slower } = start;
  const each = Math.max(0, parts.step - (gap + slower) / from);
  // The device waits for the host to wake up if it has computed the sink before that
  const asleep = (size: number) => Math.max(0, SLEEP - size * each - slower);
  const rest = Math.max(0, gap - asleep(from));
  const time = Math.max(parts.step / 2, each + (slower + rest + asleep(to)) / to);
  return {
    message: `The device is idle between sinks of ${from} steps: use sinks of ${to}`,
    evidence: [
      { label: "idle before a sink", value: `${ms(gap)} in ${from} steps of ${ms(parts.step)}`, where: "steps" },
      { label: "first step of a sink", value: `${ms(slower)} longer on the device than others`, where: "steps" },
      { label: "device queue empty", value: `${(starved * 100).toFixed(0)} %`, where: "queues" },
    ],
    changes: [{ path: "sink", from, to }],
    gain: parts.step / time,
    reasoning: `what each sink costs occurs once in ${to} steps instead of ${from}: ${ms(time)} per step instead of ` +
      ms(parts.step),
  };
});

/** Costs of the start of a sink: ms. */
interface SinkStart {
  /** Idle time of the device before the first step, beyond that before other steps. */
  readonly gap: number;
  /** Device time of the first step beyond that of others: caches are cold after a pause, and threads wake up. */
  readonly slower: number;
}

/** Returns what the start of a sink of `size` steps costs the device, by medians; null if the device timed no steps. */
function startOf({ variant: { blocks }, parts, device }: AdviceContext, size: number): SinkStart | null {
  const steps = blocks.flatMap((block) => block.steps.map((step, i) => ({ step, first: i % size === 0 })));
  const medians = (time: (step: StepRecord) => number | null) =>
    [true, false].map((kind) => {
      const values = steps.flatMap(({ step, first }) => first === kind ? time(step) ?? [] : []);
      return values.length === 0 ? null : upperMedian(values);
    });
  const [before, within] = medians(({ iterationGap }) => iterationGap);
  const [first, others] = medians(deviceTimeOf);
  if (device === null || first == null) return null;
  // No gap before the first sink of a block is known
  const whole = before ?? size * (parts.step - device) - (size - 1) * (within ?? 0);
  return { gap: Math.max(0, whole - (within ?? 0)), slower: Math.max(0, first - (others ?? first)) };
}

/** Returns the device time of a step in ms; null if no phase was timed. */
function deviceTimeOf(step: StepRecord): number | null {
  const times = phaseValues(step);
  return times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0);
}
