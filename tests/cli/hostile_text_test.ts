/**
 * Every command prints text that is not Tacho's, such as names in files, messages of other programs and its own arguments,
 * without a character that controls a terminal. The commands are those of the registry: a new one needs a fixture here.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { AttachResult } from "@tacho/tacho/attach";
import { sha256 } from "../../runtime/core/sha256.ts";
import { COMMANDS } from "../../runtime/cli/commands/registry.ts";
import { TABLE_NAMES } from "../../runtime/report/tables.ts";
import { DIALECTS } from "../../runtime/report/dialects/names.ts";
import type { Result } from "../../runtime/result/schema.ts";
import { shardFileName } from "../../runtime/shards/store/shard_file.ts";
import { openStore } from "../../runtime/store/store.ts";
import { bottleneck, effects, findings, judged, ladder, target } from "../report/judged_fixture.ts";
import { profiled } from "../report/profile_fixture.ts";
import { renamed } from "../report/hostile.ts";
import { round, start } from "../store/synthetic_run.ts";
import { onnxFile } from "../support/onnx_file.ts";
import { full } from "../support/full.ts";
import { peaksOf } from "../support/peaks.ts";
import { Repository } from "./commits/repository.ts";
import { lockOf } from "./repeat/sandbox/hostile_locks.ts";
import { type Ended, Place } from "./tacho_process.ts";

/** Control sequences that terminals obey and that file names and arguments may contain. */
const TYPED = "evil\x1b]0;title\x07\x1b[2J\x1b]8;;mailto:x\x1b\\\x1b]52;c;eA\x07\x1b[31m\r\b\x7f" +
  "\u0085\u009b2J\u009d0;x\u009c\u200b\u200e\u202e\u2066\u2028\u2029\ufeff\u3164\u{e0041}";

/** The same with a line break and half of a surrogate pair. */
const HOSTILE = `${TYPED}\n\ud83d`;

/** Name of a sweep in a file name, on one line. */
const SWEEP = TYPED.replaceAll(/[\r\u2028\u2029]/g, "");

const UNSAFE = /[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t\ufe0e\ufe0f]]/v;

/** The place of all fixtures, with a store of hostile runs. */
interface Fixture {
  readonly place: Place;
  /** Runs a command of `tacho` in this process, or in its own if it does not read what its processes print. */
  readonly here: (...args: readonly string[]) => Promise<Ended>;
  readonly apart: (args: readonly string[], env?: Record<string, string>) => Promise<Ended>;
  /** Two complete runs, and one that was killed. */
  readonly runs: readonly [string, string];
  readonly killed: string;
  readonly variants: readonly string[];
  /** A recorded program. */
  readonly program: string;
  readonly repository: Repository;
}

/** A whole result whose names are hostile, each in its own way. */
function hostileResult(): Result {
  const { variants, ...rest } = judged({ effects, ladder });
  const [first, ...others] = variants;
  const { ops, profile } = profiled("baseline");
  const whole = { ...first!, ops, profile, bottleneck, findings, target };
  const second = { ...others[0]!, ops, profile };
  const result = { ...rest, variants: [whole, second, ...others.slice(1)] };
  return renamed(result, Array.from({ length: 40 }, (_, i) => `${HOSTILE}${i}`));
}

/** A program that names everything with hostile text, says some, and ends with a hostile error. */
const PROGRAM = `
const label = ${JSON.stringify(HOSTILE)};
const device = await (await navigator.gpu.requestAdapter()).requestDevice({ label });
const module = device.createShaderModule({ label, code: "@compute @workgroup_size(1) fn main() {}" });
const pipeline = device.createComputePipeline({ label, layout: "auto", compute: { module, entryPoint: "main" } });
const buffer = device.createBuffer({ label, size: 16, usage: GPUBufferUsage.COPY_DST });
for (let i = 0; i < 8; i++) {
  device.queue.writeBuffer(buffer, 0, new Uint8Array(16));
  const encoder = device.createCommandEncoder({ label });
  const pass = encoder.beginComputePass({ label });
  pass.setPipeline(pipeline);
  pass.dispatchWorkgroups(1);
  pass.end();
  device.queue.submit([encoder.finish({ label })]);
  await device.queue.onSubmittedWorkDone();
}
`;

