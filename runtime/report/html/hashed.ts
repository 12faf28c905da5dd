import { createHash } from "node:crypto";

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
