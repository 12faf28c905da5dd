/**
 * Migrates results of earlier versions of Tacho to the current schema.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { factsOf } from "../graph/op.ts";
import { opOfType } from "../nn/all_ops.ts";
import { batchesPerStep } from "../scenario/config.ts";

/** A JSON object of any version. */
export type Fields = Readonly<Record<string, unknown>>;

/** Converts a result to the next version; the caller sets `schemaVersion`. */
export type Migration = (result: Fields) => Fields;

/** Objects whose fields are metrics. */
const METRICS = [
  ["variants", "metrics"],
  ["variants", "metrics", "phases"],
  ["ladder", "start"],
  ["ladder", "rungs", "before"],
  ["ladder", "rungs", "after"],
] as const;

/** Comparisons of two arms. */
const COMPARISONS = [
  ["variants", "comparison"],
  ["procedure", "secondArm", "comparison"],
  ["ladder", "rungs", "measured"],
] as const;

/**
 * Migrations, oldest first: entry `i` converts version `i + 1` to version `i + 2`. A change to the schema appends an entry;
 * released entries never change.
 */
export const MIGRATIONS: readonly Migration[] = [
  // Ops record their precision rule and roles, which followed from the type before
  (result) => changeEach(result, ["variants", "ops"], addFacts),
  // The first losses and the skipped updates are judged
  (result) => {
    const counted = changeEach(result, ["variants"], (variant) => ({ ...variant, measuredOverflows: null }));
    return changeEach(counted, ["variants", "quality"], (quality) => ({ ...quality, first: null }));
  },
  // Ops have a median, and shares follow from medians
  (result) => changeEach(result, ["variants"], addMedians),
  // The ends of intervals and the extremes of blocks have separate names; a comparison has a companion
  (result) => {
    const named = METRICS.reduce((changed, path) => changeEach(changed, path, nameExtremes), result);
    const compared = COMPARISONS.reduce(
      (changed, path) => changeEach(changed, path, (one) => ({ ...one, reached: one["level"], companion: null })),
      named,
    );
    return { ...compared, noiseFloor: floorOf(compared) };
  },
  // The cost of profiling is a fraction of the batch cost; before, of a step without its loader
  (result) => {
    const cost = { phases: null, ops: null, uncertainty: null };
    const changed = changeEach(result, ["variants", "profile"], (profile) => ({ ...profile, cost }));
    return changeEach(changed, ["variants", "metrics"], (metrics) => ({ ...metrics, profilingCost: null }));
  },
  // Every result counts timestamps, and lists defects of the clock separately
  (result) => {
    const counted = changeEach(result, ["variants"], (variant) => ({ ...variant, timestamps: null }));
    const path = ["variants", "profile", "trust", "defects"];
    return changeEach(counted, path, (defects) => ({ ...defects, reset: 0, outside: 0 }));
  },
  // The environment of a sandboxed run is marked
  (result) => result,
  // Peaks have a date and conditions each
  (result) => changeEach(result, ["roofline", "peaks"], addConditions),
  // Each dispatch is timed; residuals have a cause
  (result) => {
    const listed = changeEach(result, ["variants", "ops"], listKernels);
    const unknown = { gaps: null, measured: null, cause: null };
    return changeEach(listed, ["variants", "profile", "phases"], (phase) => ({ ...phase, ...unknown }));
  },
  // Variants are set up again between rounds
  addSetups,
  // The course of the loss scale
  (result) => changeEach(result, ["variants"], (variant) => ({ ...variant, lossScale: null })),
  // Phases are split by medians; before, by means
  (result) =>
    changeEach(result, ["variants", "profile", "phases"], ({ gaps, ...split }) => ({
      ...split,
      mean: split["interval"],
      max: null,
      gaps: isFields(gaps) ? { ...gaps, usual: null } : null,
    })),
  // Weight decay is timed alone
  (result) => changeEach(result, ["variants", "profile"], (profile) => ({ ...profile, weightDecay: null })),
  // Ranges have entries, and phases on the device
  (result) => {
    const path = ["variants", "profile", "ranges"];
    return changeEach(result, path, (range) => ({ ...range, phase: null, entries: range["calls"] }));
  },
  // Settings by adapter
  (result) => changeEach(result, ["scenario"], (scenario) => ({ ...scenario, adapted: null })),
  // Variants of a sweep have their values, and the result the Pareto front
  (result) => ({ ...changeEach(result, ["variants"], (variant) => ({ ...variant, axes: {} })), front: null }),
  // Trainings with several seeds
  (result) => changeEach(result, ["variants"], (variant) => ({ ...variant, seeds: null })),
  // Work, dispatches and ranges cover all micro-batches; before, one of them
  ofAllBatches,
];

