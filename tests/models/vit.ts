import { vit as makeVit } from "../../mod.ts";
import { add, gelu, reshape } from "../support/reference/elementwise.ts";
import { attentionLayer, convLayer, dropoutLayer, linearLayer, rowNormLayer } from "../support/reference/layers.ts";
import { concat, part, repeat, transpose } from "../support/reference/moving.ts";
import type { Pass } from "../support/reference/network.ts";
import { bySgd } from "./optimizers.ts";
import type { Value } from "../support/reference/value.ts";
import type { ModelCase } from "./case.ts";
import { entropy } from "./losses.ts";

const [WIDTH, LAYERS, HEADS, DROPOUT] = [12, 2, 3, 0.1];

function encoderLayer(pass: Pass, name: string, x: Value): Value {
  const { tape } = pass;
  const norm = rowNormLayer(pass, `${name}.ln_1`, x, 1e-6);
  const attended = attentionLayer(pass, `${name}.self_attention`, norm, HEADS);
  const y = add(tape, dropoutLayer(pass, `${name}.dropout`, attended, DROPOUT), x);
  const hidden = gelu(tape, linearLayer(pass, `${name}.mlp.0`, rowNormLayer(pass, `${name}.ln_2`, y, 1e-6)));
  const projected = linearLayer(pass, `${name}.mlp.3`, dropoutLayer(pass, `${name}.mlp.2`, hidden, DROPOUT));
  return add(tape, y, dropoutLayer(pass, `${name}.mlp.4`, projected, DROPOUT));
}

/** A small vision transformer for images that are not square, with dropout. */
export const vit: ModelCase = {
  name: "vit",
  model: makeVit({ classes: 5, patch: 3, width: WIDTH, layers: LAYERS, heads: HEADS, hidden: 18, dropout: DROPOUT }),
  reference: (pass, x) => {
    const { tape } = pass;
    const patches = transpose(tape, convLayer(pass, "conv_proj", x, { stride: [3, 3] }), [0, 2, 3, 1]);
    const [n, rows, columns] = patches.shape as [number, number, number];
    const tokens = reshape(tape, patches, [n, rows * columns, WIDTH]);
    const joined = concat(tape, [repeat(tape, pass.parameter("class_token"), n), tokens], 1);
    let y = add(tape, joined, repeat(tape, pass.parameter("encoder.pos_embedding"), n));
    y = dropoutLayer(pass, "encoder.dropout", y, DROPOUT);
    for (let i = 0; i < LAYERS; i++) y = encoderLayer(pass, `encoder.layers.encoder_layer_${i}`, y);
    const first = part(tape, rowNormLayer(pass, "encoder.ln", y, 1e-6), 1, 0, 1);
    return linearLayer(pass, "heads.head", reshape(tape, first, [n, WIDTH]));
  },
  batchSize: 5,
  input: [3, 6, 9],
  target: { classes: 5 },
  loss: entropy(),
  optimizer: bySgd({ learningRate: 0.05, momentum: 0.9 }),
  // The class token, biases and the last layer start at 0
  noise: 0.1,
  tolerance: 1e-4,
};
