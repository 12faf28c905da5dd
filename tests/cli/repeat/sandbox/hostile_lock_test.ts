import assert from "node:assert/strict";
import { join } from "node:path";
import { sampled } from "../../../support/full.ts";
import { Place } from "../../tacho_process.ts";
import { lockOf } from "./hostile_locks.ts";

const HOSTILE = await Deno.readTextFile(new URL("./hostile_script.ts", import.meta.url));

Deno.test("a lock file reaches no network, process, file, library or variable", async () => {
  await using place = await Place.make();
  const asked: string[] = [];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ url }) => {
    asked.push(url);
    return new Response("export {}", { headers: { "content-type": "text/javascript" } });
  });
  const folder = join(place.folder, "private");
  await place.write("private/secret.json", '"secret"');
  await place.write("data/x.txt", "data");
  await Deno.symlink(folder, join(place.folder, "link"));
  const { denoDir } = JSON.parse(
    new TextDecoder().decode((await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output()).stdout),
  );
  const target = JSON.stringify({
    port: server.addr.port,
    secret: join(folder, "secret.json"),
    link: join(place.folder, "link/secret.json"),
    folder,
    compiled: join(denoDir, "gen"),
  });
  await place.write("x.lock.json", lockOf({ "script.ts": HOSTILE, "target.json": target }));
  const { code, stdout, stderr } = await place.tacho(["repeat", "x.lock.json"], { HOSTILE: "yes" });
  assert.equal(code, 1, stdout + stderr);
  const attempts = stdout.split("\n").filter((line) => /^(DONE|refused) /.test(line));
  const reasons =
    /: (Requires \w+ access|.* requires unscoped|.* EPERM|Failed loading .* --cached-only|Failed to create cache|Not a directory|denied|unset|Command failed)/;
  assert.deepEqual(attempts.filter((line) => !line.startsWith("refused ") || !reasons.test(line)), []);
  assert.equal(attempts.length, HOSTILE.match(/^await attempt\(/gm)!.length, stdout + stderr);
  assert.deepEqual(asked, []);
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["secret.json"]);
  assert.deepEqual(place.leftovers(), []);
});

Deno.test("a lock file imports only its own modules, Tacho and packages", async () => {
  await using place = await Place.make();
  await place.write("secret.json", '"secret"');
  const secret = join(place.folder, "secret.json");
  const outside = `/${"../".repeat(20)}${secret.slice(1)}`;
  const imports: [statement: string, imported: string][] = [
    [`import x from ${JSON.stringify(secret)} with { type: "json" }`, secret],
    [`import x from ${JSON.stringify(outside)} with { type: "text" }`, secret],
    [`const x = await import(${JSON.stringify(secret)}, { with: { type: "json" } })`, secret],
    ['import x from "data:text/javascript,export default 1"', "data:text/javascript,export default 1"],
  ];
  await Promise.all(
    sampled(imports, 2).map(async ([statement, imported], i) => {
      const file = `${i}.lock.json`;
      await place.write(file, lockOf({ "script.ts": `${statement};\nconsole.log("loaded", x);\n` }));
      const { code, stdout, stderr } = await place.tacho(["repeat", file]);
      assert.equal(code, 2, stdout + stderr);
      assert.equal(stdout, "");
      assert(stderr.startsWith(`error: ${file}: imports ${imported}, which the sandbox does not allow`), stderr);
    }),
  );
});

Deno.test("a script in a sandbox is stopped once it prints too much", async () => {
  await using place = await Place.make();
  const scripts: [script: string, message: RegExp][] = [
    ["for (;;) console.log('x'.repeat(1000));", /its script printed more than 4 MiB\n$/],
    ["for (;;) console.error('x'.repeat(1000));", /its script printed more than 4 MiB\n$/],
    [
      "for (;;) Deno.stdout.writeSync(new Uint8Array(2 ** 20).fill(120));",
      /a line of its output has more than 64 MiB\n$/,
    ],
    [`console.log('{"type":"result","result":{}}');`, /its result is not valid: result\.schemaVersion: /],
  ];
  await Promise.all(
    sampled(scripts, 3).map(async ([script, message], i) => {
      await place.write(`${i}.lock.json`, lockOf({ "script.ts": script }));
      const { code, stderr } = await place.tacho(["repeat", `${i}.lock.json`]);
      assert.equal(code, 2, stderr.slice(-1000));
      assert.match(stderr, message);
    }),
  );
  assert.deepEqual(place.leftovers(), []);
});

Deno.test("the process of a sandboxed script finds the cache without the home folder", async () => {
  await using place = await Place.make();
  await place.write("x.lock.json", lockOf({ "script.ts": 'console.log("in", Deno.env.get("TACHO_CACHE"));' }));
  const home = { TACHO_CACHE: "", XDG_CACHE_HOME: join(place.folder, "cache") };
  const { stdout } = await place.tacho(["repeat", "x.lock.json"], home);
  assert(stdout.includes(`\nin ${join(place.folder, "cache/tacho")}\n`), stdout);
});

Deno.test("control characters that a script in a sandbox prints are escaped", async () => {
  await using place = await Place.make();
  await place.write(
    "x.lock.json",
    lockOf({ "script.ts": 'console.log("\\x1b[2Jcleared"); console.error("\\x1b[2Jtoo");' }),
  );
  const { stdout, stderr } = await place.tacho(["repeat", "x.lock.json"]);
  assert.match(stdout, /^\\u\{1b\}\[2Jcleared$/m);
  assert.match(stderr, /^\\u\{1b\}\[2Jtoo$/m);
});

Deno.test({
  name: "a lock file that is a pipe or a device is refused",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using place = await Place.make();
    await new Deno.Command("mkfifo", { args: [join(place.folder, "x.lock.json")] }).output();
    for (const [command, file] of [["repeat", "x.lock.json"], ["verify", "/dev/zero"]] as const) {
      const { code, stderr } = await place.tacho([command, file]);
      assert.equal(code, 2);
      assert.equal(stderr, `error: ${file} is not a file; expected one written by "tacho lock"\n`);
    }
  },
});
