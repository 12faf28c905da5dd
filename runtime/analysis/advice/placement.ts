import { augmentOp } from "../../../ops/augment.ts";
import { sizeOf } from "../../core/shape.ts";
import { DeviceChain } from "../../data/transforms/device_chain.ts";
import { rowMajor } from "../../graph/types.ts";
import { digits, ms, percent } from "./evidence.ts";
import { rule } from "./rule.ts";
import { launchTime } from "./fixed_cost.ts";
import { opTime } from "./op_times.ts";
import { stageTime } from "./step_parts.ts";
import { stepWithFasterMaking } from "./faster_making.ts";
import { transformStages } from "./transform_stages.ts";
import { usualShare } from "./peers.ts";

/**
 * Largest share of the copy bandwidth that the pass reaches on a software adapter, where it reads and writes single numbers.
 */
const SINGLE_NUMBERS = 0.15;

/** Proposes running transforms on the device, where samples arrive as bytes: a quarter of the data. */
export const placement = rule("placement", ["model", "pipeline", "sample", "transforms"], (context) => {
  const { device, ops, parts, peaks, pipeline, sample, samples, settings, software, transforms } = context;
  const part = settings.data.placement === "host" && transforms.length > 0
    ? DeviceChain.whole(settings.data.transforms, sample)
    : null;
  // Without a peak the cost on a software adapter, which uses the same cores, is unknown
  if (part === null || (peaks === null && software)) return null;
  const { sum, shortest } = transformStages(pipeline);
  // The host still copies the bytes of each sample
  const left = Math.min(shortest, sum / 2);
  const after = settings.data.cache?.after ?? 0;
  const attrs = { ...part, images: "nhwc" } as const;
  const words = rowMajor([samples, part.words], "u32");
  const images = augmentOp.shape([words], attrs);
  const values = sizeOf(images[0]!.shape);
  const launch = launchTime(context);
  const usual = ops === null || peaks === null ? 1 : usualShare(ops, launch, peaks);
  const share = software ? Math.min(usual, SINGLE_NUMBERS) : usual;
  const move = peaks === null ? 0 : augmentOp.cost([words], images, attrs).bytes / peaks.copy.value * 1000;
  const added = (launch + move / share) * (ops === null || device === null ? 1 : device / opTime(ops));
  const copied = stageTime(pipeline, "copy") * (1 - sizeOf(words.shape) / values);
  const saved = copied + parts.step - stepWithFasterMaking(context, sum - left);
  const time = parts.step - saved + added;
  return {
    message: "The device can run the crops, flips and normalize: batches arrive as bytes, a quarter of the data",
    evidence: [
      { label: "transforms on the host", value: `${ms(sum)} a batch`, where: "pipeline" },
      { label: "copying a batch", value: ms(parts.copy), where: "pipeline" },
      { label: "values of a batch", value: `${digits(values / 1e6)} million`, where: "pipeline" },
    ],
    changes: [
      { path: "data.placement", from: "host", to: "device" },
      // The device takes bytes as the source has them
      ...after === 0 ? [] : [{ path: "data.cache.after", from: after, to: 0 }],
    ],
    gain: parts.step / time,
    reasoning:
      `a step is ${ms(saved)} shorter without them on the host, and ${
        ms(added)
      } longer with a pass over the batch on ` +
      `the device, at ${percent(share)} of its copy bandwidth${
        share < 1 && share === usual ? " as its other ops" : ""
      }`,
  };
});
