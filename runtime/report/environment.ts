import type { Environment } from "../result/schema.ts";
import { formatCount } from "./format.ts";
import { formatBytes } from "./quantities.ts";
import { type TableSpec, words } from "./spec.ts";

type Fact = readonly [name: string, value: string | null];

/** Returns the table of the machine, adapter and software of a result. */
export function environmentTable({ adapter, variables, inputs = {}, ...machine }: Environment): TableSpec<Fact> {
  const commit = machine.git === null ? null : `${machine.git}${machine.gitDirty === true ? ", with changes" : ""}`;
  return {
    title: "Environment",
    columns: [
      words("environment", ([name]) => name),
      words("value", ([, value]) => value),
    ],
    rows: [
      ["adapter", adapter === null ? "none was used" : adapter.name],
      ["vendor", adapter?.vendor ?? null],
      ["backend", adapter?.backend ?? null],
      ["driver", adapter?.driver ?? null],
      ["UUID", adapter?.uuid ?? null],
      ["PCI address", adapter?.pci ?? null],
      ["software adapter", adapter?.fallback == null ? null : adapter.fallback ? "yes" : "no"],
      ["processor", machine.cpu],
      ["cores", machine.cores === null ? null : formatCount(machine.cores)],
      ["memory", machine.memory === null ? null : formatBytes(machine.memory)],
      ["system", machine.os],
      ["Tacho", machine.tacho],
      ["Deno", `${machine.deno}, V8 ${machine.v8}`],
      ["commit", commit],
      ["deno.lock", machine.lockHash],
      ...Object.entries(variables),
      ...Object.entries(inputs),
    ],
  };
}
