import assert from "node:assert/strict";
import { join } from "node:path";
import { dataChanges } from "../../../runtime/cli/repeat/setting.ts";
import { type Config, specOf } from "./run_specs.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

Deno.test("missing and newer data is listed", async () => {
  await using temporary = await temporaryFolder();
  const { path: cwd } = temporary;
  await Deno.mkdir(join(cwd, "old/deep"), { recursive: true });
  await Deno.mkdir(join(cwd, "new/deep"), { recursive: true });
  for (const file of ["old/deep/x.bin", "new/x.bin", "new/deep/y.bin"]) await Deno.writeTextFile(join(cwd, file), "");
  const [before, now, later] = [1000, 2000, 3000].map((seconds) => new Date(seconds * 1000));
  for (const file of ["old/deep/x.bin", "new/x.bin"]) await Deno.utime(join(cwd, file), before!, before!);
  await Deno.utime(join(cwd, "new/deep/y.bin"), later!, later!);
  const data = (dir: string | null): Config => ({ data: { kind: "cifar10", dir } });
  const all = specOf({ a: data("old"), b: data("new"), c: data(join(cwd, "gone")), d: data(null), e: {} });
  assert.deepEqual(dataChanges(all, cwd, now!.getTime()), [
    "data in new: has files written since then",
    `data in ${join(cwd, "gone")}: not found`,
  ]);
  assert.deepEqual(dataChanges(specOf({ a: data("old") }), cwd, now!.getTime()), []);
  assert.deepEqual(dataChanges(specOf({ a: data("gone"), b: data("old") }), cwd, now!.getTime(), join(cwd, "old")), [
    `data: in gone then, in ${join(cwd, "old")} now`,
  ]);
});
