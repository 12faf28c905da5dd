import assert from "node:assert/strict";
import { declaredFlags, type Flags, parseFlags } from "../../runtime/cli/flags.ts";
import { InputError } from "../../runtime/core/errors.ts";

function parse(...args: string[]): Flags | null {
  return parseFlags(args, { command: "script.ts", helpAfter: () => "", helpWidth: 100, write: () => {} });
}

function complaint(...args: string[]): string {
  try {
    parse(...args);
  } catch (error) {
    assert(error instanceof InputError, String(error));
    return error.message;
  }
  throw new Error(`Expected an error for ${args.join(" ")}`);
}

Deno.test("flags and overrides may come in any order", () => {
  const flags = parse(
    "amp=O0,O2",
    "--steps",
    "5",
    "x=-1",
    "--variants",
    "a, b",
    "--json",
    "-",
    "--skip=0",
    "--no-color",
  );
  assert.deepEqual(flags, {
    overrides: ["amp=O0,O2", "x=-1"],
    steps: 5,
    skip: 0,
    variants: ["a", "b"],
    json: "-",
    jsonLines: false,
    color: false,
    list: false,
    dryRun: false,
    debug: false,
    pipeline: false,
  });
});

Deno.test("help is printed in full, and parsing stops", () => {
  let text = "";
  const options = {
    command: "script.ts",
    helpAfter: () => "\nKeys:",
    helpWidth: 80,
    write: (part: string) => text += part,
  };
  assert.equal(parseFlags(["--steps", "3", "--help"], options), null);
  assert.match(text, /^Usage: script.ts \[options\] \[key=value\.\.\.\]$/m);
  assert.match(text, /\n\nKeys:\n$/);
  for (
    const flag
      of "variants steps skip rounds seed data verbosity log profile-steps group-by sort top json report list dry-run adapter debug no-color help"
        .split(" ")
  ) {
    assert.match(text, new RegExp(`^  .*--${flag} `, "m"));
  }
});

Deno.test("an unknown flag suggests the nearest one", () => {
  assert.equal(complaint("--stpes", "3"), `Unknown flag --stpes; did you mean "--steps"?`);
  assert.equal(complaint("--dryrun"), `Unknown flag --dryrun; did you mean "--dry-run"?`);
  assert.match(complaint("--xyzzyqwk=3"), /^Unknown flag --xyzzyqwk; known: --variants, --exclude, --steps, /);
});

Deno.test("a wrong or missing value names the flag, what it expects and what it got", () => {
  assert.equal(complaint("--steps", "0"), `--steps: expected a whole number of at least 1, got "0"`);
  assert.equal(complaint("--skip", "-1"), `--skip: expected a whole number of at least 0, got "-1"`);
  assert.equal(complaint("--rounds=2.5"), `--rounds: expected a whole number of at least 1, got "2.5"`);
  assert.equal(complaint("--seed", "x"), `--seed: expected a whole number of at least 0, got "x"`);
  assert.equal(complaint("--json"), "--json: expected a value");
  assert.equal(complaint("--list=all"), `--list: takes no value, got "all"`);
  assert.equal(complaint("--variants", "a,,b"), `--variants: expected names separated by commas, got "a,,b"`);
});

Deno.test("flags of the comparison are parsed and checked", () => {
  const { precision, maxTime, minEffect, aa } = parse(
    "--precision",
    "0.02",
    "--max-time=90.5",
    "--min-effect",
    "0",
    "--no-aa",
  )!;
  assert.deepEqual({ precision, maxTime, minEffect, aa }, { precision: 0.02, maxTime: 90.5, minEffect: 0, aa: false });
  assert.equal("aa" in parse("--rounds", "8")!, false, "the scenario decides");
  assert.equal(complaint("--precision", "0"), `--precision: expected a number above 0, got "0"`);
  assert.equal(complaint("--max-time", "1m"), `--max-time: expected a number above 0, got "1m"`);
  assert.equal(complaint("--min-effect=-1"), `--min-effect: expected a number of at least 0, got "-1"`);
  assert.equal(complaint("--min-effect", "Infinity"), `--min-effect: expected a number of at least 0, got "Infinity"`);
});

