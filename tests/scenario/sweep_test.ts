import assert from "node:assert/strict";
import { tensors } from "../../runtime/data/sources/tensors.ts";
import { compose } from "../../runtime/scenario/compose.ts";
import { scenario } from "../../runtime/scenario/definition.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { altered, configOf, example, namesOf, refuses, single } from "./fixtures.ts";

const swept = (sweep: unknown) => altered({ variants: undefined, sweep });

Deno.test("settings under zip change together as one axis", () => {
  const resolved = resolveScenario(swept({ zip: { amp: ["O0", "O2"], sink: [0, 10] } }));
  assert.deepEqual(namesOf(resolved), ["amp=O0,sink=0", "amp=O2,sink=10"]);
  const { amp, sink } = configOf(resolved, "amp=O2,sink=10");
  assert.deepEqual([amp.level, sink], ["O2", 10]);
  assert.deepEqual(resolved.variants.map(({ settings }) => settings), [{ "amp+sink": "O0+0" }, {
    "amp+sink": "O2+10",
  }]);
});

Deno.test("the types accept lists of variants, and zips beside other axes", () => {
  const data = filled(0);
  const listed = scenario({ name: "listed", data, variants: [{}, { name: "two", loader: { numWorkers: 2 } }] });
  const zips = [{ "loader.batchSize": [16, 32], "loader.prefetch": [1, 2] }];
  const zipped = scenario({ name: "zipped", data, sweep: { "loader.numWorkers": [0, 2], zip: zips } });
  assert.deepEqual(namesOf(resolveScenario(listed)), ["baseline", "two"]);
  assert.equal(resolveScenario(zipped).variants.length, 4);
});

Deno.test("a zip is combined with other axes, and with other zips", () => {
  const sweep = { "loader.numWorkers": [0, 2], zip: { amp: ["O0", "O2"], sink: [0, 10] } };
  const resolved = resolveScenario(swept(sweep));
  assert.deepEqual(namesOf(resolved), [
    "numWorkers=0,amp=O0,sink=0",
    "numWorkers=0,amp=O2,sink=10",
    "numWorkers=2,amp=O0,sink=0",
    "numWorkers=2,amp=O2,sink=10",
  ]);
  assert.deepEqual(resolved.variants[3]!.settings, { "loader.numWorkers": "2", "amp+sink": "O2+10" });
  const zips = [{ amp: ["O0", "O2"], sink: [0, 10] }, { depth: [20, 56], "loader.batchSize": [32, 16] }];
  const both = resolveScenario(swept({ zip: zips }));
  assert.equal(both.variants.length, 4);
  assert.deepEqual(both.variants[3]!.settings, { "amp+sink": "O2+10", "depth+loader.batchSize": "56+16" });
  assert.equal(configOf(both, namesOf(both)[3]).params["depth"], 56);
});

Deno.test("an override removes its setting from a zip", () => {
  const zipped = swept({ zip: { amp: ["O0", "O2"], sink: [0, 10] } });
  assert.deepEqual(namesOf(resolveScenario(zipped, { overrides: ["amp=O1"] })), ["sink=0", "sink=10"]);
  assert.deepEqual(namesOf(resolveScenario(zipped, { overrides: ["amp=O1", "sink=5"] })), ["baseline"]);
});

Deno.test("problems with a sweep are reported with their path", () => {
  refuses(
    swept({ zip: { amp: ["O0", "O2"], sink: [0, 5, 10] } }),
    {},
    /^sweep\.zip: expected lists of equal length, got amp 2, sink 3/,
  );
  refuses(swept({ zip: {} }), {}, /^sweep\.zip: expected at least one list of values/);
  refuses(swept({ zip: ["amp"] }), {}, /^sweep\.zip\[0\]: expected lists of values by key/);
  refuses(swept({ zip: { amp: "O2" } }), {}, /^sweep\.zip\.amp: expected a list of values, or a range .*, got "O2"/);
  refuses(swept({ amp: [] }), {}, /^sweep\.amp: expected at least one value/);
  refuses(swept({ amp: { O0: 1 } }), {}, /^sweep\.amp: expected a list of values/);
  refuses(swept([1]), {}, /^sweep: expected lists of values by key/);
  refuses(swept({ zip: { seed: [1, 2], sink: [0, 1] } }), {}, /^seed: applies to the whole scenario/);
  refuses(swept({ zip: { amp: ["O0", "O9"], sink: [0, 1] } }), {}, /^variant "amp=O9,sink=1": amp\.level: expected/);
});

