/** Planned memory of attention by length; nothing runs on a device. */
import assert from "node:assert/strict";
import { meanSquaredError, multiHeadAttention } from "../../mod.ts";
import { compileTraining } from "../../runtime/compile/compile.ts";
import type { Plan } from "../../runtime/compile/plan.ts";
import type { AttentionSetting } from "../../runtime/graph/types.ts";
import { optionsOf } from "./programs.ts";

const [N, FEATURES, HEADS] = [2, 64, 4];

function planOf(length: number, attention: AttentionSetting, deviceClass: "cpu" | "gpu" = "gpu"): Plan {
  const shape = [N, length, FEATURES];
  const options = optionsOf(multiHeadAttention({ heads: HEADS, causal: true, dropout: 0.1 }), shape, {
    loss: meanSquaredError(),
    batch: { input: { shape, dtype: "f32" }, target: { shape, dtype: "f32" } },
    attention,
  });
  return compileTraining({ ...options, traits: { ...options.traits, class: deviceClass } });
}

function bytesOf({ slots }: Plan): number {
  return slots.reduce((sum, bytes) => sum + bytes, 0);
}

Deno.test("memory of tiled attention grows with the length, that of composed attention with its square", () => {
  for (const deviceClass of ["cpu", "gpu"] as const) {
    const [half, whole] = [1024, 2048].map((length) => bytesOf(planOf(length, "tiled", deviceClass))) as [
      number,
      number,
    ];
    assert.ok(whole <= 2.01 * half, `${deviceClass}: ${half} bytes at 1024, ${whole} at 2048`);
    const weights = N * HEADS * 2048 * 2048 * 4;
    assert.ok(whole < weights / 8, `${whole} bytes`);
    assert.ok(bytesOf(planOf(2048, "composed", deviceClass)) > weights);
  }
});

Deno.test("a plan names the form of attention", () => {
  const types = (attention: AttentionSetting, length: number) =>
    new Set(planOf(length, attention).nodes.map(({ type }) => type));
  assert.ok(types("tiled", 64).has("tiled_attention") && types("tiled", 64).has("tiled_attention_grad"));
  assert.ok(types("composed", 512).has("softmax") && !types("composed", 512).has("tiled_attention"));
  assert.ok(types("auto", 512).has("tiled_attention"));
  assert.notEqual(planOf(64, "tiled").fingerprint, planOf(64, "composed").fingerprint);
});
