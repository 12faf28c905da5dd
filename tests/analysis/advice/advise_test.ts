import assert from "node:assert/strict";
import { cifar10, crossEntropy, resnet, type ScenarioDefinition, sgd, transforms } from "../../../mod.ts";
import { advise, adviseAll, RULES } from "../../../runtime/analysis/advice/advise.ts";
import type { AdviceInput } from "../../../runtime/analysis/advice/context.ts";
import type { Change } from "../../../runtime/result/schema.ts";
import { describeConfig } from "../../../runtime/scenario/describe.ts";
import { formatOverride } from "../../../runtime/scenario/override.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { failed } from "../../report/result_fixture.ts";
import { apply, bottleneck, config, input, measured, op, peaks, pipeline, stage } from "./fixture.ts";

/** Settings that are wrong in every way that a rule looks at, of a scenario that can be resolved. */
const WRONG = {
  name: "wrong",
  model: resnet({ depth: 20, classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1 }),
  data: cifar10({
    fuse: false,
    transforms: [
      transforms.chwToHwc(),
      transforms.randomCrop(32, { padding: 4 }),
      transforms.hwcToChw(),
      transforms.normalize("cifar10"),
    ],
  }),
  loader: { batchSize: 32, numWorkers: 2, sharedMemory: false },
  compile: { fusion: false },
  monitor: "step",
} satisfies ScenarioDefinition<Record<never, never>>;

/** Input of the rules for {@linkcode WRONG}. */
function wrong(overrides: readonly string[] = []): AdviceInput {
  const [variant] = resolveScenario(WRONG, { overrides }).variants;
  const slow = [2, 2, 2, 2, 8].map((mean, i) => op(`conv${i}`, { mean, flops: 1e9, bytes: 1e3 }));
  const stages = [
    stage("read", "read", 2),
    stage("randomCrop", "transform", 40),
    stage("normalize", "transform", 40),
    stage("hand-over", "handOver", 20),
    stage("let data", "copy", 2),
  ];
  const figures = { step: 100, reader: 60, gap: 80, forward: 6, backward: 9, update: 1, runtimeWait: 11 };
  return input(
    measured(figures, {
      config: describeConfig(variant!.config) as AdviceInput["variant"]["config"],
      ops: [...slow, op("relu1", { type: "relu", mean: 4 })],
      pipeline: pipeline(82, { numWorkers: 2, longest: 400, stages }),
      bottleneck: bottleneck({ free: 5 }),
    }),
    { peaks, memoryLimit: 2 ** 34 },
  );
}

function at(settings: unknown, path: string): unknown {
  return path.split(".").reduce((value, key) => (value as Record<string, unknown>)[key], settings);
}

/** Asserts that a setting of the resolved scenario has a change's value. */
function check({ path, to }: Change, settings: unknown): void {
  const value = at(settings, path);
  if (path === "compile.autotune") return assert.notEqual(value, null);
  const plain = JSON.parse(JSON.stringify(value));
  // Lists of transforms come back with their defaults
  if (Array.isArray(to) && path === "data.transforms") {
    return assert.deepEqual(plain.map(({ kind }: { kind: string }) => kind), to.map((one) => at(one, "kind")));
  }
  assert.deepEqual(plain, to);
}

Deno.test("what every rule would change can be set as it is typed on the command line", () => {
  const cases = [wrong(), wrong(["sink=5", "monitor=block"]), wrong(["amp=O2"]), wrong(["compile.layout=nchw"])];
  const seen = new Set<string>();
  for (const { variant, ...rest } of cases) {
    const ops = [...variant.ops, op("to", { type: "to_layout", mean: 4 })].map((one) => ({ ...one, dtype: "f16" }));
    const baseline = measured({}, { ops: ops.map((one) => ({ ...one, mean: one.mean! / 2, min: one.min! / 2 })) });
    const evidence = { ...rest, variant: { ...variant, ops }, baseline };
    for (const { kind, changes } of RULES.flatMap((rule) => apply(rule, evidence) ?? [])) {
      seen.add(kind);
      for (const change of changes) {
        assert.deepEqual(change.from, JSON.parse(JSON.stringify(at(variant.config, change.path))), change.path);
      }
      const [resolved] = resolveScenario(WRONG, {
        overrides: changes.map(({ path, to }) => formatOverride(path, to)),
      }).variants;
      for (const change of changes) check(change, resolved!.config);
    }
  }
  const expected = ["amp", "batch-size", "fuse-ops", "fuse-transforms", "layout", "monitor", "more-workers", "sink"];
  for (const kind of [...expected, "reorder-transforms", "shared-memory", "slow-op", "slower-in-f16"]) {
    assert.ok(seen.has(kind), `${kind} said nothing, only ${[...seen].join(" ")}`);
  }
});

Deno.test("advice is sorted by what it promises, and each promise is reasoned", () => {
  const findings = advise(wrong());
  const gains = findings.map(({ predicted }) => predicted!.gain);
  assert.ok(findings.length > 5);
  assert.deepEqual(gains, gains.toSorted((a, b) => b - a));
  for (const { kind, predicted, message, evidence } of findings) {
    assert.ok(predicted!.gain >= 1.01 && Number.isFinite(predicted!.gain), kind);
    assert.ok(predicted!.reasoning.length > 20 && message.length > 20 && evidence.length > 0, kind);
  }
});

Deno.test("of two findings that change the same setting, the more promising one is reported", () => {
  const given = advise(wrong()).filter(({ changes }) => changes.some(({ path }) => path === "compile.autotune"));
  const alone = RULES.flatMap((rule) => apply(rule, wrong()) ?? []).filter(({ changes }) =>
    changes.some(({ path }) => path === "compile.autotune")
  );
  assert.deepEqual([given.length, alone.length], [1, 2]);
  assert.equal(given[0]!.predicted!.gain, Math.max(...alone.map(({ predicted }) => predicted!.gain)));
});

Deno.test("what did not run, and settings of another version, get no advice", () => {
  assert.deepEqual(advise(input(failed("amp", "no f16", 3))), []);
  assert.deepEqual(advise({ ...wrong(), variant: { ...wrong().variant, status: "interrupted" } }), []);
  assert.deepEqual(advise({ ...wrong(), variant: { ...wrong().variant, config: {} } }), []);
  const { loader: _, ...older } = config();
  assert.deepEqual(advise({ ...wrong(), variant: { ...wrong().variant, config: older } }), []);
});

Deno.test("a variant is never its own reference", () => {
  const variant = measured({ step: 200, reader: 150 }, { name: "baseline", pipeline: pipeline(150) });
  const other = measured({ step: 200, reader: 1 }, { name: "other", pipeline: pipeline(1) });
  const context = { cores: 4, software: false, peaks: null, memoryLimit: null };
  const [first, second] = adviseAll([variant, other], "baseline", context, new Map());
  assert.equal(first!.findings[0]!.kind, "more-workers");
  assert.deepEqual(second!.findings.filter(({ kind }) => kind === "more-workers"), []);
});
