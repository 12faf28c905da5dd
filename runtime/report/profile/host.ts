import { isOwnLoop } from "../own_loop.ts";
import type { OpRecord } from "../../result/ops.ts";
import type { CpuUse, HostWork, Profile, RangeRecord, VariantResult } from "../../result/schema.ts";
import { formatCounted, formatMiB, MISSING } from "../format.ts";
import { nameText } from "../plain_text.ts";
import { type Column, counts, figures, percentages, type TableSpec, words } from "../spec.ts";
import { trustLines } from "./trust.ts";

/** Row of the table of host work for work that the device does. */
interface DeviceWork {
  readonly name: string;
  /** ms of a profiled step; null where it was not measured. */
  readonly ofStep: number | null;
}

type Work = HostWork | DeviceWork;

/** Returns the table of the host's work in the measured steps. */
export function hostTable(variant: VariantResult): TableSpec<Work> {
  const { blocks, profile } = variant;
  const host = profile?.host ?? [];
  const steps = blocks.reduce((sum, block) => sum + block.steps.length, 0);
  const ofHost = (value: (work: HostWork) => number | null) => (row: Work) => "ofStep" in row ? null : value(row);
  const time = (name: "total" | "mean" | "min" | "max", dropFirst: number) =>
    figures<Work>(name, ofHost((work) => work[name]), { unit: "ms", dropFirst });
  return {
    title: `Host: ms over ${steps} measured steps, on the host's clock`,
    columns: [
      words("work", ({ name }) => name, { beside: 62 }),
      counts("calls", ofHost(({ calls }) => calls), { dropFirst: 3 }),
      time("total", 4),
      time("mean", 5),
      time("min", 1),
      time("max", 2),
      figures("time of a step", (row) => "ofStep" in row ? row.ofStep : steps === 0 ? null : row.total / steps, {
        heading: ["per step"],
        unit: "ms",
      }),
      percentages("share", ofHost((work) => hostShare(work, variant)), {
        heading: ["share %"],
        help: "Share of the blocks' wall time; workers run in parallel",
      }),
    ],
    rows: profile === null ? [] : [...host, ...generatedRow(variant)],
    notes: [
      "share: of the blocks' wall time; workers run in parallel" +
      (host.some((work) => work.name === "monitor loss" && hostShare(work, variant) === null)
        ? "; losses read asynchronously are not included"
        : ""),
      generated(variant),
      ...trustLines(variant, "host"),
    ],
  };
}

/** Returns the row of random data, which layers generate in their own kernels, without work on the host. */
function generatedRow({ ops }: VariantResult): DeviceWork[] {
  const random = randomOps(ops);
  if (random.length === 0) return [];
  const ofStep = random.reduce<number | null>((sum, op) => sum === null || op.mean === null ? null : sum + op.mean, 0);
  return [{ name: "generate data (device)", ofStep }];
}

function generated({ ops }: VariantResult): string {
  const random = randomOps(ops);
  if (random.length === 0) return `generate data: ${MISSING}, no layer draws random numbers`;
  const names = random.slice(0, 3).map((op) => nameText(op.name, 40)).join(", ");
  const more = random.length > 3 ? ` and ${random.length - 3} more` : "";
  return `generate data: device time of ${names}${more} in the profiled steps`;
}

/** Copies in one direction. */
export interface Copies {
  readonly direction: string;
  readonly count: number;
  readonly bytes: number;
  /** Host work that makes the copies. */
  readonly by: HostWork | undefined;
  /** Shares of both directions; null without any. */
  readonly ofBytes: number | null;
  readonly ofTime: number | null;
}

const COPY_COLUMNS: readonly Column<Copies>[] = [
  words("copies", ({ direction }) => direction),
  counts("count", ({ count }) => count),
  figures("size", ({ bytes }) => bytes / 2 ** 20, {
    heading: ["MiB"],
    format: (_, { bytes }) => formatMiB(bytes),
  }),
  percentages("share of bytes", ({ ofBytes }) => ofBytes, { heading: ["bytes %"], dropFirst: 1 }),
  figures("host time", ({ by }) => by?.total ?? null, { heading: ["host ms"], unit: "ms" }),
  percentages("share of time", ({ ofTime }) => ofTime, { heading: ["time %"], dropFirst: 2 }),
  figures("rate", ({ by, bytes }) => by === undefined || by.total <= 0 || bytes === 0 ? null : bytes / by.total / 1e6, {
    heading: ["GB/s"],
  }),
  words("measured as", ({ by }) => by?.name ?? null),
];