Deno.test("flags of the profile are parsed", () => {
  const flags = parse(
    ..."--verbosity 2 --profile-steps 20:30 --group-by type,layer,type --sort gflops --top 5 --report out".split(" "),
  );
  assert.deepEqual(
    [flags?.verbosity, flags?.profileSteps, flags?.groupBy, flags?.sort, flags?.top, flags?.report],
    [2, { skipFirst: 20, wait: 0, warmup: 0, active: 10, repeat: 1 }, ["type", "layer"], "gflops", 5, "out"],
  );
  assert.equal(parse("--log=mindinsight")?.log, "mindinsight");
});

Deno.test("errors of profile flags name the choices and the nearest one", () => {
  assert.equal(complaint("--verbosity", "4"), `--verbosity: expected 0, 1, 2 or 3, got "4"`);
  assert.equal(
    complaint("--log", "padle"),
    `--log: expected singa, nnc, paddle or mindinsight, got "padle"; did you mean "paddle"?`,
  );
  assert.equal(
    complaint("--group-by", "type,layr"),
    `--group-by: expected type, layer, phase or kernel, got "layr"; did you mean "layer"?`,
  );
  assert.match(
    complaint("--sort", "totl"),
    /^--sort: expected order, .* or setup, got "totl"; did you mean "total"\?$/,
  );
  assert.match(complaint("--sort", "zzzzz"), /, got "zzzzz"$/);
  assert.equal(complaint("--top", "0"), `--top: expected a whole number of at least 1, got "0"`);
  for (const text of ["20", "30:20", "5:5", "a:b", "1:2:3", ":3", "-1:3", "1.5:3"]) {
    assert.equal(
      complaint(`--profile-steps=${text}`),
      `--profile-steps: expected the first step and the one after the last, such as 20:30, got "${text}"`,
    );
  }
  assert.equal(complaint("--profile-step", "1:2"), `Unknown flag --profile-step; did you mean "--profile-steps"?`);
});

Deno.test("flags select the store, or none, and the run to resume", () => {
  const kept = (...args: string[]) => {
    const flags = parse(...args);
    return [flags?.store, flags?.resume, flags?.overrides];
  };
  assert.deepEqual(kept("--store", "dir", "--resume"), ["dir", true, []]);
  assert.deepEqual(kept("--no-store", "amp=O2"), [false, undefined, ["amp=O2"]]);
  assert.deepEqual(kept("--resume", "1m7xt", "amp=O2"), [kept()[0], "1m7xt", ["amp=O2"]]);
  assert.equal(kept("--resume=last~2")[1], "last~2");
  assert.equal(complaint("--store="), '--store: expected the name of a folder, got ""');
  assert.equal(
    complaint("--resume", "amp=O2"),
    '--resume: expected the ID of a kept run, or last, got "amp=O2"; put --resume after the settings, or write --resume=last',
  );
});

Deno.test("a flag is never the value of the previous one", () => {
  assert.equal(complaint("--json", "--quiet"), "--json: expected a value, got the flag --quiet");
  assert.equal(complaint("--steps", "--rounds=3"), "--steps: expected a value, got the flag --rounds=3");
  assert.deepEqual(parse("--json", "-", "--resume", "--quiet")?.json, "-");
  assert.deepEqual(parse("--data", "--odd")?.data, "--odd", "a folder may be called anything else");
});

Deno.test("declarations say whether a flag takes a value, and whether it is a path", () => {
  const flags = new Map(declaredFlags().map(({ name, value, isPath }) => [name, { value, isPath }]));
  assert.deepEqual(flags.get("--json"), { value: "required", isPath: true });
  assert.deepEqual(flags.get("--steps"), { value: "required", isPath: false });
  assert.deepEqual(flags.get("--resume"), { value: "optional", isPath: false });
  assert.deepEqual(flags.get("--no-aa"), { value: "none", isPath: false });
});
