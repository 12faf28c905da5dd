/**
 * Measurements of libraries in separate processes.
 *
 * @module
 */
import { join } from "node:path";

const root = join(import.meta.dirname!, "..");

/** Runs a script of this project with the project's packages. */
export function runOwn(...args: readonly string[]): Promise<string> {
  return deno(["--config", join(root, "deno.json"), ...inFolder(args)]);
}

/** Runs a script with the packages of the other libraries. */
export function runPeer(...args: readonly string[]): Promise<string> {
  return deno(["--config", join(root, "bench/peers/deno.json"), ...inFolder(args)]);
}

function inFolder([file, ...rest]: readonly string[]): string[] {
  return [join(root, "bench/peers", file!), ...rest];
}

/** Runs a script in Python. */
export function runPython(python: string, ...args: readonly string[]): Promise<string> {
  return output(python, inFolder(args), {});
}

function deno(args: readonly string[]): Promise<string> {
  const env = Deno.build.os === "linux" ? { DENO_WEBGPU_BACKEND: "vulkan", XDG_RUNTIME_DIR: "/tmp" } : {};
  return output(Deno.execPath(), ["run", "-A", "--check", "--quiet", ...args], env);
}

async function output(command: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args], env }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`${args.join(" ")}\n${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}

/** Parses the last line that a script printed, as JSON. */
export function lastLine<T>(text: string): T {
  return JSON.parse(text.trim().split("\n").at(-1)!);
}

/** Describes the machine's load, which distorts the ratios on software adapters, since they share the cores. */
export function load(): string {
  return `load ${Deno.loadavg()[0]!.toFixed(1)} on ${navigator.hardwareConcurrency} cores`;
}

export function rangeOf(values: readonly number[], digits: number): string {
  if (values.length === 0) return "";
  return `${Math.min(...values).toFixed(digits)} - ${Math.max(...values).toFixed(digits)}`;
}
