import { basename } from "node:path";
import { InputError } from "../../core/errors.ts";
import type { PreloadedModule, ProgramCommand } from "./preloaded_command.ts";

/** Flags of Node after which it runs no program, or asks for input. */
const NO_PROGRAM = /^(-h|--help|-v|--version|-i|--interactive|--v8-options|--completion-bash)$/;

/** Flag of Node that restricts what programs may do. */
const RESTRICTED = /^--(experimental-)?permission$/;

/** Returns true if a command runs Node. */
export function runsNode([program = ""]: readonly string[]): boolean {
  return /^node(js)?(\.exe)?$/.test(basename(program));
}

/**
 * Adds a module to a command line of Node, to be loaded before the program.
 *
 * @param tool command of Tacho, for messages
 * @throws {InputError} if the command runs no program, or Node cannot load the module
 */
export function nodeCommand(
  tool: string,
  [program = "", ...args]: readonly string[],
  { specifier, folder }: PreloadedModule,
): ProgramCommand {
  const [first = ""] = args;
  if (first === "" || NO_PROGRAM.test(first)) {
    throw new InputError(`${tool}: expected node and a program, such as: node program.js; got "node ${first}"`);
  }
  if (!specifier.startsWith("file:")) {
    throw new InputError(`${tool}: Node loads no modules from the network: install @tacho/tacho from npm`);
  }
  const allowed = args.some((arg) => RESTRICTED.test(arg))
    ? [`--allow-fs-read=${new URL(specifier).pathname}`, `--allow-fs-write=${folder}/`]
    : [];
  return { program, args: ["--import", specifier, ...allowed, ...args] };
}
