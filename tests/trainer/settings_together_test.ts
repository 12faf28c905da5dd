/** Trains with the training settings together, in rows that cover each pair of values of two settings. */
import assert from "node:assert/strict";
import {
  adamW,
  linear,
  measure,
  schedules,
  sequential,
  tanh,
  transforms as t,
  type VariantDefinition,
} from "../../mod.ts";
import { compileVariant } from "../../runtime/compile/variant.ts";
import { describeDataset } from "../../runtime/data/describe.ts";
import { Device } from "../../runtime/device/device.ts";
import { SlotPool } from "../../runtime/engine/slot_pool.ts";
import { LocalSteps } from "../../runtime/experiment/variant/local_steps.ts";
import { mergeAll } from "../../runtime/scenario/merge.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { settingsSchema } from "../../runtime/scenario/schema.ts";
import { sampled } from "../support/full.ts";
import { classified, small } from "./models.ts";

type Settings = VariantDefinition<Record<never, never>>;

/** Values of each setting; the first is the plain one. */
const VALUES = {
  amp: [{ amp: "O0" }, { amp: "O2" }, { amp: "O3" }],
  accumulate: [{}, { accumulate: 2, loader: { batchSize: 2 } }],
  recompute: [{}, { recompute: "blocks" }, { recompute: ["h.*.tanh", "h.1"] }],
  clipNorm: [{}, { clipNorm: 0.3 }],
  schedule: [
    {},
    { schedule: schedules.cosine({ steps: 12, warmup: 2, warmupStart: 0.1 }) },
    { schedule: schedules.oneCycle({ steps: 12 }) },
  ],
  groups: [{}, { groups: [{ match: "vectors", weightDecay: 0 }] }],
  ema: [{}, { ema: true }],
  cache: [{}, { data: { cache: "memory" } }, { data: { cache: { in: "file", after: 1, fill: false } } }],
  monitor: [{}, { monitor: "step" }],
  timing: [{}, { timing: "event" }],
  sink: [{}, { sink: 3 }],
  workers: [{}, { loader: { numWorkers: 1 } }, { loader: { numWorkers: 2, sharedMemory: false, prefetch: 1 } }],
  fusion: [{}, { compile: { fusion: false } }],
  inPlace: [{}, { compile: { inPlace: false } }],
  autotune: [{}, { compile: { autotune: { start: 0, stop: 3, seconds: 2 } } }],
} as const satisfies Record<string, readonly Settings[]>;

/** Settings that are not among them. */
const OTHERS: Readonly<Record<string, string>> = {
  loss: "another training",
  optimizer: "another training",
  weights: "initial values",
  mode: "inference updates nothing",
  evaluate: "runs between steps",
  distribute: "tests/cluster/agreement_test.ts has it with all of them",
};

type Name = keyof typeof VALUES;
type Row = Readonly<Record<Name, number>>;

const NAMES = Object.keys(VALUES) as Name[];

/** Settings that change what is learned, beyond rounding. */
const LEARNED: readonly Name[] = ["clipNorm", "schedule", "groups"];

/** Returns rows that together have each pair of values: each row takes the values with most pairs that are missing. */
function pairwise(): Row[] {
  const missing = new Set<string>();
  const key = (a: Name, i: number, b: Name, j: number) => `${a}=${i} ${b}=${j}`;
  NAMES.forEach((a, at) => {
    for (const b of NAMES.slice(at + 1)) {
      VALUES[a].forEach((_, i) => VALUES[b].forEach((_, j) => missing.add(key(a, i, b, j))));
    }
  });
  const rows: Row[] = [];
  while (missing.size > 0) {
    const [a, i, b, j] = [...missing][0]!.match(/^(\w+)=(\d) (\w+)=(\d)$/)!.slice(1);
    const row: Partial<Record<Name, number>> = { [a as Name]: Number(i), [b as Name]: Number(j) };
    for (const name of NAMES) {
      if (row[name] !== undefined) continue;
      const gain = (value: number) =>
        NAMES.filter((other) => {
          if (row[other] === undefined) return false;
          const first = NAMES.indexOf(name) < NAMES.indexOf(other);
          return missing.has(first ? key(name, value, other, row[other]) : key(other, row[other], name, value));
        }).length;
      const values = [...VALUES[name].keys()];
      row[name] = values.reduce((best, value) => gain(value) > gain(best) ? value : best, 0);
    }
    NAMES.forEach((one, at) => {
      for (const other of NAMES.slice(at + 1)) missing.delete(key(one, row[one]!, other, row[other]!));
    });
    rows.push(row as Row);
  }
  return rows;
}

