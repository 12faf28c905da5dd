/** Output of the commands on kept runs, with a store of synthetic runs. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { resultSchema } from "../../../runtime/result/schema.ts";
import { openStore } from "../../../runtime/store/store.ts";
import { parseCsv } from "../../support/csv.ts";
import { keepWhole, outcome, round, spec, start } from "../../store/synthetic_run.ts";
import { tachoHere as tacho } from "../tacho_here.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

interface Runs {
  readonly folder: string;
  /** Two whole runs of one scenario, one of another, and one that was killed; the earliest first. */
  readonly ids: readonly [string, string, string, string];
}

async function withRuns(test: (runs: Runs) => Promise<void>): Promise<void> {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  let ids: Runs["ids"];
  {
    using store = openStore(folder);
    const one = keepWhole(store, 100);
    const two = keepWhole(store, 150);
    const other = keepWhole(store, 120, { spec: spec({ scenario: "other" }), args: ["name='a b'"] });
    const killed = store.begin(start());
    killed.recorder.keepRound(round(0));
    killed.abandon();
    ids = [one, two, other, killed.id];
  }
  await test({ folder, ids });
}

Deno.test("runs lists the latest runs first and filters them", () =>
  withRuns(async ({ folder, ids: [one, two, other, killed] }) => {
    const [all, csv, scenario, status, text, json, none, limited] = await Promise.all([
      tacho(folder, "runs"),
      tacho(folder, "runs", "--csv"),
      tacho(folder, "runs", "--scenario", "other"),
      tacho(folder, "runs", "--status", "interrupted"),
      tacho(folder, "runs", "A B"),
      tacho(folder, "runs", "--json", "--since", "1h"),
      tacho(folder, "runs", "--since", "2999-01-01"),
      tacho(folder, "runs", "--limit", "1"),
    ]);
    assert.deepEqual([all.code, all.stderr], [0, ""]);
    const listed = (text: string) => text.match(/^[0-9a-z]{12}(?= )/gm) ?? [];
    assert.deepEqual(listed(all.stdout), [killed, other, two, one]);
    assert.match(all.stdout, new RegExp(`^${two}  .*  synthetic  complete +2  150 images/s  `, "m"));
    assert.match(all.stdout, new RegExp(`^${killed}  .*  interrupted +2 +–  –$`, "m"));
    for (const line of all.stdout.split("\n")) assert(line.length <= 100, line);
    const [head, ...rows] = parseCsv(csv.stdout);
    assert.deepEqual(head!.slice(0, 4), ["id", "started", "scenario", "status"]);
    assert.deepEqual(rows.map(([id, , , , , speed]) => [id, speed]), [[killed, ""], [other, "120"], [two, "150"], [
      one,
      "100",
    ]]);
    assert.deepEqual(listed(scenario.stdout), [other]);
    assert.deepEqual(listed(status.stdout), [killed]);
    assert.deepEqual(listed(text.stdout), [other]);
    assert.deepEqual(JSON.parse(json.stdout).map(({ id }: { id: string }) => id), [killed, other, two, one]);
    assert.match(none.stdout, /^No kept run in .*runs\.sqlite matches\n$/);
    assert.match(limited.stdout, /^1 run in .* \(latest; --all lists all\)\n/);
  }));

Deno.test("listing a missing store succeeds, and showing a run of it fails", async () => {
  const folder = join(await Deno.makeTempDir(), "none");
  const [list, json, show] = await Promise.all([
    tacho(folder, "runs"),
    tacho(folder, "runs", "--json"),
    tacho(folder, "show"),
  ]);
  assert.deepEqual([list.code, list.stdout], [0, `No runs are kept in ${folder} yet\n`]);
  assert.deepEqual([json.code, json.stdout], [0, "[]\n"]);
  assert.deepEqual([show.code, show.stdout], [2, ""]);
  assert.equal(
    show.stderr,
    `error: No runs are kept in ${folder} yet; runs are kept unless --no-store is given\n`,
  );
  await Deno.remove(join(folder, ".."), { recursive: true });
});

