/// <reference lib="dom" />
import { stepAccountTable } from "../../../programs/step_account.ts";
import { stepCountsTable } from "../../../programs/step_counts.ts";
import type { Overview } from "../../embedded.ts";
import { type Section, tableContent } from "../section.ts";

/** Returns the section of the profiled programs: the wall time of their steps by cause, and what the steps do. */
export function programsSection(overview: Overview): Section {
  return {
    anchor: "programs",
    title: "Programs",
    content: [...tableContent(stepAccountTable(overview)), ...tableContent(stepCountsTable(overview))],
  };
}
