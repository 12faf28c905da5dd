import assert from "node:assert/strict";
import { environmentDifferences, sameAdapter } from "../../runtime/analysis/environment_differences.ts";
import { adapter, result } from "../report/result_fixture.ts";

const known = { ...adapter, driver: "560" };
const environment = { ...result([]).environment, adapter: known };

Deno.test("an environment equals itself", () => {
  assert.deepEqual(environmentDifferences(environment, structuredClone(environment)), []);
});

Deno.test("differences are named, the adapter first", () => {
  const now = {
    ...environment,
    tacho: "0.2.0",
    deno: "3.0.0",
    git: "abc-dirty",
    lockHash: "f".repeat(64),
    memory: (environment.memory ?? 0) + 2 ** 32,
    adapter: { ...known, name: "H200", driver: "570", features: ["shader-f16"], limits: { maxBufferSize: 1 } },
    variables: { ...environment.variables, LP_NUM_THREADS: "3" },
  };
  const differences = environmentDifferences(environment, now);
  assert.deepEqual(differences.map(({ what }) => what), [
    ...["adapter", "driver", "features", "limit maxBufferSize", "Tacho", "Deno", "memory", "git commit"],
    ...["lock file of packages", "variable LP_NUM_THREADS"],
  ]);
  assert.deepEqual(differences[1], { what: "driver", then: "560", now: "570" });
  assert.deepEqual(differences.at(-1), { what: "variable LP_NUM_THREADS", then: null, now: "3" });
  assert.equal(differences.at(-2)!.now, "ffffffffffff");
});

Deno.test("the order of features is ignored, and limits are compared only between two adapters", () => {
  const ordered = { ...environment, adapter: { ...known, features: ["a", "b"] } };
  assert.deepEqual(environmentDifferences(ordered, { ...ordered, adapter: { ...known, features: ["b", "a"] } }), []);
  const none = environmentDifferences(environment, { ...environment, adapter: null });
  assert.deepEqual(none.map(({ what }) => what), ["adapter", "backend"]);
});

Deno.test("adapters with different drivers differ", () => {
  const changed = (fields: Partial<typeof adapter>) => ({ ...environment, adapter: { ...known, ...fields } });
  assert(sameAdapter(environment, changed({ features: [] })));
  assert(!sameAdapter(environment, changed({ driver: "24.1" })));
  assert(!sameAdapter(environment, { ...environment, adapter: null }));
  // Results of earlier versions, and runs without --allow-ffi, do not know theirs
  assert(sameAdapter(environment, changed({ driver: null })));
  assert.deepEqual(environmentDifferences(environment, changed({ driver: null })), []);
});
