/**
 * Runs commands of `tacho` in the process of the test, which spares a process for each. For commands that start no other
 * process and end by themselves.
 *
 * @module
 */
import { tacho } from "../../runtime/cli/tacho.ts";
import type { Ended } from "./tacho_process.ts";

let latest: Promise<unknown> = Promise.resolve();

/** Runs `tacho` with the store in `store`, after the commands before it. Neither stdout nor stderr is a terminal. */
export function tachoHere(store: string, ...args: readonly string[]): Promise<Ended> {
  return tachoIn(Deno.cwd(), store, args);
}

/** Runs `tacho` in a folder, as {@linkcode tachoHere} does. */
export function tachoIn(folder: string, store: string, args: readonly string[]): Promise<Ended> {
  const ended = latest.then(() => run(folder, store, args));
  latest = ended.catch(() => {});
  return ended;
}

async function run(folder: string, store: string, args: readonly string[]): Promise<Ended> {
  const [before, cwd] = [Deno.env.get("TACHO_STORE"), Deno.cwd()];
  Deno.env.set("TACHO_STORE", store);
  Deno.chdir(folder);
  using stdout = captured(Deno.stdout);
  using stderr = captured(Deno.stderr);
  try {
    const code = await tacho(args);
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    Deno.chdir(cwd);
    if (before === undefined) Deno.env.delete("TACHO_STORE");
    else Deno.env.set("TACHO_STORE", before);
  }
}

/** Collects what is written to a stream until disposed. */
function captured(stream: typeof Deno.stdout): { readonly text: string } & Disposable {
  const { writeSync, isTerminal } = stream;
  const decoder = new TextDecoder();
  let text = "";
  stream.writeSync = (bytes) => {
    text += decoder.decode(bytes);
    return bytes.length;
  };
  stream.isTerminal = () => false;
  return {
    get text() {
      return text;
    },
    [Symbol.dispose]: () => void Object.assign(stream, { writeSync, isTerminal }),
  };
}
