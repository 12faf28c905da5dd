import { equal } from "node:assert/strict";
import { type Residual, residualCause } from "../../runtime/analysis/residual_cause.ts";

/** A step of 10 ms with ten gaps, which take 2 ms together. */
const base: Residual = {
  interval: 10,
  ops: 8,
  gaps: { count: 10, submits: 0, longest: 0.3 },
  measured: 8.2,
};

Deno.test("gaps that only profiled steps have come from their timestamps", () => {
  equal(residualCause(base), "timestamps");
});

Deno.test("gaps that measured steps have too come from launches", () => {
  equal(residualCause({ ...base, measured: 9.5 }), "launches");
});

Deno.test("without measured phases the cause is unknown", () => {
  equal(residualCause({ ...base, measured: null }), null);
});

Deno.test("a residual of at most 5 % has no cause", () => {
  equal(residualCause({ ...base, ops: 9.5 }), null);
});

Deno.test("one gap that takes most of the time is a stall, unless few gaps make every one long", () => {
  equal(residualCause({ ...base, gaps: { ...base.gaps, longest: 1.4 } }), "stall");
  const few = { ...base, gaps: { count: 2, submits: 0, longest: 1.8 } };
  equal(residualCause(few), "timestamps");
});

Deno.test("gaps between submits are named where they are most of the residual", () => {
  equal(residualCause({ ...base, gaps: { ...base.gaps, submits: 1.2 } }), "submits");
  equal(residualCause({ ...base, gaps: { ...base.gaps, submits: 1.4, longest: 1.4 } }), "submits", "one gap a step");
});
