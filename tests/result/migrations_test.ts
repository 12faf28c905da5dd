import assert from "node:assert/strict";
import { changeEach, migrateResult, type Migration, MIGRATIONS } from "../../runtime/result/migrations.ts";
import { readResult, SCHEMA_VERSION } from "../../runtime/result/schema.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { result, variant } from "../report/result_fixture.ts";

/** Version 2 renames a field, version 3 adds another to each op. */
const HISTORY: readonly Migration[] = [
  ({ old, ...rest }) => ({ ...rest, new: old }),
  (result) => changeEach(result, ["variants", "ops"], (op) => ({ ...op, calls: 0 })),
];

Deno.test("a result of an earlier version passes through the remaining migrations", () => {
  const variants = [{ ops: [{ id: "a" }] }];
  const migrated = { schemaVersion: 3, new: 5, variants: [{ ops: [{ id: "a", calls: 0 }] }] };
  assert.deepEqual(migrateResult({ schemaVersion: 1, old: 5, variants }, "x", HISTORY), migrated);
  assert.deepEqual(migrateResult({ schemaVersion: 2, new: 5, variants }, "x", HISTORY), migrated);
  assert.deepEqual(migrateResult(migrated, "x", HISTORY), migrated);
});

Deno.test("a result of a newer version is refused with a hint", () => {
  assert.throws(
    () => readResult({ ...result([variant("a")]), schemaVersion: SCHEMA_VERSION + 1 }, "run k3"),
    (error: Error) => {
      assert(error instanceof InputError);
      const { message } = error;
      assert.equal(SCHEMA_VERSION, MIGRATIONS.length + 1);
      assert.match(
        message,
        /^run k3: schema version \d+ is newer than this Tacho, which reads versions up to \d+; update/,
      );
      return true;
    },
  );
});

Deno.test("a value that is not a result is left for the schema to refuse", () => {
  for (const value of [null, 3, "x", [], {}, { schemaVersion: "1" }, { schemaVersion: 0 }, { schemaVersion: 1.5 }]) {
    assert.deepEqual(migrateResult(value, "x", HISTORY), value);
  }
});

Deno.test("ops of version 1 get roles and precision from their type and kernel", () => {
  const ops = [
    { id: "a", type: "conv2d_weight_grad", kernel: "conv2d.weight_grad" },
    { id: "b", type: "relu", kernel: "relu.f32" },
    { id: "c", type: "dropout", kernel: "dropout.f32" },
    { id: "d", type: "elementwise", kernel: "elementwise.relu+dropout.f32.x4" },
    { id: "e", type: "elementwise", kernel: "elementwise.dropout_grad+add.f32.x4" },
    { id: "f", type: "adam", kernel: "adam.f32" },
  ];
  const migrated = migrateResult({ schemaVersion: 1, variants: [{ ops }] }, "x", MIGRATIONS.slice(0, 1));
  assert.deepEqual(migrated, {
    schemaVersion: 2,
    variants: [{
      ops: [
        {
          ...ops[0],
          precision: "compute",
          roles: ["product"],
          aliases: {
            singa: "cudnnConvolutionBackwardFilter",
            paddle: "conv2d_grad",
            mindinsight: "Conv2DBackpropFilter",
          },
        },
        {
          ...ops[1],
          precision: "follow",
          roles: ["elementwise"],
          aliases: { nnc: "ReLU", singa: "ReLU", mindinsight: "ReLU" },
        },
        { ...ops[2], precision: "follow", roles: ["elementwise", "random"], aliases: {} },
        { ...ops[3], precision: "follow", roles: ["random"], aliases: {} },
        { ...ops[4], precision: "follow", roles: [], aliases: {} },
        { ...ops[5], precision: "fixed", roles: [], aliases: {} },
      ],
    }],
  });
});

