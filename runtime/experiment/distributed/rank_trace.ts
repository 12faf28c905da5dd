import type { ClockOffset, Cluster } from "../../cluster/cluster.ts";
import { sampleClock } from "../../device/clock.ts";
import type { Device } from "../../device/device.ts";
import { fitClock } from "../../record/clock_fit.ts";
import { cleanPasses } from "../../record/device_samples.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { Span, Timeline } from "../../record/timeline.ts";
import type { Prepared } from "../variant/prepared.ts";

/** Steps that each rank records for the trace. */
const TRACED_STEPS = 5;

/** Runs steps of all ranks with the all-reduce, and returns this rank's spans. The training state is restored. */
export async function traceSteps(
  { session, feed, timestamps }: Pick<Prepared, "session" | "feed" | "timestamps">,
  device: Device,
  recorder: Recorder,
): Promise<Span[]> {
  const snapshot = session!.state.snapshot();
  const before = await sampleClock(device);
  await timestamps?.read(); // discards those of earlier steps
  recorder.take();
  recorder.keeping = true;
  try {
    await feed.run(TRACED_STEPS);
  } finally {
    recorder.keeping = false;
  }
  const { passes } = cleanPasses(await timestamps?.read() ?? [], 0n);
  const after = await sampleClock(device);
  const clock = fitClock([before, after].filter((sample) => sample !== null));
  const { phases } = session!.executor;
  session!.state.restore(snapshot);
  const onDevice = clock === null ? [] : passes.flatMap((pass, i): Span[] => {
    if (pass === null) return [];
    const [name, step] = [phases[i % phases.length]!, Math.floor(i / phases.length)];
    return [{ track: "device phases", name, start: clock.toHost(pass.begin), end: clock.toHost(pass.end), step }];
  });
  return [...recorder.take().spans, ...onDevice];
}

/** Collects the spans of all ranks, on rank 0's clock. Returns none on other ranks. */
export async function gatherTimelines(
  cluster: Cluster,
  variant: string,
  spans: readonly Span[] | null,
): Promise<Timeline[]> {
  const clocks = await cluster.compareClocks();
  const texts = await cluster.gather(JSON.stringify(spans));
  if (cluster.rank !== 0) return [];
  return texts.flatMap((text, rank) => {
    const spans = JSON.parse(text) as Span[] | null;
    return spans === null ? [] : [timelineOf(`${variant}, ${cluster.nameOf(rank)}`, spans, clocks[rank]!, rank)];
  });
}

function timelineOf(
  name: string,
  spans: readonly Span[],
  { offset, uncertainty }: ClockOffset,
  rank: number,
): Timeline {
  const steps = new Set(spans.flatMap(({ step }) => step ?? []));
  return {
    variant: name,
    ...steps.size === 0 ? {} : { steps: { traced: steps.size, profiled: steps.size } },
    ...rank === 0 ? {} : { clockUncertainty: uncertainty },
    spans: spans.map((span) => ({ ...span, start: span.start - offset, end: span.end - offset })),
    counters: [],
    flows: [],
  };
}
