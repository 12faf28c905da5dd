/** Names, shapes, sizes and initial values of language models. Nothing is allocated. */
import assert from "node:assert/strict";
import { gpt, type GptSize, llama, type LlamaSize, lstmLanguageModel } from "../../mod.ts";
import { layerInfo } from "../../runtime/nn/layer.ts";
import { build, countValues, initializerOf, multiplyAdds } from "./building.ts";
import { refuses } from "../support/refuses.ts";

Deno.test("gpt has the parameters of Hugging Face's GPT2LMHeadModel in name and shape, and the embedding once", () => {
  const { parameters, output } = build(gpt({ layers: 2, heads: 3, width: 12, context: 9, vocabulary: 11 }), [2, 7]);
  const block = (i: number) =>
    Object.entries({
      "ln_1.weight": [12],
      "ln_1.bias": [12],
      "attn.c_attn.weight": [12, 36],
      "attn.c_attn.bias": [36],
      "attn.c_proj.weight": [12, 12],
      "attn.c_proj.bias": [12],
      "ln_2.weight": [12],
      "ln_2.bias": [12],
      "mlp.c_fc.weight": [12, 48],
      "mlp.c_fc.bias": [48],
      "mlp.c_proj.weight": [48, 12],
      "mlp.c_proj.bias": [12],
    }).map(([name, shape]) => [`transformer.h.${i}.${name}`, shape]);
  assert.deepEqual([...parameters], [
    ["transformer.wte.weight", [11, 12]],
    ["transformer.wpe.weight", [9, 12]],
    ...block(0),
    ...block(1),
    ["transformer.ln_f.weight", [12]],
    ["transformer.ln_f.bias", [12]],
  ]);
  assert.deepEqual(output.shape, [2, 7, 11]);
});

Deno.test("gpt has the published numbers of parameters and multiply-adds", () => {
  const sizes: Record<GptSize, [values: number, products: number]> = {
    "gpt2": [124_439_808, 145_824_153_600],
    "gpt2-medium": [354_823_168, 413_475_536_896],
    "gpt2-large": [774_030_080, 887_285_350_400],
    "gpt2-xl": [1_557_611_200, 1_753_351_782_400],
  };
  for (const [size, [values, products]] of Object.entries(sizes) as [GptSize, [number, number]][]) {
    const model = gpt({ size });
    // Tiled attention leaves out the products that the causal mask excludes
    const built = build(model, [1, 1024], "train", "composed");
    assert.equal(countValues(built.parameters), values, size);
    assert.equal(multiplyAdds(built), products, size);
    assert.equal(layerInfo(model)?.title, size);
  }
  const { parameters } = build(gpt({ layers: 4, heads: 4, width: 128, context: 128, vocabulary: 96 }), [8, 128]);
  assert.equal(countValues(parameters), 96 * 128 + 128 * 128 + 4 * (12 * 128 * 128 + 13 * 128) + 2 * 128);
});

Deno.test("gpt: weights start as GPT-2's, those of the residual smaller by the root of their number", () => {
  const built = build(gpt({ layers: 8, heads: 2, width: 4 }), [1, 5]);
  const normal = (deviation: number) => ({ kind: "normal", mean: 0, deviation });
  for (const name of ["wte", "wpe", "h.7.attn.c_attn", "h.0.mlp.c_fc"]) {
    assert.deepEqual(initializerOf(built, `transformer.${name}.weight`), normal(0.02));
  }
  for (const name of ["attn", "mlp"]) {
    assert.deepEqual(initializerOf(built, `transformer.h.3.${name}.c_proj.weight`), normal(0.02 / 4));
  }
  assert.deepEqual(initializerOf(built, "transformer.h.3.mlp.c_proj.bias"), { kind: "constant", value: 0 });
  assert.deepEqual(initializerOf(built, "transformer.ln_f.weight"), { kind: "constant", value: 1 });
});

Deno.test("gpt: dropout is at the embeddings, in the attention and at the residuals, only in training", () => {
  const model = gpt({ layers: 1, heads: 2, width: 4, dropout: 0.1 });
  const dropped = (mode: "train" | "infer") =>
    build(model, [1, 5], mode).graph.nodes.filter(({ op }) => op.type === "dropout").map(({ layer }) => layer);
  const block = "transformer.h.0";
  assert.deepEqual(dropped("train"), [
    "transformer.drop",
    `${block}.attn.attention`,
    `${block}.attn.resid_dropout`,
    `${block}.mlp.dropout`,
  ]);
  assert.deepEqual(dropped("infer"), []);
});

Deno.test("gpt: refuses invalid options and inputs", () => {
  refuses(() => gpt({ size: "gpt3" as "gpt2" }), /^gpt\.size is "gpt3"; expected one of gpt2, gpt2-medium, /);
  refuses(() => gpt({ heads: 5 }), "gpt: expected heads that divide the width of 768, got 5; change one of them");
  const small = gpt({ layers: 1, heads: 1, width: 4, context: 8 });
  refuses(() => build(small, [2, 3, 8, 8]), /^model: gpt expects tokens \[n, t\], got \[2, 3, 8, 8\]/);
  refuses(() => build(small, [2, 9]), /^model: layer "transformer\.wpe": .*at most 8 positions, got \[2, 9, 4\]/);
});