/** Returns the table of copies in the measured steps. */
export function copiesTable(variant: VariantResult): TableSpec<Copies> {
  const { profile } = variant;
  const by = (name: string) => profile?.host.find((work) => work.name === name);
  const directions = profile === null || isOwnLoop(variant.config) ? [] : [
    { direction: "host to device", ...profile.transfers.hostToDevice, by: by("let data") },
    { direction: "device to host", ...profile.transfers.deviceToHost, by: by("monitor loss") },
  ];
  const bytes = directions.reduce((sum, { bytes }) => sum + bytes, 0);
  const time = directions.reduce((sum, { by }) => sum + (by?.total ?? 0), 0);
  return {
    title: "Copies in the measured steps",
    columns: COPY_COLUMNS,
    rows: directions.map((row) => ({
      ...row,
      ofBytes: bytes > 0 ? row.bytes / bytes : null,
      ofTime: time > 0 && row.by !== undefined ? row.by.total / time : null,
    })),
    notes: [
      "times on the host: writeBuffer has no device time; a readback includes waiting for the device",
      ...trustLines(variant, "host"),
    ],
  };
}

/** Returns why the use of cores and threads is unknown; null where it is known. */
export function noCpu({ steps, cpu }: Profile): string | null {
  if (steps === 0) return "measured during profiled steps, and there were none";
  return cpu.length === 0 ? "not available on this operating system" : null;
}

/** Returns the table of the use of cores and threads during profiled steps. */
export function cpuTable(variant: VariantResult): TableSpec<CpuUse> {
  const { steps = 0, cpu = [] } = variant.profile ?? {};
  const cores = cpu.some(({ kind }) => kind === "core");
  return {
    title: `CPU: per cent of the time during ${formatCounted(steps, "profiled step")}`,
    columns: [
      words("core or thread", ({ name }) => name, { heading: ["core, thread"], beside: 40 }),
      words("kind", ({ kind }) => kind, { only: "data" }),
      percentages("running", ({ running }) => running),
      percentages("waiting", ({ waiting }) => waiting, { help: "Ready to run, but no core was free" }),
    ],
    rows: cpu,
    notes: [
      "waiting: ready to run, but no core was free",
      ...cores ? [] : [`cores: ${MISSING}, the steps were shorter than the system's clock tick`],
      ...trustLines(variant, "host"),
    ],
  };
}

/** Returns the table of the user's ranges, nested. */
export function rangesTable(variant: VariantResult): TableSpec<RangeRecord> {
  return {
    title: "Ranges: ms",
    columns: [
      words("range", ({ path }) => path, {
        beside: 48,
        text: ({ path }) => path.split("/").at(-1)!,
        depth: ({ path }) => Math.min(path.split("/").length - 1, 8),
      }),
      words("on", ({ track }) => track),
      words("phase", ({ phase }) => phase),
      counts("entries", ({ entries }) => entries, { help: "Times that the range was entered" }),
      counts("calls", ({ calls, track, phase }) => track === "device" && phase !== null ? calls : null, {
        help: "Calls of the ops in it",
      }),
      figures("total", ({ total }) => total, { unit: "ms" }),
      figures("mean", ({ mean }) => mean, { unit: "ms", help: "Time of an entry" }),
    ],
    rows: variant.profile?.ranges ?? [],
    notes: [
      isOwnLoop(variant.config)
        ? "on the device: from the moment it reaches the range to the end of what was submitted in it; mean: of an entry"
        : "on the device: time of the ops created within the range, in the profiled steps; calls: of these ops; mean: of an entry",
      ...trustLines(variant, "ops"),
    ],
  };
}

/** The ops that draw random signals: separately, or as part of a fused kernel. */
function randomOps(ops: readonly OpRecord[]): OpRecord[] {
  return ops.filter(({ phase, roles }) => phase === "forward" && roles.includes("random"));
}

/**
 * Returns the fraction of the blocks' wall time that a kind of host work took. Null for losses read at the end of a sink or
 * block, which is partly outside the wall time.
 */
function hostShare(work: HostWork, { blocks, config }: Pick<VariantResult, "blocks" | "config">): number | null {
  const wall = blocks.reduce((sum, block) => sum + block.wall, 0);
  if (wall <= 0 || readAfterwards(work, config)) return null;
  return work.total / wall;
}

function readAfterwards({ name }: HostWork, config: VariantResult["config"]): boolean {
  return name === "monitor loss" && (config.monitor !== "step" || config.sink !== 0);
}
