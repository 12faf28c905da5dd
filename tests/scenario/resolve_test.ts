import assert from "node:assert/strict";
import { cifar10 } from "../../runtime/data/sources/cifar10.ts";
import { layerInfo } from "../../runtime/nn/layer.ts";
import { adam } from "../../runtime/nn/optimizers/adam.ts";
import { sgd } from "../../runtime/nn/optimizers/sgd.ts";
import { registeredScenario, scenario } from "../../runtime/scenario/definition.ts";
import { describeConfig } from "../../runtime/scenario/describe.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { altered, configOf, example, namesOf, refuses, single, withOverrides } from "./fixtures.ts";

const MEASURE = {
  steps: 5,
  skip: 3,
  maxSkip: 20,
  rounds: 8,
  setups: null,
  statistic: "mean",
  outputs: { relative: 0, absolute: 0 },
  opRounds: null,
  precision: null,
  processes: null,
  maxTime: null,
  minEffect: 0.01,
  aa: true,
  tolerance: null,
};

Deno.test("a scenario with only a name and data has all defaults", () => {
  const { variants, ...rest } = resolveScenario({ ...scenario({ name: "loader", data: cifar10() }) });
  assert.deepEqual(rest, {
    name: "loader",
    params: {},
    seed: 1,
    seeds: null,
    measure: MEASURE,
    epochs: null,
    target: null,
    profile: null,
    bottleneck: false,
    memoryBudget: null,
    baseline: "baseline",
    programs: [],
    aliases: [],
    adapted: null,
  });
  assert.deepEqual(variants, [{
    name: "baseline",
    settings: {},
    axes: {},
    model: undefined,
    config: {
      params: {},
      model: null,
      loss: null,
      optimizer: null,
      data: {
        kind: "cifar10",
        dir: null,
        transforms: [],
        fuse: true,
        cache: null,
        placement: "host",
        delay: { read: 0, decode: 0, collate: 0 },
        unit: "images",
      },
      loader: {
        batchSize: 32,
        numWorkers: 0,
        prefetch: 2,
        sharedMemory: true,
        shuffle: true,
        shuffleBuffer: 1024,
        dropLast: true,
        onError: "fail",
        timeout: 120_000,
      },
      amp: {
        level: "O0",
        scaler: { enabled: true, dynamic: true, init: 65536, growth: 2, interval: 2000, backoff: 0.5 },
        keepF32: [],
      },
      sink: 0,
      accumulate: 1,
      clipNorm: null,
      schedule: null,
      groups: [],
      ema: null,
      recompute: "none",
      distribute: null,
      compile: { fusion: true, inPlace: true, autotune: null, layout: "auto", attention: "auto" },
      mode: "train",
      monitor: "block",
      timing: null,
      weights: null,
      evaluate: null,
      measure: MEASURE,
      epochs: null,
      seed: 1,
      seeds: null,
      target: null,
      profile: null,
      bottleneck: false,
      memoryBudget: null,
    },
  }]);
});

Deno.test("scenario() registers the definition that it returns, and the last one wins", () => {
  const first = scenario({ name: "first", data: cifar10() });
  assert.equal(registeredScenario(), first);
  const second = scenario({ name: "second", data: cifar10() });
  assert.equal(registeredScenario(), second);
});

Deno.test("variants are merged over the scenario, and compositions in order", () => {
  const resolved = resolveScenario(example);
  assert.deepEqual(namesOf(resolved), ["baseline", "workers", "sink", "amp", "all"]);
  assert.equal(resolved.baseline, "baseline");
  const all = configOf(resolved, "all");
  assert.deepEqual([all.loader.numWorkers, all.loader.batchSize, all.sink, all.amp.level], [2, 32, 10, "O2"]);
  assert.equal(configOf(resolved, "workers").amp.level, "O0");
  assert.equal(layerInfo(all.model!)?.title, "resnet20");
});

Deno.test("a variant can change parameters, the model and single values of records", () => {
  const resolved = resolveScenario(altered({
    variants: {
      deep: { params: { depth: 56 }, optimizer: { weightDecay: 0 } },
      adam: { optimizer: adam({ beta1: 0.8 }) },
      large: { params: { image: 64 }, amp: { scaler: { init: 1024 } } },
    },
  }));
  assert.equal(layerInfo(configOf(resolved, "deep").model!)?.title, "resnet56");
  assert.deepEqual(configOf(resolved, "deep").params, { depth: 56, image: 32 });
  assert.deepEqual(configOf(resolved, "deep").optimizer, {
    ...sgd({ learningRate: 0.1, momentum: 0.9 }),
    weightDecay: 0,
  });
  assert.deepEqual(configOf(resolved, "adam").optimizer, adam({ beta1: 0.8 }));
  assert.equal(configOf(resolved, "large").data.kind, "syntheticImages");
  assert.equal(configOf(resolved, "large").amp.scaler.init, 1024);
  assert.deepEqual(resolved.params, { depth: 20, image: 32 });
});

