/**
 * Runs commands of `tacho` and scripts in the process of the test, which spares a process for each. Only for commands that end by themselves.
 * Output of processes that a command starts is part of its own only if the command reads it.
 *
 * @module
 */
import { pathToFileURL } from "node:url";
import { main } from "../../runtime/cli/main.ts";
import { tacho } from "../../runtime/cli/tacho.ts";
import { scenario, type ScenarioDefinition } from "../../runtime/scenario/definition.ts";
import type { Ended } from "./tacho_process.ts";

let latest: Promise<unknown> = Promise.resolve();

/** Runs `tacho` with the store in `store`, after the commands before it. Neither stdout nor stderr is a terminal. */
export function tachoHere(store: string, ...args: readonly string[]): Promise<Ended> {
  return tachoIn(Deno.cwd(), store, args);
}

/**
 * Runs `tacho` in a folder, as {@linkcode tachoHere} does.
 *
 * @param env environment variables besides those of the test
 */
export function tachoIn(
  folder: string,
  store: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return inTurn(folder, store, () => tacho(args), env);
}

/** Runs the scenario of a script in a folder, as {@linkcode tachoHere} runs `tacho`. The script of its result is the test. */
export function scriptIn(folder: string, store: string, script: string, args: readonly string[]): Promise<Ended> {
  return inTurn(folder, store, async () => {
    // A module that is imported again registers no scenario
    scenario((await import(pathToFileURL(script).href)).default as ScenarioDefinition<Record<never, never>>);
    return await main(args, () => import("../../runtime/experiment/run_experiment.ts"));
  });
}

/** Does `work` of the command line in a folder, after that before it, and returns what it writes. */
export function inTurn(
  folder: string,
  store: string,
  work: () => Promise<number>,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const ended = latest.then(() => run(folder, { ...env, TACHO_STORE: store }, work));
  latest = ended.catch(() => {});
  return ended;
}

async function run(
  folder: string,
  env: Readonly<Record<string, string>>,
  work: () => Promise<number>,
): Promise<Ended> {
  const cwd = Deno.cwd();
  using _variables = withVariables(env);
  Deno.chdir(folder);
  using stdout = captured(Deno.stdout);
  using stderr = captured(Deno.stderr);
  try {
    const code = await work();
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    Deno.chdir(cwd);
  }
}

/** Sets environment variables until disposed. */
function withVariables(env: Readonly<Record<string, string>>): Disposable {
  const before = Object.keys(env).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
  return {
    [Symbol.dispose]() {
      for (const [name, value] of before) {
        if (value === undefined) Deno.env.delete(name);
        else Deno.env.set(name, value);
      }
    },
  };
}

/** Collects what is written to a stream until disposed. */
function captured(stream: typeof Deno.stdout): { readonly text: string } & Disposable {
  const { writeSync, isTerminal } = stream;
  const decoder = new TextDecoder();
  let text = "";
  stream.writeSync = (bytes) => {
    text += decoder.decode(bytes);
    return bytes.length;
  };
  stream.isTerminal = () => false;
  return {
    get text() {
      return text;
    },
    [Symbol.dispose]: () => void Object.assign(stream, { writeSync, isTerminal }),
  };
}
