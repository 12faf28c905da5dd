import assert from "node:assert/strict";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { run as submit } from "../../../runtime/cli/commands/submit.ts";
import { readSweeps } from "../../../runtime/shards/submit/sweep_status.ts";
import { jobScript, mergeJobScript, optionLine } from "../../../runtime/shards/submit/job_script.ts";
import { parseSite, taskCount } from "../../../runtime/shards/submit/site.ts";
import { full } from "../../support/full.ts";
import { isInstalled } from "../../support/is_installed.ts";
import { Place } from "../tacho_process.ts";

/** A scenario without a device, which takes a second or so. */
const SCRIPT = `import { run, scenario, syntheticImages } from ${
  JSON.stringify(new URL("../../../mod.ts", import.meta.url).href)
};
export default scenario({
  name: "quoted",
  data: syntheticImages({ height: 2, width: 2, classes: 4, length: 16 }),
  loader: { batchSize: 1 },
  measure: { steps: 1, skip: 1, rounds: 2, aa: false },
  sweep: { "loader.batchSize": [1, 2, 4] },
});
if (import.meta.main) await run();
`;

/** A word with everything that a shell or a tool reads as its own. */
const HOSTILE = `it's $(touch pwned) \`touch pwned\` "x" # {} {.} {= die =} \\ %A ; &`;

const hasParallel = await isInstalled("parallel");

function sweep(command: readonly string[], folder: string, shards: number) {
  return { name: "s", command, merge: ["true"], folder, cwd: folder, shards, atOnce: null };
}

/** Runs a job script as each task of the array in turn, as Slurm would, and returns what it wrote to stdout. */
async function runTasks(script: string, tasks: number, first = 0): Promise<string[]> {
  const outputs: string[] = [];
  for (let task = 0; task < tasks; task++) {
    const { stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", script],
      env: { SLURM_ARRAY_TASK_ID: String(first + task), SLURM_ARRAY_TASK_MIN: String(first) },
      stdin: "null",
    }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    outputs.push(new TextDecoder().decode(stdout));
  }
  return outputs;
}