Deno.test("show prints the matrix of a run, its CSV or every block", () =>
  withRuns(async ({ folder, ids: [one] }) => {
    const [matrix, csv, raw] = await Promise.all([
      tacho(folder, "show", one.slice(3)),
      tacho(folder, "show", one, "--csv", "speed"),
      tacho(folder, "show", one, "--raw"),
    ]);
    assert.equal(matrix.code, 0);
    assert.match(matrix.stdout, new RegExp(`^run ${one} · [0-9-]+ [0-9:]+ · complete · 0:00`));
    assert.match(matrix.stdout, /^synthetic\.ts --rounds 3$/m);
    assert.match(matrix.stdout, /^baseline +100 /m);
    assert.deepEqual(parseCsv(csv.stdout).map((row) => row[0]), [
      "variant",
      ...outcome(100).variants.map(({ name }) => name),
    ]);
    assert(raw.stdout.length > matrix.stdout.length);
  }));

Deno.test("show writes the result as JSON and the source, and judges gates", () =>
  withRuns(async ({ folder, ids: [one] }) => {
    const file = join(folder, "result.json");
    const [json, source, written, gates] = await Promise.all([
      tacho(folder, "show", one, "--json", "-"),
      tacho(folder, "show", one, "--source"),
      tacho(folder, "show", one, "--json", file),
      tacho(folder, "show", one, "--gate", "ips.sink>=200"),
    ]);
    assert.deepEqual(resultSchema.parse(JSON.parse(json.stdout)), outcome(100));
    assert.equal(source.stdout, "// synthetic.ts\nexport default 1;\n");
    assert.equal(written.code, 0);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(file)), outcome(100));
    assert.equal(gates.code, 1);
    assert.match(gates.stdout, /^ips\.sink>=200 /m);
  }));

Deno.test("show says how to continue a killed run, which has no result", () =>
  withRuns(async ({ folder, ids: [, , , killed] }) => {
    const [state, json] = await Promise.all([
      tacho(folder, "show", "last"),
      tacho(folder, "show", killed, "--json", "-"),
    ]);
    assert.equal(state.code, 0);
    assert.match(
      state.stdout,
      new RegExp(`No result yet, 1 complete round kept; "tacho resume ${killed}" continues it\n$`),
    );
    assert.equal(json.code, 2);
    assert.match(json.stderr, new RegExp(`^error: --json: run ${killed} has no result yet, 1 complete round kept; `));
  }));

Deno.test("compare prints the differences of environment and settings before the metrics", () =>
  withRuns(async ({ folder, ids: [one, two, other, killed] }) => {
    const [same, changed, chosen, dead, unknown] = await Promise.all([
      tacho(folder, "compare", one, two),
      tacho(folder, "compare", two, other),
      tacho(folder, "compare", one, two, "--metrics", "ips", "--variants", "sink"),
      tacho(folder, "compare", one, killed),
      tacho(folder, "compare", one, two, "--variants", "sink,snik"),
    ]);
    assert.equal(same.code, 0);
    const parts = [
      "Environment and settings are the same",
      `Then ${one}, now ${two}`,
      "the runs were not interleaved",
    ];
    const places = parts.map((part) => same.stdout.indexOf(part));
    assert(places[0]! > 0 && places[0]! < places[1]! && places[1]! < places[2]!, same.stdout);
    // Means of logs of 99, 100, 101 and of 149, 150, 151, with Welch's interval
    assert.match(same.stdout, /^sink +ips +images\/s +100 +150 +×1\.500 +1\.4\d\d to 1\.5\d\d \*$/m);
    assert.match(changed.stdout, new RegExp(`^ {2}scenario: "synthetic" in ${two}, "other" in ${other}$`, "m"));
    assert.match(chosen.stdout, /^sink +ips /m);
    assert.doesNotMatch(chosen.stdout, /^baseline |forward/m);
    assert.deepEqual([dead.code, dead.stderr], [
      2,
      `error: tacho compare: run ${killed} is interrupted and has no result to compare\n`,
    ]);
    assert.deepEqual([unknown.code, unknown.stderr], [
      2,
      "error: --variants: neither run has snik; they have baseline, sink\n",
    ]);
  }));

