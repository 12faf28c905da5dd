import assert from "node:assert/strict";
import { cifar10 } from "../../runtime/data/sources/cifar10.ts";
import { documentKeys } from "../../runtime/scenario/document.ts";
import { formatValue } from "../../runtime/scenario/override.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { altered, example } from "./fixtures.ts";

const keys = documentKeys(example);
const find = (path: string, all = keys) => {
  const found = all.find((key) => key.path === path);
  assert.ok(found, `no key ${path} among ${all.map((key) => key.path)}`);
  return found;
};

Deno.test("documentKeys lists parameters, then every setting, each once", () => {
  assert.deepEqual(keys.slice(0, 2).map(({ path, param }) => [path, param]), [["depth", true], ["image", true]]);
  assert.equal(new Set(keys.map(({ path }) => path)).size, keys.length);
  for (const path of ["data.dir", "amp.scaler.init", "compile.fusion", "measure.rounds", "memoryBudget", "baseline"]) {
    find(path);
  }
});

Deno.test("documentKeys gives types, defaults and the scenario's values", () => {
  assert.deepEqual(find("depth"), {
    path: "depth",
    param: true,
    type: "number",
    default: 20,
    value: 20,
    description: "layers of the network",
    set: false,
  });
  assert.deepEqual(find("loader.batchSize"), {
    path: "loader.batchSize",
    param: false,
    type: "integer >= 1",
    default: 32,
    value: 32,
    description: "samples per batch; with accumulate, per micro-batch",
    set: true,
  });
  assert.equal(find("amp.level").type, '"O0" | "O1" | "O2" | "O3"');
  assert.equal(find("amp.scaler.backoff").type, "number > 0, <= 1");
  assert.equal(find("sink").type, 'integer >= 0 | "epoch"');
  assert.equal(find("memoryBudget").type, 'bytes, or a string such as "4GiB" | null');
  assert.equal(find("loader.shuffle").type, "true | false");
  assert.deepEqual([find("optimizer.momentum").default, find("optimizer.momentum").value], [0, 0.9]);
  assert.deepEqual([find("evaluate.every").default, find("evaluate.every").value], [null, null]);
  assert.equal(find("optimizer.kind").type, '"sgd" | "adam" | "adamW" | "rmsprop" | "lion"');
  const evaluated = documentKeys(altered({ evaluate: { every: 2 }, amp: true }));
  assert.equal(find("evaluate.every", evaluated).value, 2);
  assert.equal(find("amp.level", evaluated).value, "O2");
});

Deno.test("documentKeys marks what the definition sets; in records with a kind, what differs from the default", () => {
  const settings = keys.filter(({ set }) => set).map(({ path }) => path);
  assert.deepEqual(settings, [
    "loss.kind",
    "optimizer.kind",
    "optimizer.learningRate",
    "optimizer.momentum",
    "optimizer.weightDecay",
    "data.kind",
    "loader.batchSize",
    "loader.numWorkers",
  ]);
  const cleared = documentKeys(altered({ clipNorm: null, amp: { level: "O0" }, baseline: "amp" }));
  assert.deepEqual(["clipNorm", "amp.level", "baseline"].map((path) => find(path, cleared).set), [false, true, true]);
});

Deno.test("documentKeys describes every setting", () => {
  const silent = keys.filter(({ path, param, description }) =>
    !param && description === "" && !path.startsWith("data.")
  );
  assert.deepEqual(silent.map(({ path }) => path), []);
});

Deno.test("documentKeys gives values that each key accepts", () => {
  for (const { path, value } of keys) {
    // Keys of a null record are documented as null, which only the whole record accepts
    if (
      value === undefined || path === "epochs" ||
      /^(evaluate|profile|target|distribute|schedule|ema|compile\.autotune|data\.cache)\./.test(path)
    ) {
      continue;
    }
    resolveScenario(example, { overrides: [`${path}=${formatValue(value)}`] });
  }
});

Deno.test("documentKeys documents records of the scenario's kinds", () => {
  const bare = documentKeys({ name: "bare", ...{ data: cifar10() } });
  assert.equal(bare.some(({ path }) => path.startsWith("optimizer.") && path !== "optimizer.kind"), false);
  assert.deepEqual([find("optimizer.kind", bare).default, find("optimizer.kind", bare).value], [null, null]);
  assert.deepEqual(find("data.kind", bare).value, "cifar10");
});
