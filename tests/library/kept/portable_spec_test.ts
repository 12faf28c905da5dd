import assert from "node:assert/strict";
import { portableSpec } from "../../../runtime/library/kept/portable_spec.ts";
import type { RunRecord } from "../../../runtime/store/records.ts";
import { type Config, specOf } from "../../cli/repeat/run_specs.ts";

function record(config: Config, cwd: string, text = "0"): RunRecord {
  const module = { path: "exp/a b.ts", sha256: text.repeat(64), text, imports: {}, names: [] };
  return { spec: specOf({ a: config }), modules: [module], cwd } as unknown as RunRecord;
}

const withModule = (home: string): Config => ({
  data: { kind: "source", dir: "data", transforms: [{ kind: "map", script: `${home}/exp/a%20b.ts` }] },
});

Deno.test("a run in another folder has the same spec, unless a module or the data's folder differs", () => {
  const then = portableSpec(record(withModule("file:///home/u"), "/home/u"), false);
  assert.deepEqual(portableSpec(record(withModule("file:///tmp/tacho-1f/modules"), "/home/u"), false), then);
  assert.notDeepEqual(portableSpec(record(withModule("file:///home/u"), "/home/u", "1"), false), then);
  const moved = record(withModule("file:///home/u"), "/elsewhere");
  assert.notDeepEqual(portableSpec(moved, false), then);
  const data = { kind: "source", dir: "/home/u/data", transforms: withModule("file:///home/u").data!["transforms"] };
  assert.deepEqual(portableSpec(record({ data }, "/elsewhere"), false), then);
  assert.deepEqual(
    portableSpec(moved, true),
    portableSpec(record(withModule("file:///home/u"), "/home/u"), true),
    "the same data in another folder",
  );
  assert.notDeepEqual(
    portableSpec(record({ data: { ...data, dir: null } }, "/home/u"), true),
    portableSpec(moved, true),
    "data without a folder is other data",
  );
  const unknown: Config = { data: { module: "file:///x/other.ts" } };
  assert.deepEqual(portableSpec(record(unknown, "/home/u"), false).variants[0]!.config, unknown);
});
