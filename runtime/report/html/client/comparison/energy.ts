/// <reference lib="dom" />
import { energyTable } from "../../../outcome/energy.ts";
import type { Overview } from "../../embedded.ts";
import { type Section, tableContent } from "../section.ts";

/** Returns the section of the energy of steps. */
export function energySection(overview: Overview): Section {
  return { anchor: "energy", title: "Energy", content: tableContent(energyTable(overview)) };
}
