import assert from "node:assert/strict";
import { join } from "node:path";
import { dataChanges } from "../../../runtime/cli/repeat/data_changes.ts";
import { settingChanges } from "../../../runtime/cli/repeat/setting_changes.ts";
import type { RunSpec } from "../../../runtime/store/run_spec.ts";
import { result, variant } from "../../report/result_fixture.ts";

type Config = RunSpec["variants"][number]["config"];

function spec(configs: Readonly<Record<string, Config>>): RunSpec {
  const variants = Object.entries(configs).map(([name, config]) => ({ name, config }));
  return { tacho: "0.0.1", scenario: "x", sha256: "0".repeat(64), seed: 1, baseline: "a", variants };
}

Deno.test("missing and newer data is listed", async () => {
  const cwd = await Deno.makeTempDir();
  try {
    await Deno.mkdir(join(cwd, "old/deep"), { recursive: true });
    await Deno.mkdir(join(cwd, "new/deep"), { recursive: true });
    for (const file of ["old/deep/x.bin", "new/x.bin", "new/deep/y.bin"]) await Deno.writeTextFile(join(cwd, file), "");
    const [before, now, later] = [1000, 2000, 3000].map((seconds) => new Date(seconds * 1000));
    for (const file of ["old/deep/x.bin", "new/x.bin"]) await Deno.utime(join(cwd, file), before!, before!);
    await Deno.utime(join(cwd, "new/deep/y.bin"), later!, later!);
    const data = (dir: string | null): Config => ({ data: { kind: "cifar10", dir } });
    const all = spec({ a: data("old"), b: data("new"), c: data(join(cwd, "gone")), d: data(null), e: {} });
    assert.deepEqual(dataChanges(all, cwd, now!.getTime()), [
      "data in new: has files written since then",
      `data in ${join(cwd, "gone")}: not found`,
    ]);
    assert.deepEqual(dataChanges(spec({ a: data("old") }), cwd, now!.getTime()), []);
    assert.deepEqual(dataChanges(spec({ a: data("gone"), b: data("old") }), cwd, now!.getTime(), join(cwd, "old")), [
      `data: in gone then, in ${join(cwd, "old")} now`,
    ]);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
});

Deno.test("the folder of the data does not matter, but other data does", () => {
  const now = (data: Config["data"]) => {
    const found = result([variant("a", { config: { data } })]);
    return { ...found, baseline: "a", scenario: { ...found.scenario, name: "x", sha256: "0".repeat(64) } };
  };
  const then = spec({ a: { data: { kind: "cifar10", dir: "data" } } });
  assert.deepEqual(settingChanges(then, now({ kind: "cifar10", dir: "/else/where" }), "/tmp/tacho-1f"), []);
  assert.match(
    settingChanges(then, now({ kind: "cifar10", dir: null }), "/tmp/tacho-1f").join(),
    /^data\.dir: "data" then, null now$/,
  );
});

Deno.test("the folder of the script's copy and the length of the measurement do not matter", () => {
  const config = (home: string, steps: number, batchSize = 8): Config => ({
    data: { transforms: [{ kind: "map", script: `${home}/exp/a b.ts` }] },
    loader: { batchSize },
    measure: { steps },
  });
  const then = spec({ a: config("file:///home/u/project", 5) });
  const now = (copy: Config) => {
    const found = result([variant("a", { config: copy })]);
    return { ...found, baseline: "a", scenario: { ...found.scenario, name: "x", sha256: "0".repeat(64) } };
  };
  const copy = "file:///tmp/tacho-1f/modules";
  assert.deepEqual(settingChanges(then, now(config(copy, 7)), "/tmp/tacho-1f"), []);
  assert.match(
    settingChanges(then, now(config(copy, 5, 9)), "/tmp/tacho-1f").join(),
    /loader\.batchSize: 8 then, 9 now/,
  );
  assert.equal(settingChanges(then, now(config("file:///elsewhere", 5)), "/tmp/tacho-1f").length, 1);
  const other = { ...then, scenario: "y", sha256: "1".repeat(64) };
  assert.deepEqual(settingChanges(other, now(config(copy, 5)), "/tmp/tacho-1f"), [
    'scenario: "y" then, "x" now',
    "the script has changed",
  ]);
});
