/**
 * Checks each dialect's output against a grammar of the tool's output. Samples from the tools' documentation check the
 * grammars themselves.
 */
import assert from "node:assert/strict";
import stringWidth from "string-width";
import { type Source, SOURCES } from "../../../runtime/report/dialects/columns.ts";
import { renderDialect } from "../../../runtime/report/dialects/dialect.ts";
import { type Dialect, DIALECTS } from "../../../runtime/report/dialects/names.ts";
import { adamW, rmsprop, sgd } from "../../../mod.ts";
import type { Result } from "../../../runtime/result/schema.ts";
import { hostileNames } from "../hostile.ts";
import { op, profile, profiled, profiledResult } from "../profile_fixture.ts";
import { pipeline } from "../pipeline_fixture.ts";
import { adapter, failed, result } from "../result_fixture.ts";

/** The tool's lines, without Tacho's comments. */
function spoken(dialect: Dialect, run: Result = profiledResult(), verbosity: 1 | 2 = 2, columns: number | null = null) {
  const text = renderDialect(dialect, run, { verbosity, columns, color: false });
  return text.split("\n").filter((line) => !line.startsWith("#")).slice(1, -1);
}

/** Matches a time, or – if it was not measured. */
const TIME = String.raw`(?:\d+(?:\.\d+)?(?:e[-+]\d{2})?|–)`;

const SINGA = new RegExp(
  String.raw`^(?:Time Profiling:|(?:Forward|Backward) Propagation Time : ${TIME} sec|OP_ID\d+\. \S+ : ${TIME} sec)$`,
);

const NNC = new RegExp(
  `^(?:Profiling optimizer '[^']+' with network '[^']+' \\.\\.\\.|Profile Completed\\.|(?:${
    [
      "load_dataset",
      String.raw`let_data \(.+ to .+\)`,
      String.raw`generate_data \(.+\)`,
      String.raw`setup_function \(.+ : \w+\)`,
      String.raw`(?:forward|backward)_function \(.+ : \w+(?: : in_place)?\)`,
      "forward_all",
      "backward_all",
      String.raw`backward_all\(wo param zero_grad\)`,
      String.raw`(?:weight_decay|update) \(\w+\)`,
      "monitor_loss",
    ].join("|")
  }) (?:\\d+\\.\\d{6}|–)\\(ms\\))$`,
);

Deno.test("SINGA's sample output fits the grammar", () => {
  const sample = [
    "Time Profiling:",
    "Forward Propagation Time : 0.0409127 sec",
    "Backward Propagation Time : 0.114813 sec",
    "OP_ID0. SetValue : 1.73722e-05 sec",
    "OP_ID1. cudnnConvForward : 0.000612724 sec",
  ];
  for (const line of sample) assert.match(line, SINGA);
});

Deno.test("SINGA level 1 prints forward and backward propagation", () => {
  assert.deepEqual(spoken("singa", profiledResult(), 1), [
    "Time Profiling:",
    "Forward Propagation Time : 0.0036 sec",
    "Backward Propagation Time : 0.004 sec",
  ]);
});

Deno.test("SINGA level 2 prints every op in step order, under SINGA's name", () => {
  const lines = spoken("singa");
  for (const line of lines) assert.match(line, SINGA);
  assert.deepEqual(lines.slice(0, 3), [
    "Time Profiling:",
    "OP_ID0. cudnnConvForward : 0.002 sec",
    "OP_ID1. ReLU : 0.00025 sec",
  ]);
  assert.equal(lines.at(-1), "OP_ID8. Adam : 0.001 sec");
  const zero = op("zero", "fill", 0.0173722, { aliases: { singa: "SetValue" } });
  const filled = profiledResult({ ops: [zero, op("x", "max_pool2d_grad", null)] });
  assert.deepEqual(spoken("singa", filled), [
    "Time Profiling:",
    "OP_ID0. SetValue : 1.73722e-05 sec",
    "OP_ID1. GpuPoolingBackward : – sec",
  ]);
});