Deno.test("variants of version 2 have no count of skipped updates, and no limit on their first losses", () => {
  const variants = [{ quality: { kept: true } }, { quality: null }];
  assert.deepEqual(migrateResult({ schemaVersion: 2, variants }, "x", MIGRATIONS.slice(0, 2)), {
    schemaVersion: 3,
    variants: [
      { quality: { kept: true, first: null }, measuredOverflows: null },
      { quality: null, measuredOverflows: null },
    ],
  });
});

Deno.test("ops of version 3 get medians without their extremes, and shares of them", () => {
  const ops = [
    { calls: 5, total: 10, mean: 2, min: 1, max: 3, share: 0.05 },
    { calls: 5, total: 182, mean: 36.4, min: 1, max: 175, share: 0.9 },
    { calls: 2, total: 8, mean: 4, min: 3, max: 5, share: 0.05 },
    { calls: 0, total: null, mean: null, min: null, max: null, share: null },
  ];
  const migrated = migrateResult({ schemaVersion: 3, variants: [{ ops }, {}] }, "x", MIGRATIONS.slice(0, 3));
  assert.deepEqual(migrated, {
    schemaVersion: 4,
    variants: [{
      ops: [
        { ...ops[0], median: 2, share: 2 / 8 },
        { ...ops[1], median: 2, share: 2 / 8 },
        { ...ops[2], median: 4, share: 4 / 8 },
        { ...ops[3], median: null, share: null },
      ],
    }, {}],
  });
});

Deno.test("results of version 4 name extremes and intervals apart, and have the noise floor as one number", () => {
  const ips = { value: 10, low: 9, high: 11, unit: "images/s", amortised: false };
  const speedup = { value: 1.1, low: 1.05, high: 1.15 };
  const old = {
    schemaVersion: 4,
    noiseFloor: { value: 0.02, low: 0, high: 0.05, unit: "ratio", amortised: false },
    variants: [{
      metrics: {
        ips,
        batchCost: null,
        speedup: { ...speedup, unit: "ratio", amortised: false },
        phases: { loss: ips },
      },
      comparison: { speedup, level: 0.95 },
    }, { metrics: {}, comparison: null }],
    procedure: { secondArm: { comparison: { speedup: { value: 1.03, low: 1.01, high: 1.05 }, level: 0.95 } } },
    ladder: { start: { ips, bound: null }, rungs: [{ before: { ips: null }, after: null, measured: { level: 0.95 } }] },
  };
  const extremes = { value: 10, min: 9, max: 11, unit: "images/s", amortised: false };
  const more = { level: 0.95, reached: 0.95, companion: null };
  const { noiseFloor, ...migrated } = migrateResult(old, "x", MIGRATIONS.slice(0, 4)) as typeof old;
  assert.deepEqual(migrated, {
    schemaVersion: 5,
    variants: [{
      metrics: { ips: extremes, batchCost: null, speedup: { ...speedup, unit: "ratio" }, phases: { loss: extremes } },
      comparison: { speedup, ...more },
    }, { metrics: {}, comparison: null }],
    procedure: { secondArm: { comparison: { speedup: { value: 1.03, low: 1.01, high: 1.05 }, ...more } } },
    ladder: { start: { ips: extremes, bound: null }, rungs: [{ before: { ips: null }, after: null, measured: more }] },
  });
  assert(typeof noiseFloor === "number" && noiseFloor > 0.025 && noiseFloor < 0.03);
  const once = { schemaVersion: 4, noiseFloor: null, variants: [] };
  assert.deepEqual(migrateResult(once, "x", MIGRATIONS.slice(0, 4)), { ...once, schemaVersion: 5 });
});

Deno.test("the cost of profiling of version 5 is unknown, as it was relative to a step without its loader", () => {
  const variants = [{ profile: { steps: 5, cost: { phases: 0.68 } }, metrics: { profilingCost: { value: 0.68 } } }];
  assert.deepEqual(migrateResult({ schemaVersion: 5, variants }, "x", MIGRATIONS.slice(0, 5)), {
    schemaVersion: 6,
    variants: [{
      profile: { steps: 5, cost: { phases: null, ops: null, uncertainty: null } },
      metrics: { profilingCost: null },
    }],
  });
});

