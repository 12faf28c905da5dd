/** The command `tacho serve`: its address, its port and its end. */
import assert from "node:assert/strict";
import { serveRuns } from "../../runtime/serve/serve.ts";
import { keepWhole } from "../store/synthetic_run.ts";
import { openStore } from "../../runtime/store/store.ts";
import { tachoHere } from "../cli/tacho_here.ts";
import { Place } from "../cli/tacho_process.ts";

/** Sends a request as a page under another name does, which `fetch` cannot, and returns the status line. */
async function statusFor(port: number, host: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const text = await new Response(connection.readable).text();
  return text.split("\r\n")[0]!;
}

Deno.test("the server listens on loopback only, refuses other host names, and reports a port in use", async () => {
  const folder = await Deno.makeTempDir();
  const [ended, listening] = [new AbortController(), Promise.withResolvers<string>()];
  const server = serveRuns({
    ...{ folder, port: 0, signal: ended.signal, onListen: listening.resolve },
    onError: (error) => assert.fail(String(error)),
  });
  const url = new URL(await listening.promise);
  const port = Number(url.port);
  assert.equal(url.hostname, "127.0.0.1");
  assert.match(await statusFor(port, `localhost:${port}`), / 200 /);
  assert.match(await statusFor(port, "rebound.example"), / 421 /);
  const others = Deno.networkInterfaces().filter(({ address, family }) =>
    family === "IPv4" && !address.startsWith("127.")
  );
  for (const { address } of others) {
    await assert.rejects(async () => (await Deno.connect({ hostname: address, port })).close(), address);
  }
  const taken = await tachoHere(folder, "serve", "--port", String(port), "--no-open");
  assert.deepEqual([taken.code, taken.stdout], [2, ""]);
  assert.equal(
    taken.stderr,
    `error: --port: ${port} is in use, perhaps by another tacho serve; expected a free port, or 0 to take any free one\n`,
  );
  ended.abort();
  await server;
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a wrong port is refused", async () => {
  const { code, stderr } = await tachoHere("store", "serve", "--port", "65536");
  assert.deepEqual([code, stderr], [2, 'error: --port: expected a whole number from 0 to 65535, got "65536"\n']);
});

Deno.test({
  name: "Ctrl-C ends the server with status 130, also while a page keeps its connection",
  ignore: Deno.build.os === "windows",
}, async () => {
  await using place = await Place.make();
  {
    using store = openStore(`${place.folder}/store`);
    keepWhole(store);
  }
  const child = place.start(["serve", "--port", "0"]);
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const line = (await reader.read()).value!;
  const [, url] = line.match(/^Runs in \S+store at (http:\/\/127\.0\.0\.1:\d+\/) \(Ctrl-C ends\)\n$/)!;
  const response = await fetch(`${url}api/runs`);
  assert.equal((await response.json()).total, 1);
  child.kill("SIGINT");
  const [{ code }, rest, stderr] = await Promise.all([child.status, reader.read(), new Response(child.stderr).text()]);
  assert.deepEqual([code, rest.done, stderr], [130, true, ""]);
});