Deno.test("history prints a metric over the runs of one scenario", () =>
  withRuns(async ({ folder, ids: [one, two] }) => {
    const [ips, csv, json, metric, variant, bare, words] = await Promise.all([
      tacho(folder, "history", "ips.sink", "--scenario", "synthetic"),
      tacho(folder, "history", "ips.sink", "--scenario", "synthetic", "--csv"),
      tacho(folder, "history", "memory.peak.baseline", "--scenario", "synthetic", "--json"),
      tacho(folder, "history", "forwrd.sink"),
      tacho(folder, "history", "ips.snik"),
      tacho(folder, "history", "ips"),
      tacho(folder, "history", "status.sink"),
    ]);
    assert.match(ips.stdout, /^ips\.sink of synthetic, images\/s; 2 runs\n[▁▂▃▄▅▆▇█]{2}\n/);
    assert.match(ips.stdout, new RegExp(`^${one} .* 100 .*\\+0\\.0 %[^]*^${two} .* 150 .*\\+50 %`, "m"));
    assert.deepEqual(parseCsv(csv.stdout).slice(1).map(([run, , value, unit]) => [run, value, unit]), [
      [one, "100", "images/s"],
      [two, "150", "images/s"],
    ]);
    assert.deepEqual(JSON.parse(json.stdout).map(({ value }: { value: number }) => value), [
      312 * 2 ** 20,
      312 * 2 ** 20,
    ]);
    assert.match(metric.stderr, /^error: tacho history: unknown metric "forwrd"; did you mean "forward"\?\n$/);
    assert.match(
      variant.stderr,
      /^error: tacho history: no kept run has a variant "snik"; did you mean "sink"\?\n$/,
    );
    assert.match(bare.stderr, /expected a variant after the metric, such as ips\.baseline\n$/);
    assert.match(words.stdout, /^status\.sink of other; 1 run\n[^]* ok /);
    for (const { code } of [metric, variant, bare]) assert.equal(code, 2);
  }));

Deno.test("export writes whole runs as JSON, and metrics or blocks as CSV", () =>
  withRuns(async ({ folder, ids: [one, two, other, killed] }) => {
    const file = join(folder, "all.csv");
    const [json, csv, blocks, both, folderName] = await Promise.all([
      tacho(folder, "export", one, "last"),
      tacho(folder, "export", "-o", file),
      tacho(folder, "export", two, "--blocks"),
      tacho(folder, "export", two, "--scenario", "x"),
      tacho(folder, "export", "-o", folder),
    ]);
    const { format, version, runs } = JSON.parse(json.stdout);
    assert.deepEqual([format, version, runs.length], ["tacho-export", 1, 2]);
    assert.deepEqual([runs[0].id, runs[0].result, runs[0].modules], [one, outcome(100), start().modules]);
    assert.deepEqual([runs[1].id, runs[1].status, runs[1].result], [killed, "interrupted", null]);
    assert.equal(csv.stdout, "");
    const [header = "", ...rows] = (await Deno.readTextFile(file)).trim().split("\n");
    assert.match(header, /^run,started,status,scenario,.*,variant,variant_status,metric,value,low,high,unit$/);
    assert.deepEqual(new Set(rows.map((row) => row.slice(0, 12))), new Set([one, two, other]));
    const ips = rows.find((row) => row.startsWith(two) && row.includes(",sink,ok,ips,"));
    assert.match(ips!, /,sink,ok,ips,150,14\d\.\d+,15\d\.\d+,images\/s$/);
    assert.equal(blocks.stdout.trim().split("\n").length, 1 + 2 * 3);
    assert.match(blocks.stdout, new RegExp(`^${two},.*,baseline,0,0,32,`, "m"));
    assert.match(
      both.stderr,
      /^error: tacho export: name runs, or select them with --scenario and --since, but not both\n$/,
    );
    assert.match(folderName.stderr, /^error: --output .*: cannot be written \(.* is a folder; expected a file\)\n$/);
  }));

