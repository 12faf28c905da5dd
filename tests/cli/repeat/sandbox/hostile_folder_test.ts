/** Sandboxed runs in folders whose files name programs and addresses: nothing of them runs, and nobody is asked. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Pinned } from "../../../../runtime/cli/repeat/pinned.ts";
import { fullTest, sampled } from "../../../support/full.ts";
import { makeTrapped } from "../../../support/git_traps.ts";
import { CAN_SERVE, serveModules } from "../../../support/module_host.ts";
import { Place } from "../../tacho_process.ts";
import { lockOf } from "./hostile_locks.ts";

/** A server on this machine, and what it was asked. */
function serveHere(): { origin: string; asked: string[] } & AsyncDisposable {
  const asked: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ url }) => {
    asked.push(url);
    return new Response("export {};", { headers: { "content-type": "text/javascript" } });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return { origin, asked, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Variables with which nothing is downloaded by https. */
const NO_NETWORK = { HTTPS_PROXY: "http://127.0.0.1:9/" };

function pins(more: Partial<Pinned>): Pinned {
  return { specifiers: {}, jsr: {}, npm: {}, redirects: {}, remote: {}, ...more };
}

Deno.test({
  name: "a sandboxed run starts no program that its folder names",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using place = await Place.make();
    await using server = serveHere();
    const { folder, caught } = makeTrapped(place.folder);
    const repeat = async () => await place.inside(["repeat", "x.lock.json"], NO_NETWORK, "repository");
    await Deno.writeTextFile(join(folder, "x.lock.json"), lockOf({ "script.ts": 'console.log("ran");' }));
    const program = `touch ${join(place.folder, "caught", "npm")}`;
    const files = {
      ".npmrc": `registry=${server.origin}/\${HOME}/\nscript-shell=${join(place.folder, "programs/hooks")}\n`,
      ".env": "DENO_DIR=/nowhere\nNODE_OPTIONS=--require=./x.cjs\n",
      "deno.json": JSON.stringify({
        ...{ nodeModulesDir: "auto", allowScripts: ["npm:@evil/evil"], vendor: true, tasks: { run: program } },
        ...{ preload: ["./x.cjs"], imports: { evil: "npm:@evil/evil@1.0.0", http: `${server.origin}/mapped.js` } },
      }),
      "package.json": JSON.stringify({
        ...{ name: "x", version: "1.0.0", dependencies: { evil: "1.0.0" } },
        scripts: { preinstall: program, install: program, postinstall: program, prepare: program },
      }),
      "x.cjs": `require("child_process").execSync(${JSON.stringify(program)});`,
    };
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(folder, name), text);
    assert.match((await repeat()).stdout, /^ran$/m);
    const imports = ["npm:@evil/evil@1.0.0", "evil", "http", `${server.origin}/x.js`, "jsr:@evil/evil@1"];
    for (const [i, imported] of sampled([...imports.entries()], 2)) {
      await Deno.writeTextFile(join(folder, `${i}.ts`), `import ${JSON.stringify(imported)};\nconsole.log("ran");\n`);
      const { code, stdout, stderr } = await place.inside(["run", `${i}.ts`, "--sandbox"], NO_NETWORK, "repository");
      assert.deepEqual([code, stdout], [2, ""], imported);
      assert.match(stderr, /^error: /);
    }
    assert.deepEqual([caught(), server.asked], [[], []]);
  },
});

Deno.test("a folder above the temporary ones has no effect on a sandboxed run", async () => {
  await using place = await Place.make();
  await using server = serveHere();
  await place.write(
    "tmp/deno.json",
    JSON.stringify({ workspace: ["./*"], nodeModulesDir: "auto", allowScripts: ["npm:@evil/evil"] }),
  );
  await place.write("tmp/.npmrc", `registry=${server.origin}/\n`);
  const pinned = pins({
    specifiers: { "npm:@evil/evil@1.0.0": "1.0.0" },
    npm: { "@evil/evil@1.0.0": { integrity: "sha512-AAAA" } },
  });
  const script = {
    text: 'import "npm:@evil/evil@1.0.0";',
    imports: { "npm:@evil/evil@1.0.0": "npm:@evil/evil@1.0.0" },
  };
  await place.write("x.lock.json", lockOf({ "script.ts": script }, { pinned }));
  const { code, stderr } = await place.inside(["repeat", "x.lock.json"], NO_NETWORK);
  assert.equal(code, 2, stderr);
  assert.deepEqual(server.asked, []);
});

