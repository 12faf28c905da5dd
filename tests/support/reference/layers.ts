/**
 * Layers whose weights come from a pass by name.
 *
 * @module
 */
import { attention } from "./attention.ts";
import { batchNorm, type NormSettings } from "./batch_norm.ts";
import { conv2d, type ConvSettings } from "./conv2d.ts";
import { convTranspose2d } from "./conv_transpose2d.ts";
import { dropout } from "./dropout.ts";
import { layerNorm } from "./layer_norm.ts";
import { linear } from "./linear.ts";
import type { Pass } from "./network.ts";
import type { Value } from "./value.ts";

export function convLayer(
  pass: Pass,
  name: string,
  x: Value,
  { bias = true, ...settings }: ConvSettings & { bias?: boolean } = {},
): Value {
  return conv2d(
    pass.tape,
    x,
    pass.parameter(`${name}.weight`),
    bias ? pass.parameter(`${name}.bias`) : null,
    settings,
  );
}

export function linearLayer(pass: Pass, name: string, x: Value, { bias = true } = {}): Value {
  return linear(pass.tape, x, pass.parameter(`${name}.weight`), bias ? pass.parameter(`${name}.bias`) : null);
}

export function normLayer(pass: Pass, name: string, x: Value, settings: NormSettings = {}): Value {
  return batchNorm(
    pass.tape,
    x,
    {
      gamma: pass.parameter(`${name}.weight`),
      beta: pass.parameter(`${name}.bias`),
      runningMean: pass.running(`${name}.running_mean`),
      runningVariance: pass.running(`${name}.running_var`),
    },
    pass.training,
    settings,
  );
}

export function rowNormLayer(pass: Pass, name: string, x: Value, epsilon: number): Value {
  return layerNorm(pass.tape, x, pass.parameter(`${name}.weight`), pass.parameter(`${name}.bias`), epsilon);
}

export function attentionLayer(pass: Pass, name: string, x: Value, heads: number): Value {
  const { tape } = pass;
  const qkv = linear(tape, x, pass.parameter(`${name}.in_proj_weight`), pass.parameter(`${name}.in_proj_bias`));
  return linearLayer(pass, `${name}.out_proj`, attention(tape, qkv, heads));
}

export function convTransposeLayer(pass: Pass, name: string, x: Value, stride: readonly [number, number]): Value {
  return convTranspose2d(pass.tape, x, pass.parameter(`${name}.weight`), pass.parameter(`${name}.bias`), stride);
}

export function dropoutLayer(pass: Pass, name: string, x: Value, p: number): Value {
  return pass.training ? dropout(pass.tape, x, p, { seed: pass.seed, step: pass.step, path: name }) : x;
}
