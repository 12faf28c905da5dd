import type { TotalName } from "../../attach/records.ts";
import { formatBytes } from "../quantities.ts";
import { counts, figures, names, type TableSpec } from "../spec.ts";
import { type ProfiledProgram, profiledPrograms, type WithPrograms } from "./attached.ts";

/** Counts of a step, with the lines of their headings. */
const COUNTS: readonly (readonly [name: TotalName, heading: readonly [string] | readonly [string, string]])[] = [
  ["dispatches", ["dispatches"]],
  ["encoders", ["encoders"]],
  ["submits", ["submits"]],
  ["waits", ["waits"]],
  ["reads", ["mapped", "reads"]],
  ["uploads", ["uploads"]],
  ["copies", ["copies"]],
  ["buffers", ["new", "buffers"]],
  ["bindGroups", ["bind", "groups"]],
  ["pipelines", ["new", "pipelines"]],
];

/** Returns the table of what each program's step does: calls, bytes and memory. */
export function stepCountsTable(result: WithPrograms): TableSpec<ProfiledProgram> {
  const rows = profiledPrograms(result).filter(({ device }) => device.perStep !== null);
  const shown = COUNTS.filter(([name]) => rows.some(({ device }) => device.perStep![name] > 0));
  return {
    title: "Calls in a step of each program",
    columns: [
      names("variant", ({ name }) => name),
      ...shown.map(([name, heading], i) =>
        counts<ProfiledProgram>(name, ({ device }) => device.perStep![name], { heading, dropFirst: i })
      ),
      figures("uploaded", ({ device }) => device.perStep!.uploadBytes + device.perStep!.mappedUploadBytes, {
        format: formatBytes,
        dropFirst: shown.length,
      }),
      figures("peak memory", ({ device }) => device.memory?.peak ?? null, {
        heading: ["peak", "memory"],
        format: formatBytes,
        dropFirst: shown.length + 1,
      }),
    ],
    rows,
    notes: ["medians of the steps after the warm-up, or means where most steps have none"],
  };
}
