import { hostShare } from "../../analysis/host_share.ts";
import { randomOps } from "../../analysis/random_ops.ts";
import type { CpuUse, HostWork, Profile, RangeRecord, VariantResult } from "../../result/schema.ts";
import { formatMiB, MISSING } from "../format.ts";
import { nameText } from "../plain_text.ts";
import { type Column, counts, figures, percentages, type TableSpec, words } from "../spec.ts";
import { trustLines } from "./trust.ts";

/** A row of the table of host work that is the device's. */
interface DeviceWork {
  readonly name: string;
  /** ms of a profiled step; null where it was not measured. */
  readonly ofStep: number | null;
}

type Work = HostWork | DeviceWork;

/** What the host did in the measured steps. */
export function hostTable(variant: VariantResult): TableSpec<Work> {
  const { blocks, profile } = variant;
  const host = profile?.host ?? [];
  const steps = blocks.reduce((sum, block) => sum + block.steps.length, 0);
  const ofHost = (value: (work: HostWork) => number | null) => (row: Work) => "ofStep" in row ? null : value(row);
  const time = (name: "total" | "mean" | "min" | "max", dropFirst: number) =>
    figures<Work>(name, ofHost((work) => work[name]), { unit: "ms", dropFirst });
  return {
    title: `Host: ms in ${steps} measured steps, on the host's clock`,
    columns: [
      words("work", ({ name }) => name, { beside: 62 }),
      counts("calls", ofHost(({ calls }) => calls), { dropFirst: 3 }),
      time("total", 4),
      time("mean", 5),
      time("min", 1),
      time("max", 2),
      figures("time of a step", (row) => "ofStep" in row ? row.ofStep : steps === 0 ? null : row.total / steps, {
        heading: ["a step"],
        unit: "ms",
      }),
      percentages("share", ofHost((work) => hostShare(work, variant)), {
        heading: ["share %"],
        help: "Of the wall time of the blocks; work in workers runs beside it",
      }),
    ],
    rows: profile === null ? [] : [...host, ...generatedRow(variant)],
    notes: [
      "share: of the wall time of the blocks; work in workers runs beside it" +
      (host.some((work) => work.name === "monitor loss" && hostShare(work, variant) === null)
        ? "; losses read behind it are not in it"
        : ""),
      generated(variant),
      ...trustLines(variant, "host"),
    ],
  };
}

/** Layers that draw random signals do so in their own kernels: there is no host work for it. */
function generatedRow({ ops }: VariantResult): DeviceWork[] {
  const random = randomOps(ops);
  if (random.length === 0) return [];
  const ofStep = random.reduce<number | null>((sum, op) => sum === null || op.mean === null ? null : sum + op.mean, 0);
  return [{ name: "generate data (device)", ofStep }];
}

function generated({ ops }: VariantResult): string {
  const random = randomOps(ops);
  if (random.length === 0) return `generate data: ${MISSING}, no layer draws random signals`;
  const names = random.slice(0, 3).map((op) => nameText(op.name, 40)).join(", ");
  const more = random.length > 3 ? ` and ${random.length - 3} more` : "";
  return `generate data: on the device's clock, in profiled steps: all that ${names}${more} ` +
    `${random.length === 1 ? "does" : "do"}`;
}

interface Copies {
  readonly direction: string;
  readonly count: number;
  readonly bytes: number;
  /** The host's work that does them. */
  readonly by: HostWork | undefined;
}

const COPY_COLUMNS: readonly Column<Copies>[] = [
  words("copies", ({ direction }) => direction),
  counts("count", ({ count }) => count),
  figures("size", ({ bytes }) => bytes / 2 ** 20, {
    heading: ["MiB"],
    format: (_, { bytes }) => formatMiB(bytes),
  }),
  figures("host time", ({ by }) => by?.total ?? null, { heading: ["host ms"], unit: "ms" }),
  figures("rate", ({ by, bytes }) => by === undefined || by.total <= 0 || bytes === 0 ? null : bytes / by.total / 1e6, {
    heading: ["GB/s"],
  }),
  words("measured as", ({ by }) => by?.name ?? null),
];

/** What was copied in the measured steps. */
export function copiesTable(variant: VariantResult): TableSpec<Copies> {
  const { profile } = variant;
  const by = (name: string) => profile?.host.find((work) => work.name === name);
  return {
    title: "Copies in the measured steps",
    columns: COPY_COLUMNS,
    rows: profile === null ? [] : [
      { direction: "host to device", ...profile.transfers.hostToDevice, by: by("let data") },
      { direction: "device to host", ...profile.transfers.deviceToHost, by: by("monitor loss") },
    ],
    notes: [
      "times are the host's: copies by writeBuffer have no device time; reading back includes waiting for the device",
      ...trustLines(variant, "host"),
    ],
  };
}

/** Why there is nothing to tell of cores and threads; null where there is. */
export function noCpu({ steps, cpu }: Profile): string | null {
  if (steps === 0) return "it is taken over profiled steps, and there were none";
  return cpu.length === 0 ? "this operating system does not tell" : null;
}

/** What cores and threads did while steps were profiled. */
export function cpuTable(variant: VariantResult): TableSpec<CpuUse> {
  const { steps = 0, cpu = [] } = variant.profile ?? {};
  const cores = cpu.some(({ kind }) => kind === "core");
  return {
    title: `CPU: per cent of the time, while ${steps} step${steps === 1 ? " was" : "s were"} profiled`,
    columns: [
      words("core or thread", ({ name }) => name, { heading: ["core, thread"], beside: 40 }),
      words("kind", ({ kind }) => kind, { only: "data" }),
      percentages("running", ({ running }) => running),
      percentages("waiting", ({ waiting }) => waiting, { help: "Ready to run, but no core was free" }),
    ],
    rows: cpu,
    notes: [
      "waiting: ready to run, but no core was free",
      ...cores ? [] : [`cores: ${MISSING}, these steps were too short for the ticks that cores are counted in`],
      ...trustLines(variant, "host"),
    ],
  };
}

/** The user's ranges, each under the one it lies in. */
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
      counts("calls", ({ calls }) => calls),
      figures("total", ({ total }) => total, { unit: "ms" }),
      figures("mean", ({ mean }) => mean, { unit: "ms" }),
    ],
    rows: variant.profile?.ranges ?? [],
    notes: [
      "on the device: the ops that were written in the range, in the profiled steps",
      ...trustLines(variant, "ops"),
    ],
  };
}