Deno.test("listed variants are named by name, or after their settings", () => {
  const resolved = resolveScenario(altered({
    variants: [
      {},
      { amp: "O2", loader: { numWorkers: 2 } },
      { name: "mine", sink: 5 },
      compose("mine", { amp: "O1" }),
      { optimizer: { kind: "adam", learningRate: 0.1 } },
    ],
  }));
  assert.deepEqual(namesOf(resolved), [
    "baseline",
    "amp=O2,numWorkers=2",
    "mine",
    "mine+amp=O1",
    "optimizer=kind-adam-learningRate-0.1",
  ]);
  assert.deepEqual([configOf(resolved, "mine+amp=O1").sink, configOf(resolved, "mine+amp=O1").amp.level], [5, "O1"]);
  assert.equal(configOf(resolved, "amp=O2,numWorkers=2").loader.numWorkers, 2);
  refuses(altered({ variants: [{ name: "a b" }] }), {}, /^variants\[0\]\.name: expected a letter, .* got "a b"/);
  refuses(
    altered({ variants: [{ name: "a" }, { name: "a", sink: 1 }] }),
    {},
    /^variants\[1\]\.name: "a" is already the name/,
  );
  refuses(altered({ variants: [{ sinc: 1 }] }), {}, /unknown key; did you mean "sink"/);
  refuses(altered({ variants: [{}, 7] }), {}, "variants[1]: expected a record of settings, got 7");
});

Deno.test("variants with equal settings run once, and the others become aliases", () => {
  const twice = resolveScenario(altered({ variants: { first: {}, again: {}, other: { sink: 5 }, same: { sink: 5 } } }));
  assert.deepEqual(namesOf(twice), ["first", "other"]);
  assert.deepEqual(twice.aliases, [{ name: "again", of: "first" }, { name: "same", of: "other" }]);
  assert.deepEqual(namesOf(resolveScenario(swept({ "amp.level": ["O1", "O1"] }))), ["level=O1"]);
  // An override can make variants equal
  const sunk = resolveScenario(example, { overrides: ["sink=10"] });
  assert.deepEqual(sunk.aliases, [{ name: "sink", of: "baseline" }]);
  // A picked alias runs
  const picked = resolveScenario(altered({ variants: { first: {}, again: {} } }), { variants: ["again"] });
  assert.deepEqual([namesOf(picked), picked.aliases], [["again"], []]);
  const named = resolveScenario(altered({ variants: { first: {}, again: {}, other: { sink: 5 } }, baseline: "again" }));
  assert.deepEqual([named.baseline, namesOf(named)], ["first", ["first", "other"]]);
});

Deno.test("variants with different models, or different values in their data, are not equal", () => {
  const layer = (x: unknown) => x;
  const models = altered({ params: undefined, data: filled(0), model: layer });
  const { variants } = resolveScenario({
    ...models,
    variants: { a: {}, b: { model: (x: unknown) => x }, c: { model: layer } },
  });
  assert.deepEqual(variants.map(({ name }) => name), ["a", "b"]);
  const contents = resolveScenario({ ...models, variants: { a: {}, b: { data: filled(1) }, c: { data: filled(0) } } });
  assert.deepEqual(namesOf(contents), ["a", "b"]);
});

function filled(value: number) {
  return tensors({
    input: { shape: [2], data: new Float32Array(128).fill(value) },
    target: { data: new Int32Array(64) },
    classes: 10,
  });
}

Deno.test("64 variants of three axes have distinct names and settings", () => {
  const resolved = resolveScenario(swept({
    "loader.numWorkers": [0, 1, 2, 3],
    "loader.prefetch": [1, 2, 3, 4],
    zip: { amp: ["O0", "O1", "O2", "O3"], sink: [0, 2, 4, 8] },
  }));
  assert.equal(new Set(namesOf(resolved)).size, 64);
  assert.equal(new Set(resolved.variants.map(({ settings }) => JSON.stringify(settings))).size, 64);
});

Deno.test("a target is either a loss or an accuracy, and requires a model and a loss", () => {
  const target = (value: unknown) => altered({ variants: undefined, target: value });
  assert.deepEqual(resolveScenario(target({ loss: 0.5 })).target, {
    loss: 0.5,
    accuracy: null,
    seeds: 3,
    maxSteps: 1000,
    every: 100,
  });
  assert.equal(resolveScenario(single, { overrides: ["target.accuracy=0.9", "target.seeds=5"] }).target!.seeds, 5);
  refuses(target({}), {}, /^target: expected either a loss or an accuracy/);
  refuses(target({ loss: 1, accuracy: 0.5 }), {}, /^target: expected either a loss or an accuracy/);
  refuses(target({ accuracy: 90 }), {}, /^target\.accuracy: expected at most 1, got 90/);
  refuses(
    altered({ variants: undefined, model: null, loss: null, optimizer: null, target: { loss: 1 } }),
    {},
    /^target: requires a model and a loss; otherwise set target to null/,
  );
});
