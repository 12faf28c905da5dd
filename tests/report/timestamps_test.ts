import assert from "node:assert/strict";
import { NO_DEFECTS } from "../../runtime/record/device_samples.ts";
import { renderMatrix } from "../../runtime/report/matrix/matrix.ts";
import { timestampFacts } from "../../runtime/report/timestamps.ts";
import { result, variant } from "./result_fixture.ts";

const whole = variant("whole");
const partial = variant("partial", {
  timestamps: { passes: 90, usable: 60, defects: { ...NO_DEFECTS, outside: 29, reset: 1 }, clockResets: 2 },
});
const repaired = variant("repaired", {
  timestamps: { passes: 90, usable: 90, defects: { ...NO_DEFECTS, overlapping: 4 }, clockResets: 0 },
});

Deno.test("the matrix says which passes lack usable timestamps, and why", () => {
  const text = renderMatrix(result([whole, partial, repaired]), { columns: 200, color: false });
  assert.match(
    text,
    /^passes with usable timestamps: partial 67 % \(1 reset, 29 outside\), repaired 100 % \(4 overlapping\)$/m,
  );
  assert.match(text, /^the device's clock wrapped around or was reset 2 times and was fitted again$/m);
});

Deno.test("nothing is said about timestamps that are all usable, or of variants without them", () => {
  assert.deepEqual(timestampFacts([whole, variant("loader", { timestamps: null })]), []);
});

Deno.test("lost passes are a warning, repaired ones a fact", () => {
  assert.equal(timestampFacts([partial])[0]!.tone, "warning");
  assert.equal(timestampFacts([repaired])[0]!.tone, undefined);
});