Deno.test("export has a column per swept setting of any run", async () => {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  {
    using store = openStore(folder);
    const swept = (axes: Record<string, number | string>[]) => {
      const run = store.begin(start());
      const { variants, ...rest } = outcome(100);
      run.finish({ ...rest, variants: variants.map((variant, i) => ({ ...variant, axes: axes[i]! })) });
    };
    swept([{ amp: "O0", adapter: 3 }, { amp: "O2", adapter: 4 }]);
    swept([{ "loader.batchSize": 8 }, { "loader.batchSize": 16 }]);
    keepWhole(store);
  }
  const [metrics, blocks] = await Promise.all([
    tacho(folder, "export", "--format", "csv"),
    tacho(folder, "export", "--blocks"),
  ]);
  for (const { stdout } of [metrics, blocks]) {
    const [header, ...rows] = parseCsv(stdout);
    const from = header!.indexOf("amp");
    assert.deepEqual(header!.slice(from - 1, from + 4), [
      "git",
      "amp",
      "params.adapter",
      "loader.batchSize",
      "variant",
    ]);
    const cells = [...new Set(rows.map((row) => row.slice(from, from + 4).join()))];
    assert.deepEqual(cells, [
      "O0,3,,baseline",
      "O2,4,,sink",
      ",,8,baseline",
      ",,16,sink",
      ",,,baseline",
      ",,,sink",
    ]);
  }
});

Deno.test("a run of measure() is refused by commands that need its script, with the way to repeat it", async () => {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  const ids = (() => {
    using store = openStore(folder);
    const whole = keepWhole(store, 100, { script: null, modules: [] });
    const cut = store.begin(start({ script: null, modules: [] }));
    cut.abandon();
    return [whole, cut.id] as const;
  })();
  const [repeat, lock, verify, resume] = await Promise.all([
    tacho(folder, "repeat", ids[0]),
    tacho(folder, "lock", ids[0]),
    tacho(folder, "verify", ids[0]),
    tacho(folder, "resume", ids[1]),
  ]);
  for (const { code, stderr } of [repeat, lock, verify]) {
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^error: Run \w+ cannot be repeated: it came from measure\(\) or bench\(\) in synthetic\.ts, .* tacho compare \w+ last\n$/,
    );
  }
  assert.equal(resume.code, 2);
  assert.match(resume.stderr, /^error: Run \w+ cannot be resumed: it came from measure\(\), bench\(\) or code that /);
});

Deno.test("prune removes only the selected runs", () =>
  withRuns(async ({ folder, ids: [one, two, other, killed] }) => {
    const [nothing, dry] = await Promise.all([
      tacho(folder, "prune"),
      tacho(folder, "prune", "--keep", "1", "--dry-run"),
    ]);
    assert.match(nothing.stderr, /^error: tacho prune: expected --keep N or --older-than AGE/);
    assert.match(dry.stdout, /^2 runs would be removed /);
    const young = await tacho(folder, "prune", "--older-than", "1d");
    assert.match(young.stdout, /^Nothing to remove in /);
    const gone = await tacho(folder, "prune", "--keep", "1");
    assert.match(gone.stdout, /^2 runs were removed /);
    for (const id of [one, two]) assert.match(gone.stdout, new RegExp(`^${id} `, "m"));
    const left = JSON.parse((await tacho(folder, "runs", "--json")).stdout).map(({ id }: { id: string }) => id);
    assert.deepEqual(left, [killed, other]);
  }));

