import { crossEntropy, meanSquaredError } from "../../mod.ts";
import { reshape } from "../support/reference/elementwise.ts";
import {
  crossEntropy as referenceCrossEntropy,
  meanSquaredError as referenceMeanSquaredError,
} from "../support/reference/losses.ts";
import { transpose } from "../support/reference/moving.ts";
import type { ModelCase } from "./case.ts";

export function entropy(labelSmoothing = 0): ModelCase["loss"] {
  return {
    spec: crossEntropy({ labelSmoothing }),
    reference: (tape, output, target) => referenceCrossEntropy(tape, output, target as Int32Array, labelSmoothing),
  };
}

/** Cross-entropy of each pixel: logits `[n, classes, h, w]` against `[n, h, w]`. */
export function pixelEntropy(): ModelCase["loss"] {
  return {
    spec: crossEntropy(),
    reference: (tape, output, target) => {
      const classes = output.shape[1]!;
      const rows = reshape(tape, transpose(tape, output, [0, 2, 3, 1]), [output.data.length / classes, classes]);
      return referenceCrossEntropy(tape, rows, target as Int32Array, 0);
    },
  };
}

/** Cross-entropy of each token: logits `[n, t, classes]` against `[n, t]`. */
export function tokenEntropy(): ModelCase["loss"] {
  return {
    spec: crossEntropy(),
    reference: (tape, output, target) => {
      const classes = output.shape.at(-1)!;
      const rows = reshape(tape, output, [output.data.length / classes, classes]);
      return referenceCrossEntropy(tape, rows, target as Int32Array, 0);
    },
  };
}

export function squares(): ModelCase["loss"] {
  return { spec: meanSquaredError(), reference: referenceMeanSquaredError };
}
