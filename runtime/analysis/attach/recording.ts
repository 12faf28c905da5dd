/**
 * The records of one device, gathered.
 *
 * @module
 */
import {
  type AttachRecord,
  type CutRecord,
  type DeviceRecord,
  type ErrorRecord,
  HOST_KINDS,
  type HostKind,
  type KernelRecord,
  type LostRecord,
  MAIN_REALM,
  type MarkRecord,
  type PipelineRecord,
  type SiteRecord,
  type StateRecord,
  type TotalName,
  TOTALS,
} from "../../attach/records.ts";

/** Longest label that counts as minified, and the number of different kernels that share it then. */
const MINIFIED = 2;
const FEW = 3;

/** A timed pass. */
export interface Pass {
  readonly site: SiteRecord;
  readonly submit: number;
  /** Copies and untimed passes before it in its encoder. */
  readonly between: number;
  /** Place in the order of timed passes, which counts unusable ones. */
  readonly index: number;
  /** Begin and end in host ms; equal if it was within one tick of the clock. */
  readonly begin: number;
  readonly end: number;
}

/** A stretch between two cuts, with the submits before and after it. */
export interface Stretch extends CutRecord {
  readonly firstSubmit: number;
  readonly endSubmit: number;
}

/** Interval of one host activity; times in ms. */
export interface HostInterval {
  readonly label: HostKind;
  readonly start: number;
  readonly end: number;
}

/** Everything that was recorded of a device. */
export interface DeviceRecording {
  readonly device: DeviceRecord;
  readonly kernels: readonly KernelRecord[];
  readonly pipelines: readonly PipelineRecord[];
  readonly modules: number;
  readonly stretches: readonly Stretch[];
  /** Calls of timed stretches that submit, by the number of the submit. */
  readonly submits: ReadonlyMap<number, HostInterval>;
  /** Timed passes with usable timestamps, in the order of execution. */
  readonly passes: readonly Pass[];
  /** Timed passes without usable timestamps. */
  readonly unusable: number;
  /** Submits with such passes. */
  readonly refused: ReadonlySet<number>;
  /** Kernels with timed dispatches. Their timestamps may not have been read. */
  readonly timedKernels: ReadonlySet<number>;
  /** Kernels with timed dispatches that have no usable timestamps. */
  readonly refusedKernels: ReadonlySet<number>;
  readonly defects: Readonly<Record<string, number>>;
  /** Step of the device's clock in ns; null if unknown. */
  readonly resolution: number | null;
  readonly state: StateRecord | null;
  readonly errors: readonly ErrorRecord[];
  readonly lost: LostRecord | null;
}

/** Everything that was recorded of a realm. */
export interface Recording {
  readonly realm: string;
  readonly timeOrigin: number;
  /** True if the realm ended normally; false if it was killed. */
  readonly ended: boolean;
  readonly devices: readonly DeviceRecording[];
  readonly marks: readonly MarkRecord[];
}

/** Gathers the records of a realm, in the order in which they were written. */
export function gather(records: readonly AttachRecord[]): Recording {
  const start = records.find(({ kind }) => kind === "start");
  const devices = ofKind(records, "device").map((device) => {
    const own = records.filter((record) => "device" in record && record.device === device.device);
    return gatherDevice(device, own);
  });
  return {
    realm: start?.kind === "start" ? start.realm : MAIN_REALM,
    timeOrigin: start?.kind === "start" ? start.timeOrigin : 0,
    ended: records.some(({ kind }) => kind === "end"),
    devices,
    marks: ofKind(records, "mark"),
  };
}

