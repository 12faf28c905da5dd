/** Compares and bisects commits of a small repository. */
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import { Checkouts } from "../../../runtime/cli/commits/checkouts.ts";
import { checkPackageUse } from "../../../runtime/cli/commits/version_pair.ts";
import { isPackage, packageVersion } from "../../../runtime/cli/commits/package_version.ts";
import { withVersions } from "../../../runtime/cli/commits/version_pair.ts";
import { readWorkload } from "../../../runtime/cli/commits/workload.ts";
import { run as bisect } from "../../../runtime/cli/commands/bisect.ts";
import { run as compare } from "../../../runtime/cli/commands/compare_commits.ts";
import { resultSchema } from "../../../runtime/result/schema.ts";
import { fullTest } from "../../support/full.ts";
import { Repository } from "./repository.ts";

let repository: Repository;

Deno.test.beforeAll(async () => {
  repository = await Repository.make();
  for (
    const [message, layers] of [["first", 1], ["second", 1], ["broken", null], ["deeper", 2], ["last", 2]] as const
  ) {
    await repository.commit(message, layers);
  }
});

Deno.test.afterAll(() => repository[Symbol.asyncDispose]());

/** Asserts that nothing is left of the checkouts. */
async function isClean(): Promise<void> {
  deepEqual(repository.place.leftovers(), []);
  equal((await repository.git("worktree", "list")).split("\n").length, 1);
  equal(await repository.git("status", "--porcelain"), "");
}

Deno.test("the plans of two commits are compared by exact counts, which gates check", async () => {
  const gates = ["--gate", "exact.dispatches.after<=@before", "--gate", "memory.peak.after<=1MiB"];
  const args = ["compare-commits", "main~4", "main~1", "--dry-run", "--json", "out.json", ...gates, "--", "train.ts"];
  const { code, stdout, stderr } = await repository.tacho(args);
  equal(code, 1, stderr);
  match(stdout, /before: main~4 \(\w+ first\)\nafter: {2}main~1 \(\w+ deeper\)\n/);
  match(stdout, /dispatches +\d+ +\d+ +\+\d+ [^]*kernels: .*instead of/);
  match(stdout, /exact\.dispatches\.after<=@before +\+\d+ +<= \+0 +FAILS/);
  match(stdout, /2 gates: 1 not met/);
  const { variants } = JSON.parse(await Deno.readTextFile(join(repository.folder, "nets/out.json")));
  deepEqual(variants.map(({ name }: { name: string }) => name), ["before", "after"]);
  await Deno.remove(join(repository.folder, "nets/out.json"));
  await isClean();
});

fullTest("the working tree is a version, and equal plans have no differing count", async () => {
  await repository.writeScript(2, "uncommitted");
  const args = ["compare-commits", "main", ".", "--variant", "sink", "--dry-run", "--gate"];
  const { code, stdout } = await repository.tacho([...args, "exact.kernels.after==@before", "--", "train.ts"]);
  equal(code, 0);
  match(stdout, /after: {2}\. \(working tree\)[^]*Exact counts of a step: none differs/);
  await repository.git("checkout", "--quiet", ".");
  await isClean();
});

fullTest("two commits are measured in one matrix", async () => {
  const rounds = ["--rounds", "2", "--block", "2", "--skip", "1", "--processes", "1", "--no-store", "--json", "-"];
  const script = await repository.tacho(["compare-commits", "main~4", "main", ...rounds, "--", "train.ts"]);
  equal(script.code, 0, script.stderr);
  const [before, after] = resultSchema.parse(JSON.parse(script.stdout)).variants;
  deepEqual([before!.name, before!.metrics.ips!.unit, before!.blocks.length], ["before", "samples/s", 2]);
  equal(after!.exact!.dispatches! > before!.exact!.dispatches!, true);
  match(JSON.stringify(before!.config), /"TACHO_VERSION":"main~4 \(\w+ first\)"/);
  await isClean();
});

