import assert from "node:assert/strict";
import { join } from "node:path";
import { fullTest } from "../../support/full.ts";
import { Place } from "../tacho_process.ts";

const MOD = new URL("../../../mod.ts", import.meta.url).pathname;

/** A scenario without a device, with its own module and text file. */
const SCRIPT = `import { run, scenario, syntheticImages } from "@tacho/tacho";
import { LENGTH } from "../shared/length.ts";
export default scenario({
  name: "bundled",
  data: syntheticImages({ height: 2, width: 2, classes: 4, length: LENGTH }),
  loader: { batchSize: 1 },
  measure: { steps: 1, skip: 1, rounds: 2, aa: false },
  sweep: { "loader.batchSize": [1, 2] },
});
if (import.meta.main) await run();
`;

/** Folders without which a bundle must run: the clone, and those of Deno and its cache. */
const ELSEWHERE = [MOD.replace(/\/mod\.ts$/, ""), Deno.env.get("HOME") ?? "/root"];

/** Runs a command without a network, and without the clone and the home folder. */
async function isolated(words: readonly string[], cwd: string) {
  const hide = ELSEWHERE.map((folder) => `mount -t tmpfs none '${folder}'`).join(" && ");
  const { code, stdout, stderr } = await new Deno.Command("unshare", {
    args: ["-rnm", "sh", "-c", `${hide} && exec "$@"`, "sh", ...words],
    cwd,
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", HOME: ELSEWHERE[1]!, TACHO_STORE: join(cwd, "store"), TMPDIR: cwd },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

const canIsolate = Deno.build.os === "linux" &&
  await isolated(["true"], "/tmp").then(({ code }) => code === 0, () => false);

fullTest(
  "a bundle that was moved runs without a network, the clone, Deno and its cache",
  async () => {
    await using place = await Place.make();
    await place.write("project/scripts/my run.ts", SCRIPT);
    await place.write("project/shared/length.ts", "export const LENGTH: number = 16;\n");
    const made = await place.inside(["bundle", "project/scripts/my run.ts"]);
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^my run\.bundle: \d+ MiB; /);
    await Deno.remove(join(place.folder, "project"), { recursive: true });
    const bundle = join(place.folder, "it's moved");
    await Deno.rename(join(place.folder, "my run.bundle"), bundle);
    const ran = await isolated([join(bundle, "run"), "--shard", "1/1", "--rounds", "3"], place.folder);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /^3 rounds/m);
    const merged = await isolated([join(bundle, "tacho"), "collect", "."], place.folder);
    assert.equal(merged.code, 0, merged.stderr);
    const script = join(bundle, "script", "scripts", "my run.ts");
    const submit = ["submit", script, "--shards", "1", "--parallel"];
    const printed = (await isolated([join(bundle, "tacho"), ...submit], place.folder)).stdout;
    assert(printed.includes(`moved/tacho'`) && !printed.includes("deno"), printed);
  },
  { ignore: !canIsolate },
);

Deno.test("a folder with files, and a script that cannot be found, are refused", async () => {
  await using place = await Place.make();
  await place.write("x.ts", SCRIPT.replace("../shared", "./shared"));
  await place.write("shared/length.ts", "export const LENGTH: number = 16;\n");
  await place.write("full/file", "");
  const full = await place.inside(["bundle", "x.ts", "--out", "full"]);
  assert.equal(full.code, 2);
  assert.match(full.stderr, /--out: .*full is not empty \(file\)/);
  const none = await place.inside(["bundle", "none.ts"]);
  assert.deepEqual([none.code, /none\.ts cannot be read/.test(none.stderr)], [2, true]);
});
