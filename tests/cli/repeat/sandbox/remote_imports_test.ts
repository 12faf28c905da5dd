import assert from "node:assert/strict";
import { join } from "node:path";
import { readLock } from "../../../../runtime/cli/repeat/lock_file.ts";
import type { Pinned } from "../../../../runtime/cli/repeat/pinned.ts";
import { sha256 } from "../../../../runtime/core/sha256.ts";
import { CAN_SERVE, serveModules } from "../../../support/module_host.ts";
import { Place } from "../../tacho_process.ts";
import { lockOf } from "./hostile_locks.ts";

const TEXT = "export const x = 1;\n";

/** A module that imports another from the network. */
const NESTED = 'import "./inner.js";\n';

function pins(remote: Record<string, string>): Pinned {
  return { specifiers: {}, jsr: {}, npm: {}, redirects: {}, remote };
}

const ignore = !CAN_SERVE;

Deno.test({ name: "a lock file imports from the network only what it has the hash of", ignore }, async () => {
  await using place = await Place.make();
  const served = ["/without.js", "/wrong.js", "/right.js", "/inner.js", "/more.js"].map((path) => [path, TEXT]);
  await using server = await serveModules({ ...Object.fromEntries(served), "/nested.js": NESTED });
  const repeat = async (path: string, pinned: Pinned | null) => {
    const url = `${server.origin}${path}`;
    const more = `await import(["${server.origin}", "more.js"].join("/")).catch(() => console.log("refused more"));`;
    const text = `import { x } from "${url}";\nconsole.log("imported", x);\n${more}\n`;
    await place.write("x.lock.json", lockOf({ "script.ts": { text, imports: { [url]: url } } }, { pinned }));
    return await place.inside(["repeat", "x.lock.json"], server.env);
  };
  const without = await repeat("/without.js", null);
  assert.equal(without.code, 2);
  assert.match(
    without.stderr,
    /^error: x\.lock\.json: imports \S+\/without\.js, whose hash is not in it; write the lock file again/,
  );
  const wrong = await repeat("/wrong.js", pins({ [`${server.origin}/wrong.js`]: sha256("other") }));
  assert.equal(wrong.code, 2, wrong.stdout);
  assert.match(wrong.stderr, /^error: x\.lock\.json: its imports cannot be downloaded: Integrity check failed /);
  assert.deepEqual(server.asked.filter((path) => path !== "/wrong.js"), []);
  const nested = await repeat("/nested.js", pins({ [`${server.origin}/nested.js`]: sha256(NESTED) }));
  assert.equal(nested.code, 2, nested.stdout);
  assert.match(nested.stderr, /^error: x\.lock\.json: imports \S+\/inner\.js, whose hash is not in it; /);
  const right = await repeat("/right.js", pins({ [`${server.origin}/right.js`]: sha256(TEXT) }));
  assert.match(
    right.stdout,
    /^ +imports +modules\.example:443, checked by hash[^]*^imported 1\nrefused more$/m,
    right.stderr,
  );
  assert.deepEqual(server.asked.filter((path) => path === "/more.js"), []);
});

Deno.test({ name: "a lock file has the hashes of what its script imports from the network", ignore }, async () => {
  await using place = await Place.make();
  await using server = await serveModules({ "/x.js": TEXT });
  const [tacho, url] = [new URL("../../../../mod.ts", import.meta.url).href, `${server.origin}/x.js`];
  // Tacho's packages, in a project with its own lock file
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("../../../../deno.json", import.meta.url)));
  await place.write("deno.json", JSON.stringify({ imports, nodeModulesDir: "none" }));
  await place.write(
    "small.ts",
    `import { run, scenario, syntheticImages } from ${JSON.stringify(tacho)};
import { x } from ${JSON.stringify(url)};

export default scenario({
  name: "small",
  data: syntheticImages({ channels: x, height: 4, width: 4, classes: 2, length: 8 }),
  loader: { batchSize: 2 },
});
if (import.meta.main) await run();
`,
  );
  const { code, stderr } = await place.inside(["lock", "small.ts"], server.env);
  assert.equal(code, 0, stderr);
  const { pinned } = readLock(join(place.folder, "small.lock.json"));
  assert.deepEqual(pinned?.remote, { [url]: sha256(TEXT) });
  const few = ["--steps=2", "--skip=1", "--rounds=1", "--no-aa", "measure.maxSkip=1"];
  const repeated = await place.inside(["repeat", "small.lock.json", ...few], server.env);
  assert.match(repeated.stdout, /^small · /m, repeated.stdout + repeated.stderr);
});
