import assert from "node:assert/strict";
import { layout } from "../../../runtime/analysis/advice/layout.ts";
import { applied, apply, config, input, measured, op, said } from "./fixture.ts";

Deno.test("layout: proposes the default layout if conversions cost time", () => {
  const ops = [op("conv1", { mean: 90 }), op("conv1/layout", { type: "to_layout", mean: 10 })];
  const forced = measured({}, { ops, config: config({ compile: { layout: "nchw" } }) });
  const { changes, gain } = said(apply(layout, input(forced)));
  assert.deepEqual(changes, ['compile.layout: "nchw" -> "auto"']);
  assert.ok(Math.abs(gain - 100 / (100 - 92 * 0.1)) < 1e-9, `${gain}`);
  assert.equal(applied(layout, {}, { ops }), null);
  const same = measured({}, { ops, config: config({ compile: { layout: "nhwc" } }) });
  assert.equal(apply(layout, input(same)), null, "auto is nhwc");
  const slower = measured({}, { ops: ops.slice(0, 1), config: config({ compile: { layout: "nchw" } }) });
  assert.equal(apply(layout, input(slower)), null);
  said(apply(layout, input(slower, { baseline: measured({}, { ops: [op("conv1", { mean: 45 })] }) })));
});