Deno.test("NNC's sample output fits the grammar", () => {
  const sample = [
    "Profiling optimizer 'Optimizer' with network 'Main' ...",
    "load_dataset 0.118700(ms)",
    "let_data (x to Input) 0.045133(ms)",
    "generate_data (Noise) 0.010000(ms)",
    "setup_function (Conv1 : Convolution) 0.213000(ms)",
    "forward_function (Conv1 : Convolution : in_place) 0.061000(ms)",
    "backward_function (Affine : Affine) 0.100000(ms)",
    "backward_all(wo param zero_grad) 1.500000(ms)",
    "weight_decay (Adam) 0.020000(ms)",
    "update (Adam) 0.020000(ms)",
    "Profile Completed.",
  ];
  for (const line of sample) assert.match(line, NNC);
});

Deno.test("NNC prints a line for each stage and function, in the tool's order", () => {
  const lines = spoken("nnc");
  for (const line of lines) assert.match(line, NNC);
  assert.deepEqual(lines, [
    "Profiling optimizer 'Adam' with network 'resnet20' ...",
    "load_dataset 0.500000(ms)",
    "let_data (x to Input) 0.200000(ms)",
    "setup_function (features.conv1 : Convolution) 126.000000(ms)",
    "setup_function (features.relu1 : ReLU) –(ms)",
    "setup_function (fc : Affine) 20.000000(ms)",
    "setup_function (loss : SoftmaxCrossEntropy) 20.000000(ms)",
    "forward_function (features.conv1 : Convolution) 2.000000(ms)",
    "forward_function (features.relu1 : ReLU : in_place) 0.250000(ms)",
    "forward_function (fc : Affine) 0.500000(ms)",
    "forward_function (loss : SoftmaxCrossEntropy) 0.250000(ms)",
    "backward_function (loss : SoftmaxCrossEntropy) 0.250000(ms)",
    "backward_function (fc : Affine) 0.750000(ms)",
    "backward_function (features.conv1 : Convolution) 3.000000(ms)",
    "forward_all 3.000000(ms)",
    "backward_all 4.000000(ms)",
    "backward_all(wo param zero_grad) 4.000000(ms)",
    "update (Adam) 1.000000(ms)",
    "monitor_loss 2.000000(ms)",
    "Profile Completed.",
  ]);
});

/** What scripts read from NNC's logs: the function, its layer, and its time. */
function readNnc(run: Result): [line: string, ms: number][] {
  return spoken("nnc", run).flatMap((line) => {
    const found = /^(\w+)(?: \(([^():]+?)(?: : ([^():]+).*| to (.+))?\))? ([\d.]+)\(ms\)$/.exec(line);
    return found === null ? [] : [[[found[1], found[2], found[3] ?? found[4]].filter(Boolean).join(" "), +found[5]!]];
  });
}

Deno.test("NNC prints the upload of each field of a batch, and the loss as its two functions", () => {
  const host = (name: string, mean: number) => ({ name, calls: 10, total: 10 * mean, mean, min: mean, max: mean });
  const kernels = [["rows", 0.1875], ["mean", 0.0625]].map(([name, median]) => ({
    ...op("loss", "cross_entropy", 1).kernels[0]!,
    name: String(name),
    median: Number(median),
  }));
  const loss = op("loss", "cross_entropy", 0.25, { dispatches: 2, kernels });
  const fields = [host("let data: input", 0.15), host("let data: target", 0.05)];
  const run = profiledResult({ ops: [loss], profile: { ...profile, host: [...profile.host, ...fields] } });
  const lines = new Map(readNnc(run));
  assert.equal(lines.get("let_data x Input"), 0.15);
  assert.equal(lines.get("let_data y SoftmaxCrossEntropy_T"), 0.05);
  assert.equal(lines.get("forward_function loss SoftmaxCrossEntropy"), 0.1875);
  assert.equal(lines.get("forward_function loss Mean"), 0.0625);
  const text = renderDialect("nnc", run, { verbosity: 2, columns: null, color: false });
  assert.doesNotMatch(text, /includes the targets/);
});

Deno.test("NNC's times are medians, which a stalled step does not move", () => {
  const stalled = op("fc", "linear", 0.5, { mean: 13.9, max: 60 });
  const run = profiledResult({ ops: [stalled] });
  assert.equal(new Map(readNnc(run)).get("forward_function fc Affine"), 0.5);
  assert.equal(new Map(readNnc(run)).get("forward_all"), 3, "of steps of 3 ms and one of 9 ms");
});

