/** The value of an environment variable that is meant for this process alone: what it starts does not see it. */
export function takeVariable(variable: string): string | undefined {
  // Who sets it gives all permissions, and to ask for one would interrupt the run
  if (Deno.permissions.querySync({ name: "env", variable }).state !== "granted") return undefined;
  const value = Deno.env.get(variable);
  if (value !== undefined) Deno.env.delete(variable);
  return value;
}
