import { counts, figures as numbers, names, type TableSpec, words } from "../report/spec.ts";
import { formatNumber } from "../report/format.ts";
import { formatBytes } from "../report/quantities.ts";
import { type Mix, multiplyAdds } from "./assembly/mix.ts";
import type { Figures } from "./figures.ts";
import type { IsaEstimate, KernelEstimate } from "./types.ts";

type Row = KernelEstimate;

/** Returns a function of a row that reads a figure. */
function of<T>(read: (figures: Figures) => T | null): (row: Row) => T | null {
  return ({ figures }) => figures === null ? null : read(figures);
}

/** Returns a function of a row that reads the hottest loop, or the whole kernel without a loop. */
function inLoop<T>(read: (mix: Mix) => T | null): (row: Row) => T | null {
  return of(({ loop, whole }) => {
    const mix = loop ?? whole;
    return mix === null ? null : read(mix);
  });
}

/** Instructions per multiply-add of the hottest loop; null without one. */
export function instructionsPerMultiplyAdd({ loop, whole }: Pick<Figures, "loop" | "whole">): number | null {
  const mix = loop ?? whole;
  const done = mix === null ? 0 : multiplyAdds(mix);
  return done === 0 ? null : mix!.all / done;
}

/** Both kinds of registers that went to memory. */
export function spillsOf(
  { spilledVector, spilledScalar }: Pick<Figures, "spilledVector" | "spilledScalar">,
): number | null {
  return spilledVector === null && spilledScalar === null ? null : (spilledVector ?? 0) + (spilledScalar ?? 0);
}

function head() {
  return [
    names<Row>("kernel", ({ kernel }) => kernel, { most: 60 }),
    words<Row>("GPU", ({ gpu }) => gpu),
  ];
}

/** Rows with figures. Those without are in {@linkcode failures}. */
function estimated({ rows }: IsaEstimate): KernelEstimate[] {
  return rows.filter(({ error }) => error === null);
}

/** Registers, memory and waves of each kernel on each GPU. */
export function resourcesTable(estimate: IsaEstimate): TableSpec<Row> {
  const rows = estimated(estimate);
  const planned = rows.some(({ dispatches }) => dispatches !== null);
  return {
    title: "Resources (estimate)",
    columns: [
      ...head(),
      ...planned
        ? [counts<Row>("dispatches", ({ dispatches }) => dispatches, { heading: ["per", "step"], dropFirst: 2 })]
        : [],
      counts("workgroup", of(({ workgroup }) => workgroup), { heading: ["work-", "group"] }),
      counts("lanes", of(({ lanes }) => lanes), { dropFirst: 3, help: "Lanes of a wave" }),
      counts("vector registers", of(({ vectorRegisters }) => vectorRegisters), { heading: ["vector", "regs"] }),
      counts("scalar registers", of(({ scalarRegisters }) => scalarRegisters), {
        heading: ["scalar", "regs"],
        dropFirst: 1,
      }),
      counts("spills", of(spillsOf), { tone: (row) => (of(spillsOf)(row) ?? 0) > 0 ? "bad" : null }),
      numbers("scratch", of(({ scratch }) => scratch), { unit: "bytes", format: String, dropFirst: 4 }),
      numbers("LDS", of(({ lds }) => lds), { unit: "bytes", format: (bytes) => formatBytes(bytes), dropFirst: 6 }),
      numbers("waves", of(({ waves }) => waves), {
        format: (waves, { figures }) => `${Number(waves.toFixed(1))}/${figures?.maxWaves}`,
      }),
      words("limit", of(({ limit }) => limit), { heading: ["limited", "by"] }),
      numbers("code", of(({ codeBytes }) => codeBytes), {
        unit: "bytes",
        format: (bytes) => formatBytes(bytes),
        dropFirst: 5,
      }),
      counts("instructions", of(({ instructions }) => instructions), { heading: ["instruc-", "tions"] }),
      counts("cost", of(({ cost }) => cost), {
        help: "Inverse throughput by the compiler's model, in cycles; compares versions of one kernel",
      }),
    ],
    rows,
    notes: estimateNotes(estimate),
  };
}