Deno.test("bisecting by a count names the commit, skips one that fails, and goes on where it was", async () => {
  const args = ["bisect", "main~4", "main", "--count", "dispatches", "--json", "-", "--", "train.ts"];
  const { code, stdout, stderr } = await repository.tacho(args);
  equal(code, 1, stderr); // the broken commit is a suspect too
  const found = JSON.parse(stdout);
  deepEqual([found.first, found.suspects], [
    await repository.git("rev-parse", "main~1"),
    [await repository.git("rev-parse", "main~2")],
  ]);
  deepEqual(found.tested.map(({ outcome }: { outcome: string }) => outcome), ["bad", "skip", "good", "bad"]);
  match(stderr, /The first bad commit is \w+ deeper, or one of these, which could not be tested:\n {2}\w+ broken/);
  await isClean();
  // The log of a bisection that was interrupted after these
  const { good, bad } = found;
  const key = JSON.stringify({ good, bad, words: ["train.ts"], count: "dispatches" });
  const log = { version: 1, key, entries: found.tested.slice(0, 3) };
  await Deno.writeTextFile(join(repository.folder, ".git/tacho-bisect.json"), JSON.stringify(log));
  const resumed = await repository.tacho(args);
  match(resumed.stderr, /^3 commits known from an earlier bisection\n/);
  deepEqual(JSON.parse(resumed.stdout), found);
});

fullTest("programs are bisected by the counts of their profiles", async () => {
  const program = await Deno.readTextFile(join(repository.folder, "program.ts"));
  await repository.place.write("repository/program.ts", program.replace('"work") ?? 1', '"work") ?? 3'));
  await repository.git("commit", "--quiet", "--all", "--message", "more dispatches");
  const words = ["deno", "run", "-A", "--no-check", "program.ts"];
  const { code, stdout, stderr } = await repository.tacho(
    ["bisect", "main~1", "main", "--count", "dispatches", "--", ...words],
    ".",
  );
  equal(code, 0, stderr);
  match(stdout, /bad: main \(\w+ more dispatches\): dispatches 3 instead of 1\n[^]*first bad commit is \w+ more/);
  await repository.git("reset", "--quiet", "--hard", "main~1");
});

fullTest("a bad commit that is not bad ends the bisection", async () => {
  const { code, stderr } = await repository.tacho(["bisect", "main~1", "main", "--count", "kernels", "--", "train.ts"]);
  equal(code, 2);
  match(stderr, /main is not bad: the same kernels; nothing to bisect/);
});

Deno.test("a folder that is in no repository is refused", async () => {
  const folder = await Deno.makeTempDir();
  // A second failure that nothing awaits would fail the test
  await rejects(Checkouts.open(folder), /^InputError: git rev-parse: not a git repository/);
  await Deno.remove(folder);
});

Deno.test("wrong command lines are refused", async () => {
  const wrong: readonly (readonly [run: typeof bisect, args: string[], message: RegExp])[] = [
    [compare, ["a", "b"], /expected -- and a script or a command, such as: tacho compare-commits/],
    [compare, ["a", "npm:x@1", "--", "deno", "x.ts"], /Expected two commits or two versions of a package/],
    [compare, ["a", "b", "--", "python", "x.py"], /expected a script or a command that begins with deno after --/],
    [compare, ["a", "b", "--dry-run", "--", "deno", "x.ts"], /--dry-run: a program has no plan/],
    [compare, ["a", "b", "--gate", "exact.dispatches.late<=1", "--", "x.ts"], /late/],
    [compare, ["no-such", "b", "--", "x.ts"], /Unknown commit "no-such"; expected a branch, a tag or a hash/],
    [compare, ["HEAD", "HEAD", "--setup", "no-such", "--", "x.ts"], /--setup: no-such cannot be started: /],
    [bisect, ["HEAD", "HEAD", "--", "x.ts"], /HEAD is no ancestor of HEAD; expected the older commit first/],
    [bisect, ["a", "b", "--count", "speed", "--", "x.ts"], /--count: expected dispatches, .*got "speed"/],
  ];
  for (const [run, args, message] of wrong) await rejects(run(args), { name: "InputError", message });
  const workload = readWorkload("tacho", ["x.ts"]);
  const options = { workload, setup: [], onWarning: () => {} };
  await rejects(withVersions(["a", "b"], options, () => Promise.resolve(0)), /Unknown commit "a"/);
  const two = ["npm:lib@1.0.0", "npm:other@1.0.0"] as const;
  await rejects(
    withVersions(two, options, () => Promise.resolve(0)),
    /Expected two versions of one package, got lib and other/,
  );
});

