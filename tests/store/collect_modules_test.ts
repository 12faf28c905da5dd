import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../../runtime/core/errors.ts";
import { collectModules, namedModules } from "../../runtime/store/collect_modules.ts";
import { moduleSourceSchema } from "../../runtime/store/module_source.ts";
import { sha256 } from "../../runtime/core/sha256.ts";

const ROOT = new URL("../../", import.meta.url).href;

/** Writes files into a folder and runs `work` there. */
async function inProject(
  files: Readonly<Record<string, string | Uint8Array>>,
  work: (folder: string) => Promise<void>,
) {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (const [path, content] of Object.entries(files)) {
      const file = join(folder, path);
      await Deno.mkdir(dirname(file), { recursive: true });
      await Deno.writeFile(file, typeof content === "string" ? new TextEncoder().encode(content) : content);
    }
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the script comes first, then its imports outside Tacho and packages", async () => {
  const script =
    `import { z } from "npm:zod@4.6.7";\nimport { scenario } from "${ROOT}mod.ts";\nimport "./lib/b.ts";\n`;
  await inProject({
    "exp/a.ts": script,
    "exp/lib/b.ts": 'export type { C } from "../../types/c.ts";\nawait import("./lazy.ts");\nimport "node:path";\n',
    "exp/lib/lazy.ts": 'export { default } from "./data.json" with { type: "json" };\n',
    "exp/lib/data.json": "[1]",
    "types/c.ts": "export type C = 1;\n",
    "exp/other.ts": "is not imported",
  }, async (folder) => {
    const modules = await collectModules(join(folder, "exp/a.ts"));
    for (const module of modules) moduleSourceSchema.parse(module);
    assert.deepEqual(modules.map(({ path }) => path), [
      "exp/a.ts",
      "exp/lib/b.ts",
      "exp/lib/data.json",
      "exp/lib/lazy.ts",
      "types/c.ts",
    ]);
    const [a, ...rest] = modules;
    assert.equal(a!.text, script);
    assert.equal(a!.sha256, sha256(script));
    assert.deepEqual(a!.imports, { "npm:zod@4.6.7": "npm:zod@4.6.7", [`${ROOT}mod.ts`]: "tacho:mod.ts" });
    for (const { imports } of rest) assert.deepEqual(imports, {});
  });
});

Deno.test("imports mapped by the project's configuration are followed and recorded", async () => {
  await inProject({
    "deno.json": JSON.stringify({ imports: { "lib/": "./lib/", tacho: `${ROOT}mod.ts` } }),
    "exp/a.ts": 'import "lib/b.ts";\nimport "tacho";\nimport "../lib/b.ts";\n',
    "lib/b.ts": "export {};\n",
  }, async (folder) => {
    const [a, b] = await collectModules(join(folder, "exp/a.ts"));
    assert.deepEqual(a!.imports, { "lib/b.ts": "./lib/b.ts", tacho: "tacho:mod.ts" });
    assert.equal(b!.path, "lib/b.ts");
  });
});

Deno.test("entry points of a link and of a package are recorded as parts of Tacho", async () => {
  await inProject({
    "deno.json": JSON.stringify({ links: [fileURLToPath(ROOT)], imports: { t: "jsr:@tacho/tacho@^0.1.0" } }),
    "a.ts": 'import "@tacho/tacho";\nimport "@tacho/tacho/jupyter";\nimport "t";\nimport "t/jupyter";\n',
  }, async (folder) => {
    const [script, ...rest] = await collectModules(join(folder, "a.ts"));
    assert.deepEqual(script!.imports, {
      "@tacho/tacho": "tacho:mod.ts",
      "@tacho/tacho/jupyter": "tacho:jupyter.ts",
      t: "tacho:mod.ts",
      "t/jupyter": "tacho:jupyter.ts",
    });
    assert.deepEqual(rest, []);
  });
});

