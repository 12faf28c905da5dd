import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { handoff } from "./handoff.ts";

/** The script that is being run, as results name it. */
export interface Script {
  /** Path relative to the working directory; null when the script is no file. */
  file: string | null;
  /** Of its contents. */
  sha256: string | null;
}

/** Path of the main module as it would be typed, or null when it is no file. A stored script goes by its first name. */
export function scriptFile(): string | null {
  const handed = handoff();
  if (handed !== null) return handed.file;
  const url = new URL(Deno.mainModule);
  if (url.protocol !== "file:") return null;
  const path = fileURLToPath(url);
  const local = relative(Deno.cwd(), path);
  return local.startsWith("..") ? path : local;
}

/** Absolute path of the script; null when it is no file. A stored script goes by its first name. */
export function scriptPath(): string | null {
  const file = scriptFile();
  return file === null ? null : resolve(file);
}

/** The script of this process. */
export async function describeScript(): Promise<Script> {
  const file = scriptFile();
  if (file === null) return { file, sha256: null };
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(new URL(Deno.mainModule)));
  return { file, sha256: new Uint8Array(digest).toHex() };
}
