import { llama as makeLlama } from "../../mod.ts";
import { attention } from "../support/reference/attention.ts";
import { add, mul, silu } from "../support/reference/elementwise.ts";
import { lookUp } from "../support/reference/embedding.ts";
import { linearLayer } from "../support/reference/layers.ts";
import { concat, part } from "../support/reference/moving.ts";
import type { Pass } from "../support/reference/network.ts";
import { rmsNorm } from "../support/reference/rms_norm.ts";
import { rotary } from "../support/reference/rotary.ts";
import type { Value } from "../support/reference/value.ts";
import type { ModelCase } from "./case.ts";
import { trainingOfTokens } from "./token_training.ts";

const [LAYERS, HEADS, KEY_HEADS, WIDTH, HIDDEN, VOCABULARY] = [2, 6, 2, 24, 20, 13];
const [BASE, EPSILON] = [500, 1e-5];

function projection(pass: Pass, name: string, x: Value): Value {
  return linearLayer(pass, name, x, { bias: false });
}

function norm(pass: Pass, name: string, x: Value): Value {
  return rmsNorm(pass.tape, x, pass.parameter(`${name}.weight`), EPSILON);
}

/** Repeats each head for the queries that share it. */
function shared(pass: Pass, x: Value): Value {
  const depth = WIDTH / HEADS;
  const heads = Array.from({ length: HEADS }, (_, head) => Math.floor(head * KEY_HEADS / HEADS));
  return concat(pass.tape, heads.map((head) => part(pass.tape, x, 2, head * depth, depth)), 2);
}

function attended(pass: Pass, name: string, x: Value): Value {
  const { tape } = pass;
  const q = rotary(tape, projection(pass, `${name}.q_proj`, x), HEADS, BASE);
  const k = shared(pass, rotary(tape, projection(pass, `${name}.k_proj`, x), KEY_HEADS, BASE));
  const v = shared(pass, projection(pass, `${name}.v_proj`, x));
  return projection(pass, `${name}.o_proj`, attention(tape, concat(tape, [q, k, v], 2), HEADS, { causal: true }));
}

function block(pass: Pass, name: string, x: Value): Value {
  const { tape } = pass;
  const y = add(tape, x, attended(pass, `${name}.self_attn`, norm(pass, `${name}.input_layernorm`, x)));
  const read = norm(pass, `${name}.post_attention_layernorm`, y);
  const gate = silu(tape, projection(pass, `${name}.mlp.gate_proj`, read));
  const gated = mul(tape, gate, projection(pass, `${name}.mlp.up_proj`, read));
  return add(tape, y, projection(pass, `${name}.mlp.down_proj`, gated));
}

/** A small Llama with three heads of queries for each head of keys. */
export const llama: ModelCase = {
  name: "llama",
  model: makeLlama({
    layers: LAYERS,
    heads: HEADS,
    kvHeads: KEY_HEADS,
    width: WIDTH,
    hidden: HIDDEN,
    vocabulary: VOCABULARY,
    rotaryBase: BASE,
    epsilon: EPSILON,
  }),
  reference: (pass, tokens) => {
    let x = lookUp(pass.tape, pass.parameter("model.embed_tokens.weight"), tokens);
    for (let i = 0; i < LAYERS; i++) x = block(pass, `model.layers.${i}`, x);
    return projection(pass, "lm_head", norm(pass, "model.norm", x));
  },
  ...trainingOfTokens(VOCABULARY),
};
