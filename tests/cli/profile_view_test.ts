import assert from "node:assert/strict";
import type { Flags } from "../../runtime/cli/flags.ts";
import { parseFlags } from "../../runtime/cli/flags.ts";
import { profileRequest, profileView } from "../../runtime/cli/profile_view.ts";
import { DEFAULT_PROFILE } from "../../runtime/record/schedule.ts";

function flags(line: string): Flags {
  const args = line.split(" ").filter((word) => word !== "");
  return parseFlags(args, { command: "script.ts", helpAfter: () => "", helpWidth: 100, write: () => {} })!;
}

Deno.test("flags that shape the op tables imply them", () => {
  const shown = (line: string) => {
    const { verbosity, dialect } = profileView(flags(line));
    return [verbosity, dialect];
  };
  assert.deepEqual(shown(""), [0, null]);
  assert.deepEqual(shown("--verbosity 1"), [1, null]);
  assert.deepEqual(shown("--top 3"), [2, null]);
  assert.deepEqual(shown("--group-by layer --verbosity 2"), [2, null]);
  assert.deepEqual(shown("--profile-steps 2:4"), [2, null]);
  assert.deepEqual(shown("--profile-steps 2:4 --verbosity 0"), [0, null]);
  assert.deepEqual(shown("--log singa"), [2, "singa"]);
  assert.deepEqual(shown("--log singa --verbosity 1"), [1, "singa"]);
  assert.deepEqual(profileView(flags("--sort total")), {
    verbosity: 2,
    dialect: null,
    groupBy: ["type"],
    sort: "total",
    top: null,
    brief: false,
  });
  const { sort, top, brief } = profileView(flags("--verbosity 2"));
  assert.deepEqual([sort, top, brief], ["total", 10, true], "the largest ops, one line each");
  assert.deepEqual([3, null], [profileView(flags("--verbosity 3")).verbosity, profileView(flags("--verbosity 3")).top]);
});

Deno.test("contradictory flags are refused", () => {
  assert.throws(() => profileView(flags("--log nnc --sort total")), {
    name: "InputError",
    message: "--sort: shapes Tacho's own tables, which --log replaces; omit one of the two flags",
  });
  assert.throws(() => profileView(flags("--verbosity 1 --top 3")), {
    name: "InputError",
    message: "--top: shapes the tables of --verbosity 2, got --verbosity 1",
  });
  assert.throws(() => profileView(flags("--verbosity 0 --log nnc")), {
    name: "InputError",
    message: "--log: prints a profile, which --verbosity 0 omits; omit one of the two flags",
  });
});

Deno.test("the steps to profile come from the flag, the scenario, or a default if needed", () => {
  const own = { ...DEFAULT_PROFILE, active: 9 };
  const request = (line: string, profile: typeof own | null = null) =>
    profileRequest(flags(line), { profile, bottleneck: false });
  assert.equal(request(""), null);
  assert.equal(request("--verbosity 0"), null);
  for (const line of ["--verbosity 1", "--verbosity 2", "--log nnc", "--report out", "--top 1"]) {
    assert.deepEqual(request(line), DEFAULT_PROFILE, line);
  }
  assert.deepEqual(profileRequest(flags(""), { profile: null, bottleneck: true }), DEFAULT_PROFILE);
  assert.deepEqual(request("", own), own);
  assert.deepEqual(request("--verbosity 2", own), own);
  assert.deepEqual(request("--profile-steps 2:4", own), { skipFirst: 2, wait: 0, warmup: 0, active: 2, repeat: 1 });
});
