import { join } from "node:path";
import { tachoIn } from "./tacho_here.ts";

/** URL of the script of the `tacho` command. */
export const TACHO = new URL("../../scripts/tacho.ts", import.meta.url).href;

/** Outcome of a process. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder for a test's store and temporary files, removed on disposal. */
export class Place implements AsyncDisposable {
  /** Folder for the processes' temporary files; empty after they clean up. */
  readonly temporary: string;
  readonly #env: { readonly TACHO_STORE: string; readonly TMPDIR: string; readonly NO_COLOR: string };

  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.temporary = join(folder, "tmp");
    this.#env = { TACHO_STORE: join(folder, "store"), TMPDIR: this.temporary, NO_COLOR: "1" };
  }

  static async make(): Promise<Place> {
    const place = new Place(await Deno.realPath(await Deno.makeTempDir({ prefix: "tacho-test-" })));
    await Deno.mkdir(place.temporary);
    return place;
  }

  /** Runs `tacho` with `args`, in a folder of the place. */
  async tacho(args: readonly string[], env: Record<string, string> = {}, folder = "."): Promise<Ended> {
    return await ended(this.command([TACHO, ...args], env, folder));
  }

  /** Runs a command that ends by itself, in the process of the test. */
  async here(...args: readonly string[]): Promise<Ended> {
    return await this.inside(args);
  }

  /**
   * Runs `tacho` as {@linkcode tacho} does, in the process of the test. What processes print that it starts is in the
   * output only if the command reads it.
   */
  async inside(args: readonly string[], env: Record<string, string> = {}, folder = "."): Promise<Ended> {
    const { TACHO_STORE, ...own } = this.#env;
    return await tachoIn(join(this.folder, folder), TACHO_STORE, args, { ...own, ...env });
  }

  /** Runs a script with `args`. */
  async script(script: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    return await ended(this.command([script, ...args], env));
  }

  /**
   * Starts `tacho` with `args`.
   *
   * @param wrapper program that runs it, such as `setsid`
   */
  start(args: readonly string[], env: Record<string, string> = {}, wrapper: string | null = null): Deno.ChildProcess {
    return this.command([TACHO, ...args], env, ".", wrapper).spawn();
  }

  command(
    args: readonly string[],
    env: Record<string, string>,
    folder = ".",
    wrapper: string | null = null,
  ): Deno.Command {
    return denoCommand(args, { cwd: join(this.folder, folder), env: { ...this.#env, ...env } }, wrapper);
  }

  async write(path: string, text: string): Promise<void> {
    const file = join(this.folder, path);
    await Deno.mkdir(join(file, ".."), { recursive: true });
    await Deno.writeTextFile(file, text);
  }

  /** Names of files that processes left behind. */
  leftovers(): string[] {
    return [...Deno.readDirSync(this.temporary)].map(({ name }) => name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** Command that runs a script, its first argument. Neither stdout nor stderr is a terminal. */
export function denoCommand(
  args: readonly string[],
  options: Deno.CommandOptions = {},
  wrapper: string | null = null,
): Deno.Command {
  const deno = Deno.execPath();
  return new Deno.Command(wrapper ?? deno, {
    args: [...wrapper === null ? [] : [deno], "run", "-q", "-A", "--no-check", ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    ...options,
  });
}

/** Runs a script of this folder. */
export function runScript(name: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return ended(command(name, args, env));
}

/** The same, ready to be started. */
export function command(name: string, args: readonly string[], env: Record<string, string> = {}): Deno.Command {
  return denoCommand([new URL(name, import.meta.url).href, ...args], { env });
}

/** Waits for a command, and decodes what it printed. */
export async function ended(command: Deno.Command): Promise<Ended> {
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