Deno.test("a job script passes every word as it was written, and holds no value of the environment", async () => {
  await using place = await Place.make();
  await place.write("a 'b'/x $y.ts", SCRIPT);
  const script = "a 'b'/x $y.ts";
  const printed = await place.tacho([
    "submit",
    script,
    `label=${HOSTILE}`,
    "--shards",
    "2",
    "--print",
    "--rounds",
    "3",
  ]);
  assert.equal(printed.code, 0, printed.stderr);
  const [, exported] = printed.stdout.match(/^#SBATCH --export=(PATH,HOME,.*)$/m)!;
  // What selects the adapter and the store
  for (const name of ["DENO_WEBGPU_BACKEND", "DRI_PRIME", "LP_NUM_THREADS", "TACHO_STORE", "XDG_DATA_HOME"]) {
    assert(exported!.split(",").includes(name), name);
  }
  assert.doesNotMatch(printed.stdout, /hunter2|SECRET_TOKEN/);
  const words = ["printf", "%s\\n", script, HOSTILE, "{1} {#}"];
  const [first, second] = await runTasks(
    jobScript(sweep(words, place.folder, 2), { tasks: 2, options: null, margin: 120 }),
    2,
    5,
  );
  for (const output of [first, second]) {
    assert.equal(output, `${words.slice(2).join("\n")}\n--shard\nauto/2\n`);
  }
  assert.match(printed.stdout, /^#SBATCH --array=0-1\n#SBATCH --requeue\n#SBATCH --signal=B:USR1@120$/m);
  assert.match(printed.stdout, /^ {2}\S+ run -q -A .* --rounds 3 --shard-dir \S+ --shard auto\/2 &$/m);
});

Deno.test("the job that merges runs the merge with the options of sbatch, and --print shows it as comments", async () => {
  await using place = await Place.make();
  const merge = ["printf", "%s\\n", HOSTILE];
  const script = mergeJobScript({ ...sweep([], place.folder, 2), merge }, "#SBATCH --account=it");
  const { stdout } = await new Deno.Command("sh", { args: ["-c", script], stdin: "null" }).output();
  assert.equal(new TextDecoder().decode(stdout), `${HOSTILE}\n`);
  assert.match(script, /^#SBATCH --account=it$/m);
  await place.write("x.ts", SCRIPT);
  const print = ["submit", "x.ts", "--shards", "2", "--print"];
  const shown = (await place.tacho(print)).stdout;
  assert.match(shown, /\n# {3}exec \S+ run -q -A \S+ collect \S+\/x\.shards --report \S+\/x\.shards\/report\n$/);
  assert(shown.startsWith((await place.tacho([...print, "--no-merge"])).stdout));
});

Deno.test("tasks of a packed array run every shard once, and a failed shard stops no other", async () => {
  await using place = await Place.make();
  const failing = ["sh", "-c", 'echo "$2"; test "$2" != 2/7', "shard"];
  const outputs = await runTasks(
    jobScript(sweep(failing, place.folder, 7), { tasks: 3, options: null, margin: 120 }),
    3,
  );
  assert.deepEqual(outputs, ["1/7\n4/7\n7/7\n", "2/7\n5/7\n", "3/7\n6/7\n"]);
});

Deno.test("the number of tasks is within the limits of the site", () => {
  const limits = parseSite("MaxArraySize            = 5\nMaxJobCount             = 10000\n");
  assert.deepEqual(limits, { maxArraySize: 5, maxJobs: 10_000 });
  const site = { ...limits, submitted: null, running: null };
  const free = { ...parseSite(""), submitted: null, running: null };
  assert.equal(taskCount(200, site, null), 5);
  assert.equal(taskCount(200, site, 3), 3);
  assert.equal(taskCount(4, site, 30), 4);
  assert.equal(taskCount(4000, null, null), 4000);
  assert.equal(taskCount(4000, free, null), 1001);
  assert.equal(taskCount(4000, { ...free, submitted: 100 }, null), 99); // one is left for the merge
  assert.equal(taskCount(4000, { ...free, submitted: 1 }, null), 1);
  assert.throws(() => taskCount(4, { ...site, maxArraySize: 0 }, null), /no job arrays \(MaxArraySize=0\)/);
});

Deno.test("options of sbatch are quoted, and those that the script sets are refused", () => {
  assert.equal(optionLine([]), null);
  assert.equal(optionLine(["--time", "1:00", "--comment=a # b"]), "#SBATCH --time 1:00 '--comment=a # b'");
  assert.equal(optionLine(["--comment=a\\b"]), "#SBATCH '--comment=a\\\\b'"); // Slurm reads backslashes between quotes
  for (const options of [["--array=0-3"], ["-a0-3"], ["--wrap=x"], ["--time=1\n#SBATCH -w n"], ["gpu"]]) {
    assert.throws(() => optionLine(options), /^InputError: tacho submit: /, options[0]);
  }
});

Deno.test("wrong uses are refused", async () => {
  const script = fileURLToPath(import.meta.url);
  const uses: [string[], RegExp][] = [
    [[script], /expected --shards and a number/],
    [["none.ts", "--shards", "2"], /none\.ts cannot be read/],
    [[script, "--shards", "2", "--resume"], /--resume cannot be used with tacho submit/],
    [[script, "--shards", "2", "--print", "--parallel"], /use either --print or --parallel/],
    [[script, "--shards", "2", "a=1\n2", "--print"], /"a=1\\n2" contains a line break/],
  ];
  for (const [args, message] of uses) await assert.rejects(submit(args), message);
  assert.throws(() => readSweeps("no such sweep"), /neither no such sweep\.shards nor a folder no such sweep is here/);
  assert.throws(() => readSweeps(dirname(script)), /no shard file yet/);
});

Deno.test("sweeps that no task could run are refused before anything is submitted", async () => {
  await using place = await Place.make();
  await place.write("x.ts", SCRIPT);
  await place.write("bin/scontrol", "#!/bin/sh\n");
  await place.write("bin/sbatch", "#!/bin/sh\necho 1\n");
  for (const program of ["scontrol", "sbatch"]) await Deno.chmod(`${place.folder}/bin/${program}`, 0o755);
  const PATH = `${place.folder}/bin:${Deno.env.get("PATH")}`;
  const tooMany = await place.tacho(["submit", "x.ts", "--shards", "3"], { PATH });
  assert.equal(tooMany.code, 2);
  assert.match(
    tooMany.stderr,
    /^error: --shard: expected at most 2 shards for 2 variants besides the baseline, got 3$/m,
  );
  await assert.rejects(Deno.stat(`${place.folder}/x.shards`), Deno.errors.NotFound);
  if (!full) return;
  const first = await place.tacho(["run", "x.ts", "--shard", "1/2", "--shard-dir", "x.shards"]);
  assert.equal(first.code, 0, first.stderr);
  const other = await place.tacho(["submit", "x.ts", "--rounds", "3", "--shards", "2"], { PATH });
  assert.equal(other.code, 2);
  assert.match(other.stderr, /quoted-of-2\.tacho\.plan\.json is the plan of a sweep with other settings/);
  const again = await place.tacho(["submit", "x.ts", "--shards", "2"], { PATH });
  assert.equal(again.code, 0, again.stderr);
});

Deno.test({
  name: "GNU parallel runs the printed command, and status reads its shard files",
  ignore: !hasParallel,
  fn: async () => {
    await using place = await Place.make();
    await place.write("it's {} {.}.ts", SCRIPT);
    const printed = await place.tacho(["submit", "it's {} {.}.ts", "--shards", "2", "--name", "q", "--parallel"]);
    assert.equal(printed.code, 0, printed.stderr);
    const ran = await new Deno.Command("sh", {
      args: ["-c", printed.stdout],
      env: { NO_COLOR: "1" },
      stdin: "null",
    }).output();
    assert.equal(ran.code, 0, new TextDecoder().decode(ran.stderr));
    const status = await place.here("status", "q");
    assert.match(status.stdout, /^quoted in q\.shards: 2 of 2 shards complete\n/);
    const collected = await place.here("collect", "q", "--report", "out");
    assert.equal(collected.code, 0, collected.stderr);
    const id = collected.stderr.match(/^kept as (\w+)/m)?.[1];
    assert.match((await place.here("show", id!)).stdout, /^Speeds by node$/m);
    assert.match(await Deno.readTextFile(`${place.folder}/out/report.md`), /^## Speeds by node$/m);
    await Deno.writeTextFile(`${place.folder}/q.shards/quoted-2-of-2.tacho.jsonl`, "damaged\nlines\n");
    await Deno.remove(`${place.folder}/q.shards/quoted-1-of-2.tacho.jsonl`);
    const [sweep] = readSweeps(`${place.folder}/q.shards`);
    assert.deepEqual(sweep!.shards.map(({ status }) => status), ["not started", "unreadable"]);
    assert.match(sweep!.shards[1]!.problem!, /this is no shard file/);
    const nothing = await place.here("collect", "q");
    assert.equal(nothing.code, 2);
    assert.match(nothing.stderr, /No shard to merge[^]*foreign: q\.shards\/quoted-2-of-2/);
  },
});