Deno.test("NNC prints weight decay only where there is some, as it was timed alone", () => {
  const times = { calls: 5, total: 0.6, median: 0.125, mean: 0.12, min: 0.1, max: 0.13 };
  const lines = (weightDecay: number, timed: typeof times | null) =>
    spoken(
      "nnc",
      profiledResult({
        config: { optimizer: { ...adamW({ weightDecay }) } },
        profile: { ...profile, weightDecay: timed },
      }),
    )
      .filter((line) => line.startsWith("weight_decay"));
  assert.deepEqual(lines(0.1, times), ["weight_decay (AdamW) 0.125000(ms)"]);
  assert.deepEqual(lines(0.1, null), ["weight_decay (AdamW) –(ms)"]);
  assert.deepEqual(lines(0, null), []);
});

Deno.test("ops that generate data are NNC's generate_data and named by their distribution in SINGA", () => {
  const aliases = { nnc: "Randn", singa: "Gaussian" };
  const noise = op("noise", "random_normal", 0.25, { aliases, inputs: [{ shape: [4], dtype: "u32" }] });
  const run = profiledResult({ ops: [noise] });
  assert(spoken("nnc", run).includes("generate_data (noise) 0.250000(ms)"));
  assert.equal(
    spoken("nnc", run).filter((line) => line.includes("(noise") && !line.startsWith("setup")).length,
    1,
    "once",
  );
  assert(spoken("singa", run).includes("OP_ID0. Gaussian : 0.00025 sec"));
});

