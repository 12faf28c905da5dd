/// <reference lib="dom" />
import { startsTable } from "../../../programs/starts.ts";
import { stepAccountTable } from "../../../programs/step_account.ts";
import { stepCountsTable } from "../../../programs/step_counts.ts";
import type { TableSpec } from "../../../spec.ts";
import type { Overview } from "../../embedded.ts";
import { type Section, tableContent } from "../section.ts";

/** Returns the section of the profiled programs: the wall time of their steps by cause, and what the steps do. */
export function programsSection(overview: Overview): Section {
  return {
    anchor: "programs",
    title: "Programs",
    content: [startsTable(overview), stepAccountTable(overview), stepCountsTable(overview)]
      .flatMap((spec) => spec.rows.length === 0 ? [] : tableContent(spec as TableSpec<unknown>)),
  };
}
