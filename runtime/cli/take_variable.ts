/** The value of an environment variable that is meant for this process alone: what it starts does not see it. */
export function takeVariable(name: string): string | undefined {
  try {
    const value = Deno.env.get(name);
    if (value !== undefined) Deno.env.delete(name);
    return value;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined; // who sets it gives all permissions
    throw error;
  }
}
