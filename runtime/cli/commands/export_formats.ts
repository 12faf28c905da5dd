/**
 * Export formats of kept runs, for other programs.
 *
 * @module
 */
import { renderCsv } from "../../report/csv.ts";
import type { Value } from "../../report/spec.ts";
import { GATE_METRICS, splitSubject } from "../../analysis/gates/gate_metrics.ts";
import { readMetric } from "../../analysis/gates/reading.ts";
import type { Result } from "../../result/schema.ts";
import type { RunRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";

/** Version of the JSON format. */
const EXPORT_VERSION = 1;

/** A CSV table: column names, and the rows of one result. */
export interface ExportTable {
  readonly columns: readonly string[];
  readonly rows: (result: Result) => Value[][];
}

/** Table with a row per measured metric. */
export const metricRows: ExportTable = {
  columns: ["variant", "variant_status", "metric", "value", "low", "high", "unit"],
  rows: (result) =>
    result.variants.flatMap((variant) =>
      GATE_METRICS.flatMap((name): Value[][] => {
        const reading = readMetric(result, variant, splitSubject(`${name}.*`, name).metric);
        const head = [variant.name, variant.status, name];
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
  for (const [i, id] of ids.entries()) {
    const { spec: plan, environment, modules, ...summary } = store.run(id);
    const run = { ...summary, plan, environment, modules, result: store.result(id) };
    yield `${i === 0 ? "" : ","}\n${JSON.stringify(run, null, 2)}`;
  }
  yield "\n]\n}\n";
}

/** Generates a CSV table over runs, in pieces. */
export function* exportCsv(store: Store, ids: readonly string[], table: ExportTable): Generator<string> {
  yield renderCsv([[...RUN_COLUMNS.keys(), ...table.columns]]);
  for (const id of ids) {
    const result = store.result(id);
    if (result === null) continue;
    const run = store.run(id);
    const own = [...RUN_COLUMNS.values()].map((value) => value(run));
    yield renderCsv(table.rows(result).map((row) => [...own, ...row]));
  }
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
