/** Reads and deletes an environment variable that is meant for this process only, not for its children. */
export function takeVariable(variable: string): string | undefined {
  // The parent grants access to its variables, and a permission prompt would interrupt the run
  if (Deno.permissions.querySync({ name: "env", variable }).state !== "granted") return undefined;
  const value = Deno.env.get(variable);
  if (value !== undefined) Deno.env.delete(variable);
  return value;
}