Deno.test("a version of a package is selected by an import map, beside the project's imports", async () => {
  const folder = repository.place.folder;
  const cwd = join(repository.folder, "nets");
  const { flags, name } = await packageVersion("npm:@scope/lib@1.2.0", cwd, folder);
  equal(name, "npm:@scope/lib@1.2.0");
  const [file] = flags.map((flag) => /^--import-map=(.*)$/.exec(flag)?.[1]);
  const { imports } = JSON.parse(await Deno.readTextFile(file!));
  deepEqual(
    [imports["@scope/lib"], imports["@scope/lib/"], imports["zod"].startsWith("npm:zod@")],
    ["npm:@scope/lib@1.2.0", "npm:/@scope/lib@1.2.0/", true],
  );
  equal(isPackage("main"), false);
  await rejects(packageVersion("npm:lib", cwd, folder), /Expected a package such as npm:@scope\/name@1\.2\.0, file:/);
  equal(readWorkload("tacho", ["deno", "x.ts"]).kind, "program");
});

fullTest("a package in a folder or a tarball is selected with its entries and its dependencies", async () => {
  const { place } = repository;
  await place.write("lib/index.js", "export const value = 2;");
  const entries = { ".": { types: "./x.d.ts", import: "./index.js" }, "./parts/*": "./parts/*", "./no": null };
  const manifest = {
    name: "zod",
    version: "9.9.9",
    type: "module",
    exports: entries,
    dependencies: { other: "^1.0.0" },
  };
  await place.write("lib/package.json", JSON.stringify(manifest));
  await place.write("user/deno.json", JSON.stringify({ imports: { z: "npm:zod@4.6.7", zod: "npm:zod@4.6.7" } }));
  await place.write("user/uses.ts", 'import { value } from "z";\nconsole.log(value);');
  await place.write("user/pinned.ts", 'import "npm:zod@4.6.7";');
  await place.write("user/none.ts", "console.log(1);");
  const [folder, cwd] = [place.folder, join(place.folder, "user")];
  const lib = await packageVersion("file:../lib", cwd, folder);
  equal(lib.description, "zod@9.9.9");
  const importMap = lib.flags[0]!.replace("--import-map=", "");
  const { imports, scopes } = JSON.parse(await Deno.readTextFile(importMap));
  const { loaded } = lib.package;
  const entry = `${loaded}index.js`;
  deepEqual(imports, { z: entry, zod: entry, "npm:zod": entry, "zod/parts/": `${loaded}parts/` });
  deepEqual(scopes[loaded].other, "npm:other@^1.0.0");
  const checked = (file: string) => checkPackageUse({ kind: "program", words: ["deno", "run", "-A", file] }, lib);
  equal(await checked("uses.ts"), null);
  match(String(await checked("none.ts")), /none\.ts has no import of zod/);
  await rejects(
    checked("pinned.ts"),
    /pinned\.ts imports npm:zod@4\.6\.7; import it as "zod" or "npm:zod", without a version/,
  );
  await new Deno.Command("tar", { args: ["-czf", "lib.tgz", "lib"], cwd: folder }).output();
  equal((await packageVersion("file:../lib.tgz", cwd, folder)).description, "zod@9.9.9");
  await rejects(packageVersion("file:../none", cwd, folder), /file:\.\.\/none: no such folder or tarball/);
  await rejects(packageVersion("file:.", cwd, folder), /expected a package with a package\.json/);
  await rejects(packageVersion("file:uses.ts", cwd, folder), /expected a folder or a tarball as npm pack makes it/);
});