/** Version of the results that this Tacho writes. */
export const SCHEMA_VERSION = 1 + MIGRATIONS.length;

/**
 * Converts a result of any earlier version to the current one. Returns a value that is not a result unchanged, since the
 * schema reports what is wrong with it.
 *
 * @param where name of the result, for messages: `run k3f2`
 * @throws {InputError} if a newer Tacho wrote the result
 */
export function migrateResult(value: unknown, where: string, migrations = MIGRATIONS): unknown {
  if (!isFields(value) || !Number.isInteger(value["schemaVersion"])) return value;
  const version = Number(value["schemaVersion"]);
  const current = 1 + migrations.length;
  if (version > current) {
    throw new InputError(
      `${where}: schema version ${version} is newer than this Tacho, which reads versions up to ${current}; update Tacho`,
    );
  }
  if (version < 1) return value;
  const migrated = migrations.slice(version - 1).reduce<Fields>((result, migrate) => migrate(result), value);
  return { ...migrated, schemaVersion: current };
}

/**
 * Applies `change` to every object at the end of a path of fields, including all items of lists on the way. Missing and
 * null fields are left unchanged.
 *
 * @example
 * ```ts
 * import { changeEach } from "./migrations.ts";
 *
 * const result = { variants: [{ name: "a", ops: [{ id: "conv" }] }] };
 * changeEach(result, ["variants", "ops"], (op) => ({ ...op, calls: 0 }));
 * ```
 */
export function changeEach<T>(value: T, path: readonly string[], change: (object: Fields) => Fields): T {
  const changed = (part: unknown, rest: readonly string[]): unknown => {
    if (Array.isArray(part)) return part.map((item) => changed(item, rest));
    if (!isFields(part)) return part;
    const [field, ...deeper] = rest;
    if (field === undefined) return change(part);
    return field in part ? { ...part, [field]: changed(part[field], deeper) } : part;
  };
  return changed(value, path) as T;
}

/** Adds precision and roles. The kernel name lists the ops of an elementwise chain: `elementwise.relu+dropout.f32`. */
function addFacts(op: Fields): Fields {
  const definition = opOfType(String(op["type"]));
  const facts = definition === undefined ? { precision: "fixed", roles: [], aliases: {} } : factsOf(definition);
  const parts = [...new Set(String(op["kernel"]).split(/[.+]/))].flatMap((name) => opOfType(name) ?? []);
  const random = parts.some(({ type, roles }) => type !== definition?.type && roles?.includes("random"));
  return { ...op, ...facts, roles: random ? [...facts.roles, "random"] : facts.roles };
}

/**
 * Adds medians to a variant's ops: the mean of the calls other than the shortest and the longest. That is the median of up to
 * four calls, and of more the estimate that sums and extremes allow.
 */
function addMedians(variant: Fields): Fields {
  const times = (op: Fields) => (["calls", "total", "min", "max"] as const).map((name) => Number(op[name]));
  const medianOf = (op: Fields): number | null => {
    if (op["mean"] === null) return null;
    const [calls, total, min, max] = times(op) as [number, number, number, number];
    return calls < 3 ? Number(op["mean"]) : Math.min(max, Math.max(min, (total - min - max) / (calls - 2)));
  };
  const ops: unknown = variant["ops"];
  if (!Array.isArray(ops)) return variant;
  const all = ops.reduce<number>((sum, op) => sum + (isFields(op) ? medianOf(op) ?? 0 : 0), 0);
  return changeEach(variant, ["ops"], (op) => {
    const median = medianOf(op);
    return { ...op, median, share: median === null || all <= 0 ? null : median / all };
  });
}

/** Times of a dispatch that are not known. */
const UNTIMED = { total: null, median: null, mean: null, min: null, max: null };

/** Lists the dispatches of an op. Their times are known only where the op has a single one. */
function listKernels(op: Fields): Fields {
  const { kernel: name, calls, total, median, mean, min, max } = op;
  const count = Number(op["dispatches"]);
  const times = count === 1 ? { total, median, mean, min, max } : UNTIMED;
  return { ...op, kernels: Array.from({ length: count }, () => ({ name, calls, ...times })) };
}