const SCRIPT = `
import { flatten, linear, run, scenario, sequential, syntheticImages, z } from ${
  JSON.stringify(import.meta.resolve("../../mod.ts"))
};
const hostile = ${JSON.stringify(HOSTILE)};
export default scenario({
  name: "hostile",
  params: { tag: z.string().default(hostile).describe(hostile) },
  model: ({ tag }) => {
    if (tag !== hostile) throw new Error(tag);
    return sequential(flatten(), linear(2));
  },
  mode: "infer",
  data: syntheticImages({ channels: 1, height: 2, width: 2, classes: 2, length: 16 }),
  loader: { batchSize: 4 },
  variants: [{}, { name: "named", params: { tag: hostile } }],
});
if (import.meta.main) await run();
`;

const model = {
  inputs: [{ name: `${HOSTILE}in`, shape: [`${HOSTILE}batch`, 3] }],
  outputs: [{ name: `${HOSTILE}out`, shape: [`${HOSTILE}batch`, 3] }],
  nodes: [
    { type: HOSTILE, name: HOSTILE, domain: HOSTILE, inputs: [`${HOSTILE}in`], outputs: ["y"] },
    { type: "Add", inputs: ["y", HOSTILE], outputs: [`${HOSTILE}out`] },
  ],
  initializers: [{ name: HOSTILE, shape: [3], values: [1, 2, 3] }],
  producer: HOSTILE,
};

/** Arguments of runs of a hostile script. */
const RUNS = [
  ["run", "script.ts", `tag=${JSON.stringify(TYPED)}`],
  ["run", "script.ts", "--help"],
  ["run", "script.ts", "--dry-run", "--json", "-"],
  ["run", "script.ts", "--list", `tag=a,${JSON.stringify(TYPED)}`],
];

