/**
 * Language models in TensorFlow.js, which computes in f32 on its cpu backend.
 *
 * @module
 */
import * as tf from "../../packages/tfjs_training.ts";

/** Returns a parameter by name. */
export type Parameter = (name: string) => tf.Tensor;

/** A model as a function from parameters and tokens `[n, t]` to logits `[n, t, vocabulary]`. */
export type TfModel = (parameter: Parameter, tokens: tf.Tensor2D) => tf.Tensor;

/** Computes x weight^T for the last dimension, or x weight if `transposed`. */
function product(x: tf.Tensor, weight: tf.Tensor, transposed = false): tf.Tensor {
  const y = tf.matMul(tf.reshape(x, [-1, x.shape.at(-1)!]), weight as tf.Tensor2D, false, !transposed);
  return tf.reshape(y, [...x.shape.slice(0, -1), y.shape[1]!]);
}

function normalized(x: tf.Tensor, epsilon: number): tf.Tensor {
  const { mean, variance } = tf.moments(x, -1, true);
  return tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, epsilon)));
}

function headsOf(x: tf.Tensor, heads: number): tf.Tensor {
  const [n, t, features] = x.shape as [number, number, number];
  return tf.transpose(tf.reshape(x, [n, t, heads, features / heads]), [0, 2, 1, 3]);
}

/** Causal attention of `[n, heads, t, d]`. */
function attend(q: tf.Tensor, k: tf.Tensor, v: tf.Tensor): tf.Tensor {
  const [n, heads, t, depth] = q.shape as [number, number, number, number];
  const later = tf.tensor2d(Array.from({ length: t }, (_, i) => Array.from({ length: t }, (_, j) => j > i ? -1e9 : 0)));
  const scores = tf.add(tf.mul(tf.matMul(q, k, false, true), depth ** -0.5), later);
  const values = tf.matMul(tf.softmax(scores), v);
  return tf.reshape(tf.transpose(values, [0, 2, 1, 3]), [n, t, heads * depth]);
}

export function tfGpt(layers: number, heads: number): TfModel {
  return (p, tokens) => {
    const projection = (name: string, x: tf.Tensor) => tf.add(product(x, p(`${name}.weight`), true), p(`${name}.bias`));
    const norm = (name: string, x: tf.Tensor) =>
      tf.add(tf.mul(normalized(x, 1e-5), p(`${name}.weight`)), p(`${name}.bias`));
    const gelu = (x: tf.Tensor) => {
      const inner = tf.mul(tf.add(x, tf.mul(tf.mul(tf.mul(x, x), x), 0.044715)), Math.sqrt(2 / Math.PI));
      return tf.mul(tf.mul(x, 0.5), tf.add(tf.tanh(inner), 1));
    };
    const words = p("transformer.wte.weight");
    const positions = tf.slice(p("transformer.wpe.weight"), [0, 0], [tokens.shape[1], -1]);
    let x = tf.add(tf.gather(words, tokens), positions);
    for (let i = 0; i < layers; i++) {
      const name = `transformer.h.${i}`;
      const qkv = tf.split(projection(`${name}.attn.c_attn`, norm(`${name}.ln_1`, x)), 3, -1);
      const [q, k, v] = qkv.map((part) => headsOf(part, heads)) as [tf.Tensor, tf.Tensor, tf.Tensor];
      x = tf.add(x, projection(`${name}.attn.c_proj`, attend(q, k, v)));
      const hidden = gelu(projection(`${name}.mlp.c_fc`, norm(`${name}.ln_2`, x)));
      x = tf.add(x, projection(`${name}.mlp.c_proj`, hidden));
    }
    return product(norm("transformer.ln_f", x), words);
  };
}

export function tfLlama(
  { layers, heads, keyHeads, base, epsilon }: {
    layers: number;
    heads: number;
    keyHeads: number;
    base: number;
    epsilon: number;
  },
): TfModel {
  return (p, tokens) => {
    const projection = (name: string, x: tf.Tensor) => product(x, p(`${name}.weight`));
    const norm = (name: string, x: tf.Tensor) => {
      const squares = tf.mean(tf.mul(x, x), -1, true);
      return tf.mul(tf.mul(x, tf.rsqrt(tf.add(squares, epsilon))), p(`${name}.weight`));
    };
    const turned = (x: tf.Tensor) => {
      const [, , t, depth] = x.shape as [number, number, number, number];
      const angles = Array.from(
        { length: t },
        (_, at) => Array.from({ length: depth }, (_, k) => at * base ** (-2 * (k % (depth / 2)) / depth)),
      );
      const [first, second] = tf.split(x, 2, -1) as [tf.Tensor, tf.Tensor];
      const half = tf.concat([tf.neg(second), first], -1);
      const table = (f: (angle: number) => number) => tf.tensor2d(angles.map((row) => row.map(f)));
      return tf.add(tf.mul(x, table(Math.cos)), tf.mul(half, table(Math.sin)));
    };
    const shared = (x: tf.Tensor) => {
      const indices = Array.from({ length: heads }, (_, head) => Math.floor(head * keyHeads / heads));
      return tf.gather(x, tf.tensor1d(indices, "int32"), 1);
    };
    let x: tf.Tensor = tf.gather(p("model.embed_tokens.weight"), tokens);
    for (let i = 0; i < layers; i++) {
      const name = `model.layers.${i}`;
      const read = norm(`${name}.input_layernorm`, x);
      const q = turned(headsOf(projection(`${name}.self_attn.q_proj`, read), heads));
      const k = shared(turned(headsOf(projection(`${name}.self_attn.k_proj`, read), keyHeads)));
      const v = shared(headsOf(projection(`${name}.self_attn.v_proj`, read), keyHeads));
      x = tf.add(x, projection(`${name}.self_attn.o_proj`, attend(q, k, v)));
      const inner = norm(`${name}.post_attention_layernorm`, x);
      const gate = projection(`${name}.mlp.gate_proj`, inner);
      const gated = tf.mul(tf.mul(gate, tf.sigmoid(gate)), projection(`${name}.mlp.up_proj`, inner));
      x = tf.add(x, projection(`${name}.mlp.down_proj`, gated));
    }
    return projection("lm_head", norm("model.norm", x));
  };
}

export function tfLstm(layers: number): TfModel {
  return (p, tokens) => {
    const affine = (name: string, x: tf.Tensor) => tf.add(product(x, p(`rnn.weight_${name}`)), p(`rnn.bias_${name}`));
    let x: tf.Tensor = tf.gather(p("encoder.weight"), tokens);
    for (let l = 0; l < layers; l++) {
      const size = p(`rnn.weight_hh_l${l}`).shape[1]!;
      let hidden: tf.Tensor = tf.zeros([x.shape[0]!, size]);
      let cell: tf.Tensor = hidden;
      const outputs = tf.unstack(x, 1).map((input) => {
        const gates = tf.split(tf.add(affine(`ih_l${l}`, input), affine(`hh_l${l}`, hidden)), 4, 1);
        const [i, f, g, o] = gates as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
        cell = tf.add(tf.mul(tf.sigmoid(f), cell), tf.mul(tf.sigmoid(i), tf.tanh(g)));
        hidden = tf.mul(tf.sigmoid(o), tf.tanh(cell));
        return hidden;
      });
      x = tf.stack(outputs, 1);
    }
    return tf.add(product(x, p("decoder.weight")), p("decoder.bias"));
  };
}
