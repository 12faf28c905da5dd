import assert from "node:assert/strict";
import { z } from "zod";
import { compose } from "../../runtime/scenario/compose.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { syntheticImages } from "../../runtime/data/sources/synthetic_images.ts";
import { text } from "../../runtime/data/sources/text.ts";
import { tokens } from "../../runtime/data/sources/tokens.ts";
import { resnet } from "../../runtime/nn/resnet.ts";
import { altered, configOf, example, namesOf, refuses, single, withOverrides } from "./fixtures.ts";

Deno.test("a sweep combines its axes, the last changing fastest", () => {
  const swept = altered({ variants: undefined, sweep: { amp: ["O0", "O2"], "loader.numWorkers": [0, 2] } });
  const resolved = resolveScenario(swept);
  assert.deepEqual(namesOf(resolved), [
    "amp=O0,numWorkers=0",
    "amp=O0,numWorkers=2",
    "amp=O2,numWorkers=0",
    "amp=O2,numWorkers=2",
  ]);
  assert.equal(resolved.baseline, "amp=O0,numWorkers=0");
  assert.equal(configOf(resolved, "amp=O2,numWorkers=0").amp.level, "O2");
  assert.equal(configOf(resolved, "amp=O2,numWorkers=2").loader.numWorkers, 2);
  // one value takes the axis away
  assert.deepEqual(namesOf(withOverrides(swept, "amp=O1")), ["numWorkers=0", "numWorkers=2"]);
});

Deno.test("a sweep names variants by parameter, record, or full path if last keys are the same", () => {
  const names = (sweep: Record<string, unknown[]>) => namesOf(resolveScenario(altered({ variants: undefined, sweep })));
  assert.deepEqual(names({ depth: [20, 56] }), ["depth=20", "depth=56"]);
  assert.deepEqual(names({ amp: [false, { level: "O2" }, { level: "O2", keepF32: ["fc"] }] }), [
    "amp=false",
    "amp=O2",
    "amp=level-O2-keepF32-fc",
  ]);
  assert.deepEqual(names({ "data.kind": ["cifar10"], "optimizer.kind": ["sgd"] }), [
    "data.kind=cifar10,optimizer.kind=sgd",
  ]);
  refuses(altered({ variants: undefined, sweep: { seed: [1, 2] } }), {}, /^seed: applies to the whole scenario/);
});

Deno.test("an override with one value replaces the setting of every variant", () => {
  const resolved = withOverrides(example, "loader.numWorkers=1", "optimizer.learningRate=0.05", "measure.steps=20");
  assert.deepEqual(resolved.variants.map(({ config }) => config.loader.numWorkers), [1, 1, 1, 1]);
  assert.deepEqual(resolved.aliases, [{ name: "workers", of: "baseline" }]);
  assert.equal(configOf(resolved, "amp").amp.level, "O2");
  assert.deepEqual(configOf(resolved).optimizer, {
    kind: "sgd",
    learningRate: 0.05,
    momentum: 0.9,
    dampening: 0,
    nesterov: false,
    weightDecay: 1e-4,
  });
  assert.deepEqual([resolved.measure.steps, configOf(resolved).measure.steps], [20, 20]);
});

Deno.test("overrides with several values replace the variants by their combinations", () => {
  const resolved = withOverrides(example, "amp=O0,O2", "loader.numWorkers=0,2", "sink=5");
  assert.deepEqual(namesOf(resolved), [
    "amp=O0,numWorkers=0",
    "amp=O0,numWorkers=2",
    "amp=O2,numWorkers=0",
    "amp=O2,numWorkers=2",
  ]);
  assert.ok(resolved.variants.every(({ config }) => config.sink === 5));
});

