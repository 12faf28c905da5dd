import { hashText, RandomStream } from "../../core/random.ts";
import { sizeOf } from "../../core/shape.ts";
import type { Device } from "../../device/device.ts";
import type { HostTensor } from "../../engine/model_state.ts";
import { inferSamples } from "../../trainer/infer_samples.ts";
import type { Session } from "../../trainer/session.ts";

/** Samples that a model computes for the comparison of outputs. */
const SAMPLES = 4;

/**
 * Returns what a model computes in inference mode for random samples, which are the same for every variant of a seed:
 * normal numbers, and integers that are 0 or 1, which every vocabulary has.
 */
export async function inferenceOutput(session: Session, device: Device, seed: number): Promise<HostTensor> {
  const { executor } = await session.inference();
  const input = Object.entries(executor.plan.inputs).map(([name, { shape, dtype }]) => {
    const random = new RandomStream(seed, hashText("outputs"), hashText(name));
    const length = SAMPLES * sizeOf(shape.slice(1));
    if (dtype === "i32") return [name, Int32Array.from({ length }, () => random.below(2))] as const;
    if (dtype === "u32") return [name, Uint32Array.from({ length }, () => random.below(2))] as const;
    return [name, Float32Array.from({ length }, () => random.normal())] as const;
  });
  const { shape, data } = await inferSamples(session, device, Object.fromEntries(input));
  return { shape, data };
}
