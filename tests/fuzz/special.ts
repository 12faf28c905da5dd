import type { RandomStream } from "../../runtime/core/random.ts";
import { SPECIAL_FILES } from "../support/special_files.ts";
import { pick } from "./draws.ts";

/** Makes a pipe, a socket, a folder or a link to such a thing at a path, and returns its kind. */
export function special(random: RandomStream, path: string): string {
  const [kind, make] = pick(random, Object.entries(SPECIAL_FILES));
  make(path)[Symbol.dispose](); // the socket stays, without a listener
  return kind;
}