Deno.test("results of version 6 have no counts of timestamps, and no defects of the clock itself", () => {
  const profile = { trust: { defects: { stale: 2 }, resolution: 40 } };
  const old = { schemaVersion: 6, variants: [{ profile }, { profile: null }] };
  assert.deepEqual(migrateResult(old, "x", MIGRATIONS.slice(0, 6)), {
    schemaVersion: 7,
    variants: [
      { profile: { trust: { defects: { stale: 2, reset: 0, outside: 0 }, resolution: 40 } }, timestamps: null },
      { profile: null, timestamps: null },
    ],
  });
});

Deno.test("peaks of version 8 have their common date and unknown conditions", () => {
  const [f32, copy] = [{ value: 7, unit: "FLOP/s", kernel: "a" }, { value: 8, unit: "bytes/s", kernel: "b" }];
  const date = "2026-01-02T03:04:05.000Z";
  const more = { date, load: null, spread: null };
  const old = { schemaVersion: 8, roofline: { peaks: { date, clock: "host", f32, f16: null, copy }, steps: [] } };
  assert.deepEqual(migrateResult(old, "x", MIGRATIONS.slice(0, 8)), {
    schemaVersion: 9,
    roofline: { peaks: { clock: "host", f32: { ...f32, ...more }, f16: null, copy: { ...copy, ...more } }, steps: [] },
  });
  const none = { schemaVersion: 8, roofline: null };
  assert.deepEqual(migrateResult(none, "x", MIGRATIONS.slice(0, 8)), { ...none, schemaVersion: 9 });
});

Deno.test("ops of version 9 list their dispatches, whose times are known only where there is one", () => {
  const times = { calls: 5, total: 10, median: 2, mean: 2, min: 1, max: 3 };
  const phase = { phase: "forward", interval: 2, ops: 1, residual: 1 };
  const variants = [{
    ops: [{ kernel: "a", dispatches: 1, ...times }, { kernel: "b", dispatches: 2, ...times }],
    profile: { phases: [phase] },
  }, { ops: [], profile: null }];
  const { variants: [migrated, loader] } = migrateResult(
    { schemaVersion: 9, variants },
    "x",
    MIGRATIONS.slice(0, 9),
  ) as {
    variants: [{ ops: { kernels: unknown }[]; profile: { phases: unknown[] } }, unknown];
  };
  const untimed = { name: "b", calls: 5, total: null, median: null, mean: null, min: null, max: null };
  assert.deepEqual(migrated.ops.map(({ kernels }) => kernels), [[{ name: "a", ...times }], [untimed, untimed]]);
  assert.deepEqual(migrated.profile.phases, [{ ...phase, gaps: null, measured: null, cause: null }]);
  assert.deepEqual(loader, variants[1]);
});

Deno.test("phases of version 12 were split by means", () => {
  const split = { phase: "forward", interval: 2, ops: 1, residual: 1 };
  const gaps = { count: 3, longest: { ms: 1, before: "fc" } };
  const old = {
    schemaVersion: 12,
    variants: [{ profile: { phases: [{ ...split, gaps }, { ...split, gaps: null }] } }],
  };
  assert.deepEqual(migrateResult(old, "x", MIGRATIONS.slice(0, 12)), {
    schemaVersion: 13,
    variants: [{
      profile: {
        phases: [
          { ...split, mean: 2, max: null, gaps: { ...gaps, usual: null } },
          { ...split, mean: 2, max: null, gaps: null },
        ],
      },
    }],
  });
});