Deno.test("overrides accept parameters by bare name or path, short forms, and strings that look like numbers", () => {
  assert.deepEqual(withOverrides(single, "depth=56").params, { depth: 56, image: 32 });
  assert.deepEqual(withOverrides(single, "params.depth=56").params, { depth: 56, image: 32 });
  assert.deepEqual(namesOf(withOverrides(example, "depth=20,56")), ["depth=20", "depth=56"]);
  const amp = configOf(withOverrides(example, "amp.scaler.init=1024"), "amp").amp;
  assert.deepEqual([amp.level, amp.scaler.init], ["O2", 1024]);
  assert.equal(configOf(withOverrides(single, "data.dir=2024")).data.kind, "cifar10");
  assert.deepEqual(configOf(withOverrides(single, "data.dir=2024")).data, {
    kind: "cifar10",
    dir: "2024",
    transforms: [],
    fuse: true,
    cache: null,
    placement: "host",
    delay: { read: 0, decode: 0, collate: 0 },
    unit: "images",
  });
  assert.deepEqual(configOf(withOverrides(single, "amp.keepF32=[fc,layer1.0]")).amp.keepF32, ["fc", "layer1.0"]);
});

Deno.test("an override of a whole record precedes those of its keys, and later ones win", () => {
  const config = configOf(withOverrides(single, "optimizer.learningRate=0.5", "optimizer=adam", "sink=1", "sink=2"));
  assert.deepEqual(config.optimizer, {
    kind: "adam",
    learningRate: 0.5,
    beta1: 0.9,
    beta2: 0.999,
    epsilon: 1e-8,
    weightDecay: 0,
  });
  assert.equal(config.sink, 2);
  const swept = withOverrides(single, "optimizer=sgd,adamW", "optimizer.learningRate=0.25");
  assert.deepEqual(swept.variants.map(({ config }) => [config.optimizer?.kind, config.optimizer?.learningRate]), [
    ["sgd", 0.25],
    ["adamW", 0.25],
  ]);
});

Deno.test("options win over the scenario and overrides", () => {
  const { measure, seed, epochs, variants } = resolveScenario(altered({ epochs: 3 }), {
    precision: 0.02,
    maxTime: 60,
    minEffect: 0.05,
    aa: false,
    overrides: ["seed=4", "measure.rounds=9"],
    steps: 7,
    skip: 0,
    rounds: 2,
    seed: 11,
    dataDir: "/data",
  });
  const { maxSkip: _, tolerance: __, ...set } = measure;
  assert.deepEqual({ set, seed, epochs }, {
    set: {
      steps: 7,
      skip: 0,
      rounds: 2,
      precision: 0.02,
      maxTime: 60,
      minEffect: 0.05,
      statistic: "mean",
      outputs: { relative: 0, absolute: 0 },
      setups: null,
      opRounds: null,
      processes: null,
      aa: false,
    },
    seed: 11,
    epochs: null,
  });
  const { data } = variants[0]!.config;
  assert.equal(data.kind === "cifar10" && data.dir, "/data");
  assert.equal(withOverrides(single, "epochs=2").epochs, 2);
});

Deno.test("the data option names the file of data that are read from one", () => {
  for (
    const [data, kind] of [[text({ context: 8 }), "text"], [
      tokens({ file: "a.bin", dtype: "u8", context: 8 }),
      "tokens",
    ]] as const
  ) {
    const { config } = resolveScenario(altered({ data }), { dataDir: "/data/train" }).variants[0]!;
    assert.deepEqual(config.data.kind === kind && config.data.file, "/data/train");
  }
});

Deno.test("a folder for data that is not read from one is refused", () => {
  const drawn = altered({ data: syntheticImages({ height: 8, width: 8, classes: 10, length: 64 }) });
  refuses(drawn, { dataDir: "/images" }, "data.dir: this data is not read from a folder; remove --data or data.dir");
});

