/** Answers of `tacho serve`: the list and its changes, reports, comparisons and histories, and what is refused. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { LARGEST } from "../../runtime/core/files.ts";
import type { ComparePayload, ErrorPayload, HistoryPayload, RunPayload } from "../../runtime/serve/payloads.ts";
import { openStore } from "../../runtime/store/store.ts";
import { tachoHere } from "../cli/tacho_here.ts";
import { keepWhole, outcome, round, spec, start } from "../store/synthetic_run.ts";
import { Served } from "./kept.ts";

/** Waits until the list differs from that of a version. */
async function nextList(served: Served, version: string) {
  for (;;) {
    const list = await served.list(version);
    if (list !== null) return list;
    await new Promise((done) => setTimeout(done, 5));
  }
}

Deno.test("the list shows a run as it begins, measures and ends, and is not sent again without a change", async () => {
  await using served = await Served.make();
  const whole = keepWhole(served.store, 100);
  const before = (await served.list())!;
  assert.deepEqual(before.runs.map(({ id, run }) => [id, run?.status, run?.ips]), [[whole, "complete", 100]]);
  assert.equal(await served.list(before.version), null);
  const run = served.store.begin(start());
  const begun = (await served.list(before.version))!;
  assert.deepEqual(begun.runs.map(({ id, run, rounds }) => [id, run?.status, rounds]), [
    [run.id, "running", 0],
    [whole, "complete", 0],
  ]);
  assert.equal(await served.list(begun.version), null);
  run.recorder.keepRound(round(0));
  const measured = (await served.list(begun.version))!;
  assert.equal(measured.runs[0]!.rounds, 1);
  const page = await served.get(`/runs/${run.id}`).text();
  assert(!page.includes('id="overview"'), "there is no report yet");
  const state = await served.json<RunPayload>(`/api/runs/${run.id}`);
  assert.deepEqual([state.hasReport, state.listed.rounds], [false, 1]);
  run.finish(outcome(120));
  const ended = (await served.list(measured.version))!;
  assert.deepEqual(ended.runs[0]?.run?.ips, 120);
  assert.equal((await served.json<RunPayload>(`/api/runs/${run.id}`)).hasReport, true);
  const killed = served.store.begin(start());
  const running = (await served.list(ended.version))!;
  assert.equal(running.runs[0]?.run?.status, "running");
  killed.abandon(); // releases the lock as the end of a process does, and writes nothing
  assert.equal((await served.list(running.version))?.runs[0]?.run?.status, "interrupted");
});

Deno.test("damaged rows, metrics and results are listed with their problem, and hide no other run", async () => {
  await using served = await Served.make();
  const [row, large, metrics, result, good] = [1, 2, 3, 4, 5].map((i) => keepWhole(served.store, 100 * i)) as [
    ...[string, string, string, string, string],
  ];
  served.sql("UPDATE runs SET args = '[' WHERE id = ?", row);
  served.sql("UPDATE runs SET seed = 9007199254740993 WHERE id = ?", large);
  served.sql("UPDATE variants SET readings = '{' WHERE run = ?", metrics);
  served.sql("UPDATE results SET content = ? WHERE run = ?", new Uint8Array(100).fill(7), result);
  const first = (await served.list())!;
  // Results are read in the background
  const { runs } = await nextList(served, first.version);
  assert.deepEqual(runs.map(({ id, run }) => [id, run === null]), [
    ...[[good, false], [result, false], [metrics, false], [large, true], [row, true]],
  ]);
  const problems = Object.fromEntries(runs.map(({ id, problem }) => [id, problem]));
  assert.deepEqual([problems[good], problems[metrics]], [null, null]);
  for (const id of [row, large]) assert.equal(problems[id], "its row in the store is damaged");
  assert.equal(problems[result], "its result in the store is damaged");

  for (const id of [row, large, result]) {
    assert.equal(served.get(`/runs/${id}`).status, 200);
    const { listed, hasReport } = await served.json<RunPayload>(`/api/runs/${id}`);
    assert.deepEqual([typeof listed.problem, hasReport], ["string", false]);
  }
  const compared = await served.json<ComparePayload>(`/api/compare?runs=${[metrics, result, row, good].join(",")}`);
  assert.deepEqual(compared.runs.map(({ problem }) => problem === null), [true, false, false, true]);
  assert.deepEqual(compared.comparisons.map(({ then, now }) => [then, now]), [[metrics, good]]);
  const history = await served.json<HistoryPayload>("/api/history");
  assert.deepEqual(history.points.map(({ run, value }) => [run.id, value]), [[result, 400], [good, 500]]);
  assert.deepEqual(
    new Set(history.problems),
    new Set([row, large, metrics].map((id) => `run ${id} is left out: it is damaged`)),
  );

  served.sql(
    "INSERT INTO runs SELECT '../../../etc/passwd', * FROM (SELECT started, ended, 'running', message, scenario, " +
      "script, args, cwd, seed, baseline, variants, failed, resumed, ips, unit, best, best_speedup, plan, adapter, driver, " +
      "deno, tacho, git, lock_hash, environment FROM runs WHERE id = ?)",
    good,
  );
  const listed = (await served.list())!.runs.find(({ id }) => id.includes("/"));
  assert.equal(listed?.run?.status, "interrupted");
});

