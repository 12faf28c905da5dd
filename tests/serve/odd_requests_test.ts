/** Requests that no browser sends, as bytes: none is an error of the server, and all are answered in silence. */
import assert from "node:assert/strict";
import fc from "../packages/fast_check_package.ts";
import { serveRuns } from "../../runtime/serve/serve.ts";
import { keepWhole } from "../store/synthetic_run.ts";
import { openStore } from "../../runtime/store/store.ts";

/** Status of an answer, its headers by lower-case name, and the length of its body. */
interface Answered {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: number;
}

/** Hosts that are not this server, or none. */
const HOSTS = [
  ...["", " ", "localhost, evil.com", "localhost evil.com", "localhost:", "localhost:abc", "localhost:80:80", "[", "]"],
  ...[
    "localhost:99999",
    "[::1",
    "::1",
    "[v1.x]",
    "a@localhost",
    "localhost/x",
    "localhost\\x",
    "localhost?",
    "localhost#",
  ],
  ...["localhost.", "localhost%00", "lo\xe9", "..", "-", "http://localhost", "127.1", "evil.com", "x".repeat(5000)],
  ...["__proto__", "%6cocalhost", "\t", "[]", "[::]:80", "*", "localhost\0"],
];

const TARGETS = [
  ...["/", "//", "///", "//evil.com/", "/%", "/%zz", "/runs/%zz", "/runs/%E0%A4%A", "/runs/%00", "/api/runs/%", "/\\x"],
  ...[
    "/api/compare?runs=%zz,%",
    "/api/compare?runs=__proto__,constructor",
    "/api/history?metric=__proto__.x",
    "*",
    "?",
    "#",
  ],
  ...["/api/history?scenario=__proto__&variant=constructor", "/api/runs?version=%ff", "/api/runs?limit=%", "/a b", "x"],
  ...[
    `/${"a".repeat(60_000)}`,
    `/${"%41".repeat(30_000)}`,
    "http://localhost/",
    "http://evil.com/",
    "http://[::1/",
    "/\xe9",
  ],
  ...[
    "http:///",
    "http://localhost:99999/",
    "ftp://localhost/",
    "javascript:alert(1)",
    "localhost:80",
    "/./../..//",
    "/\0",
  ],
  ...["http://a:b@localhost/", "/api/runs/..%2f..", "/programs/constructor", "/runs/__proto__"],
];

const METHODS = ["GET", "HEAD", "POST", "OPTIONS", "TRACE", "CONNECT", "get", "PRI", "__proto__", "", "G\0T"];

/** Sends bytes and returns the answer; null if the connection is closed without one. */
async function send(port: number, request: string): Promise<Answered | null> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const bytes = Uint8Array.from(request, (character) => character.charCodeAt(0));
  let text = "";
  try {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    const decoder = new TextDecoder("latin1");
    for (const part = new Uint8Array(2 ** 16);;) {
      const count = await connection.read(part);
      if (count === null) break;
      text += decoder.decode(part.subarray(0, count));
    }
  } catch (error) {
    assert(error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe, String(error));
  }
  if (text === "") return null;
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Map(
    lines.map((line) => line.split(/: ?(.*)/s)).map(([name = "", value = ""]) => {
      return [name.toLowerCase(), value] as const;
    }),
  );
  return { status: Number(first.split(" ")[1]), headers, body: text.length - end - 4 };
}

function request(method: string, target: string, host: string | null): string {
  return `${method} ${target} HTTP/1.1\r\n${host === null ? "" : `Host: ${host}\r\n`}Connection: close\r\n\r\n`;
}

/** Serves a store with a run, and fails on an error that a request meets. */
async function withServer(work: (port: number, run: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const run = keepOne(folder);
  const [ended, listening] = [new AbortController(), Promise.withResolvers<string>()];
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const server = serveRuns({ folder, port: 0, signal: ended.signal, onListen: listening.resolve, onError });
  try {
    await work(Number(new URL(await listening.promise).port), run);
    assert.deepEqual(errors, []);
  } finally {
    ended.abort();
    await server;
    await Deno.remove(folder, { recursive: true });
  }
}

function keepOne(folder: string): string {
  using store = openStore(folder);
  return keepWhole(store);
}

Deno.test("a request without this host's name is refused with status 400 or 421", async () => {
  await withServer(async (port) => {
    for (const host of [null, ...HOSTS]) {
      const { status } = (await send(port, request("GET", "/api/runs", host)))!;
      assert([400, 421].includes(status), `${status} for host ${JSON.stringify(host)}`);
    }
    const two = (await send(port, "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.com\r\nConnection: close\r\n\r\n"))!;
    assert([400, 421].includes(two.status));
  });
});

Deno.test("no method, target and host make the server fail", async () => {
  const mixed = (values: readonly string[]) => fc.oneof(fc.constantFrom(...values), fc.string({ maxLength: 12 }));
  const hosts = fc.oneof(fc.constantFrom(null, "localhost", "[::1]:80"), mixed(HOSTS));
  await withServer(async (port) => {
    await fc.assert(
      fc.asyncProperty(mixed(METHODS), mixed(TARGETS), hosts, async (method, target, host) => {
        const answered = await send(port, request(method, target, host));
        // A line end in a part makes another request of it, which may have no answer
        assert(answered === null || (answered.status >= 200 && answered.status < 500), JSON.stringify(answered));
      }),
      { numRuns: 150, examples: TARGETS.map((target): [string, string, string] => ["GET", target, "localhost"]) },
    );
    assert.equal((await send(port, request("GET", "/", "localhost")))!.status, 200);
  });
});

Deno.test("HEAD is answered like GET, without the body", async () => {
  await withServer(async (port, run) => {
    for (
      const target of ["/", "/history", `/runs/${run}`, "/api/runs", `/api/runs/${run}`, "/nothing", "/api/compare"]
    ) {
      const [get, head] = [
        await send(port, request("GET", target, "localhost")),
        await send(port, request("HEAD", target, "localhost")),
      ];
      assert.deepEqual([head!.status, head!.body], [get!.status, 0], target);
      const types = ["content-type", "content-security-policy", "cache-control"];
      for (const name of types) assert.equal(head!.headers.get(name), get!.headers.get(name), target);
      assert.equal(Number(get!.headers.get("content-length")), get!.body);
    }
  });
});
