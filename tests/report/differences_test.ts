import assert from "node:assert/strict";
import { differences, formatDifferences } from "../../runtime/report/differences.ts";

Deno.test("differences have dotted paths, and lists and empty records are values", () => {
  const reference = {
    amp: "O0",
    sink: 0,
    loader: { numWorkers: 0, prefetch: 2 },
    list: [1, 2],
    params: {},
    gone: null,
  };
  const config = { amp: "O2", sink: 0, loader: { numWorkers: 2, prefetch: 2 }, list: [1, 3], params: { depth: 20 } };
  assert.equal(
    formatDifferences(differences(config, reference)),
    "amp O0 -> O2, loader.numWorkers 0 -> 2, list [1,2] -> [1,3], params.depth unset -> 20, " +
      "params {} -> unset, gone null -> unset",
  );
  assert.deepEqual(differences(reference, reference), []);
});

Deno.test("a record that replaces null is one difference", () => {
  const distributed = { distribute: { bucket: 1024, compress: null } };
  assert.equal(
    formatDifferences(differences(distributed, { distribute: null })),
    "distribute null -> bucket: 1024, compress: null",
  );
  assert.equal(
    formatDifferences(differences({ distribute: null }, distributed)),
    "distribute bucket: 1024, compress: null -> null",
  );
});
