import { deepEqual, equal, throws } from "node:assert/strict";
import { type Flags, parseFlags } from "../../runtime/cli/flags.ts";
import { profileRequest } from "../../runtime/cli/profile_view.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { DEFAULT_PROFILE } from "../../runtime/record/schedule.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { images } from "../trainer/feed/experiments.ts";

function flags(...args: string[]): Flags {
  const options = { command: "test", helpAfter: () => "", helpWidth: 80, write: () => {} };
  return parseFlags(args, options)!;
}

Deno.test("--bottleneck and bottleneck=true run ablations of every variant", () => {
  equal(flags().bottleneck, undefined);
  equal(flags("--bottleneck").bottleneck, true);
  equal(resolveScenario(images()).bottleneck, false);
  equal(resolveScenario(images({ bottleneck: true })).bottleneck, true);
  equal(resolveScenario(images(), { overrides: ["bottleneck=true"] }).bottleneck, true);
  equal(resolveScenario(images({ bottleneck: true }), { overrides: ["bottleneck=false"] }).bottleneck, false);
  equal(resolveScenario(images(), { bottleneck: true }).bottleneck, true);
});

Deno.test("bottleneck applies to all variants, and is true or false", () => {
  throws(() => resolveScenario(images(), { overrides: ["bottleneck=true,false"] }), InputError);
  throws(() => resolveScenario(images(), { overrides: ["bottleneck=yes"] }), /bottleneck: expected true or false/);
});

Deno.test("--bottleneck needs profiled steps", () => {
  equal(profileRequest(flags(), { profile: null, bottleneck: false }), null);
  deepEqual(profileRequest(flags(), { profile: null, bottleneck: true }), DEFAULT_PROFILE);
  const own = { ...DEFAULT_PROFILE, active: 2 };
  deepEqual(profileRequest(flags(), { profile: own, bottleneck: true }), own);
});