Deno.test("NNC and SINGA list fused layers, and loading with workers is called a wait", () => {
  const text = (dialect: Dialect, run: Result) =>
    renderDialect(dialect, run, { verbosity: 2, columns: null, color: false });
  for (const dialect of ["nnc", "singa"] as const) {
    assert.match(text(dialect, profiledResult()), /^# fused: fc computes fc, fc_bias$/m);
  }
  const note = /^# load_dataset is the wait for a batch, loaded in the background by 2 workers$/m;
  assert.doesNotMatch(text("nnc", profiledResult({ config: { loader: { numWorkers: 0 } } })), /load_dataset is/);
  assert.match(text("nnc", profiledResult({ config: { loader: { numWorkers: 2 } } })), note);
});

Deno.test("NNC names solvers like nnabla", () => {
  const solver = (optimizer: { readonly kind: string }) =>
    spoken("nnc", profiledResult({ config: { optimizer: { ...optimizer } } })).find((line) => line.startsWith("update"))
      ?.split(" ")[1];
  assert.equal(solver(sgd({ learningRate: 1 })), "(Sgd)");
  assert.equal(solver(sgd({ learningRate: 1, momentum: 0.9 })), "(Momentum)");
  assert.equal(solver(sgd({ learningRate: 1, momentum: 0.9, nesterov: true })), "(Nesterov)");
  assert.equal(solver(adamW()), "(AdamW)");
  assert.equal(solver(rmsprop()), "(RMSprop)");
  assert.equal(solver({ kind: "ofAnotherVersion" }), "(OfAnotherVersion)");
});

Deno.test("Paddle prints the perf summary in Paddle's layout", () => {
  assert.deepEqual(spoken("paddle").slice(0, 7), [
    "============================================Perf Summary============================================",
    "Reader Ratio: 4.717%",
    "Time Unit: s, IPS Unit: images/s",
    "|                 |       avg       |       max       |       min       |",
    "|   reader_cost   |     0.00050     |     0.00050     |     0.00050     |",
    "|    batch_cost   |     0.01060     |     0.01600     |     0.01000     |",
    "|       ips       |    2963.00000   |    3200.00000   |    2000.00000   |",
  ]);
});

/** `Total / Avg / Max / Min / Ratio`. */
const FIVE = String.raw`(?:(?:\d+\.\d\d|–) / ){4}(?:\d+\.\d\d|–)`;

/** The tables of a Paddle log by title: the heading and the rows. */
function tablesOf(lines: readonly string[]): Map<string, string[]> {
  const tables = new Map<string, string[]>();
  let rows: string[] = [];
  for (const line of lines) {
    const title = line.match(/^-+(\w+ Summary)-+$/)?.[1];
    if (title !== undefined) tables.set(title, rows = []);
    else if (!/^[- ]+$/.test(line) && line !== "") rows.push(line);
  }
  return tables;
}

Deno.test("Paddle prints summaries with Paddle's columns and titles", () => {
  // from Paddle's documentation
  const sample = [
    "-----------------------------------------------Model Summary-----------------------------------------------",
    "Time unit: ms",
    "---------------  ------  ----------------------------------------  ----------------------------------------",
    "Name             Calls   CPU Total / Avg / Max / Min / Ratio(%)    GPU Total / Avg / Max / Min / Ratio(%)",
    "---------------  ------  ----------------------------------------  ----------------------------------------",
    "ProfileStep      11      294.53 / 26.78 / 35.28 / 24.56 / 100.00   13.22 / 1.20 / 1.20 / 1.20 / 100.00",
  ];
  const row = new RegExp(String.raw`^ *\S.*? +(?:\d+|–) +${FIVE} +${FIVE}$`);
  assert.match(sample[5]!, row);
  const lines = spoken("paddle");
  const at = lines.indexOf(sample[0]!);
  assert.deepEqual(lines.slice(at, at + 5), sample.slice(0, 5));
  const tables = tablesOf(lines);
  assert.deepEqual([...tables.keys()], ["Overview Summary", "Model Summary", "Operator Summary", "Kernel Summary"]);
  for (const line of tables.get("Model Summary")!.slice(2)) assert.match(line, row);
  assert.match(
    tables.get("Model Summary")![2]!,
    /^ProfileStep +10 +106\.00 \/ 10\.60 \/ 16\.00 \/ 10\.00 \/ 100\.00 +86\.00/,
  );
  assert.match(
    tables.get("Model Summary")![4]!,
    /^ {2}Forward +10 +– \/ .* 36\.00 \/ 3\.60 \/ 9\.00 \/ 3\.00 \/ 41\.86$/,
  );
  for (const line of tables.get("Operator Summary")!.slice(2)) {
    if (!line.includes("All threads merged") && !line.includes("Thread")) assert.match(line, row);
  }
  const kernel = new RegExp(String.raw`^\S+ +\d+ +${FIVE}$`);
  for (const line of tables.get("Kernel Summary")!.slice(2)) assert.match(line, kernel);
  assert.match(tables.get("Overview Summary")![1]!, /^Event Type +Calls +CPU Time +Ratio \(%\)$/);
  assert.match(tables.get("Overview Summary")!.at(-3)!, /^ +Calls +GPU Time +Ratio \(%\)$/);
});

Deno.test("MindInsight prints the step trace and operators under that tool's column names", () => {
  const lines = spoken("mindinsight");
  const heading = (title: string) => lines[lines.indexOf(title) + 1]!.trim().split(/\s+/);
  assert.deepEqual(heading("Step Trace").map((name) => name.replace("(ms)", "")), [
    "step_num",
    "start_point",
    "end_point",
    "total",
    "fp_point",
    "bp_point",
    "iteration_interval",
    "fp_and_bp",
    "tail",
  ]);
  assert.equal(
    heading("Operator Statistics by Type").join(","),
    "op_type,type_occurrences,total_time(us),total_proportion,avg_time(us)",
  );
  assert.equal(
    heading("Operator Statistics in Detail").join(","),
    "op_side,op_type,op_name,op_full_name,op_occurrences,op_total_time(us),op_avg_time(us),total_proportion," +
      "cuda_activity_cost_time(us),cuda_activity_call_count",
  );
  assert(
    lines.some((line) => /^ +4 +8\.0000 +16\.5000 +8\.5000 +8\.5000 +15\.5000 +0\.5000 +7\.0000 +1\.0000$/.test(line)),
  );
  assert(lines.some((line) => /^ +- +– +– +9\.1000 /.test(line)), "the averages, which add up");
  assert(lines.some((line) => /^Conv2D +5 +10000\.000 +0\.250000 +2000\.000$/.test(line)));
  assert(
    lines.some((line) =>
      /^Device +BiasAddGrad +bias_grad +fc_bias\/bias_grad +5 +1250\.000 +250\.000 +0\.031250 +1250\.000 +10$/.test(
        line,
      )
    ),
  );
});

/** Rows of a table of MindInsight by the names of its columns, as scripts read its CSV files. */
function readTable(lines: readonly string[], title: string): Record<string, string>[] {
  const names = lines[lines.indexOf(title) + 1]!.trim().split(/ +/).map((name) => name.replace(/\(\w+\)$/, ""));
  const rows = lines.slice(lines.indexOf(title) + 3);
  const end = rows.indexOf("");
  return rows.slice(0, end < 0 ? undefined : end).map((row) =>
    Object.fromEntries(row.trim().split(/ +/).map((cell, i) => [names[i]!, cell]))
  );
}

Deno.test("MindInsight's points of a step add up to its intervals", () => {
  const rows = readTable(spoken("mindinsight"), "Step Trace").slice(0, -1);
  assert.equal(rows.length, 10);
  for (const row of rows) {
    const at = (name: string) => Number(row[name]);
    assert.equal(at("bp_point") - at("fp_point"), at("fp_and_bp"));
    assert.equal(at("end_point") - at("bp_point"), at("tail"));
    if (row["iteration_interval"] === "–") continue;
    assert.equal(at("fp_point") - at("start_point"), at("iteration_interval"));
    assert.equal(at("end_point") - at("start_point"), at("total"));
  }
});

Deno.test("MindInsight has the host's work as operators of the AI CPU", () => {
  const rows = readTable(spoken("mindinsight"), "Operator Statistics of the Host (AI CPU)");
  assert.deepEqual(rows.map((row) => row["op_type"]), profile.host.map(({ name }) => name.replaceAll(" ", "_")));
  assert.deepEqual(rows[0], {
    serial_number: "1",
    op_type: "load_dataset",
    op_occurrences: "10",
    total_time: "5.000",
    avg_time: "0.500",
    total_proportion: "0.046296",
  });
});

Deno.test("MindInsight's data preparation is a chain of operators with the use of their queues", () => {
  const rows = readTable(spoken("mindinsight", profiledResult({ pipeline })), "Data Preparation");
  assert.deepEqual(
    rows.map((row) => [row["op_id"], row["parent_id"]]),
    rows.map((_, i) => [`${i}`, i ? `${i - 1}` : "-"]),
  );
  assert.equal(rows.at(-1)!["op_type"], "read");
  const queues = rows.filter((row) => row["output_queue_size"] !== "–");
  assert(queues.length > 0);
  for (const queue of queues) {
    const used = Number(queue["output_queue_average_size"]) / Number(queue["output_queue_size"]);
    assert(Math.abs(used - Number(queue["output_queue_usage_rate"])) < 0.01);
  }
});

Deno.test("every printed column has a source, and columns without a measurement print –", () => {
  const trace = spoken("mindinsight");
  const names = trace[trace.indexOf("Step Trace") + 1]!.trim().split(/\s+/).map((name) => name.replace(/\(.*/, ""));
  const row = trace[trace.indexOf("Step Trace") + 4]!.trim().split(/\s+/);
  const sources: Readonly<Record<string, Source>> = SOURCES.mindinsight;
  names.forEach((name, i) => {
    assert(name in sources, name);
    assert.equal(row[i] === "–", sources[name] === null, name);
  });
  const functions: Readonly<Record<string, Source>> = SOURCES.nnc;
  for (const line of spoken("nnc").slice(1, -1)) {
    const name = line.match(/^backward_all\(wo param zero_grad\)|^\w+/)![0];
    assert(name in functions, name);
    if (functions[name] === null) assert.match(line, / –\(ms\)$/);
  }
  const paddle: Readonly<Record<string, Source>> = SOURCES.paddle;
  for (const line of tablesOf(spoken("paddle")).get("Model Summary")!.slice(2)) {
    const name = line.trim().split(" ")[0];
    const [cpu, gpu] = line.match(new RegExp(FIVE, "g"))!;
    assert.equal(cpu!.startsWith("–"), paddle[`Model CPU ${name}`] === null, `${name} on the CPU`);
    assert.equal(gpu!.startsWith("–"), paddle[`Model GPU ${name}`] === null, `${name} on the device`);
  }
});

Deno.test("notes on accuracy follow each log, and each of several variants has a title", () => {
  const run = result([profiled("a"), failed("b", "no shader-f16\nat all", 3), profiled("c")]);
  for (const dialect of DIALECTS) {
    const text = renderDialect(dialect, run, { verbosity: 2, columns: null, color: false });
    assert.equal(
      text.match(/^# cost of profiling, of the batch cost: 0\.4 ±0\.2 % for phases, 7\.0 ±1\.0 % for every dispatch$/mg)
        ?.length,
      2,
    );
    assert.equal(text.match(/^# residual: forward 3\.2 %/mg)?.length, 2);
    assert.deepEqual(text.match(/^# [abc]\b.*$/mg), ["# a", "# b failed: no shader-f16\\nat all", "# c"]);
  }
});

Deno.test("each log gives the reason for missing device times", () => {
  const run = profiledResult();
  const why = /^# The adapter has no timestamp queries: device times are unknown$/m;
  for (const dialect of DIALECTS) {
    const text = (features: string[]) => {
      run.environment.adapter = { ...adapter, features };
      return renderDialect(dialect, run, { verbosity: 2, columns: null, color: false });
    };
    assert.match(text([]), why);
    assert.doesNotMatch(text(["timestamp-query"]), why);
  }
});

Deno.test("hostile names stay on their lines, and lines fit the terminal", () => {
  for (const dialect of DIALECTS) {
    const normal = renderDialect(dialect, profiledResult(), { verbosity: 2, columns: 100, color: false });
    for (const line of normal.split("\n")) assert(stringWidth(line) <= 100, line);
  }
  const ops = hostileNames.map((name, i) => op(name, name, 1, { kernel: name, layer: name, id: `${i}${name}` }));
  assert.equal(spoken("nnc", profiledResult({ ops })).length, 9 + 2 * hostileNames.length);
});

Deno.test("without profiled steps the logs contain the measured times", () => {
  const run = profiledResult({ ops: [], profile: null });
  assert.deepEqual(spoken("singa", run), ["Time Profiling:"]);
  assert(spoken("nnc", run).some((line) => /^load_dataset \d+\.\d{6}\(ms\)$/.test(line)), "as the loop waited for it");
  assert(spoken("nnc", run).includes("let_data (x to Input) –(ms)"));
  assert(spoken("nnc", run).includes("forward_all 3.000000(ms)"));
  assert(spoken("mindinsight", run).includes("Step Trace"));
  assert(spoken("paddle", run).some((line) => /^ {2}Kernel +– +– +–$/.test(line)));
});

Deno.test("ops that ran but were not timed have no calls", () => {
  const run = profiledResult({ ops: [op("fc", "linear", null)] });
  assert(spoken("paddle", run).some((line) => /^ {2}Operator +– +– +–$/.test(line)));
  assert(spoken("paddle", run).some((line) => /^fc +– /.test(line)));
  assert(spoken("mindinsight", run).some((line) => /^Device +MatMul +fc +fc +– +– +– +– +– +–$/.test(line)));
});

Deno.test("all counts of kernels agree with the dispatches of the ops", () => {
  const run = profiledResult();
  const dispatches = run.variants[0]!.ops.reduce((sum, op) => sum + op.calls * op.dispatches, 0);
  const tables = tablesOf(spoken("paddle", run));
  const calls = (rows: readonly string[]) =>
    rows.reduce((sum, row) => sum + Number(row.match(/^ *\S+ +(\d+) /)?.[1] ?? 0), 0);
  assert.equal(calls(tables.get("Overview Summary")!.filter((row) => row.startsWith("  Kernel"))), dispatches);
  assert.equal(calls(tables.get("Kernel Summary")!), dispatches);
  assert.equal(calls(tables.get("Operator Summary")!.filter((row) => row.startsWith("    "))), dispatches);
  const activities = spoken("mindinsight", run).filter((line) => line.startsWith("Device "));
  assert.equal(activities.reduce((sum, line) => sum + Number(line.match(/(\d+)$/)![1]), 0), dispatches);
});

Deno.test("Averages and ratios of other tools include a stalled call", () => {
  const ops = [
    op("fc1", "linear", 1, { mean: 36, total: 180, max: 176, share: 0.25 }),
    op("conv", "conv2d", 4, { total: 20, mean: 4, share: 0.75 }),
  ];
  const run = profiledResult({ ops });
  assert(spoken("paddle", run).some((line) => / 180\.00 \/ 36\.00 \/ 176\.00 \/ 0\.75 \/ 90\.00/.test(line)));
  const operators = spoken("mindinsight", run);
  assert(operators.some((line) => /^MatMul +5 +180000\.0* +0\.90* +36000/.test(line)), operators.join("\n"));
  assert(spoken("singa", run).some((line) => /: 0\.036 sec$/.test(line)));
});
