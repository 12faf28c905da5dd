import type { Result, VariantResult } from "../../result/schema.ts";
import { nameText } from "../plain_text.ts";
import { createPage } from "../page.ts";
import { trustLines, untimed } from "../profile/trust.ts";
import { wrap } from "../wrap.ts";
import { renderMindInsight } from "./mindinsight.ts";
import type { Dialect } from "./names.ts";
import { renderNnc } from "./nnc.ts";
import { renderPaddle } from "./paddle.ts";
import type { DialectOptions, DialectRenderer } from "./renderer.ts";
import { renderSinga } from "./singa.ts";

const RENDERERS: Readonly<Record<Dialect, DialectRenderer>> = {
  singa: renderSinga,
  nnc: renderNnc,
  paddle: renderPaddle,
  mindinsight: renderMindInsight,
};

/** Renders the profile of each variant as another tool prints it. Lines that are not the tool's begin with `#`. */
export function renderDialect(dialect: Dialect, result: Result, options: DialectOptions): string {
  const page = createPage(options);
  const why = untimed(result);
  const several = result.variants.length > 1;
  const parts = result.variants.map((variant) => {
    const title = several || variant.error !== null ? [`# ${nameText(variant.name, 80)}${fate(variant)}`] : [];
    if (variant.blocks.length === 0 && variant.ops.length === 0) return title;
    const { lines, notes } = RENDERERS[dialect](variant, page, options);
    const trust = trustLines(variant, "ops");
    const comments = [...notes, ...why === null ? [] : [why], ...trust].flatMap((note) => wrap(note, page.width - 2));
    return [...title, ...lines, ...comments.map((line) => page.paint(`# ${line}`, "quiet"))];
  });
  return parts.filter((lines) => lines.length > 0).map((lines) => `\n${lines.join("\n")}\n`).join("");
}

function fate({ error }: VariantResult): string {
  return error === null ? "" : ` failed: ${nameText(error.message, 200)}`;
}
