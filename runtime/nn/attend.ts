/**
 * Attention without its projections, which layers and models share.
 *
 * @module
 */
import { tiledAttention } from "../../ops/attention.ts";
import { split } from "../../ops/concat.ts";
import { reshape } from "../../ops/reshape.ts";
import { rotary as rotate, rotaryOfHeads, type RotaryOptions } from "../../ops/rotary.ts";
import {
  attentionForm,
  type AttentionRule,
  composedAttention,
  drawsOf,
} from "../../ops/scaled_dot_product_attention.ts";
import { transpose } from "../../ops/transpose.ts";
import type { Tensor } from "../graph/op.ts";

/** Settings of {@linkcode attend}. */
export interface AttendSettings {
  readonly heads: number;
  /** Heads of keys and values, which divide the heads; each serves `heads / kvHeads` heads of queries. */
  readonly kvHeads: number;
  readonly causal: boolean;
  /** Number of latest positions that a causal position attends to; 0 for all. */
  readonly window: number;
  readonly rotary: boolean | RotaryOptions;
  /** Probability that a weight of attention is dropped in training. */
  readonly dropout: number;
}

/** Attends with queries `[n, t, heads d]` to keys and values `[n, t, kvHeads d]`; returns `[n, t, heads d]`. */
export function attend(q: Tensor, k: Tensor, v: Tensor, settings: AttendSettings): Tensor {
  const { heads, kvHeads } = settings;
  const angles = anglesOf(settings);
  const rule = ruleOf(q, heads, settings);
  const turned = (each: Tensor, axis: number) => angles === null ? each : rotate(each, axis, angles);
  if (isTiled(q, settings)) {
    const parts = [turned(divided(q, heads), 1), turned(divided(k, kvHeads), 1), divided(v, kvHeads)];
    return reshape(tiledAttention(parts, { order: "positions", heads, kvHeads, ...rule }), q.shape);
  }
  const [queries, keys, values] = [headsOf(q, heads), headsOf(k, kvHeads), headsOf(v, kvHeads)];
  return joined(composedAttention(turned(queries, 2), turned(keys, 2), values, rule));
}

/**
 * Attends within a joint projection of queries, keys and values, `[n, t, (heads + 2 kvHeads) d]`; returns
 * `[n, t, heads d]`. Tiled attention reads the heads where they are.
 */
export function attendJoined(x: Tensor, settings: AttendSettings): Tensor {
  const { heads, kvHeads } = settings;
  const angles = anglesOf(settings);
  const all = heads + 2 * kvHeads;
  const rule = ruleOf(x, all, settings);
  if (isTiled(x, settings)) {
    const turned = angles === null ? x : reshape(rotaryOfHeads(divided(x, all), 1, heads + kvHeads, angles), x.shape);
    return tiledAttention([turned], { order: "joined", heads, kvHeads, ...rule });
  }
  const [q, k, v] = split(headsOf(x, all), [heads, kvHeads, kvHeads], 1) as [Tensor, Tensor, Tensor];
  const turned = (each: Tensor) => angles === null ? each : rotate(each, 2, angles);
  return joined(composedAttention(turned(q), turned(k), v, rule));
}

function isTiled(x: Tensor, { heads }: AttendSettings): boolean {
  const [n, t] = x.shape as [number, number];
  return attentionForm(x, { n, heads, queries: t, keys: t }) === "tiled";
}

function anglesOf({ rotary }: AttendSettings): RotaryOptions | null {
  return rotary === true ? {} : rotary === false ? null : rotary;
}

/** Returns the rule of attention between `heads` heads, of queries or of all, that the features of `x` form. */
function ruleOf({ graph, shape }: Tensor, heads: number, { causal, window, dropout }: AttendSettings): AttentionRule {
  const used = graph.mode === "train" ? dropout : 0;
  return { causal, window, scale: (shape[2]! / heads) ** -0.5, dropout: used, key: drawsOf(graph, used) };
}

/** Divides features into heads: `[n, t, heads d]` to `[n, t, heads, d]`. */
function divided(x: Tensor, heads: number): Tensor {
  const [n, t, features] = x.shape as [number, number, number];
  return reshape(x, [n, t, heads, features / heads]);
}

/** Divides features into heads: `[n, t, heads d]` to `[n, heads, t, d]`. */
function headsOf(x: Tensor, heads: number): Tensor {
  return transpose(divided(x, heads), [0, 2, 1, 3]);
}

/** Joins heads: `[n, heads, t, d]` to `[n, t, heads d]`. */
function joined(y: Tensor): Tensor {
  const [n, heads, t, depth] = y.shape as [number, number, number, number];
  return reshape(transpose(y, [0, 2, 1, 3]), [n, t, heads * depth]);
}