/** Instructions of the hottest loop of each kernel on each GPU. */
export function loopTable(estimate: IsaEstimate): TableSpec<Row> {
  const widths = (read: (mix: Mix) => readonly number[]) => inLoop((mix) => read(mix).join("/"));
  return {
    title: "Hottest loop",
    columns: [
      ...head(),
      counts("loop instructions", inLoop(({ all }) => all), { heading: ["instruc-", "tions"] }),
      numbers("per multiply-add", of(instructionsPerMultiplyAdd), {
        heading: ["per mul-", "tiply-add"],
        format: (value) => value >= 100 ? formatNumber(value) : value.toFixed(2),
      }),
      words("loads", widths(({ loads32, loads64, loads96, loads128 }) => [loads32, loads64 + loads96, loads128]), {
        heading: ["loads of", "32/64/128"],
        align: "right",
      }),
      words("LDS", widths(({ lds32, lds64, lds128 }) => [lds32, lds64, lds128]), {
        heading: ["LDS of", "32/64/128"],
        align: "right",
      }),
      counts("integer multiplications", inLoop((mix) => mix.integerMultiplications), { heading: ["integer", "mult."] }),
      counts("clamps", inLoop(({ clamps }) => clamps)),
      words("packed", inLoop(({ packedF16, f16 }) => f16 === 0 ? null : `${packedF16} of ${f16}`), {
        heading: ["packed", "f16"],
        align: "right",
      }),
      counts("waits", inLoop(({ waits }) => waits), { dropFirst: 1 }),
    ],
    rows: estimated(estimate),
    notes: ["of a kernel without a loop: all its instructions"],
  };
}

/** A change that figures suggest, with the GPUs where they do. */
interface AdviceRow {
  readonly kernel: string;
  readonly gpus: readonly string[];
  readonly rule: string;
  readonly line: number | null;
  readonly finding: string;
  readonly change: string;
}

/** Returns advice, each once per kernel, with the figures of the GPU where it costs most. */
export function adviceTable({ rows }: IsaEstimate): TableSpec<AdviceRow> {
  const all = rows.flatMap(({ kernel, gpu, advice }) => advice.map((each) => ({ ...each, kernel, gpu })));
  const groups = [...Map.groupBy(all, ({ kernel, rule }) => `${rule} ${kernel}`).values()];
  const worst = groups.map((group) => ({
    ...group.toSorted((a, b) => b.share - a.share)[0]!,
    gpus: group.map(({ gpu }) => gpu),
  })).sort((a, b) => b.share - a.share);
  return {
    title: "Advice",
    columns: [
      names("kernel", ({ kernel }) => kernel, { most: 60 }),
      words("GPU", ({ gpus }) => gpus.join(", ")),
      words("rule", ({ rule }) => rule),
      counts("line", ({ line }) => line),
      words("finding", ({ finding, change }) => `${finding}. Change: ${change}`, {
        below: ({ finding, change }) => `${finding}. Change: ${change}`,
      }),
    ],
    rows: worst,
  };
}

/** Returns the kernels that were not compiled, with the reason. */
export function failures({ rows }: IsaEstimate): TableSpec<Row> {
  return {
    title: "Not compiled",
    columns: [
      ...head(),
      words("reason", ({ error }) => error, { below: ({ error }) => error }),
    ],
    rows: rows.filter(({ error }) => error !== null),
  };
}

function estimateNotes({ frontEnd, compiler, notes }: IsaEstimate): string[] {
  return [
    `estimate without a GPU, by the compiler ${compiler ?? "–"} from ${
      frontEnd ?? "–"
    }: it sees no caches, bandwidth or clocks`,
    "cost compares versions of one kernel, not kernels: every loop counts alike",
    ...notes,
  ];
}
