import { deepStrictEqual } from "node:assert/strict";
import { join } from "node:path";
import { loadImports } from "../support/imports.ts";
import { sharingOf } from "./sharing.ts";

const SOURCES: Readonly<Record<string, string>> = {
  "tests/sum_test.ts": 'import "../sum.ts"; import type { Gpu } from "../gpu.ts";',
  "tests/gpu_test.ts": 'import "../open.ts";',
  "tests/lazy_test.ts": 'await import("../open.ts");',
  "tests/thread_test.ts": 'new Worker("a.ts");',
  "tests/env_test.ts": 'Deno.env.set("A", "1");',
  "tests/hook_test.ts": "Deno.test.beforeAll(start);",
  "tests/helped_test.ts": 'import "./helper.ts";',
  "tests/other_helped_test.ts": 'import "./helper.ts";',
  "tests/helper.ts": "globalThis.fetch = () => answer;",
  "sum.ts": 'Deno.env.set("A", "1");',
  "open.ts": "export const a = 1;",
  "gpu.ts": "await navigator.gpu.requestAdapter();",
};

Deno.test("files are pure that load no adapter, process or thread, and alone that change their process", () => {
  const imports = new Map(
    [
      ["tests/sum_test.ts", [{ file: "sum.ts", kind: "code" }, { file: "gpu.ts", kind: "type" }]],
      ["tests/gpu_test.ts", [{ file: "open.ts", kind: "code" }]],
      ["tests/lazy_test.ts", [{ file: "open.ts", kind: "dynamic" }]],
      ["tests/thread_test.ts", []],
      ["tests/env_test.ts", []],
      ["tests/hook_test.ts", []],
      ["tests/helped_test.ts", [{ file: "tests/helper.ts", kind: "code" }]],
      ["tests/other_helped_test.ts", [{ file: "tests/helper.ts", kind: "code" }]],
      ["tests/helper.ts", []],
      ["sum.ts", []],
      ["open.ts", [{ file: "gpu.ts", kind: "code" }]],
      ["gpu.ts", []],
    ] as const,
  );
  const files = [...imports.keys()].filter((file) => file.endsWith("_test.ts"));
  deepStrictEqual(sharingOf(files, imports, (file) => SOURCES[file]!), {
    pure: ["tests/sum_test.ts"],
    other: ["tests/gpu_test.ts", "tests/lazy_test.ts", "tests/thread_test.ts"],
    helped: [["tests/helped_test.ts", "tests/other_helped_test.ts"]],
    alone: ["tests/env_test.ts", "tests/hook_test.ts"],
  });
});

Deno.test("the project's code is read right: a test of numbers is pure, those of a device, a thread and a process are not", async () => {
  const root = join(import.meta.dirname!, "..", "..");
  const files = [
    "tests/core/f16_test.ts",
    "tests/device/adapter_test.ts",
    "tests/data/loader/worker_loader_test.ts",
    "tests/cli/main_test.ts",
    "tests/cluster/ranks_test.ts",
  ];
  const imports = await loadImports(root, files);
  const { pure } = sharingOf(files, imports, (file) => Deno.readTextFileSync(join(root, file)));
  deepStrictEqual(pure, files.slice(0, 1));
});
