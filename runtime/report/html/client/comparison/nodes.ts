/// <reference lib="dom" />
import { nodeSpeedsTable } from "../../../outcome/node_speeds.ts";
import { nodesTable } from "../../../outcome/nodes.ts";
import type { Overview } from "../../embedded.ts";
import { type Section, tableContent } from "../section.ts";

/** Returns the section of the nodes of a merged run and their speeds. */
export function nodesSection(overview: Overview): Section {
  const base = { anchor: "nodes", title: "Nodes" };
  return {
    ...base,
    content: [
      ...tableContent(nodesTable(overview), { limit: 200 }),
      ...tableContent(nodeSpeedsTable(overview), { limit: 200 }),
    ],
  };
}
