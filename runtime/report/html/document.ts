import { escapeHtml } from "./escape.ts";
import { createHash } from "node:crypto";

/** Longest title of a page. */
export const LONGEST_TITLE = 200;

export interface HtmlDocument {
  readonly title: string;
  /** Content security policy. */
  readonly policy: string;
  readonly style: Asset;
  readonly script: Asset;
  /** HTML before the script. */
  readonly blocks: readonly string[];
  /** Text for browsers without JavaScript. */
  readonly noscript: string;
}

/** Returns a content security policy that allows one style sheet and one script, and `more` directives. */
export function policyOf(style: Asset, script: Asset, more: readonly string[] = []): string {
  return [
    "default-src 'none'",
    `script-src '${script.hash}'`,
    `style-src '${style.hash}'`,
    "base-uri 'none'",
    "form-action 'none'",
    ...more,
  ].join("; ");
}

/** Renders a page with its style sheet and script. */
export function htmlDocument({ title, policy, style, script, blocks, noscript }: HtmlDocument): string {
  const body = `<noscript>${escapeHtml(noscript)}</noscript>\n${blocks.join("\n")}\n<script>${script.text}</script>`;
  return htmlPage(title.slice(0, LONGEST_TITLE), { policy, style, body });
}

/** Renders a page with its style sheet. `body` is HTML. */
export function htmlPage(
  title: string,
  { policy, style, body }: Pick<HtmlDocument, "policy" | "style"> & { readonly body: string },
): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style.text}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** Returns a script element with JSON that cannot end the element early. */
export function dataBlock(id: string, value: unknown): string {
  return `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`;
}

/** Text embedded in a page, with its hash for the content security policy. */
export interface Asset {
  readonly text: string;
  readonly hash: string;
}

/** Hashes text with normalised line endings, as browsers do. */
export function hashed(source: string): Asset {
  const text = source.replaceAll(/\r\n?/g, "\n");
  return { text, hash: `sha256-${createHash("sha256").update(text).digest("base64")}` };
}
