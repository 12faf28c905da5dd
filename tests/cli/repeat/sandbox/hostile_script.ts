/**
 * A script that tries what a sandbox must refuse, and prints one line per attempt: `refused NAME: REASON` or `DONE NAME`.
 * The variable `HOSTILE` is set and not granted; `target.json` beside the script names a server and a secret file.
 */
import { createConnection } from "node:net";
import { execSync } from "node:child_process";
import { createRequire } from "node:module";
import { DatabaseSync } from "node:sqlite";
import { writeHeapSnapshot } from "node:v8";
import { Worker as NodeWorker } from "node:worker_threads";

const target = await Deno.readTextFile(new URL("./target.json", import.meta.url));
const { port, secret, link, folder, compiled } = JSON.parse(target);
const url = new URL(`file://${secret}`).href;

async function attempt(name: string, action: () => unknown): Promise<void> {
  try {
    await action();
    console.log(`DONE ${name}`);
  } catch (error) {
    console.log(`refused ${name}: ${(error as Error).message.replaceAll(/\s+/g, " ")}`);
  }
}

/** Settles with the first message or error of a worker. */
function firstWord(source: string): Promise<unknown> {
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), { type: "module" });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
  });
}

// Network
await attempt("fetch", () => fetch(`http://127.0.0.1:${port}/`));
await attempt("connect", () => Deno.connect({ hostname: "127.0.0.1", port }));
await attempt("listen", () => Deno.listen({ hostname: "127.0.0.1", port: 0 }));
await attempt("resolve a name", () => Deno.resolveDns("localhost", "A"));
await attempt("a WebSocket", () => new WebSocket(`ws://127.0.0.1:${port}/`));
await attempt(
  "a socket of Node",
  () => new Promise((resolve, reject) => createConnection({ port }, () => resolve(null)).on("error", reject)),
);
await attempt("import from the network", () => import([`http://127.0.0.1:${port}`, "x.js"].join("/")));
await attempt("import an unknown package", () => import(["npm:tacho-package-that-is-not-cached", "1.0.0"].join("@")));
await attempt("a worker from the network", () => firstWord(`import "http://127.0.0.1:${port}/x.js"; postMessage(1)`));

// Processes
await attempt("spawn", () => new Deno.Command(Deno.execPath(), { args: ["--version"] }).output());
await attempt("spawn with Node", () => execSync("true"));
await attempt("signal the parent", () => Deno.kill(Deno.ppid, "SIGTERM"));

// Files
await attempt("write a file", () => Deno.writeTextFile(`${folder}/written`, "x"));
await attempt("write its own copy", () => Deno.writeTextFile(new URL("./written", import.meta.url), "x"));
await attempt("write to /tmp", () => Deno.makeTempFile());
await attempt("remove a file", () => Deno.remove(secret));
await attempt("make a link", () => Deno.symlink("/etc", `${folder}/link`));
await attempt("open a database", () => new DatabaseSync(`${folder}/written.db`));
await attempt("write a heap snapshot", () => writeHeapSnapshot(`${folder}/heap`));
await attempt("fill caches", async () => (await caches.open("x")).put("http://x/", new Response("x")));
await attempt("fill localStorage", () => localStorage.setItem("x", "x"));
await attempt("read a file", () => Deno.readTextFile(secret));
await attempt("list a folder", () => [...Deno.readDirSync(folder)]);
await attempt("read through a link", () => Deno.readTextFile(link));
await attempt("read compiled modules of others", () => [...Deno.readDirSync(compiled)]);
await attempt("read through the folder of Deno", () => [
  ...Deno.readDirSync(new URL("../deno/gen", import.meta.url)),
]);
await attempt("fetch a file", () => fetch(url));
await attempt("import a file", () => import(["file:/", secret].join("/"), { with: { type: "json" } }));
await attempt("require a file", () => createRequire(import.meta.url)(secret));
const importing = `import secret from ${JSON.stringify(url)} with { type: "json" };`;
await attempt("import a file in data", () => import(`data:text/javascript,${importing}`));
await attempt("import a file in a worker", () => firstWord(`${importing} postMessage(secret)`));
await attempt(
  "read a file in a thread of Node",
  () =>
    new Promise((resolve, reject) => {
      const code = `require("fs").readFileSync(${JSON.stringify(secret)})`;
      new NodeWorker(code, { eval: true }).on("error", reject).on("exit", resolve);
    }),
);
await attempt("read the memory of the process", () => Deno.readFile("/proc/self/environ"));

// The rest of the system
await attempt("load a library", () => Deno.dlopen("libc.so.6", {}));
await attempt("read the host name", () => Deno.hostname());
await attempt("list the network interfaces", () => Deno.networkInterfaces());
await attempt("ask for a permission", async () => {
  const { state } = await Deno.permissions.request({ name: "read" });
  if (state !== "granted") throw new Error(state);
});
await attempt("read a variable", () => {
  if (Deno.env.get("HOSTILE") === undefined && !("HOSTILE" in Deno.env.toObject())) throw new Error("unset");
});
Deno.exit(0);
