import assert from "node:assert/strict";
import { parseFlags } from "../../../runtime/cli/flags.ts";
import {
  experimentArgs,
  flagValue,
  recipeArgs,
  verifyArgs,
  withAbsolutePaths,
  withoutFlags,
} from "../../../runtime/cli/repeat/experiment_args.ts";
import type { VariantResult } from "../../../runtime/result/schema.ts";
import { describeConfig } from "../../../runtime/scenario/describe.ts";
import { resolveScenario } from "../../../runtime/scenario/resolve.ts";
import { tiny } from "../../experiment/running.ts";

Deno.test("output flags are removed, and the others keep their order", () => {
  const args = [
    ...["--json", "out.json", "amp=O0,O2", "--report=dir", "--steps", "5", "--no-store", "--gate", "ips.a>=1"],
    ...[
      "--gate-undecided=pass",
      "--variants",
      "a,b",
      "--store",
      "dir",
      "--dry-run",
      "--fit",
      "--verbosity",
      "2",
      "--adapter=x",
    ],
  ];
  assert.deepEqual(experimentArgs(args), [
    ...["amp=O0,O2", "--steps", "5", "--variants", "a,b", "--verbosity", "2", "--adapter=x"],
  ]);
});

Deno.test("--resume takes an ID, but not a setting", () => {
  assert.deepEqual(experimentArgs(["--resume", "k3f2", "amp=O2"]), ["amp=O2"]);
  assert.deepEqual(experimentArgs(["--resume", "amp=O2"]), ["amp=O2"]);
  assert.deepEqual(experimentArgs(["--resume", "--steps", "5"]), ["--steps", "5"]);
  assert.deepEqual(experimentArgs(["--resume"]), []);
});

Deno.test("a recipe's arguments repeat the settings by adapter, unless others are given", () => {
  const spec = (adapters?: string[]) => ({
    ...{ tacho: "1", scenario: "x", sha256: null, seed: 1, baseline: "a", variants: [] },
    ...adapters === undefined ? {} : { adapters },
  });
  const args = ["--steps", "5", "--json", "out.json"];
  assert.deepEqual(recipeArgs({ args, spec: spec() }), ["--steps", "5"]);
  assert.deepEqual(recipeArgs({ args, spec: spec([]) }), ["--steps", "5", "--settings-for=none"]);
  assert.deepEqual(recipeArgs({ args, spec: spec(["software", "llvm"]) }), [
    ...["--steps", "5", "--settings-for=software,llvm"],
  ]);
  assert.deepEqual(recipeArgs({ args, spec: spec(["software"]) }, ["--settings-for", "none"]), ["--steps", "5"]);
  const own = ["--settings-for", "none"];
  assert.deepEqual(recipeArgs({ args: own, spec: spec([]) }), own);
});

Deno.test("removing an unknown flag throws", () => {
  assert.throws(() => withoutFlags(["--stepz", "5"], ["--stepz"]), /Unknown flag --stepz/);
});

Deno.test("the last value of a flag counts, in either notation", () => {
  assert.equal(flagValue(["--adapter", "a", "--adapter=b"], "--adapter"), "b");
  assert.equal(flagValue(["--adapters=a"], "--adapter"), null);
});

Deno.test("relative paths become absolute", () => {
  const args = ["--json", "a.json", "--report=/b", "--store=c/d", "--json=-", "--data", "..", "amp=O2", "--steps", "5"];
  assert.deepEqual(withAbsolutePaths(args, "/home/u"), [
    ...["--json", "/home/u/a.json", "--report=/b", "--store=/home/u/c/d", "--json=-", "--data", "/home", "amp=O2"],
    ...["--steps", "5"],
  ]);
});

Deno.test("verification trains the same steps and does nothing else", () => {
  const args = verifyArgs(
    [
      "--steps",
      "5",
      "--rounds=8",
      "epochs=3",
      "measure.precision=0.1",
      "hidden=16",
      "--seed",
      "7",
      "--pipeline",
      "--json=x",
    ],
    12,
    [],
  );
  assert.deepEqual(args.slice(0, 4), ["hidden=16", "--seed", "7", "--steps=12"]);
  for (const one of ["--skip=0", "--rounds=1", "--no-store", "--no-aa", "target=null"]) {
    assert(args.includes(one));
  }
});

Deno.test("every flag is either part of the training or removed for verification", () => {
  let help = "";
  parseFlags(["--help"], { command: "x", helpAfter: () => "", helpWidth: 1000, write: (text) => void (help += text) });
  const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)(?: ([<[])\S+( <)?)?/gm)].map((
    [, flag = "", value, second],
  ) => ({
    flag,
    args: value === undefined ? [flag] : second === undefined ? [flag, "7"] : [flag, "7", "8"],
  }));
  assert(flags.length > 30, help);
  const kept = flags.filter(({ args }) => verifyArgs(args, 1, [])[0] === args[0]).map(({ flag }) => flag);
  assert.deepEqual(kept, [
    "--variants",
    "--exclude",
    "--seed",
    "--data",
    "--adapter",
    "--share-device",
    "--settings-for",
    "--help",
  ]);
  for (const { flag, args } of flags) {
    const rest = verifyArgs([...args, "amp=O2"], 1, []);
    assert.equal(rest[kept.includes(flag) ? args.length : 0], "amp=O2", flag);
  }
});

Deno.test("with kernels timed during warm-up, the warm-up comes before the block", () => {
  const skipOf = (settings: Record<string, unknown>, autotune: unknown = true) => {
    const scenario = tiny({ variants: { plain: {}, tuned: { compile: { autotune } } }, ...settings });
    const variants = resolveScenario(scenario).variants.map(({ config }) => ({
      config: describeConfig(config) as VariantResult["config"],
    }));
    return verifyArgs([], 9, variants).filter((arg) => /skip/i.test(arg));
  };
  assert.deepEqual(skipOf({}), ["--skip=1", "measure.maxSkip=1"]);
  assert.deepEqual(skipOf({}, { stop: 5 }), ["--skip=1", "measure.maxSkip=1"]);
  for (const settings of [{ measure: { skip: 0 } }, { epochs: 2, measure: { skip: 3 } }]) {
    assert.deepEqual(skipOf(settings), ["--skip=0"], "no window");
  }
  assert.deepEqual(skipOf({}, false), ["--skip=0"]);
});
