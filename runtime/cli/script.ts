import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { handoff } from "./handoff.ts";

/** The running script, as results name it. */
export interface Script {
  /** Path relative to the working directory; null if the script is not a file. */
  file: string | null;
  /** Hash of its contents. */
  sha256: string | null;
}

/** Returns the path of the script as the user would type it, or null if it is not a file. A stored script keeps its name. */
export function scriptFile(): string | null {
  const handed = handoff();
  if (handed !== null) return handed.file;
  const url = new URL(Deno.mainModule);
  if (url.protocol !== "file:") return null;
  const path = fileURLToPath(url);
  const local = relative(Deno.cwd(), path);
  return local.startsWith("..") ? path : local;
}

/** Returns the absolute path of the script, or null if it is not a file. A stored script keeps its name. */
export function scriptPath(): string | null {
  const file = scriptFile();
  return file === null ? null : resolve(file);
}

/** Describes the script of this process. */
export async function describeScript(): Promise<Script> {
  const file = scriptFile();
  if (file === null) return { file, sha256: null };
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(new URL(Deno.mainModule)));
  return { file, sha256: new Uint8Array(digest).toHex() };
}
