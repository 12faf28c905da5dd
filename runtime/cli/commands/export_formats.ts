/**
 * Export formats of kept runs, for other programs.
 *
 * @module
 */
import { printableJson } from "../../core/printable.ts";
import { renderCsv } from "../../report/csv.ts";
import type { Value } from "../../report/spec.ts";
import { GATE_METRICS, splitSubject } from "../../analysis/gates/gate_metrics.ts";
import { readMetric } from "../../analysis/gates/reading.ts";
import type { Result } from "../../result/schema.ts";
import type { RunRecord } from "../../store/records.ts";
import { StoreError } from "../../store/problems.ts";
import type { Store } from "../../store/store.ts";
import { warn } from "../terminal.ts";

/** Version of the JSON format. */
const EXPORT_VERSION = 1;

/** A CSV table: column names, and the rows of one result. The first column has the variant's name. */
export interface ExportTable {
  readonly columns: readonly string[];
  readonly rows: (result: Result) => (readonly [variant: string, ...cells: Value[]])[];
}

/** Table with a row per measured metric. */
export const metricRows: ExportTable = {
  columns: ["variant", "variant_status", "metric", "value", "low", "high", "unit"],
  rows: (result) =>
    result.variants.flatMap((variant) =>
      GATE_METRICS.flatMap((name): ReturnType<ExportTable["rows"]> => {
        const reading = readMetric(result, variant, splitSubject(`${name}.*`, name).metric);
        const head = [variant.name, variant.status, name] as const;
        if (reading.kind === "word") return [[...head, reading.word, null, null, null]];
        if (reading.kind === "missing") return [];
        const { value, interval, unit } = reading;
        return [[
          ...head,
          Number.isFinite(value) ? value : String(value),
          interval?.low ?? null,
          interval?.high ?? null,
          unit,
        ]];
      })
    ),
};

/** Table with a row per block. */
export const blockRows: ExportTable = {
  columns: ["variant", "round", "position", "samples", "wall_ms", "steps"],
  rows: ({ variants, procedure }) => {
    const second = procedure?.secondArm;
    return [...variants, ...second ? [second] : []].flatMap(({ name, blocks }) =>
      blocks.map(({ round, position, samples, wall, steps }) => [name, round, position, samples, wall, steps.length])
    );
  },
};

/** Generates one JSON text of everything that is kept, in pieces. */
export function* exportJson(store: Store, ids: readonly string[]): Generator<string> {
  yield `{\n"format": "tacho-export",\n"version": ${EXPORT_VERSION},\n"runs": [`;
  let separator = "";
  for (const { run: { spec: plan, environment, modules, ...summary }, result } of readableRuns(store, ids)) {
    const run = { ...summary, plan, environment, modules, result };
    yield `${separator}\n${printableJson(run)}`;
    separator = ",";
  }
  yield "\n]\n}\n";
}

/** Generates a CSV table over runs, in pieces. Swept settings have a column each before the variant's name. */
export function* exportCsv(store: Store, ids: readonly string[], table: ExportTable): Generator<string> {
  const readable: string[] = [];
  const paths = sweptPaths(store, ids, readable);
  const others: readonly string[] = [...RUN_COLUMNS.keys(), ...table.columns];
  // A parameter's bare name may be that of another column
  const headings = paths.map((path) => others.includes(path) ? `params.${path}` : path);
  yield renderCsv([[...RUN_COLUMNS.keys(), ...headings, ...table.columns]]);
  for (const { run, result } of readableRuns(store, readable)) {
    if (result === null) continue;
    const own = [...RUN_COLUMNS.values()].map((value) => value(run));
    const levels = levelsByVariant(result, paths);
    yield renderCsv(table.rows(result).map((row) => [...own, ...levels.get(row[0])!, ...row]));
  }
}

/** Reads runs one at a time, since all may not fit in memory. Leaves out a damaged one among several, with a warning. */
function* readableRuns(store: Store, ids: readonly string[]): Generator<{ run: RunRecord; result: Result | null }> {
  for (const id of ids) {
    try {
      yield { run: store.run(id), result: store.result(id) };
    } catch (error) {
      if (ids.length === 1 || !(error instanceof StoreError)) throw error;
      warn(`left out: ${error.message}`);
    }
  }
}

/**
 * Returns the settings that any of the runs sweeps.
 *
 * @param readable takes the IDs of the runs that can be read
 */
function sweptPaths(store: Store, ids: readonly string[], readable: string[]): string[] {
  const paths = new Set<string>();
  for (const { run, result } of readableRuns(store, ids)) {
    readable.push(run.id);
    for (const { axes } of result?.variants ?? []) for (const path of Object.keys(axes)) paths.add(path);
  }
  return [...paths];
}

/** Returns the values of the swept settings by variant; the control arm has the baseline's. */
function levelsByVariant({ variants, baseline, procedure }: Result, paths: readonly string[]): Map<string, Value[]> {
  const levels = new Map(variants.map(({ name, axes }) => [name, paths.map((path) => axes[path] ?? null)] as const));
  const control = procedure?.secondArm?.name;
  const own = levels.get(baseline);
  return control === undefined || own === undefined ? levels : levels.set(control, own);
}

/** Columns of the run in each row. */
const RUN_COLUMNS: ReadonlyMap<string, (run: RunRecord) => Value> = new Map<string, (run: RunRecord) => Value>([
  ["run", ({ id }) => id],
  ["started", ({ started }) => new Date(started).toISOString()],
  ["status", ({ status }) => status],
  ["scenario", ({ scenario }) => scenario],
  ["seed", ({ seed }) => seed],
  ["adapter", ({ adapter }) => adapter],
  ["driver", ({ driver }) => driver],
  ["deno", ({ deno }) => deno],
  ["tacho", ({ tacho }) => tacho],
  ["git", ({ git }) => git],
]);
