import { join } from "node:path";
import type { Layout } from "../core/layout.ts";
import { InputError } from "../core/errors.ts";
import { sizeOf } from "../core/shape.ts";
import { inspectCifar10 } from "./cifar10_folder.ts";
import { inspectCifar100 } from "./cifar100_folder.ts";
import { inspectIdx, readIdxSplit } from "./idx_folder.ts";
import { inspectImageFolder } from "./image_folder.ts";
import { moduleInfo, moduleUrl } from "./module_info.ts";
import type { RecordFolder } from "./record_folder.ts";
import { sampleType } from "./sample_type.ts";
import type { SamplePlan } from "./samples.ts";
import type { DataSpec } from "./schema.ts";
import { toShared } from "./shared.ts";
import type { RecordFilesPlan, SourcePlan } from "./sources/plan.ts";
import { standInFolder } from "./standin/cache.ts";
import { splitLength } from "./tensor_checks.ts";

type Split = "train" | "test";

/**
 * How samples of a split are made; the stand-in must have been drawn.
 *
 * @throws {InputError} as `sourcePlan`
 */
export function samplePlan(
  spec: DataSpec,
  { split, layout, seed }: { split: Split; layout: Layout; seed: number },
): SamplePlan {
  const { transforms, fuse, placement, delay } = spec;
  return { source: sourcePlan(spec, split), transforms, fuse, placement, layout, seed, delay };
}

/**
 * Where the samples of a split come from; the stand-in must have been drawn.
 *
 * @throws {InputError} as `describeDataset`, and if there is no test split
 */
function sourcePlan(spec: DataSpec, split: Split): SourcePlan {
  const sample = sampleType(spec);
  const labels = { sample, targetDType: "i32", targetSize: 1 } as const;
  switch (spec.kind) {
    case "cifar10": {
      const files = inspectStandIn(spec.dir)[split] ?? noTestSplit(spec);
      return recordPlan({ ...labels, files, labelBytes: 1, labelByte: 0, classes: 10 });
    }
    case "cifar100": {
      const files = inspectCifar100(spec.dir)[split] ?? noTestSplit(spec);
      const fine = spec.labels === "fine";
      return recordPlan({ ...labels, files, labelBytes: 2, labelByte: fine ? 1 : 0, classes: fine ? 100 : 20 });
    }
    case "idx": {
      const files = inspectIdx(spec.dir)[split] ?? noTestSplit(spec);
      const { classes } = spec;
      return { kind: "tensors", ...labels, length: files.length, classes, ...readIdxSplit(files) };
    }
    case "imageFolder": {
      const train = inspectImageFolder(spec.dir);
      const folder = split === "train" ? train : inspectImageFolder(spec.test ?? noTestSplit(spec), train.classes);
      const { length, names, offsets, firsts } = folder;
      const dir = split === "train" ? spec.dir : spec.test!;
      return { kind: "imageFiles", ...labels, length, classes: train.classes.length, dir, names, offsets, firsts };
    }
    case "syntheticImages":
      if (split === "test") noTestSplit(spec);
      return { kind: "synthetic", ...labels, length: spec.length, classes: spec.classes };
    case "tensors": {
      const { input, target } = spec[split] ?? noTestSplit(spec);
      return {
        kind: "tensors",
        sample,
        length: splitLength({ input, target }),
        input: toShared(input.data),
        target: toShared(target.data),
        targetDType: target.data instanceof Int32Array ? "i32" : "f32",
        targetSize: sizeOf(target.shape),
        classes: spec.classes,
        labelFile: null,
      };
    }
    case "source": {
      const module = split === "train" ? spec.module : spec.test ?? noTestSplit(spec);
      const { length, sequential } = moduleInfo(module, split === "train" ? spec.length : spec.testLength);
      return {
        kind: "module",
        url: moduleUrl(module),
        sample,
        length,
        targetDType: spec.target.dtype,
        targetSize: sizeOf(spec.target.shape),
        classes: spec.target.dtype === "i32" ? spec.classes : null,
        ...(sequential ? { sequential } : {}),
      };
    }
  }
}

function recordPlan(plan: Omit<RecordFilesPlan, "kind" | "length">): RecordFilesPlan {
  return { kind: "recordFiles", ...plan, length: plan.files.reduce((sum, { records }) => sum + records, 0) };
}

function noTestSplit(spec: DataSpec): never {
  const mends: Partial<Record<DataSpec["kind"], string>> = {
    cifar10: spec.kind === "cifar10" && spec.dir !== null ? `: ${join(spec.dir, "test_batch.bin")} does not exist` : "",
    cifar100: spec.kind === "cifar100" ? `: ${join(spec.dir, "test.bin")} does not exist` : "",
    idx: spec.kind === "idx" ? `: ${join(spec.dir, "t10k-images-idx3-ubyte")} does not exist` : "",
    imageFolder: "; give imageFolder({ test })",
    tensors: "; give tensors({ ..., test: { input, target } })",
    source: "; give source({ test })",
  };
  throw new InputError(`The data set ${spec.kind} has no test split${mends[spec.kind] ?? ""}`);
}

function inspectStandIn(dir: string | null): RecordFolder {
  if (dir !== null) return inspectCifar10(dir);
  const folder = standInFolder();
  try {
    return inspectCifar10(folder);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(
      `The stand-in for CIFAR-10 is damaged: ${error.message}. Delete ${folder} to have it drawn again`,
    );
  }
}
