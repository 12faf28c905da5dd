import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { positiveInteger } from "../data/checked.ts";
import { dropout as dropoutLayer } from "./dropout.ts";
import { embedding } from "./embedding.ts";
import { uniform, zeros } from "./initializers.ts";
import type { MarkedLayer } from "./layer.ts";
import { linear } from "./linear.ts";
import { dropProbability, layerOptions, tokenModel } from "./options.ts";
import { lstm } from "./recurrent.ts";
import { sequential } from "./sequential.ts";
import { tiedLinear } from "./tied_linear.ts";

/** Options of {@linkcode lstmLanguageModel}. */
export interface LstmLanguageModelOptions {
  /** Number of different tokens. */
  vocabulary: number;
  /** Features of an embedded token. Default: 200. */
  width?: number;
  /** Features of the state of each layer. Default: 200. */
  hidden?: number;
  /** Number of LSTM layers. Default: 2. */
  layers?: number;
  /** Probability of dropout of embeddings and of each layer's output. Default: 0; PyTorch's example trains with 0.2. */
  dropout?: number;
  /** Shares the embedding's weight with the logits; `width` and `hidden` must be equal. Default: false. */
  tied?: boolean;
}

const schema = z.strictObject({
  vocabulary: positiveInteger,
  width: positiveInteger.default(200),
  hidden: positiveInteger.default(200),
  layers: positiveInteger.default(2),
  dropout: dropProbability.default(0),
  tied: z.boolean({ error: "expected true or false" }).default(false),
});

/**
 * Creates a language model of LSTMs (W. Zaremba et al., "Recurrent Neural Network Regularization", 2014): tokens `[n, t]` to
 * logits `[n, t, vocabulary]`. Names and initial values are those of PyTorch's example `word_language_model`:
 * `encoder.weight`, `rnn.weight_ih_l0`, `decoder.weight`. Each sequence starts with a state of 0.
 *
 * @example
 * ```ts
 * import { lstmLanguageModel } from "@tacho/tacho";
 *
 * const model = lstmLanguageModel({ vocabulary: 33_278, width: 650, hidden: 650, dropout: 0.5, tied: true });
 * ```
 *
 * @throws {InputError} if an option is invalid; on application, if the input has another rank
 */
export function lstmLanguageModel(options: LstmLanguageModelOptions): MarkedLayer {
  const settings = layerOptions("lstmLanguageModel", schema, options);
  const { vocabulary, width, hidden, layers, dropout, tied } = settings;
  if (tied && width !== hidden) {
    throw new InputError(`lstmLanguageModel: tied weights need a width equal to hidden, got ${width} and ${hidden}`);
  }
  const init = uniform(-0.1, 0.1);
  const words = embedding(vocabulary, width, { init });
  const model = sequential({
    encoder: words,
    drop: dropoutLayer(dropout),
    rnn: lstm(hidden, { numLayers: layers, dropout }),
    drop_out: dropoutLayer(dropout),
    decoder: tied ? tiedLinear(words, { bias: true }) : linear(vocabulary, { init, biasInit: zeros() }),
  });
  return tokenModel({ type: "lstmLanguageModel", leaf: false, title: `lstm-${layers}x${hidden}` }, model);
}
