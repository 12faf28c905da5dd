/** Returns true if a program can be started and ends with status 0. */
export async function isInstalled(program: string, args: readonly string[] = ["--version"]): Promise<boolean> {
  try {
    // Throws at once, without a promise, if there is no such program
    return (await new Deno.Command(program, { args: [...args], stdout: "null", stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}