Deno.test("results of version 10 have no time of weight decay alone; ranges have as many entries as calls, and no phase", () => {
  const range = { path: "net", track: "device", calls: 5, total: 10, mean: 2 };
  const old = { schemaVersion: 10, variants: [{ profile: { ranges: [range] } }] };
  const { variants: [{ profile }] } = migrateResult(old, "x") as { variants: [{ profile: Record<string, unknown> }] };
  assert.equal(profile["weightDecay"], null);
  assert.deepEqual(profile["ranges"], [{ ...range, phase: null, entries: 5 }]);
});

Deno.test("figures of version 18 covered one micro-batch of steps that accumulate gradients", () => {
  const times = { calls: 5, total: 10, median: 2, mean: 2, min: 1, max: 3 };
  const kernel = (name: string) => ({ name, ...times });
  const unknown = (name: string) => ({ name, calls: 0, total: null, median: null, mean: null, min: null, max: null });
  const op = { ...times, flops: 7, bytes: 11, dispatches: 1, kernel: "k", kernels: [kernel("k")] };
  const [forward, update] = [{ ...op, phase: "forward" }, { ...op, phase: "update", total: 12 }];
  const norm = { ...update, dispatches: 2, kernels: [kernel("a"), kernel("b")] };
  const range = { track: "device", phase: "forward", entries: 5, total: 10, mean: 2 };
  const copy = { kind: "copy", perSample: 2, perBatch: 8 };
  const figures = { profile: { ranges: [range] }, pipeline: { stages: [copy] }, ops: [forward, update, norm] };
  const config = { model: "net", mode: "train", optimizer: { kind: "sgd" } };
  const plain = { name: "plain", config, ...figures };
  const steps = [{ variant: "two" }, { variant: "plain" }];
  const old = {
    schemaVersion: 18,
    variants: [plain, { name: "two", config: { ...config, accumulate: 2 }, ...figures }],
    roofline: { steps },
  };
  const migrated = migrateResult(old, "x", MIGRATIONS.slice(0, 18)) as typeof old;
  assert.deepEqual(migrated.variants[0], plain);
  assert.deepEqual(migrated.variants[1]!.ops, [
    { ...forward, flops: 14, bytes: 22, dispatches: 2, kernels: [kernel("k"), unknown("k")] },
    { ...update, kernels: [{ ...kernel("k"), total: 12 }] },
    { ...norm, kernels: [unknown("a"), unknown("b")] },
  ]);
  assert.deepEqual(migrated.variants[1]!.profile.ranges, [{ ...range, entries: 10, mean: 1 }]);
  assert.deepEqual(migrated.variants[1]!.pipeline.stages, [{ ...copy, perSample: 1, perBatch: 4 }]);
  assert.deepEqual(migrated.roofline.steps, [steps[1]]);
});

Deno.test("changeEach reaches every object at the end of a path and leaves the rest", () => {
  const mark = (fields: object) => ({ ...fields, marked: true });
  const value = { list: [{ inner: { a: 1 } }, { inner: null }, {}], other: [1] };
  assert.deepEqual(changeEach(value, ["list", "inner"], mark), {
    list: [{ inner: { a: 1, marked: true } }, { inner: null }, {}],
    other: [1],
  });
  assert.deepEqual(changeEach({}, [], mark), { marked: true });
});

Deno.test("results of version 10 have one set-up for each sitting, and no spread", () => {
  const measured = { pairs: 8 };
  const old = {
    schemaVersion: 10,
    variants: [{ comparison: measured }, { comparison: null }],
    procedure: { resumed: 2, secondArm: { comparison: measured } },
  };
  const comparison = { pairs: 8, setups: 1, spread: { setups: null, rounds: null } };
  assert.deepEqual(migrateResult(old, "x", MIGRATIONS.slice(0, 10)), {
    schemaVersion: 11,
    variants: [{ comparison }, { comparison: null }],
    procedure: { resumed: 2, secondArm: { comparison }, setups: { count: 3, time: null, share: null } },
  });
});
