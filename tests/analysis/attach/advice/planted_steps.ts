import type { AttachedDevice, ProgramAdvice } from "../../../../runtime/result/attach_result.ts";
import { analyseAttached } from "../../../../runtime/analysis/attach/analyse.ts";
import {
  type AttachRecord,
  HOST_KINDS,
  type HostKind,
  type TotalName,
  TOTALS,
} from "../../../../runtime/attach/records.ts";

/** Wall time of a planted step, in ms. */
export const WALL = 100;

/** Records of a step. Times are in ms from its start. */
export interface PlantedStep {
  readonly counts?: Partial<Record<TotalName, number>>;
  readonly host?: readonly (readonly [kind: HostKind, start: number, end: number])[];
  /** Passes of the step's first submit. */
  readonly passes?: readonly (readonly [begin: number, end: number])[];
  /** Labels of the pipelines that the step makes. */
  readonly pipelines?: readonly string[];
}

/** Options of a planted program. */
export interface PlantedProgram {
  readonly steps?: number;
  /** Step of the device's clock in ns. */
  readonly resolution?: number;
  /** Events that delimit the steps; `end` leaves a program without any. */
  readonly by?: "step" | "end";
  readonly timestamps?: "program" | "none";
  /** Description of its only kernel. */
  readonly does?: string;
  /** Bytes of the bound buffers. */
  readonly bytes?: number;
  /** Copy bandwidth of the adapter; unknown by default. */
  readonly copyGBs?: number;
}

/** Analyses a program with these steps, the first of which is a warm-up since it uses its kernel for the first time. */
export function plantedDevice(step: PlantedStep | ((i: number) => PlantedStep), {
  steps = 7,
  resolution = 1,
  by = "step",
  timestamps = "program",
  does = "copy",
  bytes = 0,
  copyGBs,
}: PlantedProgram = {}): AttachedDevice {
  const device = { device: 0 };
  const records: AttachRecord[] = [
    { kind: "device", ...device, time: 0, label: "", adapter: "planted", timestamps },
    { kind: "kernel", ...device, kernel: 0, label: "k", entryPoint: "main", hash: "", does, line: null },
    { kind: "site", ...device, site: 0, kernel: 0, grid: [1, 1, 1], bytes, line: null, pass: "" },
  ];
  const labels = new Map([["k", 0]]);
  let submits = 0;
  for (let i = 0; i < steps; i++) {
    const { counts = {}, host = [], passes = [], pipelines = [] } = typeof step === "function" ? step(i) : step;
    const start = i * WALL;
    for (const label of pipelines) {
      if (!labels.has(label)) {
        labels.set(label, labels.size);
        const facts = { label, entryPoint: "main", hash: "", does: "", line: null };
        records.push({ kind: "kernel", ...device, kernel: labels.size - 1, ...facts });
      }
      const facts = { type: "compute", async: false, callMs: 1, readyMs: null, line: null } as const;
      records.push({ kind: "pipeline", ...device, time: start, kernel: labels.get(label)!, cuts: i, ...facts });
    }
    const all: Partial<Record<TotalName, number>> = {
      dispatches: passes.length,
      timedDispatches: passes.length,
      submits: 1,
      pipelines: pipelines.length,
      ...counts,
    };
    if (timestamps !== "none") {
      records.push({
        ...{ kind: "passes", ...device, defects: {}, resolution },
        site: passes.map(() => 0),
        submit: passes.map(() => submits),
        between: passes.map(() => 0),
        begin: passes.map(([begin]) => start + begin),
        end: passes.map(([, end]) => start + end),
      });
    } else all.timedDispatches = 0;
    records.push({
      ...{
        kind: "cut",
        ...device,
        by,
        name: null,
        start,
        end: start + WALL,
        symbol: 1,
        pending: 1,
        memory: 0,
        peak: 0,
      },
      totals: TOTALS.map((name) => all[name] ?? 0),
      host: host.flatMap(([kind, from, to]) => [HOST_KINDS.indexOf(kind), start + from, start + to]),
    });
    submits += all.submits ?? 0;
  }
  const known = new Map(copyGBs === undefined ? [] : [["planted", copyGBs] as const]);
  return analyseAttached([records], by === "step" ? "step" : "mark", known).devices[0]!;
}

/** Returns the advice of one kind on a planted program; null without. */
export function adviceOf(
  kind: string,
  step: PlantedStep | ((i: number) => PlantedStep),
  program: PlantedProgram = {},
): ProgramAdvice | null {
  return plantedDevice(step, program).advice.find((one) => one.kind === kind) ?? null;
}
