/**
 * Tables of a result, by name. A new table of the run takes a file with its columns and one line in `run_sections.ts`, one of
 * a variant a line here.
 *
 * @module
 */
import { GROUPINGS } from "../analysis/op_groups.ts";
import type { Result, VariantResult } from "../result/schema.ts";
import { kernelsTable } from "./attach/tables.ts";
import { differencesTable } from "./differences.ts";
import { environmentTable } from "./environment.ts";
import { speedTable } from "./matrix/speed.ts";
import { timesTable } from "./matrix/times.ts";
import { blocksTable } from "./outcome/blocks.ts";
import { ablationsTable, bottleneckTable } from "./outcome/bottleneck.ts";
import { ladderTable } from "./outcome/ladder.ts";
import { pipelinesTable, stagesTable, threadsTable } from "./pipeline_tables.ts";
import { copiesTable, cpuTable, hostTable, rangesTable } from "./profile/host.ts";
import { memoryTable } from "./profile/memory.ts";
import { groupTable, opsTable } from "./profile/ops.ts";
import { phasesTable } from "./profile/phases.ts";
import { rooflineTable } from "./profile/roofline.ts";
import { stepTraceTable } from "./profile/step_trace.ts";
import { profiledPrograms } from "./programs/attached.ts";
import { names } from "./spec.ts";
import { tuningTable } from "./tuning_table.ts";
import { type AnyTable, RUN_SECTIONS } from "./run_sections.ts";

const ALL = { sort: "order", top: null } as const;

/** Tables of the whole run. */
export const RESULT_TABLES: Readonly<Record<string, (result: Result) => readonly AnyTable[]>> = {
  speed: (result) => [speedTable(result)],
  times: (result) => [timesTable(result)],
  blocks: (result) => [blocksTable(result)],
  ...Object.fromEntries(
    RUN_SECTIONS.flatMap(({ tables }) => Object.entries(tables)).map(([name, make]) => [
      name,
      (result: Result) => make(result, false),
    ]),
  ),
  bottleneck: (result) => [bottleneckTable(result)],
  arms: (result) => [ablationsTable(result)],
  ladder: ({ ladder }) => ladder === null ? [] : [ladderTable(ladder)],
  pipelines: (result) => [pipelinesTable(result)],
  environment: ({ environment }) => [environmentTable(environment)],
};

/** Tables of one variant. */
export const VARIANT_TABLES: Readonly<
  Record<string, (variant: VariantResult, result: Result) => readonly AnyTable[]>
> = {
  steps: (variant) => [stepTraceTable(variant)],
  phases: (variant) => [phasesTable(variant)],
  ops: (variant, { roofline }) => [opsTable(variant, { ...ALL, peaks: roofline?.peaks ?? null })],
  groups: (variant) => GROUPINGS.map((by) => groupTable(variant, by, ALL)),
  roofline: (variant, { roofline }) => roofline === null ? [] : [rooflineTable(roofline, variant, null)],
  host: (variant) => [hostTable(variant)],
  copies: (variant) => [copiesTable(variant)],
  memory: (variant) => [memoryTable(variant)],
  cpu: (variant) => [cpuTable(variant)],
  ranges: (variant) => [rangesTable(variant)],
  stages: ({ pipeline }) => pipeline === null ? [] : [stagesTable(pipeline)],
  threads: ({ pipeline }) => pipeline === null ? [] : [threadsTable(pipeline)],
  kernels: (variant) =>
    profiledPrograms({ variants: [variant] }).map(({ device }) => kernelsTable(device, device.kernels.length)),
  tuning: (variant) => [tuningTable(variant)],
  settings: ({ config }, { variants, baseline }) => [
    differencesTable(config, variants.find(({ name }) => name === baseline)?.config ?? config, baseline),
  ],
};

/** Names of all tables. */
export const TABLE_NAMES: readonly string[] = [...Object.keys(RESULT_TABLES), ...Object.keys(VARIANT_TABLES)];

/** Returns the tables of one name that have rows; tables of a variant get its name as the first column. */
export function tablesNamed(name: string, result: Result): AnyTable[] {
  const ofResult = RESULT_TABLES[name]?.(result) ?? [];
  const ofVariants = result.variants.flatMap((variant) =>
    (VARIANT_TABLES[name]?.(variant, result) ?? []).map((spec): AnyTable => ({
      ...spec,
      columns: [names<unknown>("variant", () => variant.name), ...spec.columns],
    }))
  );
  return [...ofResult, ...ofVariants].filter(({ rows }) => rows.length > 0);
}

/** Returns all tables of a result that have rows. */
export function tablesOf(result: Result): AnyTable[] {
  return TABLE_NAMES.flatMap((name) => tablesNamed(name, result));
}