/** Runs each command on hostile text. What the fast set leaves out prints by the same code. */
const FIXTURES: Readonly<Record<string, (fixture: Fixture) => Promise<readonly Ended[]>>> = {
  run: ({ apart, here }) =>
    Promise.all([
      here("run", "--sandbox", "thrower.ts"),
      ...(full ? RUNS : RUNS.slice(-1)).map((args) => apart(args)),
    ]),
  fit: async ({ apart }) => full ? [await apart(["fit", "script.ts", `tag=${JSON.stringify(TYPED)}`])] : [],
  attach: ({ here, program }) =>
    Promise.all([
      here("attach", "--show", program),
      here("attach", "--show", program, "--json", "-"),
      here("attach", "--kept"),
    ]),
  recorder: ({ here }) => Promise.all([here("recorder"), here("recorder", TYPED)]),
  versus: async ({ here }) => [
    await here("versus", "--rounds", "1", "deno run -A thrower.ts", "deno run -A thrower.ts"),
    await here("versus", "--rounds", "1", "--steps", "run", "-i", "--export-markdown", "-", `: ${TYPED}`, "false"),
  ],
  "compare-commits": async ({ repository }) => {
    const lines = [
      ["evil\u009b\u202e", "none", "--dry-run"],
      ["HEAD~1", "HEAD", "--dry-run"],
      ["HEAD~1", "HEAD", "--dry-run", "--json", "-"],
    ];
    const ended: Ended[] = [];
    // bisect prints the subjects of commits, too
    for (const args of full ? lines : lines.slice(0, 1)) {
      ended.push(await repository.tacho(["compare-commits", ...args, "--", "train.ts"]));
    }
    return ended;
  },
  bisect: async ({ repository }) => [
    await repository.tacho(["bisect", "HEAD~1", "HEAD", "--count", "dispatches", "--", "train.ts"]),
  ],
  runs: ({ here }) => Promise.all([here("runs"), here("runs", "--csv"), here("runs", "--json")]),
  show: ({ here, runs: [run], killed, program, variants }) =>
    Promise.all([
      here("show", killed),
      here("show", run, "--verbosity", "2", "--pipeline", "--raw", "--advice", "--explain"),
      here("show", run, "--source"),
      here("show", run, "--json", "-"),
      here("show", run, "--diff", variants[0]!, variants[1]!),
      here("show", run, "--gate", `ips.${variants[1]}>=1`),
      here("show", program),
      ...TABLE_NAMES.map((name) => here("show", run, "--csv", name)),
      ...DIALECTS.map((name) => here("show", run, "--log", name)),
    ]),
  report: async ({ here, runs: [run] }) => [await here("report", run, "--out", TYPED)],
  serve: async ({ here, place }) => [await here("serve", "--port", TYPED), await served(place)],
  paper: async ({ here, runs: [run] }) => [await here("paper", run, "--out", join(TYPED, "paper"))],
  compare: ({ here, runs }) =>
    Promise.all([here("compare", ...runs), here("compare", ...runs, "--json"), here("compare", runs[0], TYPED)]),
  diff: ({ here, runs: [run], variants, program }) => {
    const sides = variants.slice(0, 2).map((name) => `${run}:${name}`);
    return Promise.all([
      here("diff", ...sides),
      here("diff", ...sides, "--json"),
      here("diff", ...sides, "--markdown"),
      here("diff", ...sides, "--html", "-"),
      here("diff", program, program),
    ]);
  },
  history: ({ here, variants: [variant] }) =>
    Promise.all([
      here("history", `ips.${variant}`),
      here("history", `ips.${variant}`, "--csv"),
      here("history", `ips.${variant}`, "--json"),
      here("history", `ips.${variant}`, "--changes"),
      here("history", `ips.${TYPED}`),
    ]),
  submit: ({ here }) =>
    Promise.all([
      here("submit", "script.ts", `tag=${TYPED}`, "--shards", "2", "--print"),
      here("submit", "script.ts", `tag=${TYPED}`, "--shards", "2", "--parallel"),
      here("submit", TYPED, "--shards", "2", "--print"),
    ]),
  status: async ({ here }) => [await here("status", "shards"), await here("status", "shards", "--json")],
  collect: async ({ here }) => [await here("collect", "shards")],
  merge: async ({ here }) => [await here("merge", join("shards", shardFileName(SWEEP, 1, 2)))],
  bundle: async ({ here }) => full ? [await here("bundle", "thrower.ts", "--out", join("none", TYPED))] : [],
  resume: async ({ here, killed }) => [await here("resume", killed)],
  repeat: async ({ here, runs: [run] }) =>
    full ? [await here("repeat", run), await here("repeat", "x.lock.json")] : [await here("repeat", "x.lock.json")],
  verify: async ({ here, runs: [run] }) => [await here("verify", run)],
  lock: ({ here, runs: [run] }) => Promise.all([here("lock", run, "-o", "-"), here("lock", run)]),
  gate: ({ here, runs: [run], variants: [, variant] }) =>
    Promise.all([
      here("gate", run, `ips.${variant}>=1`, `speedup.${variant}>=9`),
      here("gate", run, `ips.${variant}>=1`, "--json"),
      here("gate", run, `ips.${variant}>=1e9`, "--annotations", "github"),
      here("gate", run, `ips.${variant}>=1e9`, "--junit", "-"),
    ]),
  baseline: async ({ here, runs: [run] }) => [
    await here("baseline", "set", run),
    await here("baseline"),
    await here("baseline", "clear", run),
  ],
  export: ({ here }) => Promise.all([here("export"), here("export", "--format", "csv"), here("export", "--blocks")]),
  peaks: async ({ here }) => [await here("peaks"), await here("peaks", "--json")],
  prune: async ({ here }) => [await here("prune", "--keep", "0", "--dry-run")],
  doctor: ({ apart }) =>
    Promise.all(
      (full ? [["doctor"], ["doctor", "--json"]] : [["doctor"]]).map((args) =>
        apart(args, { VK_DRIVER_FILES: TYPED, DENO_WEBGPU_BACKEND: TYPED })
      ),
    ),
  isa: ({ here }) =>
    Promise.all([here("isa", TYPED), ...full ? [here("isa", `${TYPED}.wgsl`, "--gpu", "navi21")] : []]),
  onnx: ({ here }) =>
    Promise.all([
      here("onnx", `${TYPED}.onnx`),
      here("onnx", `${TYPED}.onnx`, "--json"),
      here("onnx", `${TYPED}.onnx`, "--script", "written.ts"),
    ]),
  init: async ({ here }) => [await here("init", join("made", TYPED))],
  completions: ({ here }) =>
    Promise.all([
      here("completions", "bash", "--", "show", ""),
      here("completions", "fish", "--", "run", "script.ts", "--log", TYPED),
    ]),
  help: ({ here }) => Promise.all([here("help", TYPED), here("help", "settings", TYPED)]),
};

