import { createHash } from "node:crypto";
import uPlotScript from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import uPlotStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import client from "./client.js" with { type: "text" };
import base from "./style/base.css" with { type: "text" };
import chart from "./style/chart.css" with { type: "text" };
import layout from "./style/layout.css" with { type: "text" };
import print from "./style/print.css" with { type: "text" };
import table from "./style/table.css" with { type: "text" };

/** A text that stands in the page, and the hash by which the content security policy knows it. */
export interface Asset {
  readonly text: string;
  readonly hash: string;
}

let script: Asset | null = null;
let style: Asset | null = null;

/** The page's one script: uPlot, then the client. It can stand in a `<script>` element. */
export function pageScript(): Asset {
  if (script !== null) return script;
  const text = `"use strict";\n${uPlotScript}\n${client}`;
  if (/<\/script|<!--/i.test(text)) throw new Error("The page's script holds text that would end its element");
  return script = hashed(text);
}

/** The page's one style sheet. */
export function pageStyle(): Asset {
  return style ??= hashed([uPlotStyle, base, layout, table, chart, print].join("\n"));
}

/** Browsers hash what they have read, with ends of lines made one kind. */
function hashed(source: string): Asset {
  const text = source.replaceAll(/\r\n?/g, "\n");
  return { text, hash: `sha256-${createHash("sha256").update(text).digest("base64")}` };
}
