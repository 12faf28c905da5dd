import assert from "node:assert/strict";
import { join } from "node:path";
import { importMapOf } from "../../../runtime/cli/repeat/import_map.ts";
import { openWorkspace } from "../../../runtime/cli/repeat/workspace.ts";
import { InputError } from "../../../runtime/core/errors.ts";
import type { ModuleSource } from "../../../runtime/store/module_source.ts";
import { sha256 } from "../../../runtime/core/sha256.ts";

function module(path: string, text: string, fields: Partial<ModuleSource> = {}): ModuleSource {
  return { path, text, sha256: sha256(text), imports: {}, names: [], ...fields };
}

Deno.test("a workspace contains the modules and is removed afterwards", async () => {
  const modules = [module("exp/a.ts", "export {};\n"), module("lib/b c.json", "{}")];
  let folder: string;
  {
    using workspace = await openWorkspace(modules, "a test");
    folder = workspace.folder;
    assert.equal(workspace.script, join(folder, "modules", "exp", "a.ts"));
    assert.equal(await Deno.readTextFile(join(folder, "modules", "lib", "b c.json")), "{}");
    const { imports, nodeModulesDir } = JSON.parse(await Deno.readTextFile(workspace.config));
    assert.match(imports.zod, /^npm:zod@/);
    assert.equal(nodeModulesDir, "none");
  }
  await assert.rejects(() => Deno.stat(folder), Deno.errors.NotFound);
});

Deno.test("nothing is written if a module would be outside the folder", async () => {
  const modules = [module("a.ts", ""), module("../b.ts", "")];
  await assert.rejects(
    () => openWorkspace(modules, "run k3f2"),
    /run k3f2: module "\.\.\/b\.ts" would be written outside/,
  );
  await assert.rejects(() => openWorkspace([], "run k3f2"), /run k3f2: contains no script/);
});

Deno.test("imports resolve to Tacho, other modules and packages, separately for each module", () => {
  const root = new URL("../../../", import.meta.url).href;
  const modules = [
    module("exp/a.ts", "", {
      imports: { "../../mod.ts": "tacho:mod.ts", tacho: "tacho:mod.ts", "lib/": "./lib/b.ts", zod: "npm:zod@4.6.7" },
    }),
    module("lib/b.ts", "", { imports: { zod: "npm:zod@3.0.0" }, names: ["./lib/b.ts"] }),
  ];
  const { imports, scopes } = importMapOf(modules, "/tmp/x/m");
  assert.deepEqual(scopes["file:///tmp/x/m/exp/a.ts"], {
    "file:///tmp/x/mod.ts": `${root}mod.ts`,
    tacho: `${root}mod.ts`,
    "lib/": "file:///tmp/x/m/lib/b.ts",
    zod: "npm:zod@4.6.7",
  });
  assert.deepEqual(scopes["file:///tmp/x/m/lib/b.ts"], { zod: "npm:zod@3.0.0" });
  assert.deepEqual(Object.values(imports), ["file:///tmp/x/m/lib/b.ts"]);
  assert(Object.keys(imports)[0]!.endsWith("/lib/b.ts"));
});

Deno.test("imports with other targets are refused", () => {
  for (const target of ["tacho:../../etc/x.ts", "./missing.ts", "javascript:alert(1)", "data:text/javascript,1", "x"]) {
    const modules = [module("a.ts", "", { imports: { x: target } })];
    assert.throws(() => importMapOf(modules, "/tmp/x"), InputError, target);
  }
});
