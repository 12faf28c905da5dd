/**
 * Counts the bytes that the plans of large models move, and their dispatches, against a lower bound. Needs no device: a
 * plan says which buffers each dispatch binds.
 *
 *     deno task bench:traffic                  # ResNet-50, GPT-2 and ViT-B/16 with the kernels for GPUs
 *     deno task bench:traffic --amp O2         # with mixed precision
 *     deno task bench:traffic --kernels cpu    # with the kernels for software adapters
 *
 * - moved: what the dispatches of an op bind, scratch memory included; a binding counts once for reading and once for
 *   writing. An input counts at most as much as the op's bound, since a lookup binds a whole table. Writes to an output
 *   count once in all, since the dispatches of an op write separate parts of it.
 * - bound: what the op must read and write: each input once, and twice where its statistics come first, and each output.
 * - the last line: the bound of the ops that no fusion can remove, which are products, attention and the update.
 *
 * @module
 */
import { Option } from "commander";
import { Command } from "@commander-js/extra-typings";
import type { Plan, PlannedNode } from "../runtime/compile/plan.ts";
import { type KernelSpec, slicesOf } from "../runtime/device/kernel.ts";
import { LARGE_MODELS, planOf } from "./large_models.ts";

/** Ratio of moved bytes to the bound above which an op is listed. */
const NOTABLE = 1.5;

/** Share of all moved bytes below which an op is not listed. */
const SMALL = 0.002;

const { amp, kernels } = new Command()
  .addOption(
    new Option("--amp <level>", "mixed precision").choices(["O0", "O1", "O2", "O3"] as const).default("O0" as const),
  )
  .addOption(
    new Option("--kernels <class>", "class of adapter").choices(["gpu", "cpu"] as const).default("gpu" as const),
  )
  .parse(["deno", "traffic", ...Deno.args]).opts();

/** Ops of one type in one phase. */
interface Traffic {
  readonly name: string;
  readonly nodes: number;
  readonly dispatches: number;
  readonly moved: number;
  readonly bound: number;
  readonly product: boolean;
}

for (const { title, define } of Object.values(LARGE_MODELS)) print(title, planOf(define(amp), kernels));

function print(title: string, plan: Plan): void {
  const rows = trafficOf(plan);
  const total = (of: (row: Traffic) => number) => rows.reduce((sum, row) => sum + of(row), 0);
  const all = {
    name: "all",
    nodes: total(({ nodes }) => nodes),
    dispatches: total(({ dispatches }) => dispatches),
    moved: total(({ moved }) => moved),
    bound: total(({ bound }) => bound),
  };
  const products = total(({ bound, product }) => product ? bound : 0);
  console.log(`\n${title}, ${amp}, kernels for ${kernels}`);
  console.log(line(["op", "ops", "dispatches", "moved GiB", "bound GiB", "ratio"]));
  for (const row of [all, ...rows.filter(({ moved }) => moved >= SMALL * all.moved)]) console.log(line(cells(row)));
  console.log(
    `products, attention and update alone: ${gib(products)} GiB; all moved / these: ${
      (all.moved / products).toFixed(2)
    }`,
  );
}

function cells({ name, nodes, dispatches, moved, bound }: Omit<Traffic, "product">): string[] {
  const ratio = moved / bound;
  return [name, `${nodes}`, `${dispatches}`, gib(moved), gib(bound), ratio.toFixed(2) + (ratio > NOTABLE ? " *" : "")];
}

/** Returns the traffic of a step by op and phase, the largest first. */
function trafficOf({ nodes, segments }: Plan): Traffic[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const moved = new Map<string, { bytes: number; dispatches: number }>();
  const written = new Map<string, number>();
  for (const { kernel, bindings, nodeId } of segments.flatMap(({ dispatches }) => dispatches)) {
    const known = moved.get(nodeId) ?? { bytes: 0, dispatches: 0 };
    known.dispatches++;
    bindings.forEach(({ size }, i) => {
      const { ref, window = size, moves = false } = kernel.bindings[i]!;
      const bound = Math.min(size, moves ? window * slicesOf(kernel) : window);
      const uses = usesOf(kernel, i);
      // A lookup binds the whole table, of which it reads some rows
      const most = "input" in ref ? byId.get(nodeId)?.bytes ?? size : size;
      if (uses.has("read")) known.bytes += Math.min(bound, most);
      if (!uses.has("write")) return;
      if (!("output" in ref)) known.bytes += Math.min(bound, most);
      else {
        // Kernels that each write a part of an output may each bind all of it
        const key = `${nodeId} ${ref.output}`;
        const before = written.get(key) ?? 0;
        const after = Math.min(size, before + bound);
        written.set(key, after);
        known.bytes += after - before;
      }
    });
    moved.set(nodeId, known);
  }
  const groups = Map.groupBy(nodes.filter(({ id }) => moved.has(id)), ({ type, phase }) => `${type}, ${phase}`);
  return [...groups].map(([name, group]) => {
    const sum = (of: (node: PlannedNode) => number) => group.reduce((total, node) => total + of(node), 0);
    return {
      name,
      nodes: group.length,
      dispatches: sum(({ id }) => moved.get(id)!.dispatches),
      moved: sum(({ id }) => moved.get(id)!.bytes),
      bound: sum(({ bytes }) => bytes),
      product: group.every(({ roles = [], phase }) =>
        phase === "update" || roles.some((role) => role === "product" || role === "attention")
      ),
    };
  }).toSorted((a, b) => b.moved - a.moved);
}

/** Returns what a kernel does with a binding. */
function usesOf({ bindings, wgsl }: KernelSpec, index: number): ReadonlySet<"read" | "write"> {
  if (bindings[index]!.access !== "read_write") return new Set(["read"]);
  const name = wgsl.match(new RegExp(`@binding\\(${index}\\) var<storage, read_write> (\\w+)`))![1]!;
  const uses = new Set<"read" | "write">();
  for (const { index: at } of wgsl.matchAll(new RegExp(`\\b${name}\\[`, "g"))) {
    let [end, depth] = [at + name.length, 0];
    do depth += wgsl[end] === "[" ? 1 : wgsl[end] === "]" ? -1 : 0; while (++end < wgsl.length && depth > 0);
    uses.add(/^(\.\w+)?\s*=[^=]/.test(wgsl.slice(end, end + 8)) ? "write" : "read");
  }
  return uses;
}

function line([name, ...figures]: readonly string[]): string {
  return name!.padEnd(36) + figures.map((figure) => figure.padStart(12)).join("");
}

function gib(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(2);
}
