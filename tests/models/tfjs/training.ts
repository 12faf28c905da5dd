import * as tf from "../../packages/tfjs_training.ts";
import type { Arrays } from "../../support/reference/network.ts";
import type { TfModel } from "./language_models.ts";

/** Settings of AdamW. */
export interface AdamWSettings {
  readonly learningRate: number;
  readonly weightDecay: number;
}

/** Trains a model with `torch.optim.AdamW`'s rule, one step per batch, and returns the losses. */
export async function trainTf(
  model: TfModel,
  start: ReadonlyMap<string, Arrays>,
  batches: readonly { readonly tokens: Int32Array; readonly target: Int32Array }[],
  batchSize: number,
  { learningRate, weightDecay }: AdamWSettings,
): Promise<number[]> {
  await tf.setBackend("cpu");
  const variables = new Map(
    [...start].map(([name, { shape, data }]) => [name, tf.variable(tf.tensor(Float32Array.from(data), [...shape]))]),
  );
  const moments = new Map(
    [...variables].map((
      [name, { shape }],
    ) => [name, { m: tf.variable(tf.zeros(shape)), v: tf.variable(tf.zeros(shape)) }]),
  );
  const losses: number[] = [];
  batches.forEach(({ tokens, target }, step) => {
    tf.tidy(() => {
      const input = tf.tensor2d(tokens, [batchSize, tokens.length / batchSize], "int32");
      const { value, grads } = tf.variableGrads(() => {
        const logits = model((name) => variables.get(name)!, input);
        const rows = tf.logSoftmax(tf.reshape(logits, [-1, logits.shape.at(-1)!]));
        const hits = tf.oneHot(tf.tensor1d(target, "int32"), rows.shape[1]!);
        return tf.neg(tf.mean(tf.sum(tf.mul(rows, hits), 1))) as tf.Scalar;
      }, [...variables.values()]);
      losses.push(value.dataSync()[0]!);
      for (const [name, variable] of variables) {
        const gradient = grads[variable.name]!;
        const { m, v } = moments.get(name)!;
        m.assign(tf.add(tf.mul(m, 0.9), tf.mul(gradient, 0.1)));
        v.assign(tf.add(tf.mul(v, 0.999), tf.mul(tf.mul(gradient, gradient), 0.001)));
        const root = tf.add(tf.div(tf.sqrt(v), Math.sqrt(1 - 0.999 ** (step + 1))), 1e-8);
        const update = tf.mul(tf.div(m, root), learningRate / (1 - 0.9 ** (step + 1)));
        variable.assign(tf.sub(tf.mul(variable, 1 - learningRate * weightDecay), update));
      }
    });
  });
  return losses;
}
