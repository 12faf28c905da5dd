import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { InputError } from "../../core/errors.ts";
import { splitFlags } from "./deno_flags.ts";

/** Flags of `deno serve` that start further processes or workers. */
const UNSUPPORTED = /^--(parallel|watch|watch-hmr|open)$/;

/**
 * Returns the arguments of `deno run` that serve a program as `deno serve` does, which loads no module before it: a module
 * that imports the program and serves its default export.
 *
 * @param tool command of Tacho, for messages
 * @param args arguments after `deno serve`
 * @throws {InputError} if they name no program, or need more than one process
 */
export function servedProgram(tool: string, args: readonly string[]): readonly string[] {
  const { flags: all, rest } = splitFlags(args);
  const unsupported = all.find(({ name }) => UNSUPPORTED.test(name));
  if (unsupported !== undefined) {
    throw new InputError(`${tool}: deno serve ${unsupported.written.join(" ")} is not supported; leave it out`);
  }
  const own = (flag: string, default_: string) => all.findLast(({ name }) => name === flag)?.value ?? default_;
  const flags = all.filter(({ name }) => name !== "--port" && name !== "--host").flatMap(({ written }) => written);
  const [program, ...programArgs] = rest;
  const host = own("--host", "0.0.0.0");
  const port = Number(own("--port", "8000"));
  if (program === undefined) throw new InputError(`${tool}: deno serve: expected a program, such as app.ts`);
  if (!(Number.isInteger(port) && port >= 0 && port < 65536)) {
    throw new InputError(`${tool}: deno serve --port: expected a number from 0 to 65535, got "${own("--port", "")}"`);
  }
  const code = serverCode(moduleUrl(program), { hostname: host, port });
  const mayListen = flags.some((flag) => /^(-[a-zA-Z]*[AN]|--allow-all|--allow-net|-P|--permission-set)/.test(flag));
  const listen = mayListen ? [] : [`--allow-net=${host}:${port}`];
  return [...flags, ...listen, `data:text/javascript,${encodeURIComponent(code)}`, ...programArgs];
}

/** Specifier of a program that may be a path. */
function moduleUrl(program: string): string {
  return /^[a-z][a-z\d+.-]+:/i.test(program) ? program : pathToFileURL(resolve(program)).href;
}

/** Module that serves the default export of another one, and reports the address as `deno serve` does. */
function serverCode(module: string, address: { readonly hostname: string; readonly port: number }): string {
  return [
    `import app from ${JSON.stringify(module)};`,
    'if (typeof app?.fetch !== "function") throw new TypeError("deno serve: the default export has no fetch()");',
    'const listening = ({ hostname, port }) => console.error("deno serve: Listening on http://" + hostname + ":" + port + "/");',
    "const onListen = app.onListen?.bind(app) ?? listening;",
    `Deno.serve({ ...${JSON.stringify(address)}, onListen }, (request, info) => app.fetch(request, info));`,
  ].join("\n");
}
