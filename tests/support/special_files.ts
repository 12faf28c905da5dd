/** Entries of the file system that are no regular files. */
import assert from "node:assert/strict";

/** Makes an entry at a path; what holds it open is closed on disposal. */
type Make = (path: string) => Disposable;

const nothing = { [Symbol.dispose]() {} };

export function makePipe(path: string): Disposable {
  assert.ok(new Deno.Command("mkfifo", { args: [path] }).outputSync().success);
  return nothing;
}

/** Entries by their kinds. An open of the pipe waits for another process, and the device never ends. */
export const SPECIAL_FILES: Readonly<Record<string, Make>> = {
  "a pipe": makePipe,
  "a link to a pipe"(path) {
    makePipe(`${path}.pipe`);
    Deno.symlinkSync(`${path}.pipe`, path);
    return nothing;
  },
  "a link to a device"(path) {
    Deno.symlinkSync("/dev/zero", path);
    return nothing;
  },
  "a socket"(path) {
    const listener = Deno.listen({ transport: "unix", path });
    return { [Symbol.dispose]: () => listener.close() };
  },
  "a folder"(path) {
    Deno.mkdirSync(path);
    return nothing;
  },
};
