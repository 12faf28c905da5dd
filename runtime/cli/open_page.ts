import { resolve } from "node:path";

/** Time for an opener to fail, in ms. One that is still running then shows the page. */
const WAIT_MS = 5000;

/**
 * Opens a file with the system's program for its type.
 *
 * @returns the reason why it could not be opened, or null
 */
export async function openPage(path: string): Promise<string | null> {
  const [program, ...args] = openerOf(Deno.build.os, resolve(path));
  try {
    const child = new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn();
    child.unref();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<null>((done) => timer = setTimeout(() => done(null), WAIT_MS));
    const status = await Promise.race([child.status, late]);
    clearTimeout(timer);
    return status === null || status.success ? null : `${program} ended with status ${status.code}`;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? `${program} was not found` : (error as Error).message;
  }
}

/** Returns the command that opens a file on a system. */
export function openerOf(os: typeof Deno.build.os, path: string): [program: string, ...args: string[]] {
  switch (os) {
    case "darwin":
      return ["open", path];
    case "windows":
      return ["cmd", "/c", "start", "", path]; // the first quoted word would be a title
    default:
      return ["xdg-open", path];
  }
}