Deno.test("short forms are expanded", () => {
  const amp = (value: unknown) => configOf(resolveScenario(altered({ amp: value, variants: {} }))).amp.level;
  assert.deepEqual([amp(true), amp(false), amp("O3"), amp({ level: "O1" }), amp({})], ["O2", "O0", "O3", "O1", "O0"]);
  const sink = (value: unknown) => configOf(resolveScenario(altered({ sink: value, variants: {} }))).sink;
  assert.deepEqual([sink(true), sink(false), sink("epoch"), sink(7)], [10, 0, "epoch", 7]);
  const bucket = (value: unknown) =>
    configOf(resolveScenario(altered({ distribute: value, variants: {} }))).distribute?.bucket ?? null;
  assert.deepEqual([bucket(true), bucket(false), bucket({ bucket: "1MiB" })], [2 ** 22, null, 2 ** 20]);
  const budget = (value: unknown) => resolveScenario(altered({ memoryBudget: value })).memoryBudget;
  assert.deepEqual([budget("4GiB"), budget("1.5 kB"), budget(12), budget(null)], [4 * 2 ** 30, 1500, 12, null]);
  assert.deepEqual([budget("2TiB"), budget("1 tb")], [2 ** 41, 1e12]);
});

Deno.test("inference leaves the optimizer out", () => {
  assert.equal(configOf(withOverrides(single, "mode=infer")).optimizer, null);
});

Deno.test("describeConfig is JSON", () => {
  const config = configOf(resolveScenario(example), "all");
  const described = describeConfig({ ...config, params: { f: () => 1, n: NaN, list: new Float32Array(3) } });
  assert.deepEqual(JSON.parse(JSON.stringify(described)), described);
  assert.equal(described["model"], "resnet20");
  assert.deepEqual(described["params"], { n: "NaN", list: "Float32Array(3)" });
});

Deno.test("problems with the outer structure are reported", () => {
  refuses(5, {}, "scenario: expected a record, got a number");
  refuses(
    altered({ name: "two words" }),
    {},
    /^name: expected a letter, then letters, digits and - _ \. =, got "two words"$/,
  );
  for (const init of [0, 1e38]) {
    const amp = { level: "O2", scaler: { init } };
    refuses(altered({ amp }), {}, `amp.scaler.init: expected a number from 1e-37 to 1e37, got ${init}`);
  }
  refuses(altered({ accumulate: 2 ** 32 }), {}, "accumulate: expected at most 4294967295, got 4294967296");
  refuses(altered({ optimiser: 1 }), {}, 'optimiser: unknown key; did you mean "optimizer"?');
  const ours = {
    num_parallel_workers: "loader.numWorkers",
    use_shared_memory: "loader.sharedMemory",
    amp_level: "amp",
  };
  for (const [key, setting] of Object.entries({ ...ours, dataset_sink_mode: "sink", sink_size: "sink" })) {
    const message = `unknown key; did you mean "${setting}"?`;
    refuses(altered({ [key]: 1 }), {}, `${key}: ${message}`);
    refuses(altered({ loader: { [key]: 1 } }), {}, `loader.${key}: ${message}`);
  }
  refuses(altered({ batch_size: 1 }), {}, 'batch_size: unknown key; did you mean "loader.batchSize"?');
  refuses(
    altered({ params: { depth: 3 } }),
    {},
    /^params\.depth: expected a zod type such as z\.coerce\.number\(\), got 3$/,
  );
  refuses(
    altered({ params: { sink: (example.params ?? {}).depth } }),
    {},
    /^params\.sink: "sink" is a key of the scenario/,
  );
  refuses(altered({ variants: { "1": {} } }), {}, /^variants\.1: expected a letter/);
  refuses(altered({ variants: { a: 3 } }), {}, "variants.a: expected a record of settings, got 3");
  refuses(
    altered({ variants: { a: { measure: {} } } }),
    {},
    "variants.a.measure: belongs to the scenario, not to a variant; move it there",
  );
  refuses(altered({ variants: { a: { depth: 3 } } }), {}, /^variants\.a\.depth: unknown key/);
  refuses(altered({ sweep: { amp: ["O0"] } }), {}, /^sweep: expected either variants or a sweep, got both/);
  refuses(
    altered({ variants: undefined, sweep: { amp: [] } }),
    {},
    /^sweep\.amp: expected at least one value, got \[\]$/,
  );
});