/** Adds set-ups: one for each sitting, which were all. */
function addSetups(result: Fields): Fields {
  const one = { setups: 1, spread: { setups: null, rounds: null } };
  const compared = COMPARISONS.reduce(
    (changed, path) => changeEach(changed, path, (comparison) => ({ ...comparison, ...one })),
    result,
  );
  return changeEach(compared, ["procedure"], (procedure) => ({
    ...procedure,
    setups: { count: 1 + Number(procedure["resumed"] ?? 0), time: null, share: null },
  }));
}

/**
 * Extends the figures of variants that accumulate gradients from one micro-batch to a step. Only the first micro-batch's
 * dispatches were timed, and those of the update only where the op has a single one. Places on the roofline are left out.
 */
function ofAllBatches(result: Fields): Fields {
  const micro = new Set<unknown>();
  const corrected = changeEach(result, ["variants"], (variant) => {
    const batches = isFields(variant["config"]) ? batchesPerStep(variant["config"]) : 1;
    if (batches === 1) return variant;
    micro.add(variant["name"]);
    const times = (value: unknown) => typeof value === "number" ? value * batches : value;
    const ops = changeEach(variant, ["ops"], (op) => {
      const timed = Array.isArray(op["kernels"]) ? op["kernels"] as Fields[] : [];
      const untimed = timed.map(({ name }) => ({ name, calls: 0, ...UNTIMED }));
      if (op["phase"] === "update") return timed.length === 1 ? listKernels(op) : { ...op, kernels: untimed };
      const kernels = [...timed, ...Array.from({ length: batches - 1 }, () => untimed).flat()];
      const [flops, bytes, dispatches] = ["flops", "bytes", "dispatches"].map((name) => times(op[name]));
      return { ...op, flops, bytes, dispatches, kernels };
    });
    const ranges = changeEach(ops, ["profile", "ranges"], (range) => {
      if (range["track"] !== "device" || range["phase"] === null) return range;
      return { ...range, entries: times(range["entries"]), mean: Number(range["mean"]) / batches };
    });
    return changeEach(ranges, ["pipeline", "stages"], (stage) => {
      if (stage["kind"] !== "copy") return stage;
      const [perSample, perBatch] = ["perSample", "perBatch"].map((name) => Number(stage[name]) / batches);
      return { ...stage, perSample, perBatch };
    });
  });
  return changeEach(corrected, ["roofline"], (roofline) => {
    const steps: unknown = roofline["steps"];
    return { ...roofline, steps: Array.isArray(steps) ? steps.filter(({ variant }) => !micro.has(variant)) : steps };
  });
}

/** Renames the ends of all metrics but the speed-up, whose ends are those of an interval. */
function nameExtremes(metrics: Fields): Fields {
  return Object.fromEntries(
    Object.entries(metrics).map(([name, metric]) => {
      if (!isFields(metric) || !("amortised" in metric)) return [name, metric];
      const { low, high, amortised, ...rest } = metric;
      return [name, name === "speedup" ? { ...rest, low, high } : { ...rest, min: low, max: high, amortised }];
    }),
  );
}

/** Returns the difference between two runs of the baseline beyond the noise of their blocks; null where it ran once. */
function floorOf(result: Fields): number | null {
  const { noiseFloor, procedure } = result;
  if (!isFields(noiseFloor)) return null;
  const second = isFields(procedure) && isFields(procedure["secondArm"]) ? procedure["secondArm"]["comparison"] : null;
  const { value, low, high } = (isFields(second) ? second["speedup"] : { ...noiseFloor, low: null }) as Record<
    string,
    number | null
  >;
  if (typeof low !== "number" || typeof high !== "number") return Number(noiseFloor["value"]);
  const error = Math.log(high / low) / 2 / 1.96;
  return Math.expm1(Math.sqrt(Math.max(0, Math.log(value!) ** 2 - error ** 2)));
}

/** Adds the common date and unknown conditions to each peak. */
function addConditions({ date, ...peaks }: Fields): Fields {
  return Object.fromEntries(
    Object.entries(peaks).map((
      [name, peak],
    ) => [name, isFields(peak) ? { ...peak, date, load: null, spread: null } : peak]),
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