function settingsOf(row: Row): Settings {
  return mergeAll(NAMES.map((name) => VALUES[name][row[name]]!)) as Settings;
}

/** Row with only the settings that change what is learned. */
function plain(row: Row): Row {
  return Object.fromEntries(NAMES.map((name) => [name, LEARNED.includes(name) ? row[name] : 0])) as Row;
}

const labelOf = (row: Row) => `r${NAMES.map((name) => row[name]).join("")}`;

const scenarioOf = () => ({
  ...small({
    model: sequential({ h: sequential(block(), block()), out: linear(3) }),
    optimizer: adamW({ learningRate: 0.02, weightDecay: 0.1 }),
    data: classified([5], 3, 64, { transforms: [t.rescale(0.5)] }), // which a cache can come before or after
  }),
  measure: { steps: 3, skip: 3, maxSkip: 3, rounds: 1, aa: false },
});

const block = () => sequential({ fc1: linear(7), tanh: tanh(), fc2: linear(7) });

async function lossesOf(rows: readonly Row[]): Promise<Map<string, readonly (number | string | null)[]>> {
  const result = await measure({
    ...scenarioOf(),
    variants: Object.fromEntries(rows.map((row) => [labelOf(row), settingsOf(row)])),
  });
  for (const { name, status, error } of result.variants) assert.equal(status, "ok", `${name}: ${error?.message}`);
  return new Map(result.variants.map(({ name, losses }) => [name, losses.slice(0, 6)]));
}

/** Trains a row without the conductor, alone on a device, and checks that its memory is as planned. */
async function trainAlone(row: Row, device: Device): Promise<readonly unknown[]> {
  const [variant] = resolveScenario({ ...scenarioOf(), variants: { alone: settingsOf(row) } }).variants;
  const dataset = describeDataset(variant!.config.data);
  const compiled = compileVariant(variant!.config, dataset, device.traits);
  const slots = new SlotPool(device);
  const before = device.bytes;
  const run = new LocalSteps({ variant: variant!, dataset, compiled }, { device, slots, interrupted: () => false });
  slots.reserve(compiled.plan.slots);
  await run.prepare(0);
  assert.equal(device.bytes - before, compiled.memory.peak, `${JSON.stringify(row)}: planned memory`);
  await run.warmUp(6);
  const losses = run.losses.slice(0, 6);
  await run.close();
  slots.free();
  assert.equal(device.bytes, before, `${JSON.stringify(row)}: freed`);
  return losses;
}

Deno.test("the pairs are of all settings, but for those with a reason", () => {
  const tried = Object.values(VALUES).flatMap((values) => values.flatMap((value) => Object.keys(value)));
  const known = new Set([...tried, ...Object.keys(OTHERS)]);
  assert.deepEqual([...known].sort(), Object.keys(settingsSchema.shape).sort());
});

Deno.test("pairs of training settings, in the full set every pair, train, with the losses of the plain settings but for rounding", async () => {
  const rows = sampled(pairwise(), 6);
  const byLabel = new Map([...rows, ...rows.map(plain)].map((row) => [labelOf(row), row]));
  const losses = await lossesOf([...byLabel.values()]);
  for (const row of rows) {
    const [got, want] = [losses.get(labelOf(row))!, losses.get(labelOf(plain(row)))!];
    const tolerance = row.amp === 0 ? 2e-5 : 0.03;
    assert.equal(got.length, 6, labelOf(row));
    got.forEach((loss, i) => {
      const error = Math.abs(Number(loss) - Number(want[i])) / Number(want[i]);
      assert.ok(error <= tolerance, `${JSON.stringify(row)}: loss ${i} is ${loss}, expected ${want[i]}`);
    });
  }
  const device = await Device.open();
  for (const row of rows) {
    const alone = await trainAlone(row, device);
    assert.equal(alone.length, 6);
    // Tuned kernels may round differently
    if (row.autotune === 0) assert.deepEqual(alone, losses.get(labelOf(row)), `${JSON.stringify(row)} repeats`);
  }
  device.destroy();
});
