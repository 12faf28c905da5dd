import { stagedBatches } from "../../compile/budget.ts";
import type { AdviceContext } from "./context.ts";
import { ms } from "./evidence.ts";
import { rule } from "./rule.ts";

/** Sink sizes to try, smallest first. */
const SIZES = [10, 20, 50];

/** Minimum further gain of a larger sink, as a fraction of the step. */
const EACH = 0.01;

/** Time that the runtime sleeps when it reads the losses of a sink, while the next one runs: ms. */
export const SLEEP = 11;

/** Maximum bytes of device memory for staged batches. */
const MAX_BYTES = 512 * 2 ** 20;

/** Proposes submitting several steps at once, so that host work and waits occur once per sink. */
export const sink = rule("sink", ["model"], (context) => {
  const { cores, device: phases, making, parts, settings, software, variant, workers } = context;
  if (settings.sink !== 0 || settings.distribute != null) return null;
  const free = variant.bottleneck?.arms.find(({ name }) => name === "no host waits") ?? null;
  const encode = variant.profile?.host.find(({ name }) => name === "encode")?.mean ?? 0;
  if (free === null && phases === null) return null;
  const gap = variant.metrics.iterationGap?.value ?? null;
  // The device's clock tells it best; otherwise relative to the measured step, since other load differs between runs
  const alone = phases === null
    ? Math.min(parts.step, parts.step / free!.ratio.value)
    : Math.max(phases, gap === null ? 0 : parts.step - gap);
  // Batches are made and copied while the device works; a software adapter's kernels share the cores with that
  const staged = parts.reader + parts.copy;
  const working = staged - Math.min(parts.reader, making?.asleep ?? 0);
  const device = Math.min(parts.step, alone + (software ? working / Math.max(1, cores ?? 1) : 0));
  const between = Math.max(0, parts.step - staged - alone);
  // One thread stages batches, encodes and submits
  const fed = (size: number) =>
    Math.max(staged + encode + between / size, workers > 0 && making !== null ? making.total / workers : 0);
  const time = (size: number) => Math.max(device + between / size, fed(size), SLEEP / size);
  const sizes = SIZES.filter((size) => stagingFits(context, 0, size));
  if (sizes.length === 0) return null;
  const best = Math.min(...sizes.map(time));
  const size = sizes.find((one) => time(one) <= best * (1 + EACH))!;
  return {
    message: `The device is idle between steps: submit ${size} at once`,
    evidence: [
      { label: "iteration gap", value: gap === null ? "–" : `${ms(gap)} of ${ms(parts.step)}`, where: "steps" },
      { label: "reader cost and copy", value: ms(staged), where: "queues" },
      phases === null
        ? { label: "a step without host waits", value: ms(alone), where: "bottleneck" }
        : { label: "a step on the device", value: ms(alone), where: "phases" },
    ],
    changes: [{ path: "sink", from: 0, to: size }],
    gain: parts.step / time(size),
    reasoning:
      `a step keeps the device busy for ${ms(device)}; ${ms(between)} between steps occur once in ${size}, and ` +
      `batches are staged meanwhile${
        time(size) > SLEEP / size ? "" : `; reading losses takes ${SLEEP} ms per sink`
      }: ` +
      `${ms(time(size))} instead of ${ms(parts.step)}`,
  };
});

/**
 * Returns true if the batches of sinks of `to` steps fit on the device.
 *
 * @param from current steps per sink, for which the memory of the feed is known
 */
export function stagingFits({ memory }: AdviceContext, from: number, to: number): boolean {
  const batch = (memory?.feed ?? 0) / (1 + stagedBatches(from));
  return stagedBatches(to) * batch <= MAX_BYTES;
}