Deno.test("results that nobody can read end neither requests nor the checks in the background", async () => {
  await using served = await Served.make();
  const contents = [
    deflateSync(JSON.stringify(outcome(100)) + " ".repeat(LARGEST.text)), // valid
    deflateSync("[".repeat(2 ** 20)),
    deflateSync(`{"schemaVersion":1,"variants":[${"{},".repeat(200_000)}{}]}`),
    deflateSync('{"schemaVersion":1,"variants":[{"ops":[null]}]}'),
    deflateSync('{"schemaVersion":3,"variants":5,"procedure":[]}'),
    deflateSync("null"),
    new Uint8Array(0),
  ];
  const ids = contents.map((content) => {
    const id = keepWhole(served.store);
    served.sql("UPDATE results SET content = ? WHERE run = ?", content, id);
    return id;
  });
  const good = keepWhole(served.store);
  for (let list = (await served.list())!;; list = await nextList(served, list.version)) {
    const problems = list.runs.filter(({ problem }) => problem !== null).map(({ id }) => id);
    assert.ok(!problems.includes(good));
    if (problems.length === ids.length) break;
  }
  for (const id of ids) {
    assert.equal(served.get(`/runs/${id}`).status, 200, "a page that tells the problem");
    const { runs } = await served.json<ComparePayload>(`/api/compare?runs=${good},${id}`);
    assert.deepEqual(runs.map(({ problem }) => problem === null), [true, false]);
  }
});

Deno.test("a damaged program is named and hides no other, and one whose result is unreadable has a page that says so", async () => {
  await using served = await Served.make();
  const program = { started: 1, ended: 2, status: 0, cwd: "/", adapter: null, tacho: "0.1.0", deno: "2" };
  const [damaged, other, empty] = ["a", "b", "c"].map((name) => {
    return served.store.keepAttached({ ...program, command: ["deno", "run", name] }, {});
  }) as [string, string, string];
  served.sql("UPDATE attached SET command = '5' WHERE id = ?", damaged);
  const { programs, problem } = (await served.list())!;
  assert.deepEqual(programs.map(({ id }) => id), [empty, other]);
  assert.equal(problem, `attached program ${damaged} is left out: it is damaged`);
  const page = served.get(`/programs/${empty}`);
  assert.equal(page.status, 500);
  assert.match(await page.text(), /The result of the attached program \w+ is damaged/);
});

Deno.test("a change that no number expresses is left out", async () => {
  await using served = await Served.make();
  const [a, b] = [1e-300, 1e300].map((ips) => {
    const run = served.store.begin(start());
    const result = outcome(100);
    const metrics = { ...result.variants[0]!.metrics, ips: { ...result.variants[0]!.metrics.ips!, value: ips } };
    run.finish({ ...result, variants: result.variants.map((variant) => ({ ...variant, metrics, blocks: [] })) });
    return run.id;
  });
  const { comparisons: [compared] } = await served.json<ComparePayload>(`/api/compare?runs=${a},${b}`);
  const [ips] = compared!.variants[0]!.metrics;
  assert.deepEqual([ips!.metric.name, ips!.change], ["ips", null]);
});

Deno.test("a run's page is the one that tacho report writes", async () => {
  await using served = await Served.make();
  const id = keepWhole(served.store, 100);
  const out = join(served.folder, "out");
  const { code, stderr } = await tachoHere(served.folder, "report", id, "--out", out);
  assert.equal(code, 0, stderr);
  const response = served.get(`/runs/${id}`);
  assert.equal(await response.text(), await Deno.readTextFile(join(out, "report.html")));
  const policy = response.headers.get("content-security-policy")!;
  assert.match(
    policy,
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';.*frame-ancestors 'none'$/,
  );
});