Deno.test("file names may contain any character", async () => {
  const names = ["b c.ts", "ü%20@.ts", "[x] #1.ts", "d+e,f;g.ts"];
  const imports = names.map((name) => `import ${JSON.stringify(`./my lib/${encodeURIComponent(name)}`)};\n`).join("");
  const files = Object.fromEntries(names.map((name) => [`my lib/${name}`, "export {};\n"]));
  await inProject({ ...files, "a b.ts": imports }, async (folder) => {
    const [script, ...rest] = await collectModules(join(folder, "a b.ts"));
    assert.equal(script!.path, "a b.ts");
    assert.deepEqual(rest.map(({ path }) => path).sort(), names.map((name) => `my lib/${name}`).sort());
    assert.deepEqual(script!.imports, {});
  });
});

Deno.test("text files named relative to import.meta.url are collected", async () => {
  await inProject({
    "a.ts": `
      const names = new URL("./names.txt", import.meta.url);
      const worker = import.meta.resolve("./worker.ts");
      new URL("./picture.png", import.meta.url);
      new URL("./missing.txt", import.meta.url);
      new URL(\`./\${names}.ts\`, import.meta.url);
      new URL("./folder", import.meta.url);
      new URL("${ROOT}mod.ts", import.meta.url);
      new URL("./broken.ts", "https://example.org");
    `,
    "names.txt": "cat\ndog\n",
    "worker.ts": 'import "./part.ts";\n',
    "part.ts": "export {};\n",
    "picture.png": new Uint8Array([0x89, 0x50, 0xff, 0x00]),
    "folder/x.ts": "export {};\n",
  }, async (folder) => {
    const modules = await collectModules(join(folder, "a.ts"));
    assert.deepEqual(modules.map(({ path }) => path), ["a.ts", "names.txt", "part.ts", "worker.ts"]);
  });
});

Deno.test("modules named in settings are recorded with these names", async () => {
  await inProject({ "exp/a.ts": "export {};\n", "data/samples.ts": "export const length = 1;\n" }, async (folder) => {
    const file = join(folder, "data/samples.ts");
    const modules = await collectModules(join(folder, "exp/a.ts"), [file, "npm:samples", `${ROOT}mod.ts`]);
    assert.deepEqual(modules.map(({ path, names }) => [path, names]), [["exp/a.ts", []], ["data/samples.ts", [file]]]);
  });
});

Deno.test("the modules of settings are those of source()", () => {
  const configs = [
    { data: { kind: "source", module: "./a.ts", test: "./b.ts" } },
    { data: { kind: "source", module: "./a.ts", test: null } },
    { data: { kind: "cifar10", module: "./c.ts" } },
  ];
  assert.deepEqual(namedModules(configs), ["./a.ts", "./b.ts"]);
});

Deno.test("an error names the module that cannot be kept", async () => {
  await inProject({
    "missing.ts": 'import "./not_there.ts";\n',
    "broken.ts": "export const = 1;\n",
    "unmapped.ts": 'import "somewhere";\n',
    "latin.ts": 'import x from "./x.json" with { type: "json" };\n',
    "x.json": new Uint8Array([0x22, 0xe4, 0x22]),
  }, async (folder) => {
    const refuses = (file: string, message: RegExp) =>
      assert.rejects(() => collectModules(join(folder, file)), (error: Error) => {
        assert(error instanceof InputError, String(error));
        assert.match(error.message, message);
        return true;
      });
    await refuses("missing.ts", /not_there\.ts/);
    await refuses("broken.ts", /broken\.ts/);
    await refuses("absent.ts", /absent\.ts/);
    await refuses("unmapped.ts", /unmapped\.ts: .*"somewhere"/);
    await refuses("latin.ts", /x\.json: cannot be kept with a run; expected UTF-8 text/);
    await assert.rejects(() => collectModules(`${ROOT}runtime/core/shape.ts`), /it is part of Tacho/);
    await assert.rejects(() => collectModules("https://example.org/x.ts"), /cannot be kept; expected a local file/);
  });
});
