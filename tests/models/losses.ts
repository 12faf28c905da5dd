import { crossEntropy, meanSquaredError } from "../../mod.ts";
import {
  crossEntropy as referenceCrossEntropy,
  meanSquaredError as referenceMeanSquaredError,
} from "../support/reference/losses.ts";
import type { ModelCase } from "./case.ts";

export function entropy(labelSmoothing = 0): ModelCase["loss"] {
  return {
    spec: crossEntropy({ labelSmoothing }),
    reference: (tape, output, target) => referenceCrossEntropy(tape, output, target as Int32Array, labelSmoothing),
  };
}

export function squares(): ModelCase["loss"] {
  return { spec: meanSquaredError(), reference: referenceMeanSquaredError };
}
