/**
 * Profile files of onnxruntime as sides of a difference: the kernel times of its nodes in each run of the session.
 *
 * @module
 */
import { basename } from "node:path";
import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { parseJson } from "../../core/strangers_json.ts";
import { median } from "../../core/statistics.ts";
import type { DiffItem, DiffSide } from "./side.ts";

const eventsSchema = z.array(z.looseObject({
  cat: z.string().optional(),
  name: z.string(),
  /** Start and duration: us. */
  ts: z.number().optional(),
  dur: z.number().nonnegative().optional(),
  args: z.looseObject({
    op_name: z.string().optional(),
    provider: z.string().optional(),
    input_type_shape: z.unknown(),
    output_type_shape: z.unknown(),
  }).partial().optional(),
}));

type Event = z.infer<typeof eventsSchema>[number];

/** A run of the session: its first and last microsecond. */
interface Run {
  readonly from: number;
  readonly until: number;
}

/** Runs from which on the first one, in which onnxruntime allocates, is left out. */
const WARMED = 3;

const SUFFIX = "_kernel_time";

/**
 * Returns the nodes of a profile file of onnxruntime with their time in ms in each run of the session.
 *
 * @param by `layer` sums nodes by the layer in their name, as Tacho names the layers of the same model
 * @throws {InputError} if it is no such file, or has no runs
 */
export function ortSide(file: string, text: string, by: "node" | "layer"): DiffSide {
  const events = eventsOf(file, text);
  const all = events.filter((event) => event.cat === "Session" && event.name === "model_run").map(runOf);
  if (all.length === 0) {
    throw new InputError(
      `--ort: ${file} has no runs of a session ("model_run"); run the model between the start of the ` +
        "session and end_profiling()",
    );
  }
  const runs = all.length >= WARMED ? all.slice(1) : all;
  const nodes = events.filter((event) => event.cat === "Node" && event.name.endsWith(SUFFIX));
  const groups = Map.groupBy(nodes, (event) => by === "node" ? nodeOf(event) : ortLayer(nodeOf(event)));
  return {
    label: basename(file),
    items: [...groups].map(([name, own]) => itemOf(name, own, runs)),
    step: median(runs.map(({ from, until }) => (until - from) / 1000)),
    rounds: null,
  };
}

function eventsOf(file: string, text: string): Event[] {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw new InputError(
      `--ort: ${file} is not JSON; onnxruntime writes the end of the file in end_profiling() (${
        (cause as Error).message
      })`,
      { cause },
    );
  }
  const { success, data } = eventsSchema.safeParse(value);
  if (success) return data;
  throw new InputError(`--ort: ${file} is no profile of onnxruntime; expected a list of events with names`);
}

function runOf({ ts = 0, dur = 0 }: Event): Run {
  return { from: ts, until: ts + dur };
}

function nodeOf({ name }: Event): string {
  return name.slice(0, -SUFFIX.length);
}

function itemOf(name: string, events: readonly Event[], runs: readonly Run[]): DiffItem {
  const samples = runs.map(({ from, until }) => {
    const own = events.filter(({ ts = 0 }) => ts >= from && ts <= until);
    return own.length === 0 ? null : own.reduce((sum, { dur = 0 }) => sum + dur, 0) / 1000;
  });
  const known = samples.filter((ms) => ms !== null);
  const kernels = events.map(({ args }) => `${args?.op_name ?? "?"}, ${provider(args?.provider)}`);
  const shapes = events.map(({ args }) => JSON.stringify([args?.input_type_shape, args?.output_type_shape]));
  return {
    key: name,
    name,
    phase: null,
    kernel: [...new Set(kernels)].join(" + "),
    work: JSON.stringify([[...new Set(kernels)], [...new Set(shapes)]]),
    median: known.length === 0 ? null : median(known),
    samples,
  };
}

/** Returns `CPU` for `CPUExecutionProvider`. */
function provider(name: string | undefined): string {
  return name?.replace(/ExecutionProvider$/, "") ?? "?";
}

/** Returns the layer in the name of a node, as PyTorch writes it: `layer1.0.conv1` of `/layer1/layer1.0/conv1/Conv`. */
export function ortLayer(node: string): string {
  const scopes = node.split("/").filter((part) => part !== "").slice(0, -1);
  return scopes.filter((part, i) => !scopes[i + 1]?.startsWith(`${part}.`)).join(".") || node;
}

/** Returns the forward ops of one of our variants by layer, beside the nodes of onnxruntime. */
export function byLayer(side: DiffSide, layers: ReadonlyMap<string, string>): DiffSide {
  const forward = side.items.filter(({ phase }) => phase === "forward");
  const groups = Map.groupBy(forward, ({ key }) => layers.get(key) ?? key);
  const items = [...groups].map(([name, own]): DiffItem => {
    const [first, ...others] = own;
    const medians = own.map(({ median }) => median);
    return {
      ...{ key: name, name, phase: null, kernel: own.map(({ kernel }) => kernel).join(" + ") },
      work: JSON.stringify(own.map(({ work }) => work)),
      median: medians.some((ms) => ms === null) ? null : medians.reduce<number>((sum, ms) => sum + ms!, 0),
      samples: first!.samples.map((time, i) =>
        others.reduce<number | null>((sum, { samples }) => {
          const own = samples[i] ?? null;
          return sum === null || own === null ? null : sum + own;
        }, time)
      ),
    };
  });
  return { ...side, items, rounds: null };
}