function gatherDevice(device: DeviceRecord, records: readonly AttachRecord[]): DeviceRecording {
  const sites = ofKind(records, "site");
  const readings = ofKind(records, "passes");
  let timed = 0;
  const passes = readings.flatMap(({ site, submit, between, begin, end }) =>
    site.flatMap((number, i): Pass[] => {
      const index = timed++;
      const [from, to] = [begin[i] ?? null, end[i] ?? null];
      if (from === null || to === null) return [];
      return [{ site: sites[number]!, submit: submit[i]!, between: between[i]!, index, begin: from, end: to }];
    })
  );
  const refused = new Set(
    readings.flatMap(({ submit, begin, end }) =>
      submit.filter((_, i) => (begin[i] ?? null) === null || (end[i] ?? null) === null)
    ),
  );
  const refusedKernels = new Set(
    readings.flatMap(({ site, begin, end }) =>
      site.filter((_, i) => (begin[i] ?? null) === null || (end[i] ?? null) === null)
    ).map((number) => sites[number]!.kernel),
  );
  const stretches = withSubmits(ofKind(records, "cut"));
  const defects: Record<string, number> = {};
  for (const reading of readings) {
    for (const [name, count] of Object.entries(reading.defects)) defects[name] = (defects[name] ?? 0) + count;
  }
  const resolutions = readings.flatMap(({ resolution }) => resolution ?? []);
  return {
    device,
    kernels: withOwnLabels(ofKind(records, "kernel")),
    pipelines: ofKind(records, "pipeline"),
    modules: ofKind(records, "module").length,
    stretches,
    submits: new Map(
      stretches.flatMap((stretch) =>
        hostIntervals(stretch).filter(({ label }) => label === "submit")
          .map((interval, i): [number, HostInterval] => [stretch.firstSubmit + i, interval])
      ),
    ),
    passes,
    unusable: readings.reduce((sum, { site }) => sum + site.length, 0) - passes.length,
    refused,
    timedKernels: new Set(sites.map(({ kernel }) => kernel)),
    refusedKernels,
    defects,
    // That of the coarsest reading, since the step may change during a run
    resolution: resolutions.length === 0 ? null : Math.max(...resolutions),
    state: ofKind(records, "state").at(-1) ?? null,
    errors: ofKind(records, "error"),
    lost: ofKind(records, "lost")[0] ?? null,
  };
}

/** Adds the entry point to labels that kernels of the same code share, as those with the label of their module do. */
function withOwnLabels(recorded: readonly KernelRecord[]): KernelRecord[] {
  const kernels = withoutMinified(recorded);
  const shared = Map.groupBy(kernels, ({ label, hash }) => JSON.stringify([label, hash]));
  return kernels.map((kernel) => {
    const { label, hash, entryPoint } = kernel;
    const isShared = shared.get(JSON.stringify([label, hash]))!.some((other) => other.entryPoint !== entryPoint);
    return label === "" || !isShared ? kernel : { ...kernel, label: `${label}: ${entryPoint}` };
  });
}

/** Removes labels that a minifier made, such as `e` for the classes of many kernels. */
function withoutMinified(kernels: readonly KernelRecord[]): KernelRecord[] {
  const labels = Map.groupBy(kernels, ({ label }) => label);
  const isMinified = (label: string) =>
    label.length <= MINIFIED && new Set(labels.get(label)!.map(({ hash }) => hash)).size >= FEW;
  return kernels.map((kernel) => isMinified(kernel.label) ? { ...kernel, label: "" } : kernel);
}

function withSubmits(cuts: readonly CutRecord[]): Stretch[] {
  let submits = 0;
  return cuts.map((cut) => {
    const firstSubmit = submits;
    submits += totalOf(cut, "submits");
    return { ...cut, firstSubmit, endSubmit: submits };
  });
}

/** Returns what the host did in a timed stretch; empty for others. */
export function hostIntervals({ host }: Pick<CutRecord, "host">): HostInterval[] {
  return Array.from({ length: host.length / 3 }, (_, i) => ({
    label: HOST_KINDS[host[3 * i]!]!,
    start: host[3 * i + 1]!,
    end: host[3 * i + 2]!,
  }));
}

/** Returns a total of a stretch. */
export function totalOf({ totals }: Pick<CutRecord, "totals">, name: TotalName): number {
  return totals[TOTALS.indexOf(name)] ?? 0;
}

function ofKind<K extends AttachRecord["kind"]>(
  records: readonly AttachRecord[],
  kind: K,
): Extract<AttachRecord, { kind: K }>[] {
  return records.filter((record): record is Extract<AttachRecord, { kind: K }> => record.kind === kind);
}