Deno.test("a lock file is downloaded from nowhere but public hosts", async () => {
  await using place = await Place.make();
  await using server = serveHere();
  const sha = "0".repeat(64);
  const [here, there] = [`${server.origin}/x.js`, "https://modules.example/x.js"];
  const port = new URL(here).port;
  const evil = { integrity: "sha512-AAAA", tarball: `${server.origin}/evil.tgz` };
  const cases: [imported: string, pinned: Pinned, named: string][] = [
    [here, pins({ remote: { [here]: sha } }), here],
    [
      `https://127.0.0.1:${port}/`,
      pins({ remote: { [`https://127.0.0.1:${port}/`]: sha } }),
      `https://127.0.0.1:${port}/`,
    ],
    ["https://localhost/", pins({ remote: { "https://localhost/": sha } }), "https://localhost/"],
    ["http://modules.example/", pins({ remote: { "http://modules.example/": sha } }), "http://modules.example/"],
    [there, pins({ remote: { [there]: sha, [here]: sha } }), here],
    [there, pins({ redirects: { [there]: here }, remote: { [here]: sha } }), here],
    [
      "npm:@evil/evil@1.0.0",
      pins({ specifiers: { "npm:@evil/evil@1.0.0": "1.0.0" }, npm: { "@evil/evil@1.0.0": evil } }),
      evil.tarball,
    ],
  ];
  await Promise.all(
    sampled(cases, 4).map(async ([imported, pinned, named], i) => {
      const script = { text: `import ${JSON.stringify(imported)};`, imports: { [imported]: imported } };
      await place.write(`${i}.lock.json`, lockOf({ "script.ts": script }, { pinned }));
      const { code, stdout, stderr } = await place.inside(["repeat", `${i}.lock.json`], NO_NETWORK);
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert(stderr.startsWith(`error: ${i}.lock.json: imports ${named}, and `), stderr);
      assert.match(stderr, /use --trust to allow it\n$/);
    }),
  );
  assert.deepEqual(server.asked, []);
});

Deno.test({
  name: "neither a redirect nor an import of a public module leads to a host that is not public",
  ignore: !CAN_SERVE,
  async fn() {
    await using place = await Place.make();
    await using server = serveHere();
    await using modules = await serveModules({
      "/redirect.js": `${server.origin}/x.js`,
      "/redirect_https.js": "https://127.0.0.1/x.js",
      "/import.js": 'import "https://localhost/x.js";',
      "/import_http.js": `import "${server.origin}/x.js";`,
      "/import_other.js": 'import "https://other.modules.example/x.js";',
      "/good.js": "export {};",
    });
    for (
      const path of sampled(["/redirect.js", "/redirect_https.js", "/import_http.js", "/import.js", "/good.js"], 3)
    ) {
      await place.write("s.ts", `import "${modules.origin}${path}";\nconsole.log("ran");\n`);
      const { code, stdout, stderr } = await place.inside(["run", "s.ts", "--sandbox", "--list"], modules.env);
      if (path === "/good.js") assert.deepEqual([code, stdout], [0, "ran\n"], stderr);
      else assert.deepEqual([code, stdout], [2, ""], path + stderr);
    }
    assert.deepEqual([server.asked, [...new Set(modules.hosts)]], [[], ["modules.example:443"]]);
    const [good, other] = ["/good.js", "/import_other.js"].map((path) => `${modules.origin}${path}`) as [
      string,
      string,
    ];
    const script = { text: `import "${other}";`, imports: { [other]: other } };
    await place.write(
      "x.lock.json",
      lockOf({ "script.ts": script }, {
        pinned: pins({ remote: { [good]: "0".repeat(64), [other]: "6".repeat(64) } }),
      }),
    );
    const { code } = await place.inside(["repeat", "x.lock.json"], modules.env);
    assert.deepEqual([code, [...new Set(modules.hosts)]], [2, ["modules.example:443"]]);
  },
});

fullTest("programs of a comparison are not started where a sandbox is asked for", async () => {
  await using place = await Place.make();
  const program = join(import.meta.dirname!, "../../../fixtures/programs/train.ts");
  const command = `deno run -A ${program}`;
  const { code, stderr } = await place.tacho(["versus", command, command, "--rounds=2", "--block=1", "--skip=1"]);
  assert.equal(code, 0, stderr);
  const refused = await place.here("repeat", "last", "--sandbox");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /^error: repeat last: it starts programs, which no sandbox restricts; /);
});