Deno.test("llama has the parameters of Hugging Face's LlamaForCausalLM in name and shape", () => {
  const options = { layers: 1, heads: 6, kvHeads: 2, width: 24, vocabulary: 11 } as const;
  const { parameters, output } = build(llama(options), [2, 7]);
  const block = "model.layers.0";
  const shapes = {
    "model.embed_tokens.weight": [11, 24],
    [`${block}.input_layernorm.weight`]: [24],
    [`${block}.self_attn.q_proj.weight`]: [24, 24],
    [`${block}.self_attn.k_proj.weight`]: [8, 24],
    [`${block}.self_attn.v_proj.weight`]: [8, 24],
    [`${block}.self_attn.o_proj.weight`]: [24, 24],
    [`${block}.post_attention_layernorm.weight`]: [24],
    [`${block}.mlp.gate_proj.weight`]: [256, 24],
    [`${block}.mlp.up_proj.weight`]: [256, 24],
    [`${block}.mlp.down_proj.weight`]: [24, 256],
    "model.norm.weight": [24],
    "lm_head.weight": [11, 24],
  };
  assert.deepEqual(Object.fromEntries(parameters), shapes);
  assert.deepEqual(output.shape, [2, 7, 11]);
  const tied = build(llama({ ...options, hidden: 40, tied: true }), [2, 7]).parameters;
  assert.equal(tied.has("lm_head.weight"), false);
  assert.deepEqual(tied.get(`${block}.mlp.down_proj.weight`), [24, 40]);
});

Deno.test("llama has the published numbers of parameters", () => {
  const sizes: Record<LlamaSize, number> = {
    "tinyllama-1.1b": 1_100_048_384,
    "llama-2-7b": 6_738_415_616,
    "llama-2-13b": 13_015_864_320,
    "llama-2-70b": 68_976_648_192,
    "llama-3-8b": 8_030_261_248,
    "llama-3.1-8b": 8_030_261_248,
    "llama-3.1-70b": 70_553_706_496,
    "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-3b": 3_212_749_824,
  };
  for (const [size, values] of Object.entries(sizes) as [LlamaSize, number][]) {
    const model = llama({ size });
    assert.equal(countValues(build(model, [1, 2]).parameters), values, size);
    assert.equal(layerInfo(model)?.title, size);
  }
  // Each token meets each weight but the embedding's and the norms' once; attention multiplies 4096 features twice
  const weights = 6_738_415_616 - 32_000 * 4096 - 65 * 4096;
  assert.equal(multiplyAdds(build(llama(), [1, 64], "train", "composed")), 64 * (weights + 32 * 2 * 64 * 4096));
});

Deno.test("llama: weights start normal, and heads that do not divide are refused", () => {
  const built = build(llama({ layers: 1, heads: 2, width: 8 }), [1, 3]);
  for (const name of ["model.embed_tokens", "model.layers.0.mlp.down_proj", "lm_head"]) {
    assert.deepEqual(initializerOf(built, `${name}.weight`), { kind: "normal", mean: 0, deviation: 0.02 });
  }
  refuses(
    () => llama({ heads: 6, kvHeads: 4, width: 12 }),
    "llama: expected kvHeads that divide the 6 heads, got 4; change one of them",
  );
  refuses(() => llama({ heads: 5 }), /^llama: expected heads that divide the width of 4096, got 5/);
  refuses(() => llama({ rotaryBase: 1 }), "llama.rotaryBase is 1; expected more than 1");
  const scaling = { type: "llama3", factor: 8, lowFreqFactor: 4, highFreqFactor: 4 } as const;
  refuses(
    () => llama({ rotaryScaling: { ...scaling, originalMaxPositionEmbeddings: 8192 } }),
    "llama.rotaryScaling.highFreqFactor is 4; expected more than lowFreqFactor",
  );
  refuses(() => llama({ headDim: 5 }), "llama.headDim is 5; expected an even number");
});

Deno.test("headDim gives the heads of a llama any size", () => {
  const { parameters } = build(llama({ layers: 1, heads: 5, kvHeads: 1, width: 8, headDim: 6, vocabulary: 11 }), [
    2,
    3,
  ]);
  const shapes = ["q", "k", "o"].map((name) => parameters.get(`model.layers.0.self_attn.${name}_proj.weight`));
  assert.deepEqual(shapes, [[30, 8], [6, 8], [8, 30]]);
});

Deno.test("lstmLanguageModel has the parameters of PyTorch's word_language_model", () => {
  const built = build(lstmLanguageModel({ vocabulary: 13, width: 5, hidden: 3 }), [2, 4]);
  assert.deepEqual(
    Object.fromEntries(built.parameters),
    {
      "encoder.weight": [13, 5],
      "rnn.weight_ih_l0": [12, 5],
      "rnn.weight_hh_l0": [12, 3],
      "rnn.bias_ih_l0": [12],
      "rnn.bias_hh_l0": [12],
      "rnn.weight_ih_l1": [12, 3],
      "rnn.weight_hh_l1": [12, 3],
      "rnn.bias_ih_l1": [12],
      "rnn.bias_hh_l1": [12],
      "decoder.weight": [13, 3],
      "decoder.bias": [13],
    },
  );
  assert.deepEqual(initializerOf(built, "decoder.weight"), { kind: "uniform", low: -0.1, high: 0.1 });
  assert.deepEqual(initializerOf(built, "decoder.bias"), { kind: "constant", value: 0 });
  // The sizes of the example, on WikiText-2
  assert.equal(countValues(build(lstmLanguageModel({ vocabulary: 33_278 }), [1, 2]).parameters), 13_987_678);
  const tied = build(lstmLanguageModel({ vocabulary: 13, width: 6, hidden: 6, layers: 1, tied: true }), [2, 4]);
  assert.equal(tied.parameters.has("decoder.weight"), false);
  assert.ok(tied.parameters.has("decoder.bias"));
  refuses(
    () => lstmLanguageModel({ vocabulary: 13, width: 5, hidden: 3, tied: true }),
    "lstmLanguageModel: tied weights need a width equal to hidden, got 5 and 3",
  );
});
