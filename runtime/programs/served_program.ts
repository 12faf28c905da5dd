import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { InputError } from "../core/errors.ts";

/** Flags of `deno serve` whose value may be the next argument. */
const WITH_VALUE = new Set([
  ...["--port", "--host", "--config", "-c", "--import-map", "--lock", "--location", "--cert", "--log-level", "-L"],
  ...["--seed", "--preload", "--require", "--minimum-dependency-age", "--conditions"],
]);

/** Flags of `deno serve` that start further processes or workers. */
const UNSUPPORTED = /^--(parallel|watch|watch-hmr|open)(=|$)/;

/**
 * Returns the arguments of `deno run` that serve a program as `deno serve` does, which loads no module before it: a module
 * that imports the program and serves its default export.
 *
 * @param tool command of Tacho, for messages
 * @param args arguments after `deno serve`
 * @throws {InputError} if they name no program, or need more than one process
 */
export function servedProgram(tool: string, args: readonly string[]): readonly string[] {
  const flags: string[] = [];
  const own: Record<"port" | "host", string> = { port: "8000", host: "0.0.0.0" };
  let at = 0;
  for (; at < args.length && args[at]!.startsWith("-"); at++) {
    const arg = args[at]!;
    if (UNSUPPORTED.test(arg)) throw new InputError(`${tool}: deno serve ${arg} is not supported; leave it out`);
    const [name = "", inline] = arg.split(/=(.*)/s);
    const value = inline ?? (WITH_VALUE.has(name) ? args[++at] ?? "" : null);
    if (name === "--port" || name === "--host") own[name === "--port" ? "port" : "host"] = value ?? "";
    else flags.push(arg, ...inline === undefined && value !== null ? [value] : []);
  }
  const program = args[at];
  const port = Number(own.port);
  if (program === undefined) throw new InputError(`${tool}: deno serve: expected a program, such as app.ts`);
  if (!(Number.isInteger(port) && port >= 0 && port < 65536)) {
    throw new InputError(`${tool}: deno serve --port: expected a number from 0 to 65535, got "${own.port}"`);
  }
  const code = serverCode(moduleUrl(program), { hostname: own.host, port });
  const mayListen = flags.some((flag) => /^(-[a-zA-Z]*[AN]|--allow-all|--allow-net|-P|--permission-set)/.test(flag));
  const listen = mayListen ? [] : [`--allow-net=${own.host}:${port}`];
  return [...flags, ...listen, `data:text/javascript,${encodeURIComponent(code)}`, ...args.slice(at + 1)];
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
