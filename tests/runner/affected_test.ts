import { deepStrictEqual } from "node:assert/strict";
import type { Imports } from "../support/imports.ts";
import { affectedTests } from "./affected.ts";

/** Sources of files, and what they import. */
const FILES: Readonly<Record<string, readonly [source: string, ...imported: string[]]>> = {
  "tests/sum_test.ts": ["", "runtime/sum.ts"],
  "tests/script_test.ts": ['start("tool_script.ts")', "tests/start.ts"],
  "tests/start.ts": ["new Deno.Command(name)"],
  "tests/tool_script.ts": ["", "runtime/tool.ts"],
  "tests/data_test.ts": ['join("fixtures", name)'],
  "tests/page_test.ts": ['read("../docs/guide/page.md")'],
  "tests/all_test.ts": ["Deno.readDirSync(folder)"],
  "tests/load_test.ts": ["", "runtime/load.ts"],
  "runtime/sum.ts": [""],
  "runtime/tool.ts": [""],
  "runtime/load.ts": ['new Worker(new URL("./thread.ts", import.meta.url))'],
  "runtime/thread.ts": ["", "runtime/part.ts"],
  "runtime/part.ts": ['"README.md"'],
  "mod.ts": ["", "runtime/run.ts"],
  "runtime/run.ts": [""],
};
const imports: Imports = new Map(
  Object.entries(FILES).map(([file, [, ...imported]]) => [file, imported.map((file) => ({ file, kind: "code" }))]),
);
const tests = Object.keys(FILES).filter((file) => file.endsWith("_test.ts"));
const affected = (...changed: string[]) => affectedTests(tests, changed, imports, (file) => FILES[file]![0]);

/** Reads a folder, and so is affected by every change. */
const ALWAYS = "tests/all_test.ts";

Deno.test("tests that import a changed file are affected, and nothing else", () => {
  deepStrictEqual(affected("runtime/sum.ts"), ["tests/sum_test.ts", ALWAYS]);
  deepStrictEqual(affected("tests/sum_test.ts"), ["tests/sum_test.ts", ALWAYS]);
  deepStrictEqual(affected(), []);
});

Deno.test("tests are affected by scripts, pages and data that they name, and by what those load", () => {
  deepStrictEqual(affected("runtime/tool.ts"), ["tests/script_test.ts", ALWAYS]);
  deepStrictEqual(affected("tests/fixtures/net.onnx"), ["tests/data_test.ts", ALWAYS]);
  deepStrictEqual(affected("docs/guide/page.md"), ["tests/page_test.ts", ALWAYS]);
  deepStrictEqual(affected("runtime/part.ts"), [ALWAYS, "tests/load_test.ts"]);
  deepStrictEqual(affected("README.md"), [ALWAYS], "a text of the product is no file that it reads");
});

Deno.test("tests that start processes are affected by what the entry points load", () => {
  deepStrictEqual(affected("runtime/run.ts"), ["tests/script_test.ts", ALWAYS]);
});

Deno.test("the configuration affects all tests", () => {
  deepStrictEqual(affected("deno.json"), tests);
});
