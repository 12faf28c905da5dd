/** Environment variable that is set in the process of a sandboxed script. */
export const SANDBOX_VARIABLE = "TACHO_SANDBOX";

/** Returns true if this process runs in a sandbox, and its parent process prints and keeps the result. */
export function isSandboxed(): boolean {
  // A permission prompt would interrupt the run
  const { state } = Deno.permissions.querySync({ name: "env", variable: SANDBOX_VARIABLE });
  return state === "granted" && Deno.env.get(SANDBOX_VARIABLE) !== undefined;
}
