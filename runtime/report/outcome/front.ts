import type { Front, Objective } from "../../result/schema.ts";
import { variantColumns } from "../matrix/axes.ts";
import type { ComparedResult, ComparedVariant } from "../matrix/column.ts";
import { speedTable } from "../matrix/speed.ts";
import { seedsTable } from "./seeds.ts";
import { nameInProse, namesInProse } from "../plain_text.ts";
import { type Column, type TableSpec, words } from "../spec.ts";

/** Columns of the matrix that the front repeats, beside those that name the variants. */
const SHARED: readonly string[] = ["ratio", "interval", "peak memory", "final loss", "accuracy"];

/** Columns of the seeds that replace the final loss where there are several. */
const OF_SEEDS: readonly string[] = ["loss", "loss interval"];

const BEST: Readonly<Record<Objective, string>> = { speed: "fastest", memory: "least memory", loss: "lowest loss" };

type Placed = Front["variants"][number];

/** Returns the table of a sweep's best variants and of its Pareto front, the fastest first; without rows if there is none. */
export function frontTable(result: ComparedResult): TableSpec<ComparedVariant> {
  const { front, variants } = result;
  const places = new Map((front?.variants ?? []).map((place) => [place.name, place]));
  const placeOf = ({ name }: ComparedVariant) => places.get(name);
  const rows = variants.filter((variant) => (placeOf(variant)?.status ?? "dominated") !== "dominated")
    .toSorted((a, b) => (b.metrics.speedup?.value ?? 0) - (a.metrics.speedup?.value ?? 0));
  return {
    title: `Best variants, the Pareto front of ${(front?.objectives ?? []).join(", ")}`,
    columns: [...sharedColumns(result), ...ownColumns(front, placeOf)],
    rows,
    notes: front === null ? [] : notesOf(front),
  };
}

function sharedColumns(result: ComparedResult): Column<ComparedVariant>[] {
  const repeated = result.front?.objectives.includes("loss") ?? false;
  const shared = speedTable(result).columns
    .filter(({ name }) => SHARED.includes(name) && !(repeated && name === "final loss"));
  const losses = repeated ? seedsTable(result).columns.filter(({ name }) => OF_SEEDS.includes(name)) : [];
  return [...variantColumns(result.variants), ...shared.map(({ only: _, ...column }) => column), ...losses];
}

function ownColumns(
  front: Front | null,
  placeOf: (variant: ComparedVariant) => Placed | undefined,
): Column<ComparedVariant>[] {
  return [
    words("best", (variant) => (placeOf(variant)?.best ?? []).map((objective) => BEST[objective]).join(", "), {
      help: "Objectives on which no variant is better, as far as the intervals tell",
    }),
    ...front?.variants.some(({ status }) => status === "open")
      ? [words<ComparedVariant>("front", (variant) => placeOf(variant)?.status === "open" ? "open" : "yes", {
        help: "open: the intervals do not decide whether another variant dominates it",
      })]
      : [],
  ];
}

function notesOf({ objectives, variants }: Front): string[] {
  const dominated = variants.flatMap(({ name, dominatedBy: by }) => by === null ? [] : [{ name, by }]);
  return [
    "listed: no other variant is better on one of these and at least as good on the others, by the 95 % interval of " +
    "each pair",
    ...variants.some(({ status }) => status === "open")
      ? ["open: the intervals do not decide whether another variant is; more rounds or seeds would"]
      : [],
    ...objectives.includes("loss")
      ? []
      : ["loss: not an objective, since a single training has no interval; seeds=5 would give one"],
    ...[...Map.groupBy(dominated, ({ by }) => by)].map(([by, group]) =>
      `dominated by ${nameInProse(by)}: ${namesInProse(group.map(({ name }) => name))}`
    ),
  ];
}
