import assert from "node:assert/strict";
import { settingChanges } from "../../../runtime/cli/repeat/conclude.ts";
import { result, variant } from "../../report/result_fixture.ts";
import { type Config, specOf } from "./run_specs.ts";

const MODULES = [{ path: "exp/a b.ts", sha256: "0".repeat(64), text: "", imports: {}, names: [] }];

/** Returns the result of the run of {@linkcode specOf} with one variant. */
function now(config: Config) {
  const found = result([variant("a", { config })]);
  return { ...found, baseline: "a", scenario: { ...found.scenario, name: "x", sha256: "0".repeat(64) } };
}

Deno.test("the folder of the data does not matter, but other data does", () => {
  const then = specOf({ a: { data: { kind: "cifar10", dir: "data" } } });
  assert.deepEqual(settingChanges(then, now({ data: { kind: "cifar10", dir: "/else/where" } }), MODULES), []);
  assert.match(
    settingChanges(then, now({ data: { kind: "cifar10", dir: null } }), MODULES).join(),
    /^data\.dir: "" then, null now$/,
  );
});

Deno.test("the folder of the script's copy and the length of the measurement do not matter", () => {
  const config = (home: string, steps: number, batchSize = 8): Config => ({
    data: { transforms: [{ kind: "map", script: `${home}/exp/a b.ts` }] },
    loader: { batchSize },
    measure: { steps },
  });
  const then = specOf({ a: config("file:///home/u/project", 5) });
  const copy = "file:///tmp/tacho-1f/modules";
  assert.deepEqual(settingChanges(then, now(config(copy, 7)), MODULES), []);
  assert.match(
    settingChanges(then, now(config(copy, 5, 9)), MODULES).join(),
    /loader\.batchSize: 8 then, 9 now/,
  );
  const foreign = { ...config(copy, 5), data: { transforms: [{ kind: "map", script: "file:///elsewhere/c.ts" }] } };
  assert.equal(settingChanges(then, now(foreign), MODULES).length, 1);
  const other = { ...then, scenario: "y", sha256: "1".repeat(64) };
  assert.deepEqual(settingChanges(other, now(config(copy, 5)), MODULES), [
    'scenario: "y" then, "x" now',
    "the script has changed",
  ]);
});