Deno.test("invalid values are all reported, with path, expectation and value", () => {
  refuses(
    altered({ loader: { batchSize: 0, numWorker: 1 }, sink: -1, amp: "O4" }),
    {},
    new RegExp([
      "^loader\\.batchSize: expected at least 1, got 0",
      'loader\\.numWorker: unknown key; did you mean "loader\\.numWorkers"\\?',
      'amp\\.level: expected "O0".*, got "O4"',
      "sink: expected at least 0, got -1$",
    ].join("\n")),
  );
  refuses(
    single,
    { overrides: ["loader.numWorkers=two"] },
    'loader.numWorkers: expected a whole number from 0 to 256, or "auto", got "two"',
  );
  refuses(altered({ loader: 5 }), {}, /^loader: expected a record such as .*, got 5$/);
  refuses(altered({ data: undefined }), {}, /^data: expected a data set: cifar10\(\).*, got none$/);
  refuses(altered({ evaluate: {} }), {}, "evaluate.every: expected a whole number, got none");
  refuses(
    single,
    { overrides: ["optimizer.kind=adagrad"] },
    /^optimizer\.kind: expected an optimizer: .*, got "adagrad"$/,
  );
  refuses(single, { overrides: ["memoryBudget=4XB"] }, /^memoryBudget: expected a whole number of bytes.*, got "4XB"$/);
  refuses(single, { overrides: ["clipNorm=0"] }, "clipNorm: expected more than 0, or null for no limit, got 0");
  refuses(single, { overrides: ["data.transforms=[{kind: randomCrop}]"] }, /^data\.transforms\[0\]\.size: expected/);
});

Deno.test("invalid compile settings and options are refused", () => {
  refuses(
    single,
    { overrides: ["compile.autotune=fast"] },
    /^compile\.autotune: expected true, false, or a record such as .*, got "fast"/,
  );
  refuses(
    single,
    { overrides: ["compile.autotune.start=5", "compile.autotune.stop=5"] },
    /^compile\.autotune: expected start to be less than stop/,
  );
  refuses(
    single,
    { overrides: ["compile.fusion=[bn-relu,bn-rleu]"] },
    /^compile\.fusion: unknown fusion "bn-rleu"; did you mean "bn-relu"\?/,
  );
  refuses(single, { overrides: ["compile.fusion=some"] }, /^compile\.fusion: expected true, false or a list of bn-add/);
  refuses(single, { overrides: ["compile.layout=chwn"] }, /^compile\.layout: expected "auto", "nhwc" or "nchw"/);
  refuses(
    single,
    { steps: 0, seed: -1 },
    "measure.steps: expected at least 1, got 0\nseed: expected at least 0, got -1",
  );
});

Deno.test("a problem of one variant is reported with its name, one of the scenario once", () => {
  refuses(
    altered({ amp: 3, variants: { a: {}, b: { amp: "O0" }, c: { sink: "all" } } }),
    {},
    /^amp: expected .* got 3\nvariant "c": sink: expected .* got "all"$/,
  );
  refuses(
    altered({ variants: { a: {}, deep: { params: { deth: 1 } } } }),
    {},
    /^variant "deep": params\.deth: unknown key; did you mean "params\.depth"\?$/,
  );
  refuses(altered({ variants: undefined, sweep: { zzz: [1, 2, 3] } }), {}, /^zzz: unknown key; known: [^\n]*$/);
  refuses(single, { overrides: ["zzz=1,2,3"] }, /^zzz: unknown key; known: [^\n]*$/);
});

Deno.test("errors from models and data sets are reported", () => {
  refuses(single, { overrides: ["depth=19"] }, /^model: resnet\.depth is 19; expected one of 8, 14, 18, 20/);
  refuses(single, { overrides: ["depth=deep"] }, 'params.depth: expected number, got "deep"');
  refuses(altered({ model: 3 }), {}, "model: expected a layer or a function that returns one, got a number");
  refuses(altered({ data: () => cifar10({ dir: "" }) }), {}, /^data: cifar10\(\)\.dir is ""; expected a folder/);
});

Deno.test("contradicting settings are reported", () => {
  refuses(
    altered({ loss: null }),
    {},
    "optimizer: requires a loss such as crossEntropy(); otherwise set optimizer to null",
  );
  refuses(
    altered({ model: null }),
    {},
    "loss: requires a model; otherwise set loss to null\noptimizer: requires a model; otherwise set optimizer to null",
  );
  refuses(
    altered({ loss: null, optimizer: null, evaluate: { every: 1 } }),
    {},
    "evaluate: requires a model and a loss; otherwise set evaluate to null",
  );
  refuses(
    altered({ epochs: 2, measure: { steps: 5 } }),
    {},
    "epochs: replaces measure.steps; give only one of them",
  );
  refuses(altered({ optimizer: sgd({ learningRate: 1, nesterov: true }) }), {}, /^optimizer\.nesterov: expected false/);
});

Deno.test("any key of profile turns profiling on, and is checked", () => {
  assert.deepEqual(withOverrides(single, "profile.active=3").profile, {
    skipFirst: 0,
    wait: 0,
    warmup: 1,
    active: 3,
    repeat: 1,
  });
  assert.equal(resolveScenario(altered({ profile: {} })).profile?.active, 5);
  refuses(altered({ profile: { active: 0 } }), {}, "profile.active: expected at least 1, got 0");
  refuses(altered({ profile: 5 }), {}, /^profile: expected a record such as .*, got 5$/);
  refuses(
    altered({ variants: { a: { profile: {} } } }),
    {},
    "variants.a.profile: belongs to the scenario, not to a variant; move it there",
  );
});
