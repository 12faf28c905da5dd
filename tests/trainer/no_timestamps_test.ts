/** Runs without timestamp queries: figures of the host's clock are reported, and no device time is invented. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { writeReport } from "../../runtime/library/report_folder.ts";
import { Device } from "../../runtime/device/device.ts";
import { runExperiment } from "../../runtime/experiment/run_experiment.ts";
import type { Timeline } from "../../runtime/record/timeline.ts";
import { renderMatrix } from "../../runtime/report/matrix/matrix.ts";
import { renderProfile } from "../../runtime/report/profile/profile.ts";
import { DIALECTS } from "../../runtime/report/dialects/names.ts";
import { renderDialect } from "../../runtime/report/dialects/dialect.ts";
import { type Result, resultSchema } from "../../runtime/result/schema.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { crossEntropy, flatten, linear, relu, scenario, sequential, sgd, syntheticImages } from "../../mod.ts";

const net = scenario({
  name: "untimed",
  model: sequential({ flat: flatten(), fc1: linear(16), act: relu(), fc2: linear(4) }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.05 }),
  data: syntheticImages({ height: 6, width: 6, classes: 4, length: 64 }),
  loader: { batchSize: 8 },
  measure: { steps: 4, skip: 2, maxSkip: 2, rounds: 2, opRounds: 1 },
  variants: {
    plain: {},
    sink: { sink: 2 },
    host: { timing: "host" },
    sync: { timing: "sync" },
    event: { timing: "event" },
  },
});

const look = { columns: 100, color: false } as const;

Deno.test("features can be disabled, and an unknown name is rejected", async () => {
  const device = await Device.open({ without: ["timestamp-query"] });
  assert.deepEqual([device.timestamps, device.traits.timestamps], [false, false]);
  assert(!device.info.features.includes("timestamp-query"));
  device.destroy();
  Deno.env.set("TACHO_WITHOUT", "timestamps");
  try {
    await assert.rejects(Device.open(), /TACHO_WITHOUT=timestamps: expected some of timestamp-query/);
  } finally {
    Deno.env.delete("TACHO_WITHOUT");
  }
});

let result: Result;
const timelines: Timeline[] = [];
Deno.test.beforeAll(async () => {
  Deno.env.set("TACHO_WITHOUT", "timestamp-query");
  result = await runExperiment(resolveScenario(net), {
    interrupted: () => false,
    script: { file: null, sha256: null },
    profile: { skipFirst: 0, wait: 0, warmup: 1, active: 2, repeat: 1 },
    onEvent: (event) => event.type === "timeline" && timelines.push(event.timeline),
  }).finally(() => Deno.env.delete("TACHO_WITHOUT"));
});

Deno.test("without timestamp queries variants have throughput and losses, and no device times", () => {
  resultSchema.parse(result);
  for (const { name, status, metrics, blocks, losses } of result.variants) {
    assert.equal(status, "ok", name);
    const device = [metrics.forward, metrics.backward, metrics.update, metrics.iterationGap, metrics.deviceBusy];
    assert.deepEqual(device, [null, null, null, null, null], name);
    assert(metrics.ips!.value > 0 && metrics.batchCost!.value > 0 && losses.every((loss) => typeof loss === "number"));
    const times = blocks.flatMap(({ steps }) => steps.map(({ stepTime }) => stepTime));
    const timed = name === "host" || name === "sync";
    assert(times.every((time) => timed ? time! > 0 : time === null), `${name}: ${times}`);
  }
});

Deno.test("without timestamp queries profiles contain host work, and no phases or op times", () => {
  for (const { ops, profile } of result.variants) {
    assert(
      ops.length > 0 &&
        ops.every(({ calls, mean, share, setup }) =>
          calls === 0 && mean === null && share === null && setup.firstDispatch! > 0
        ),
    );
    assert.deepEqual(profile!.phases, []);
    assert.deepEqual(profile!.cost, { phases: null, ops: null, uncertainty: null });
    assert.equal(profile!.trust.nsPerTick, null);
    const work = profile!.host.map(({ name }) => name);
    for (const wanted of ["load dataset", "let data", "encode", "submit", "wait"]) {
      assert(work.includes(wanted), wanted);
    }
  }
  const tracks = timelines.map(({ spans }) => new Set(spans.map(({ track }) => track)));
  assert(tracks.every((names) => names.has("main") && names.has("copies") && !names.has("device ops")));
  assert(["encode", "submit", "wait"].every((name) => timelines[0]!.spans.some((span) => span.name === name)));
});

Deno.test("reports name the columns without device times and print – for each", async () => {
  const matrix = renderMatrix(result, { columns: 120, color: false });
  const [, untimed] = matrix.match(/the adapter has no timestamp queries: ([^–±×]*)/)!;
  const columns = untimed!.replaceAll(/\s+/g, " ");
  for (const column of ["step time", "iteration gap", "forward", "backward", "update", "device busy"]) {
    assert(columns.includes(column), `${column}: ${columns}`);
  }
  const profile = renderProfile(result, { ...look, verbosity: 2, sort: "order", top: null, groupBy: ["type"] });
  assert.match(profile, /The adapter has no timestamp queries: device times are unknown/);
  assert.match(profile, /cost of profiling, of the batch cost: – for phases, – for every dispatch/);
  for (const dialect of DIALECTS) {
    const text = renderDialect(dialect, result, { ...look, verbosity: 2 });
    assert.match(text, /–/, dialect);
    assert.doesNotMatch(text, /NaN|undefined|Infinity/, dialect);
  }
  const folder = await Deno.makeTempDir();
  await writeReport(folder, result, { timelines, command: null }, "report");
  const csv = await Deno.readTextFile(join(folder, "profile.csv"));
  assert.match(csv, /^forward_all,,,,plain/m);
  await Deno.remove(folder, { recursive: true });
});