/** Serves a hostile folder until it says so. */
async function served(place: Place): Promise<Ended> {
  const server = place.start(["serve", "--port", "0", "--store", TYPED]);
  const stderr = new Response(server.stderr).text();
  const decoder = new TextDecoder();
  let stdout = "";
  for await (const chunk of server.stdout) {
    stdout += decoder.decode(chunk, { stream: true });
    if (stdout.includes("\n")) server.kill("SIGTERM");
  }
  const { code } = await server.status;
  return { code, stdout, stderr: await stderr };
}

let fixture: Fixture;

/** Makes the files, and a store with two runs and a recorded program. */
async function makeFixture(place: Place, repository: Repository): Promise<Fixture> {
  await place.write("script.ts", SCRIPT);
  await place.write("thrower.ts", `throw new Error(${JSON.stringify(HOSTILE)});\n`);
  await place.write(`${TYPED}.ts`, PROGRAM);
  await place.write(join("shards", shardFileName(SWEEP, 1, 2)), `{"kind":${JSON.stringify(HOSTILE)}}\n`);
  await place.write("x.lock.json", lockOf({ "script.ts": `throw new Error(${JSON.stringify(HOSTILE)});\n` }));
  await Deno.writeFile(join(place.folder, `${TYPED}.onnx`), onnxFile(model));
  await place.write(`${TYPED}.wgsl`, `@compute @workgroup_size(1) fn main() { let evil = ${HOSTILE}; }`);
  const adapter = { name: HOSTILE, vendor: null, backend: "vulkan", driver: HOSTILE, features: [], kernels: "cpu" };
  const peaks = { adapter: { version: 1, ...adapter, deno: "2.9.6", threads: null }, peaks: peaksOf(1e12, 1e11, null) };
  await place.write("cache/peaks-0.json", JSON.stringify(peaks));

  for (const [message, layers] of [[`before ${HOSTILE}`, 1], [`after ${HOSTILE}`, 2]] as const) {
    await repository.writeScript(layers, "a script");
    await repository.git("add", "-A");
    await repository.git("-c", `user.name=${TYPED}`, "commit", "--quiet", "--message", message.toWellFormed());
  }

  const attached = await place.tacho(["attach", "--json", "attached.json", "--", "deno", "run", "-A", `${TYPED}.ts`]);
  assert.equal(attached.code, 0, attached.stderr);
  checkEnded("attach", attached);
  const result = hostileResult();
  const store = openStore(join(place.folder, "store"));
  try {
    const { name } = result.scenario;
    const begin = () => {
      const text = `throw new Error(${JSON.stringify(HOSTILE)});\r\n`;
      return store.begin(start({
        spec: { ...start().spec, scenario: name, baseline: result.baseline! },
        environment: result.environment,
        script: `/home/${TYPED}.ts`,
        cwd: `/home/${TYPED}`,
        args: [TYPED],
        modules: [{ ...start().modules[0]!, path: `${TYPED}.ts`, text, sha256: sha256(text) }],
      }));
    };
    const keep = () => {
      const run = begin();
      run.finish(result);
      return run.id;
    };
    const runs = [keep(), keep()] as const;
    const killed = begin();
    killed.recorder.keepRound(round(0));
    killed.abandon();
    const recorded = JSON.parse(await Deno.readTextFile(join(place.folder, "attached.json"))) as AttachResult;
    const program = store.attachedRuns()[0]!.id;
    assert.ok(JSON.stringify(recorded).includes("evil"));
    return {
      place,
      repository,
      runs,
      killed: killed.id,
      program,
      variants: result.variants.map((variant) => variant.name),
      here: (...args) => place.here(...args),
      apart: (args, env) => place.tacho(args, env),
    };
  } finally {
    store.close();
  }
}

