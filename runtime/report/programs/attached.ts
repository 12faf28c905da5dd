import type { AttachedDevice, AttachResult } from "../../result/attach_result.ts";
import type { Block, Start, VariantResult } from "../../result/schema.ts";
import { type Cause, CAUSES } from "../../record/idle_causes.ts";
import { counts, figures, names, type TableSpec } from "../spec.ts";
import type { TotalName } from "../../attach/records.ts";
import { formatBytes } from "../quantities.ts";
import { median } from "../../core/statistics.ts";

/** Profile of a program's device, with the name of the program. */
export interface ProfiledProgram {
  readonly name: string;
  readonly device: AttachedDevice;
}

/** Returns the profile of a program as `tacho attach` measures it; null for variants and unprofiled programs. */
export function attachedOf({ attached }: Pick<VariantResult, "attached">): AttachResult | null {
  return attached ?? null;
}

/** A result with programs among its variants. */
export interface WithPrograms {
  readonly variants: readonly Pick<VariantResult, "name" | "attached">[];
}

/** Returns the profiled programs of a result, each with its first device that has steps, or its first one. */
export function profiledPrograms({ variants }: WithPrograms): ProfiledProgram[] {
  return variants.flatMap((variant) => {
    const devices = attachedOf(variant)?.devices ?? [];
    const device = devices.find(({ perStep }) => perStep !== null) ?? devices[0];
    return device === undefined ? [] : [{ name: variant.name, device }];
  });
}

/** Headings of the causes of idle time. */
const HEADINGS: Readonly<Record<Cause, readonly [string] | readonly [string, string]>> = {
  gaps: ["kernel", "gaps"],
  copies: ["copies"],
  encode: ["encode"],
  submit: ["submit"],
  upload: ["upload"],
  read: ["mapped", "reads"],
  compile: ["compile"],
  wait: ["wait"],
  sleep: ["runtime", "sleep"],
  host: ["own", "code"],
  unexplained: ["unexplained"],
};

/** Returns the table of the wall time of each program's step: kernels, and idle time of the device by cause. */
export function stepAccountTable(result: WithPrograms): TableSpec<ProfiledProgram> {
  const rows = profiledPrograms(result).filter(({ device }) => device.account !== null);
  const causes = CAUSES.filter((cause) => rows.some(({ device }) => device.account!.idle[cause] > 0));
  return {
    title: "A step of each program, in ms",
    columns: [
      names("variant", ({ name }) => name),
      figures("wall time", ({ device }) => device.account!.wall, { heading: ["wall", "time"], unit: "ms" }),
      figures("kernels", ({ device }) => device.account!.kernels, { unit: "ms" }),
      ...causes.map((cause, i) =>
        figures<ProfiledProgram>(cause, ({ device }) => device.account!.idle[cause], {
          heading: HEADINGS[cause],
          unit: "ms",
          dropFirst: i,
        })
      ),
    ],
    rows,
    notes: [
      "means of timed steps, from a further run with each dispatch in a separate pass; beside the kernels, the device " +
      "is idle, by cause",
    ],
  };
}

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

interface StartsRow {
  readonly name: string;
  readonly starts: readonly (Start & { readonly all: number })[];
}

const PARTS: readonly (readonly [name: keyof Start, heading: readonly [string] | readonly [string, string]])[] = [
  ["loading", ["loading"]],
  ["compilation", ["compi-", "lation"]],
  ["upload", ["upload"]],
  ["firstRun", ["first", "run"]],
];

/** Returns the table of the time to the first result of programs that are started anew for each block. */
export function startsTable(
  { variants }: {
    readonly variants:
      readonly (Pick<VariantResult, "name"> & { readonly blocks: readonly Pick<Block, "wall" | "start">[] })[];
  },
): TableSpec<StartsRow> {
  const rows = variants.flatMap(({ name, blocks }): StartsRow[] => {
    const starts = blocks.flatMap(({ wall, start }) => start === undefined ? [] : [{ ...start, all: wall }]);
    return starts.length === 0 ? [] : [{ name, starts }];
  });
  const part = (of: keyof StartsRow["starts"][number]) => ({ starts }: StartsRow) =>
    median(starts.map((one) => one[of]));
  return {
    title: "Time to the first result, in ms",
    columns: [
      names("variant", ({ name }) => name),
      counts("starts", ({ starts }) => starts.length),
      figures("all", part("all"), { unit: "ms" }),
      ...PARTS.map(([name, heading]) => figures<StartsRow>(name, part(name), { heading, unit: "ms" })),
    ],
    rows,
    notes: [
      "medians of fresh processes with empty shader caches; loading: until the program has a device; first run: everything " +
      "else, also shaders that the driver compiles at their first use",
    ],
  };
}
