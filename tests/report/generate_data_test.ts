import assert from "node:assert/strict";
import { renderProfile } from "../../runtime/report/profile/profile.ts";
import type { OpRecord } from "../../runtime/result/schema.ts";
import { op, ops, profiledResult } from "./profile_fixture.ts";

function hostTable(more: readonly OpRecord[]): string {
  const result = profiledResult({ ops: [...ops, ...more] });
  const options = { columns: 100, color: false, verbosity: 2, groupBy: [], sort: "order", top: null } as const;
  return renderProfile(result, options);
}

Deno.test("generating random data is a row of the host's table, with its device time", () => {
  const text = hostTable([op("drop1", "dropout", 0.5, { kernel: "dropout.f32" }), op("drop2", "dropout", 0.25)]);
  assert.match(text, /^generate data \(device\) +– +– +– +– +– +0\.75 +–$/m);
  assert.match(text, /generate data: device time of drop1, drop2 in the profiled steps/);
});

Deno.test("random data is found in fused kernels, but not in gradients", () => {
  const text = hostTable([
    op("fused", "elementwise", 0.5, { roles: ["random"] }),
    op("grad", "dropout_grad", 0.25, { phase: "backward" }),
  ]);
  assert.match(text, /generate data: device time of fused in the profiled steps/);
});

Deno.test("a draw that was not timed is not measured, and a model without one has no row", () => {
  assert.match(hostTable([op("drop1", "dropout", null)]), /^generate data \(device\)( +–){7}$/m);
  const none = hostTable([]);
  assert.doesNotMatch(none, /\(device\)/);
  assert.match(none, /generate data: –, no layer draws random numbers/);
});