/** Fails if a command printed what a terminal would obey, or an error of its own. */
function checkEnded(what: string, { stdout, stderr }: Ended): void {
  for (const [stream, text] of Object.entries({ stdout, stderr })) {
    const found = text.match(new RegExp(`.{0,60}${UNSAFE.source}`, "v"))?.[0];
    assert(found === undefined, `${what} printed to ${stream}: ${JSON.stringify(found)}`);
  }
  assert.doesNotMatch(stderr, /Unexpected error/, `${what}: ${stderr}`);
}

let place: Place;
let repository: Repository;

Deno.test.beforeAll(async () => {
  place = await Place.make();
  repository = await Repository.make();
  Deno.env.set("TACHO_CACHE", join(place.folder, "cache"));
  fixture = await makeFixture(place, repository);
});

Deno.test.afterAll(async () => {
  Deno.env.delete("TACHO_CACHE");
  await repository[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

for (const { name } of COMMANDS) {
  Deno.test(`tacho ${name} prints hostile text without what controls a terminal`, async () => {
    const run = FIXTURES[name];
    assert(run !== undefined, `no hostile text for tacho ${name}: add what it reads to FIXTURES`);
    const typed = [[name, `--${TYPED}`], [name, TYPED, TYPED, TYPED, TYPED, TYPED]];
    const refused = await Promise.all(typed.map((args) => fixture.here(...args)));
    for (const [i, ended] of refused.entries()) checkEnded(typed[i]!.slice(0, 2).join(" "), ended);
    const all = await run(fixture);
    for (const [i, ended] of all.entries()) checkEnded(`tacho ${name} (${i})`, ended);
    const text = all.map(({ stdout, stderr }) => stdout + stderr).join("\n");
    if (all.length > 0) assert.match(text, /evil/, `tacho ${name} prints none of it: ${text}`);
  });
}

Deno.test("JSON on stdout has the text as it was, and is safe to print", async () => {
  const { here, runs, variants, program } = fixture;
  const sides = variants.slice(0, 2).map((name) => `${runs[0]}:${name}`);
  const commands = [
    ["show", runs[0], "--json", "-"],
    ["runs", "--json"],
    ["compare", ...runs, "--json"],
    ["diff", ...sides, "--json"],
    ["history", `ips.${variants[0]}`, "--json"],
    ["gate", runs[0], `ips.${variants[0]}>=1`, "--json"],
    ["attach", "--show", program, "--json", "-"],
    ["onnx", `${TYPED}.onnx`, "--json"],
    ["peaks", "--json"],
    ["export"],
    ["lock", runs[0], "-o", "-"],
  ];
  for (const args of commands) {
    const { stdout, stderr } = await here(...args);
    assert.notEqual(stdout, "", stderr);
    const json = JSON.stringify(JSON.parse(stdout));
    assert(json.includes(JSON.stringify(TYPED).slice(1, -1)), `${args[0]}: ${json.slice(0, 300)}`);
  }
});
