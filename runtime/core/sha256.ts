import type { Hash } from "node:crypto";

/** Returns a new SHA-256 hash. Loads `node:crypto` when it is first used, which takes 5 ms of processor time. */
export function newSha256(): Hash {
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}

/** Returns the SHA-256 hash of a text or of bytes, in hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return newSha256().update(content).digest("hex");
}
