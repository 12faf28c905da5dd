import { formatMemory } from "../../core/memory.ts";
import { roundUp } from "../../data/cache/cache_plan.ts";
import { DEFAULT_CACHE_LIMIT } from "../../data/cache/settings.ts";
import { isRandom, type Step } from "../../data/transforms/definitions.ts";
import { groupSteps } from "../../data/transforms/grouping.ts";
import { sleepOfBatch } from "../../data/sleep.ts";
import type { SampleType } from "../../data/transforms/transform.ts";
import type { Pipeline, PipelineStage } from "../../result/pipeline.ts";
import type { AdviceContext } from "./context.ts";
import { ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { stepWithFasterMaking } from "./faster_making.ts";

/** Waiting below this fraction of a step is not worth a cache. */
const WAITING = 0.03;

/** Milliseconds to find a sample, and bytes read per millisecond, on two cores of an Intel Xeon. */
const COST = { memory: { find: 0.0015, bytesPerMs: 6e6 }, file: { find: 0.0035, bytesPerMs: 4e6 } } as const;

/** Largest cache in a file to propose, in bytes. */
const FILE_LIMIT = 16 * 2 ** 30;

/** Place for a cache, and the stages that it spares. */
interface Candidate {
  readonly after: number;
  readonly spared: readonly PipelineStage[];
  readonly type: SampleType | null;
}

/**
 * Proposes keeping samples, if the loop waits for batches, and most of the time to make one goes into work that is the same
 * in every epoch: reading, decoding, and transforms without random numbers.
 */
export const cacheSamples = rule("cache-samples", ["making", "pipeline", "data"], (context) => {
  const { data, making, parts, samples, settings } = context;
  if (settings.data.cache != null || parts.reader / parts.step < WAITING) return null;
  const proposals = candidatesOf(context).flatMap(({ after, spared, type }) => {
    const bytes = type === null ? null : bytesOf(type);
    const all = bytes === null ? null : roundUp(bytes) * data.samples;
    const place = all === null || all <= DEFAULT_CACHE_LIMIT ? "memory" : "file";
    if (all !== null && all > FILE_LIMIT) return [];
    const { find, bytesPerMs } = COST[place];
    const found = samples * (find + (bytes ?? 0) / bytesPerMs);
    const saved = timeOf(spared) - found;
    const limit = place === "file" ? all! : DEFAULT_CACHE_LIMIT;
    return [{ after, spared, all, saved, found, cache: { in: place, after, limit, fill: true } }];
  });
  const best = proposals.toSorted((a, b) => b.saved - a.saved)[0];
  if (best === undefined || best.saved <= 0) return null;
  const spared = sleepOfBatch(settings.data, samples) -
    sleepOfBatch({ ...settings.data, cache: best.cache }, samples);
  const time = stepWithFasterMaking(context, best.saved, spared);
  const longest = best.spared.toSorted((a, b) => b.perBatch! - a.perBatch!)[0]!;
  const share = Math.min(1, longest.perBatch! / making.total);
  return {
    severity: parts.reader > parts.step / 2 ? "warning" : "info",
    message:
      `${longest.name} takes ${percent(share)} of making a batch, with the same result in every epoch: keep the ` +
      `samples in ${best.cache.in === "memory" ? "memory" : "a file"}`,
    evidence: [
      ...best.spared.map(({ name, perBatch }) => ({
        label: name,
        value: `${ms(perBatch!)} a batch`,
        where: "pipeline",
      })),
      { label: "making a batch", value: ms(making.total), where: "pipeline" },
      {
        label: "size of the cache",
        value: best.all === null ? `at most ${formatMemory(DEFAULT_CACHE_LIMIT)}` : formatMemory(best.all),
        where: "data",
      },
    ],
    changes: [{ path: "data.cache", from: null, to: best.cache }],
    gain: parts.step / time,
    reasoning: `from the second epoch on a batch takes ${ms(best.saved)} less on its thread: without ${
      best.spared.map(({ name }) => name).join(", ")
    }, and ${ms(best.found)} to read the samples from the cache; a step of ${ms(time)} instead of ${ms(parts.step)}`,
  };
});

/** Lists the places for a cache: behind the source, and behind each pass whose results are the same in every epoch. */
function candidatesOf({ data, pipeline, settings, transforms }: AdviceContext): Candidate[] {
  const stages = pipeline!.stages.filter(({ perBatch }) => perBatch !== null);
  const spared = stages.filter(({ kind }) => kind === "read" || kind === "decode");
  const candidates: Candidate[] = [{ after: 0, spared: [...spared], type: data!.sample }];
  const steps = transforms ?? [];
  const timed = stagesOf(pipeline!);
  for (const [i, { begin, end }] of groupSteps(steps, settings.data.fuse !== false).entries()) {
    const stage = timed[i];
    // The last pass writes to the batch, with a cache or without
    if (stage === undefined || end === steps.length || steps.slice(begin, end).some(({ spec }) => isRandom(spec))) {
      break;
    }
    spared.push(stage);
    const last = steps[end - 1];
    if (last === undefined) continue;
    candidates.push({ after: positionOf(last, settings.data.transforms), spared: [...spared], type: last.output });
  }
  return candidates;
}

function stagesOf({ stages }: Pipeline): readonly PipelineStage[] {
  return stages.filter(({ kind, perBatch }) => kind === "transform" && perBatch !== null);
}

/** Returns the number of transforms in the list up to a step. */
function positionOf({ spec }: Step, all: readonly unknown[]): number {
  return all.indexOf(spec) + 1;
}

function timeOf(stages: readonly PipelineStage[]): number {
  return stages.reduce((sum, { perBatch }) => sum + perBatch!, 0);
}

/** Returns the bytes of a sample's input; null if samples differ in size. */
function bytesOf({ channels, height, width, dtype }: SampleType): number | null {
  return height === null || width === null ? null : channels * height * width * (dtype === "f32" ? 4 : 1);
}
