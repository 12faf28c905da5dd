import { resolve } from "node:path";

/** Time for an opener to fail, in ms. One that is still running then shows the page. */
const WAIT_MS = 5000;

/**
 * Opens a file or an address with the system's program for it.
 *
 * @returns the reason why it could not be opened, or null
 */
export async function openPage(page: string): Promise<string | null> {
  const [program, ...args] = openerOf(Deno.build.os, /^https?:/.test(page) ? page : resolve(page));
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

/** Returns true if this process can probably show a page: on Linux, there is a display. */
export function hasDisplay(): boolean {
  if (Deno.build.os !== "linux") return true;
  return ["DISPLAY", "WAYLAND_DISPLAY"].some((name) => {
    const { state } = Deno.permissions.querySync({ name: "env", variable: name });
    return state === "granted" && (Deno.env.get(name) ?? "") !== "";
  });
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
