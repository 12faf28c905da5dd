/**
 * Sections of a run besides its matrix, in their order in the terminal, Markdown, CSV and the page. A new table takes a file
 * with its columns and one line here.
 *
 * @module
 */
import type { Result } from "../result/schema.ts";
import type { Overview } from "./html/embedded.ts";
import { effectsTable } from "./outcome/effects.ts";
import { energyTable } from "./outcome/energy.ts";
import { frontTable } from "./outcome/front.ts";
import { latencyTable } from "./outcome/latency.ts";
import { nodeSpeedsTable, nodesTable } from "./outcome/nodes.ts";
import { ranksTable } from "./outcome/ranks.ts";
import { seedsTable } from "./outcome/seeds.ts";
import { targetTables } from "./outcome/target.ts";
import { runsTable } from "./programs/runs.ts";
import { startsTable, stepAccountTable, stepCountsTable } from "./programs/attached.ts";
import type { TableSpec } from "./spec.ts";

/** Table with rows of any type. */
export type AnyTable = TableSpec<unknown>;

/** Returns tables of a run, as its result or as the page has it. `brief` leaves out rows that only reports have. */
export type RunTables = (run: Result | Overview, brief: boolean) => readonly AnyTable[];

export interface RunSection {
  /** Name in addresses of the page. */
  readonly anchor: string;
  readonly title: string;
  /** Tables by their names in CSV and `render()`. */
  readonly tables: Readonly<Record<string, RunTables>>;
}

/** Maximum number of speeds of nodes in a brief table. */
const MAX_SPEEDS = 40;

export const RUN_SECTIONS: readonly RunSection[] = [
  {
    anchor: "programs",
    title: "Programs",
    tables: {
      runs: (run) => [runsTable(run)],
      starts: (run) => [startsTable(run)],
      stepAccounts: (run) => [stepAccountTable(run)],
      stepCounts: (run) => [stepCountsTable(run)],
    },
  },
  {
    anchor: "nodes",
    title: "Nodes",
    tables: {
      nodes: (run) => [nodesTable(run)],
      nodeSpeeds: (run, brief) => [nodeSpeedsTable(run, brief ? MAX_SPEEDS : null)],
    },
  },
  { anchor: "latency", title: "Percentiles", tables: { latency: (run) => [latencyTable(run)] } },
  { anchor: "ranks", title: "Ranks", tables: { ranks: (run) => [ranksTable(run)] } },
  { anchor: "energy", title: "Energy", tables: { energy: (run) => [energyTable(run)] } },
  { anchor: "seeds", title: "Several seeds", tables: { seeds: (run) => [seedsTable(run)] } },
  { anchor: "front", title: "Best variants", tables: { front: (run) => [frontTable(run)] } },
  { anchor: "effects", title: "Effects of settings", tables: { effects: (run) => [effectsTable(run)] } },
  { anchor: "targets", title: "Targets", tables: { targets: targetTables } },
];

/** Returns the tables of a section that have rows. */
export function tablesOfSection(
  { tables }: RunSection,
  run: Result | Overview,
  brief = false,
): AnyTable[] {
  return Object.values(tables).flatMap((make) => make(run, brief)).filter(({ rows }) => rows.length > 0);
}
