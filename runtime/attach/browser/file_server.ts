import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { InputError } from "../../core/errors.ts";
import { isFile, openFile } from "../../core/files.ts";
import { hashText } from "../hash.ts";

/** Types of files by their extension; others are bytes. */
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".htm": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".wasm": "application/wasm",
};

const ISOLATION = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
};

const HOST = "127.0.0.1";

/** First of the ports that pages get by their folder, and their number. */
const PORTS = { first: 20_000, count: 12_000 } as const;

/** Files of a page, on loopback. */
export interface FileServer extends AsyncDisposable {
  /** Address of the page. */
  readonly url: string;
  /** Cookie that requests need, so that other users of the machine read nothing. */
  readonly cookie: { readonly name: string; readonly value: string };
}

/**
 * Serves the folder of a page: the current one if the page is in it, or the page's own. A folder has the same port in each
 * run if that is free, so that a kept profile finds its caches.
 *
 * @param path the page; `?` and `#` may follow its name
 * @param isolate makes pages cross-origin isolated, by COOP and COEP
 * @throws {InputError} if there is no such file
 */
export function servePage(path: string, isolate: boolean): FileServer {
  const [, name = "", suffix = ""] = /^([^?#]*)(.*)$/s.exec(path) ?? [];
  const file = resolve(name);
  if (!isFile(file)) throw new InputError(`--page: ${name} is no file; expected an address or an HTML file`);
  const fromHere = relative(Deno.cwd(), file);
  const isBelow = !fromHere.startsWith("..") && !isAbsolute(fromHere);
  const root = isBelow ? Deno.cwd() : dirname(file);
  const page = (isBelow ? fromHere : basename(file)).split(sep).map(encodeURIComponent).join("/");
  const cookie = { name: "tacho", value: crypto.randomUUID() };
  const headers = isolate ? ISOLATION : {};
  const handler = (request: Request) => answer(request, root, `${cookie.name}=${cookie.value}`, headers);
  const server = listen(PORTS.first + hashText(root) % PORTS.count, handler);
  const url = `http://${HOST}:${server.addr.port}/${page}${suffix}`;
  return { url, cookie, [Symbol.asyncDispose]: () => server.shutdown() };
}

function listen(port: number, handler: (request: Request) => Promise<Response>): Deno.HttpServer<Deno.NetAddr> {
  const options = { hostname: HOST, onListen() {} };
  try {
    return Deno.serve({ ...options, port }, handler);
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    return Deno.serve({ ...options, port: 0 }, handler);
  }
}

/** Answers a request by the file that it names, unless the browser has it already. */
async function answer(
  request: Request,
  root: string,
  cookie: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const problem = (status: number) => new Response(null, { status, headers });
  const cookies = request.headers.get("cookie")?.split(/;\s*/) ?? [];
  if (!cookies.includes(cookie)) return problem(403);
  if (request.method !== "GET" && request.method !== "HEAD") return problem(405);
  let path: string;
  try {
    path = decodeURIComponent(new URL(request.url).pathname);
  } catch {
    return problem(400);
  }
  if (path.includes("\0")) return problem(400);
  const file = join(root, path.endsWith("/") ? `${path}index.html` : path); // the address has no .. any more
  if (relative(root, file).startsWith("..") || !isFile(file)) return problem(404);
  const { size, mtime } = await Deno.stat(file);
  const etag = `"${size}-${mtime?.getTime() ?? 0}"`;
  const all = {
    ...headers,
    etag,
    "cache-control": "no-cache",
    "content-type": TYPES[extname(file).toLowerCase()] ?? "application/octet-stream",
  };
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers: all });
  const opened = openFile(file);
  if (request.method === "HEAD") {
    opened.close();
    return new Response(null, { headers: { ...all, "content-length": String(size) } });
  }
  return new Response(opened.readable, { headers: { ...all, "content-length": String(size) } });
}