Deno.test("a comparison has the figures of tacho compare, and a history those of tacho history", async () => {
  await using served = await Served.make();
  const [a, b, c] = [100, 110, 90].map((ips) => keepWhole(served.store, ips)) as [string, string, string];
  const other = keepWhole(served.store, 120, { spec: spec({ tacho: "0.2.0" }) });
  const { comparisons } = await served.json<ComparePayload>(`/api/compare?runs=${a},${b},${other}`);
  const printed = JSON.parse((await tachoHere(served.folder, "compare", a, b, "--json")).stdout);
  const [first, second] = comparisons;
  assert.deepEqual([first!.then, first!.now, first!.settings], [a, b, printed.settings]);
  assert.deepEqual(first!.environment, printed.environment);
  const figures = first!.variants.map(({ name, metrics }) => ({
    name,
    metrics: metrics.map(({ metric, change }) => [metric.name, change?.value, change?.interval?.low ?? null]),
  }));
  type Printed = { name: string; metrics: { metric: string; change: { value: number; low: number | null } | null }[] };
  assert.deepEqual(
    figures,
    (printed.variants as Printed[]).map(({ name, metrics }) => ({
      name,
      metrics: metrics.map(({ metric, change }) => [metric, change?.value, change?.low ?? null]),
    })),
  );
  assert.deepEqual(second!.settings, ['Tacho: "0.1.0" then, "0.2.0" now']);

  const history = await served.json<HistoryPayload>("/api/history?scenario=synthetic&variant=sink&metric=ips");
  const kept = JSON.parse((await tachoHere(served.folder, "history", "ips.sink", "--json")).stdout);
  assert.deepEqual(JSON.parse(JSON.stringify(history.points)), kept);
  assert.deepEqual(history.points.map(({ run }) => run.id), [a, b, c, other]);
  assert.deepEqual(history.subjects, [{ scenario: "synthetic", variants: ["baseline", "sink"] }]);
});

Deno.test("other hosts, methods and addresses are refused, and every answer has its headers", async () => {
  await using served = await Served.make();
  const id = keepWhole(served.store);
  const header = (host: string) => ({ headers: { host } });
  const refusals: [string, number, Response][] = [
    ["rebound name", 421, served.get("/", {}, "rebound.example:8224")],
    ["rebound name in the header", 421, served.get("/", header("rebound.example:8224"))],
    ["name that begins with a right one", 421, served.get("/", header("localhost.rebound.example"))],
    ...["POST", "PUT", "DELETE", "OPTIONS"].map((method): [string, number, Response] => [
      ...[method, 405, served.get(`/runs/${id}`, { method })] as const,
    ]),
    [
      "page elsewhere",
      403,
      served.get("/api/runs", { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" } }),
    ],
    ["unknown address", 404, served.get("/client.js")],
    ["unknown run", 404, served.get("/runs/0000")],
    ["part of an ID", 404, served.get(`/runs/${id.slice(0, 8)}`)],
    ["unknown program", 404, served.get("/programs/0000")],
    ["traversal", 404, served.get("/runs/..%2f..%2fetc%2fpasswd")],
    ["traversal in an answer as JSON", 404, served.get("/api/runs/..%2F..%2Fetc%2Fpasswd")],
    ["one run to compare", 400, served.get(`/api/compare?runs=${id}`)],
    ["unknown metric", 400, served.get("/api/history?metric=ipz")],
    ["unknown variant", 404, served.get("/api/history?variant=amp")],
    ["unknown scenario", 404, served.get("/api/history?scenario=x")],
    ["no number", 400, served.get("/api/runs?limit=-1")],
  ];
  for (const [what, status, response] of refusals) {
    assert.equal(response.status, status, what);
    assertHeaders(response);
    await response.body?.cancel();
  }
  for (const host of ["localhost:1", "127.0.0.1", "[::1]:9000"]) assert.equal(served.get("/", {}, host).status, 200);
  const link = { headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" } };
  assert.equal(served.get(`/runs/${id}`, link).status, 200, "a page elsewhere may link to a run");
  for (const path of ["/", "/compare?runs=a,b", "/history", `/runs/${id}`, "/api/runs"]) {
    assertHeaders(served.get(path));
  }
  const { error } = await served.json<ErrorPayload>("/api/history?metric=ipz", 400);
  assert.equal(error, 'metric: unknown metric "ipz"; did you mean "ips"?');
});

function assertHeaders({ headers }: Response): void {
  assert.match(headers.get("content-security-policy")!, /^default-src 'none'.*frame-ancestors 'none'$/);
  assert.doesNotMatch(headers.get("content-security-policy")!, /unsafe|\*/);
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
  assert.equal(headers.get("access-control-allow-origin"), null);
  assert.equal(headers.get("cache-control"), "no-store");
}

Deno.test("names with markup stay text in the page of a problem", async () => {
  await using served = await Served.make();
  const html = await served.get("/%3C/script%3E%3Cscript%3Ealert(1)%3C/script%3E</script><b>").text();
  assert.equal(html.split("</script").length, 3, "only the two scripts of the page end");
});

Deno.test("a store that does not exist yet is empty, and one that is replaced is opened again", async () => {
  await using served = await Served.make();
  await Deno.remove(served.store.file);
  const none = (await served.list())!;
  assert.deepEqual([none.runs, none.total], [[], 0]);
  await served.json("/api/history", 404);
  {
    using store = openStore(served.folder);
    keepWhole(store);
  }
  const some = (await served.list(none.version))!;
  assert.equal(some.total, 1);
  await Deno.remove(served.store.file);
  assert.equal((await served.list(some.version))?.total, 0);
  await Deno.writeTextFile(served.store.file, "not a database at all, but long enough to look at\n".repeat(50));
  const { error } = await served.json<ErrorPayload>("/api/runs", 500);
  assert.match(error, /is damaged; move .* away to start a new one/);
});
