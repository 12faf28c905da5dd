import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The script that is being run, as results name it. */
export interface Script {
  /** Path relative to the working directory; null when the script is no file. */
  file: string | null;
  /** Of its contents. */
  sha256: string | null;
}

/** Path of the main module as it would be typed, or null when it is no file. */
export function scriptFile(): string | null {
  const url = new URL(Deno.mainModule);
  if (url.protocol !== "file:") return null;
  const path = fileURLToPath(url);
  const local = relative(Deno.cwd(), path);
  return local.startsWith("..") ? path : local;
}

/** The script of this process. */
export async function describeScript(): Promise<Script> {
  const file = scriptFile();
  if (file === null) return { file, sha256: null };
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(file));
  return { file, sha256: new Uint8Array(digest).toHex() };
}