Deno.test("errors name the mistake and the fix", () =>
  withRuns(async ({ folder }) => {
    const wrong: [string[], RegExp][] = [
      [["rusn"], /^error: tacho: unknown command "rusn"; did you mean "runs?"\?\n$/],
      [["--store", "x", "runs"], /^error: tacho: unknown flag before a command "--store"/],
      [["runs", "--staus", "x"], /^error: Unknown flag --staus; did you mean "--status"\?\n$/],
      [
        ["runs", "--status", "done"],
        /^error: --status: expected running, complete, interrupted or failed, got "done"\n$/,
      ],
      [["runs", "--since", "yesterday"], /^error: --since: expected an age such as 30d, .* got "yesterday"\n$/],
      [["runs", "--since", "2026-13-40"], /^error: --since: expected an age/],
      [["runs", "--limit", "0"], /^error: --limit: expected a whole number of at least 1, got "0"\n$/],
      [["runs", "a", "b"], /^error: tacho runs: too many arguments/],
      [["show", "last~9"], /^error: Unknown run "last~9": .* has only 4 runs\n$/],
      [["show", "../x"], /^error: Unknown run "..\/x": expected an ID/],
      [
        ["compare", "last"],
        /^error: tacho compare: expected <now>, got nothing; usage: tacho compare \[options\] <then> <now>\n$/,
      ],
      [["compare", "last", "last~1", "--metrics", "forwrd"], /--metrics: .* got "forwrd"; did you mean "forward"\?\n$/],
      [["run"], /^error: tacho run: expected the path of a script, got nothing\n$/],
      [["run", "--rounds", "3"], /got "--rounds"; flags come after it: tacho run SCRIPT --rounds\n$/],
      [
        ["resume", "--rounds", "3"],
        /^error: Unknown flag --rounds; a flag for the script comes after the run: tacho resume RUN --rounds\n$/,
      ],
      [["run", "/no/such.ts"], /^error: tacho run: \/no\/such\.ts cannot be read/],
      [["export", "--blocks", "--format", "json"], /^error: --blocks: needs --format csv, got json\n$/],
      [["runs", "--store", "/dev/null"], /^No runs are kept in \/dev\/null yet\n$|^error: The store \/dev\/null/],
    ];
    const ends = await Promise.all(wrong.map(([args]) => tacho(folder, ...args)));
    wrong.forEach(([args, expected], i) => {
      const { code, stdout, stderr } = ends[i]!;
      assert.match(stderr + stdout, expected, args.join(" "));
      if (stderr !== "") assert.equal(code, 2, args.join(" "));
    });
  }));

Deno.test("tacho run fails if a script has nothing to run, and leaves other scripts alone", async () => {
  const folder = await Deno.makeTempDir();
  const script = join(folder, "forgotten.ts");
  await Deno.writeTextFile(script, "const count = () => 1;\ncount();\n");
  assert.equal((await tacho(folder, "run", script)).stderr, "");
  for (const text of ["export default 3;\n", "console.log(1);\n"]) {
    await Deno.writeTextFile(script, text);
    const { code, stderr } = await tacho(folder, "run", script);
    assert.equal(code, 2);
    assert.match(stderr, /^error: tacho run: .*forgotten\.ts has no scenario, so there is nothing to run/);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("every command has help with examples", async () => {
  const help = await tacho("/none", "--help");
  assert.equal(help.code, 0);
  const names = [...help.stdout.matchAll(/^ {2}(\w+) {2,}\w/gm)].map(([, name]) => name!).filter((name) =>
    /^[a-z]/.test(name)
  );
  assert(names.length >= 8, help.stdout);
  const bare = await tacho("/none");
  assert.deepEqual([bare.code, bare.stdout], [2, help.stdout]);
  for (
    const [name, text] of await Promise.all(
      names.map(async (name) => [name, await tacho("/none", name, "--help")] as const),
    )
  ) {
    assert.deepEqual([text.code, text.stderr], [0, ""], name);
    assert.match(text.stdout, new RegExp(`^Usage: tacho ${name}\\b[^]*^Examples:\n {2}tacho ${name}\\b`, "m"));
    for (const line of text.stdout.split("\n")) assert(line.length <= 100, line);
  }
});
