/** Stretches rotary positions for longer contexts, in proportion: every frequency is divided by `factor`. */
export interface LinearScaling {
  readonly type: "linear";
  /** Ratio of the new context to the original one. */
  readonly factor: number;
}

/**
 * Stretches rotary positions as Llama 3.1 does: only frequencies whose wavelength is long compared with the original
 * context are divided by `factor`. Names are those of `rope_scaling` in a model's `config.json` on Hugging Face's hub.
 */
export interface Llama3Scaling {
  readonly type: "llama3";
  /** Divisor of low frequencies. */
  readonly factor: number;
  /** Frequencies with fewer periods in the original context than this are divided. */
  readonly lowFreqFactor: number;
  /** Frequencies with more periods in the original context than this stay; those between are interpolated. */
  readonly highFreqFactor: number;
  /** Positions of the context that the model was trained with at first. */
  readonly originalMaxPositionEmbeddings: number;
}

/** Change of the frequencies of rotary positions. */
export type RotaryScaling = LinearScaling | Llama3Scaling;

/** Returns the angle per position of each pair of features: base^(-2k / features), scaled. */
export function rotaryFrequencies(features: number, base: number, scaling: RotaryScaling | null = null): number[] {
  return Array.from({ length: Math.ceil(features / 2) }, (_, k) => scaled(base ** (-2 * k / features), scaling));
}

function scaled(frequency: number, scaling: RotaryScaling | null): number {
  if (scaling === null) return frequency;
  const slow = frequency / scaling.factor;
  if (scaling.type === "linear") return slow;
  const periods = scaling.originalMaxPositionEmbeddings * frequency / (2 * Math.PI);
  const { lowFreqFactor, highFreqFactor } = scaling;
  if (periods < lowFreqFactor) return slow;
  if (periods > highFreqFactor) return frequency;
  const share = (periods - lowFreqFactor) / (highFreqFactor - lowFreqFactor);
  return (1 - share) * slow + share * frequency;
}
