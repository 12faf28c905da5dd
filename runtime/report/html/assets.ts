import uPlotScript from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import uPlotStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import client from "./client.js" with { type: "text" };
import base from "./style/base.css" with { type: "text" };
import chart from "./style/chart.css" with { type: "text" };
import layout from "./style/layout.css" with { type: "text" };
import plots from "./style/plots.css" with { type: "text" };
import print from "./style/print.css" with { type: "text" };
import table from "./style/table.css" with { type: "text" };
import { type Asset, hashed } from "./document.ts";

let script: Asset | null = null;
let style: Asset | null = null;

/** Returns the page's script: uPlot and the client. */
export function pageScript(): Asset {
  return script ??= scriptWith(client);
}

/** Returns the page's style sheet. */
export function pageStyle(): Asset {
  return style ??= styleWith("");
}

/** Returns a script: uPlot and a bundled client. */
export function scriptWith(client: string): Asset {
  const text = `"use strict";\n${uPlotScript}\n${client}`;
  if (/<\/script|<!--/i.test(text)) {
    throw new Error("The page's script contains text that would end its script element");
  }
  return hashed(text);
}

/** Returns the report's style sheet with more rules. */
export function styleWith(more: string): Asset {
  return hashed([uPlotStyle, base, layout, table, chart, plots, print, ...more === "" ? [] : [more]].join("\n"));
}
