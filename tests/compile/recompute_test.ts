import assert from "node:assert/strict";
import { createTrainer, crossEntropy, gpt, resnet, scenario, sgd, syntheticImages, tokens } from "../../mod.ts";
import { partsOf } from "../../runtime/trainer/trainer.ts";
import { assertSameBits, bitsOf } from "../trainer/models.ts";
import { full } from "../support/full.ts";
import { rejects } from "../support/refuses.ts";

const transformer = scenario({
  name: "gpt",
  model: gpt({ layers: 3, heads: 2, width: 16, context: 12, vocabulary: 20, dropout: 0.1 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: tokens({
    array: Int32Array.from({ length: 600 }, (_, i) => (i * i + 3 * i) % 20),
    context: 12,
    vocabulary: 20,
  }),
  loader: { batchSize: 4 },
});

const images = scenario({
  name: "resnet",
  model: resnet({ depth: 20, classes: 4 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: syntheticImages({ height: 8, width: 8, classes: 4, length: 64 }),
  loader: { batchSize: 4 },
});

const NETS = { gpt: transformer, resnet: images };

async function train(net: keyof typeof NETS, ...overrides: string[]) {
  await using trainer = await createTrainer(NETS[net], { overrides });
  const losses: number[] = [];
  for (let i = 0; i < 3; i++) losses.push((await trainer.step()).loss);
  const { plan, memory } = partsOf(trainer).session.compiled;
  const state = new Map([...await trainer.parameters(), ...await trainer.runningState()]);
  return { losses, state: bitsOf(state), plan, memory };
}

Deno.test("recomputed activations change no bit without fusion, and only rounding with it", async () => {
  for (const net of full ? ["gpt", "resnet"] as const : ["gpt"] as const) {
    const kept = await train(net, "compile.fusion=false");
    const again = await train(net, "compile.fusion=false", "recompute=blocks");
    assert.deepEqual(again.losses, kept.losses, net);
    assertSameBits(again.state, kept.state, net);
    assert.ok(again.memory.activations < kept.memory.activations, `${net}: ${again.memory.activations}`);
    assert.equal(again.plan.flops["forward"], kept.plan.flops["forward"]);
    assert.ok(again.plan.flops["backward"]! > kept.plan.flops["backward"]!, "recomputed work is backward");
    const copies = again.plan.nodes.filter(({ id }) => id.endsWith("/recompute"));
    assert.ok(copies.length > 0 && copies.every(({ phase }) => phase === "backward"));
    const fused = await train(net, "recompute=blocks", "accumulate=2", "clipNorm=1");
    const whole = await train(net, "accumulate=2", "clipNorm=1");
    fused.losses.forEach((loss, i) => assert.ok(Math.abs(loss - whole.losses[i]!) < 1e-4, `${net}: ${loss}`));
  }
});

Deno.test("layers to recompute are named by patterns", async () => {
  const some = await train("gpt", "recompute=[transformer.h.*.mlp]", "compile.fusion=false");
  const copies = some.plan.nodes.filter(({ id }) => id.endsWith("/recompute"));
  assert.ok(copies.length > 0 && copies.every(({ layer }) => /^transformer\.h\.\d\.mlp/.test(layer)));
  await rejects(train("gpt", "recompute=[transformer.g]"), /no layer is called "transformer.g"; did you mean/);
});
