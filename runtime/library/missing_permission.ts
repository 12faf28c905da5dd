/** Deno's message about a missing permission; the flag is missing where only all permissions would do. */
const DENIED = /(Requires (\w+) access(?: to ("[^"]*"|<\w+>))?), run again with the (--allow-\w+) flag/;

/** Returns true for an error by which Deno refuses an access. A refused import is a `TypeError`. */
export function isMissingPermission(error: unknown): boolean {
  if (error instanceof Deno.errors.NotCapable) return true;
  return error instanceof TypeError && DENIED.test(error.message);
}

/** Replaces Deno's advice on a missing permission by the flag to add, and where. Returns other messages unchanged. */
export function withPermissionFix(message: string): string {
  return message.replace(DENIED, (_, words: string, kind: string, target: string | undefined, flag: string) => {
    const name = target?.match(/^"([^\s,"']+)"$/)?.[1];
    if (!isSandboxed()) return `${words}; add ${name === undefined ? flag : `${flag}=${name}`} before the script`;
    return kind === "read" ? `${words}; add --read ${name ?? "PATH"}` : `${words}, which the sandbox refuses`;
  });
}

/** Environment variable that is set in the process of a sandboxed script. */
export const SANDBOX_VARIABLE = "TACHO_SANDBOX";

/** Returns true if this process runs in a sandbox, and its parent process prints and keeps the result. */
export function isSandboxed(): boolean {
  // A permission prompt would interrupt the run
  const { state } = Deno.permissions.querySync({ name: "env", variable: SANDBOX_VARIABLE });
  return state === "granted" && Deno.env.get(SANDBOX_VARIABLE) !== undefined;
}
