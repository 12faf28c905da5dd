import { join } from "node:path";

const config = join(import.meta.dirname!, "../../deno.json");

/** Formats TypeScript as `deno fmt` does in this repository. */
export async function format(code: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--config", config, "--ext", "ts", "-"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(code));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  if (!success) throw new Error(`The generated code is no TypeScript: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}
