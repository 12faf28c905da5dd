/**
 * The metrics that gates can use.
 *
 * @module
 */
import { suggestion } from "../../core/nearest.ts";
import { InputError } from "../../core/errors.ts";
import { PHASES } from "../../record/phases.ts";
import { exactSchema } from "../../result/exact.ts";
import { ISA_METRICS } from "../../result/isa.ts";
import type { MetricName } from "../../result/metric.ts";
import { isField } from "../../record/phases.ts";
import { memorySchema } from "../../result/variant.ts";
import { stepTimesSchema } from "../../result/comparison.ts";

/** Quantity of a metric: milliseconds, samples per second, a ratio, bytes, a plain number, a word, or a hash. */
export type Quantity = "time" | "rate" | "ratio" | "bytes" | "number" | "word" | "hash";

/** A metric that gates can use. */
export interface GateMetric {
  /** Path in the result: `batchCost`, `memory.peak`. */
  readonly name: string;
  readonly quantity: Quantity;
  /** Possible words; empty for numbers. */
  readonly words: readonly string[];
}

const QUANTITIES: Readonly<Record<MetricName, Quantity>> = {
  ips: "rate",
  speedup: "ratio",
  batchCost: "time",
  readerCost: "time",
  stepTime: "time",
  iterationGap: "time",
  forward: "time",
  backward: "time",
  update: "time",
  allReduce: "time",
  deviceBusy: "ratio",
  runtimeWait: "time",
  setup: "time",
  firstStep: "time",
  profilingCost: "ratio",
  accuracy: "ratio",
};

const STEP_TIMES = Object.keys(stepTimesSchema.shape).filter((key) => key !== "steps");

/** Every metric, in the order of the result. */
export const GATE_METRIC_LIST: readonly GateMetric[] = [
  ...Object.entries(QUANTITIES).map(([name, quantity]) => number(name, quantity)),
  ...PHASES.filter(({ name }) => !isField(name)).map(({ name }) => number(phaseMetric(name), "time")),
  ...Object.keys(memorySchema.shape).map((part) => number(`memory.${part}`, "bytes")),
  ...STEP_TIMES.map((part) => number(`stepTimes.${part}`, "time")),
  ...["submits", "waits", "readbacks"].map((count) => number(`counts.${count}`, "number")),
  ...Object.keys(exactSchema.shape).map((name) => number(`exact.${name}`, exactQuantity(name))),
  ...ISA_METRICS.map((name) => number(`isa.${name}`, "number")),
  number("finalLoss", "number"),
  number("quality.difference", "ratio"),
  number("target.time", "time"),
  number("overflows", "number"),
  number("parameters", "number"),
  words("verdict", ["faster", "slower", "same", "unclear", "invalid"]),
  words("bound", ["input", "transfer", "host", "device", "none"]),
  words("status", ["ok", "failed", "interrupted"]),
];

/** Returns the name of a phase's time. */
export function phaseMetric(phase: string): string {
  return isField(phase) ? phase : `phases.${phase}`;
}

/** Returns true for a gate on what a compiler makes of the kernels, which needs their code. */
export function isIsaGate({ metric }: { readonly metric: GateMetric }): boolean {
  return metric.name.startsWith("isa.");
}

/** Names of all metrics. */
export const GATE_METRICS: readonly string[] = GATE_METRIC_LIST.map(({ name }) => name);

/**
 * Splits `METRIC.VARIANT`. Both may contain dots: `memory.peak.loader.numWorkers=2`.
 *
 * @throws {InputError} if the metric is unknown or the variant is missing
 */
export function splitSubject(subject: string, gate: string): { metric: GateMetric; variant: string } {
  const known = GATE_METRIC_LIST.filter(({ name }) => subject === name || subject.startsWith(`${name}.`));
  const metric = known.toSorted((a, b) => b.name.length - a.name.length)[0];
  if (metric === undefined) {
    const [first = "", second] = subject.split(".");
    const group = GATE_METRICS.filter((name) => name.startsWith(`${first}.`));
    const name = group.length > 0 && second !== undefined ? `${first}.${second}` : first;
    throw new InputError(`gate "${gate}": unknown metric "${name}"${suggestion(name, GATE_METRICS)}`);
  }
  const variant = subject.slice(metric.name.length + 1);
  if (variant === "") {
    throw new InputError(
      `gate "${gate}": expected a variant after the metric, such as ${metric.name}.baseline, or ` +
        `${metric.name}.* for all`,
    );
  }
  return { metric, variant };
}

function exactQuantity(name: string): Quantity {
  return name === "kernels" ? "hash" : /bytes$/i.test(name) ? "bytes" : "number";
}

function number(name: string, quantity: Quantity): GateMetric {
  return { name, quantity, words: [] };
}

function words(name: string, words: readonly string[]): GateMetric {
  return { name, quantity: "word", words };
}
