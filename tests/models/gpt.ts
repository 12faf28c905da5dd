import { gpt as makeGpt } from "../../mod.ts";
import { attention } from "../support/reference/attention.ts";
import { add, geluTanh, reshape } from "../support/reference/elementwise.ts";
import { lookUp } from "../support/reference/embedding.ts";
import { rowNormLayer } from "../support/reference/layers.ts";
import { linear } from "../support/reference/linear.ts";
import { part, repeat, transpose } from "../support/reference/moving.ts";
import type { Pass } from "../support/reference/network.ts";
import type { Value } from "../support/reference/value.ts";
import type { ModelCase } from "./case.ts";
import { trainingOfTokens } from "./token_training.ts";

const [LAYERS, HEADS, WIDTH, CONTEXT, VOCABULARY] = [2, 3, 18, 9, 13];

/** A linear layer whose weight is `[in, out]`. */
function projection(pass: Pass, name: string, x: Value): Value {
  const weight = transpose(pass.tape, pass.parameter(`${name}.weight`), [1, 0]);
  return linear(pass.tape, x, weight, pass.parameter(`${name}.bias`));
}

function block(pass: Pass, name: string, x: Value): Value {
  const { tape } = pass;
  const qkv = projection(pass, `${name}.attn.c_attn`, rowNormLayer(pass, `${name}.ln_1`, x, 1e-5));
  const attended = attention(tape, qkv, HEADS, { causal: true });
  const y = add(tape, x, projection(pass, `${name}.attn.c_proj`, attended));
  const hidden = geluTanh(tape, projection(pass, `${name}.mlp.c_fc`, rowNormLayer(pass, `${name}.ln_2`, y, 1e-5)));
  return add(tape, y, projection(pass, `${name}.mlp.c_proj`, hidden));
}

/** A small GPT-2, whose embedding also computes the logits. */
export const gpt: ModelCase = {
  name: "gpt",
  model: makeGpt({ layers: LAYERS, heads: HEADS, width: WIDTH, context: CONTEXT, vocabulary: VOCABULARY }),
  reference: (pass, tokens) => {
    const { tape } = pass;
    const [n, t] = tokens.shape as [number, number];
    const words = pass.parameter("transformer.wte.weight");
    const positions = reshape(tape, part(tape, pass.parameter("transformer.wpe.weight"), 0, 0, t), [1, t, WIDTH]);
    let x = add(tape, lookUp(tape, words, tokens), repeat(tape, positions, n));
    for (let i = 0; i < LAYERS; i++) x = block(pass, `transformer.h.${i}`, x);
    return linear(tape, rowNormLayer(pass, "transformer.ln_f", x, 1e-5), words, null);
  },
  ...trainingOfTokens(VOCABULARY),
};