Deno.test("unknown keys in overrides are refused with the nearest known key", () => {
  refuses(example, { overrides: ["deptth=20"] }, 'deptth: unknown key; did you mean "depth"?');
  refuses(example, { overrides: ["numWorkers=2"] }, 'numWorkers: unknown key; did you mean "loader.numWorkers"?');
  refuses(
    example,
    { overrides: ["loader.numWorker=2"] },
    'loader.numWorker: unknown key; did you mean "loader.numWorkers"?',
  );
  refuses(
    example,
    { overrides: ["optimizer.learningRat=1"] },
    'optimizer.learningRat: unknown key; did you mean "optimizer.learningRate"?',
  );
  refuses(
    example,
    { overrides: ["optimizer.lr=1"] },
    /^optimizer\.lr: unknown key; did you mean "optimizer\.learningRate"\?$/,
  );
  refuses(example, { overrides: ["zzz=1"] }, /^zzz: unknown key; known: depth, image, .*loader/);
  refuses(example, { overrides: ["constructor=1"] }, /^constructor: unknown key/);
  refuses(example, { overrides: ["model=x"] }, /^model: the model is fixed by the script/);
  refuses(example, { overrides: ["variants=x"] }, "variants: can only be set in the script");
  refuses(example, { overrides: ["seed=1,2"] }, "seed: applies to the whole scenario; give one value, not a list");
});

Deno.test("names that JavaScript's objects have are names like any other, or are refused", () => {
  const names = ["constructor", "toString", "hasOwnProperty", "valueOf", "prototype"];
  const variants = Object.fromEntries(names.map((name, i) => [name, { loader: { batchSize: i + 1 } }]));
  const resolved = resolveScenario(altered({ variants, baseline: "valueOf" }), { variants: ["toString", "valueOf"] });
  assert.deepEqual(resolved.variants.map(({ name, config }) => [name, config.loader?.batchSize]), [
    ["toString", 2],
    ["valueOf", 4],
  ]);
  refuses(altered({ variants: { a: {} } }), { variants: ["toString"] }, /^variants: unknown variant "toString"/);
  refuses(altered({ variants: { a: compose("constructor") } }), {}, /compose: unknown variant "constructor"/);
  for (const key of ["variants", "params", "sweep", "adapters", "programs", "loader", "optimizer"]) {
    const hidden = altered({ [key]: { ["__proto__"]: {} } });
    refuses(hidden, {}, `${key}.__proto__: has a meaning in JavaScript; expected another name`);
  }
  for (const name of ["constructor", "toString"]) {
    const params = { [name]: z.coerce.number().default(1) };
    refuses(altered({ params }), {}, `params.${name}: every record in JavaScript has "${name}"; choose another name`);
  }
  for (const text of ["__proto__=1", "loader.__proto__=1", 'loader={"__proto__": 1}', "params.__proto__.x=1"]) {
    refuses(example, { overrides: [text] }, /__proto__ is no setting|expected a key/);
  }
});

Deno.test("variants are picked by name, names with commas included", () => {
  const pick = (overrides: string[], ...variants: string[]) =>
    namesOf(resolveScenario(example, { overrides, variants }));
  assert.deepEqual(pick([], "amp", "baseline"), ["baseline", "amp"]);
  // Names with commas, whole or split by the command line
  assert.deepEqual(pick(["amp=O0,O2", "sink=0,5"], "amp=O2", "sink=5"), ["amp=O2,sink=5"]);
  assert.deepEqual(pick(["amp=O0,O2", "sink=0,5"], "amp=O0,sink=0", "amp=O2,sink=5"), [
    "amp=O0,sink=0",
    "amp=O2,sink=5",
  ]);
  refuses(example, { variants: ["worker"] }, 'variants: unknown variant "worker"; did you mean "workers"?');
  refuses(example, { variants: [] }, "variants: expected at least one name, got none");
});

Deno.test("the baseline is the first variant that runs, unless named", () => {
  assert.equal(resolveScenario(example, { variants: ["amp", "sink"] }).baseline, "sink");
  const named = altered({ baseline: "amp" });
  assert.equal(resolveScenario(named).baseline, "amp");
  assert.equal(resolveScenario(named, { variants: ["sink"] }).baseline, "sink");
  assert.equal(withOverrides(named, "sink=0,10").baseline, "sink=0");
  assert.equal(withOverrides(named, "baseline=workers").baseline, "workers");
  assert.equal(withOverrides(single, "amp=O0,O2", "baseline=amp=O2").baseline, "amp=O2");
  refuses(altered({ baseline: "ampp" }), {}, 'baseline: unknown variant "ampp"; did you mean "amp"?');
  refuses(example, { overrides: ["baseline=worker"] }, 'baseline: unknown variant "worker"; did you mean "workers"?');
});

