import { sha256 } from "../core/sha256.ts";
import { type DatasetDescription, describeDataset, samplePlan } from "../data/describe.ts";
import { sampleSize, type Source } from "../data/readers/reader.ts";
import { readerOf } from "../data/readers/readers.ts";
import type { DataSpec } from "../data/sources/sources.ts";
import type { SampleType } from "../data/transforms/transform.ts";

/** Value of a fact that could not be found out. It differs from no other. */
export const UNKNOWN = "unknown";

/**
 * Returns facts that differ if data sets do: the number of samples, and the SHA-256 of the first, the middle and the last
 * sample of the training split before the transforms. The hash is unknown for samples that user code makes or that cannot
 * be indexed, and for data that cannot be read yet.
 */
export async function dataFacts(spec: DataSpec): Promise<Readonly<Record<string, string>>> {
  const { train } = describeDataset(spec);
  return {
    "number of samples": String(train.length),
    "SHA-256 of three samples": await digest(spec, train).catch(() => UNKNOWN),
  };
}

async function digest(spec: DataSpec, { length }: DatasetDescription["train"]): Promise<string> {
  const { source: plan } = samplePlan(spec, { split: "train", layout: "nchw", seed: 0 });
  const reader = readerOf(plan);
  if (reader.userCode === true || plan.sequential === true || length === 0) return UNKNOWN;
  const source = await reader.open(plan, 0);
  try {
    const target = plan.targetDType === "i32" ? new Int32Array(plan.targetSize) : new Float32Array(plan.targetSize);
    const hashes: string[] = [];
    for (const index of [0, length >> 1, length - 1]) {
      await source.read(index, target, 0);
      const values = [target, inputOf(source, plan.sample), ...Object.values(source.fields ?? {})];
      hashes.push(...values.map((value) => sha256(bytesOf(value))));
    }
    return sha256(hashes.join());
  } finally {
    source.close();
  }
}

/** Returns the input of the sample that was read last. */
function inputOf({ data, offset, height, width, step }: Source, sample: SampleType | null): ArrayBufferView {
  const size = sample === null || height === undefined || width === undefined
    ? sampleSize(sample)
    : height * width * (step ?? sample.channels);
  return data.subarray(offset, offset + size);
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return Uint8Array.from(new Uint8Array(buffer, byteOffset, byteLength));
}
