import type { Node } from "../../result/node.ts";
import type { Result } from "../../result/schema.ts";
import { numberRanges } from "./number_ranges.ts";

type Warning = NonNullable<Result["procedure"]>["warnings"][number];

/** Kind of warnings about the settings, which are those of the sweep. */
const OF_SETTINGS = "alias";

/** Warnings of the nodes of a sweep. One that several nodes share is listed once. */
export class NodeWarnings {
  readonly #most: number;
  readonly #nodes = new Map<string, { readonly warning: Warning; readonly nodes: Node[] }>();

  /** @param most number of different warnings to keep */
  constructor(most: number) {
    this.#most = most;
  }

  add(node: Node, warning: Warning): void {
    const key = JSON.stringify([warning.kind, warning.message]);
    const known = this.#nodes.get(key);
    if (known !== undefined) known.nodes.push(node);
    else if (this.#nodes.size < this.#most) this.#nodes.set(key, { warning, nodes: [node] });
  }

  /** Returns the warnings, each with its shards unless all of `count` nodes have it. */
  all(count: number): Warning[] {
    return [...this.#nodes.values()].map(({ warning, nodes }) =>
      nodes.length === count || warning.kind === OF_SETTINGS
        ? warning
        : { ...warning, message: `${placeOf(nodes)}: ${warning.message}` }
    );
  }
}

function placeOf(nodes: readonly Node[]): string {
  const [{ shard, of, host }] = nodes as readonly [Node];
  if (nodes.length === 1) return `shard ${shard}/${of}${host === null ? "" : ` on ${host}`}`;
  return `shards ${numberRanges(nodes.map(({ shard }) => shard))} of ${of}`;
}