Deno.test("variants that are not chosen are not checked", () => {
  const faulty = altered({
    model: ({ depth }: { depth: number }) => {
      if (depth === 7) throw new Error("no such depth");
      return resnet({ depth, classes: 10 });
    },
    variants: {
      baseline: {},
      sink: { sink: 10 },
      workers: { loader: { numWorkers: 2 } },
      amp: { amp: "O2" },
      both: compose("workers", "amp"),
      negative: { loader: { batchSize: -1 } },
      unknown: { lodaer: {} },
      misplaced: { measure: { steps: 2 } },
      model: { params: { depth: 7 } },
      nothing: compose("none"),
      worse: compose("workers", "negative"),
    },
  });
  const faults: [string, RegExp][] = [
    ["sink", /^variant "sink": sink: is 10, but with distribute/],
    ["negative", /^variant "negative": loader\.batchSize: /],
    ["unknown", /^variants\.unknown\.lodaer: unknown key; did you mean "loader"\?$/],
    ["misplaced", /^variants\.misplaced\.measure: belongs to the scenario/],
    ["model", /^variant "model": model: .*no such depth/],
    ["nothing", /^variants\.nothing: compose: unknown variant "none"/],
    ["worse", /^variant "worse": loader\.batchSize: /],
  ];
  const overrides = ["distribute=true"];
  for (const [name, message] of faults) refuses(faulty, { overrides, variants: ["baseline", name] }, message);
  const wrong = faults.map(([name]) => name);
  const picked = { overrides, variants: ["baseline", "both"] };
  assert.deepEqual(namesOf(resolveScenario(faulty, picked)), ["baseline", "both"]);
  assert.equal(configOf(resolveScenario(faulty, picked), "both").loader.numWorkers, 2);
  const left = resolveScenario(faulty, { overrides, exclude: wrong });
  assert.deepEqual(namesOf(left), ["baseline", "workers", "amp", "both"]);
  assert.equal(resolveScenario(faulty, { variants: ["both"], overrides: ["baseline=both"] }).baseline, "both");
  refuses(
    faulty,
    { variants: ["both"], overrides: ["baseline=sink"] },
    'baseline: expected a variant that runs, got "sink"; known: both',
  );
  const swept = { overrides: ["distribute=true", "sink=0,10"] };
  refuses(single, swept, /^variant "sink=10": sink: is 10, but with distribute/);
  assert.deepEqual(namesOf(resolveScenario(single, { ...swept, exclude: ["sink=10"] })), ["sink=0"]);
  const adapted = { ...faulty, adapters: { small: { variants: ["baseline", "amp"] } } };
  assert.deepEqual(namesOf(resolveScenario(adapted, { adapters: ["small"] })), ["baseline", "amp"]);
});

Deno.test("compose nests, adds settings, and refuses unknown variants and cycles", () => {
  const variants = (all: Record<string, unknown>) => altered({ variants: all });
  const nested = resolveScenario(variants({
    a: { sink: 2, loader: { numWorkers: 1 } },
    b: compose("a", { sink: 3 }),
    c: compose("b", { loader: { prefetch: 4 } }),
  }));
  const { sink, loader } = configOf(nested, "c");
  assert.deepEqual([sink, loader.numWorkers, loader.prefetch], [3, 1, 4]);
  refuses(variants({ a: {}, b: compose("aa") }), {}, 'variants.b: compose: unknown variant "aa"; did you mean "a"?');
  refuses(
    variants({ a: compose("b"), b: compose("a") }),
    {},
    "variants.a: a -> b -> a is a cycle; a variant cannot include itself",
  );
});
