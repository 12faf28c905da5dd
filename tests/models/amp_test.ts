import assert from "node:assert/strict";
import { CASES } from "./cases.ts";
import { lossesOf } from "./training.ts";

const SCALER = { dynamic: false, init: 1024 } as const;

for (const test of CASES) {
  Deno.test(`${test.name}: mixed precision at a fixed loss scale stays within 2 % of f32`, async () => {
    const full = await lossesOf(test, {});
    for (const level of ["O1", "O2", "O3"] as const) {
      const losses = await lossesOf(test, { amp: { level, scaler: SCALER } });
      const errors = losses.map((loss, i) => Math.abs(loss - full[i]!) / Math.abs(full[i]!));
      assert.ok(Math.max(...errors) <= 0.02, `${level}: ${losses}, in f32 ${full}`);
      // ... and is not f32 after all
      assert.ok(Math.max(...errors) >= 1e-6, `${level}: ${losses}, in f32 ${full}`);
    }
  });
}
