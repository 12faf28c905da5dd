import assert from "node:assert/strict";
import { join } from "node:path";
import { readGates } from "../../runtime/library/read_gates.ts";
import { rehearseIn } from "./rehearse_here.ts";
import { Place } from "./tacho_process.ts";

/** Reports the same result in every run, without measuring: 3 blocks of 140 images/s for each variant. */
function rehearse({ folder }: Place, args: readonly string[], happening = "") {
  return rehearseIn(folder, join(folder, "store"), args, happening);
}

Deno.test("a run with an unmet gate exits with 1 and prints the outcome of each", async () => {
  await using place = await Place.make();
  const gates = ["--gate", "ips.baseline>=100", "--gate", "memory.peak.*<=1GiB"];
  const met = await rehearse(place, gates);
  assert.equal(met.code, 0, met.stderr);
  assert.match(
    met.stdout,
    /^--explain [^]*\n\n5 gates: met\ngate +variant +measured, 95 % interval +wanted +result\n─+\n/m,
  );
  assert.match(met.stdout, /^ips\.baseline>=100 +baseline +140 \[140, 140\] images\/s +>= 100 images\/s +holds$/m);
  const unmet = await rehearse(place, [...gates, "--gate", "ips.all>=150", "--no-store"]);
  assert.equal(unmet.code, 1);
  assert.match(unmet.stdout, /^ips\.all>=150 .* FAILS\n {4}the whole interval is on the wrong side$/m);
});

Deno.test("with --json -, gates are printed to stderr", async () => {
  await using place = await Place.make();
  const { code, stdout, stderr } = await rehearse(place, ["--json", "-", "--gate", "ips.all>=150"]);
  assert.equal(code, 1);
  JSON.parse(stdout);
  assert.match(stderr, /^1 gate: 1 not met\n/m);
});

Deno.test("gates are parsed before anything runs", async () => {
  await using place = await Place.make();
  const messages: [string, RegExp][] = [
    ["ips.bassline>=1", /^error: gate "ips\.bassline>=1": unknown variant "bassline"; did you mean "baseline"\?\n$/],
    ["ipss.baseline>=1", /^error: gate "ipss\.baseline>=1": unknown metric "ipss"; did you mean "ips"\?\n$/],
    ["ips.baseline>=-5%@last", /^error: gate "[^"]+": no run @last; \S+ has no runs yet\n$/],
  ];
  for (const [gate, message] of messages) {
    const { code, stdout, stderr } = await rehearse(place, ["--gate", gate], "throw");
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, message);
  }
  const alone = await rehearse(place, ["--gate-undecided", "pass"]);
  assert.deepEqual([alone.code, alone.stderr], [
    2,
    "error: --gate-undecided: needs --gate\n",
  ]);
});

Deno.test("a failed run keeps its exit status regardless of its gates", async () => {
  await using place = await Place.make();
  const { code, stdout } = await rehearse(place, ["--gate", "ips.*>=1"], "fail");
  assert.equal(code, 3);
  assert.match(stdout, /^ips\.\*>=1 +amp +– .* FAILS\n {4}the variant failed: The adapter has no shader-f16$/m);
});

/** A store with one run of the rehearsal and no baseline. */
let kept: Place;
Deno.test.beforeAll(async () => {
  kept = await Place.make();
  assert.equal((await rehearse(kept, [])).code, 0);
});
Deno.test.afterAll(async () => await kept[Symbol.asyncDispose]());

Deno.test("a gate compares with the last run before the judged one", async () => {
  const { stdout } = await rehearse(kept, ["--gate", "ips.amp>=-1%@last", "--no-store"]);
  assert.match(stdout, /^ips\.amp>=-1%@last +×1\.000 \[1\.000, 1\.000\] +>= ×0\.990 +holds$/m);
  assert.match(stdout, /^ {4}140 images\/s now, 140 images\/s in \w+$/m);
  const alone = await kept.here("gate", "last", "ips.amp>=@last");
  assert.match(alone.stderr, /no run @last; \S+ has 0 complete runs of rehearsal to compare with/);
});

Deno.test("gates compare with the baseline, which is set, listed and cleared, or with any run", async () => {
  const none = await kept.here("gate", "last", "ips.amp>=@baseline");
  assert.equal(none.code, 2);
  assert.match(none.stderr, /scenario rehearsal has no baseline on llvmpipe .*; set one with "tacho baseline set ID"/);
  const set = await kept.here("baseline", "set");
  assert.match(set.stdout, /^Run \w+ is the baseline of rehearsal on llvmpipe .*\n$/);
  const [id] = set.stdout.match(/(?<=^Run )\w+/)!;
  assert.match((await kept.here("baseline")).stdout, new RegExp(`^rehearsal +${id} `, "m"));
  const judged = await kept.here("gate", id, "ips.amp>=+1%@baseline", `finalLoss.amp<=@${id}`);
  assert.equal(judged.code, 1);
  assert.match(judged.stdout, /^2 gates: 1 not met\n/);
  assert.match(
    (await kept.here("baseline", "clear", "rehearsal")).stdout,
    /^rehearsal: \w+ is no longer the baseline\n$/,
  );
  assert.equal((await kept.here("baseline", "clear")).stdout, "There are no baselines\n");
});

Deno.test("baseline reports an empty store, and suggests the nearest action", async () => {
  await using place = await Place.make();
  assert.match((await place.here("baseline")).stdout, /^No runs are kept in \S+ yet\n$/);
  assert.match((await place.here("baseline", "sett")).stderr, /unknown action "sett"; did you mean "set"\?/);
});

Deno.test("a gate cannot compare with a run without the variant", async () => {
  await using place = await Place.make();
  await rehearse(place, ["--variants=baseline,amp"]);
  const { code, stderr } = await rehearse(place, ["--gate", "ips.all>=@last"], "throw");
  assert.equal(code, 2);
  assert.match(stderr, /^error: gate "ips\.all>=@last": run \w+ has no variant "all"; known: baseline, amp\n$/);
});

Deno.test("a gate on an alias applies to the variant that runs", async () => {
  const context = {
    scenario: "x",
    variants: ["baseline", "sink"],
    aliases: new Map([["same", "sink"]]),
    adapter: () => Promise.resolve(null),
    run: null,
  };
  const { gates } = await readGates(["ips.same>=1", "ips.baseline>=1"], context);
  assert.deepEqual(gates.map(({ text, variant }) => [text, variant]), [
    ["ips.same>=1", "sink"],
    ["ips.baseline>=1", "baseline"],
  ]);
});
