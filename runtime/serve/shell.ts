import { scriptWith, styleWith } from "../report/html/assets.ts";
import { type Asset, dataBlock, htmlDocument, policyOf } from "../report/html/document.ts";
import client from "./client.js" with { type: "text" };
import { PROBLEM_ID } from "./payloads.ts";
import { htmlResponse } from "./responses.ts";
import style from "./style.css" with { type: "text" };

let assets: { readonly script: Asset; readonly style: Asset } | null = null;

/** Responds with the page whose script shows what its address names, or a problem. */
export function shellResponse(problem: { readonly status: number; readonly text: string } | null = null): Response {
  assets ??= { script: scriptWith(client), style: styleWith(style) };
  const policy = policyOf(assets.style, assets.script, ["connect-src 'self'"]);
  const html = htmlDocument({
    title: "Kept runs – Tacho",
    ...{ policy, ...assets },
    blocks: problem === null ? [] : [dataBlock(PROBLEM_ID, problem.text)],
    noscript:
      'This page needs JavaScript, which is disabled. "tacho runs", "tacho compare" and "tacho history" print ' +
      "the same.",
  });
  return htmlResponse(problem?.status ?? 200, html, policy);
}
