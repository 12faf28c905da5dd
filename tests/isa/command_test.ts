/** The command line of estimates: targets, comparisons, gates and messages. */
import assert from "node:assert/strict";
import { evaluateGates } from "../../runtime/analysis/gates/evaluate_gates.ts";
import { parseGate } from "../../runtime/analysis/gates/parse_gate.ts";
import { planKernels } from "../../runtime/compile/plan_counts.ts";
import { changesOf, changesTable } from "../../runtime/isa/differences.ts";
import type { Figures } from "../../runtime/isa/figures.ts";
import { driverLibrary } from "../../runtime/isa/radv/library.ts";
import type { IsaEstimate, KernelEstimate } from "../../runtime/isa/types.ts";
import { worstOf } from "../../runtime/isa/worst.ts";
import { cellOf } from "../../runtime/report/spec.ts";
import { unmeasuredVariant } from "../../runtime/result/unmeasured.ts";
import { Repository } from "../cli/commits/repository.ts";
import { Place } from "../cli/tacho_process.ts";
import { compilerTest } from "./driver.ts";

const SUM = `@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var sum = 0.0;
  for (var i = 0u; i < 1000u; i++) { sum += y[i * 64u + id.x]; }
  y[id.x] = sum;
}`;

const SCRIPT = `
import { defineOp, layer, linear, run, scenario, sequential, syntheticImages, flatten } from ${
  JSON.stringify(import.meta.resolve("../../mod.ts"))
};
const rowSquares = defineOp({
  type: "row_squares",
  inputs: ["x"],
  shape: ({ x }) => ({ y: [...x.shape.slice(0, -1), 1] }),
  cost: ({ x }) => 2 * x.size,
  precision: "wide",
  gradient: ({ inputs }) => ({ x: inputs.x }),
  kernels: [{
    name: "rows",
    uniforms: ({ x }) => ({ width: x.shape.at(-1)! }),
    invocations: ({ y }) => y.size,
    code: "var sum = 0.0; for (var i = 0u; i < u.width; i++) { sum += load_x(index * u.width + i); } store_y(index, sum);",
  }],
});
export default scenario({
  name: "squares",
  model: sequential(flatten(), linear(64), layer((x) => rowSquares(x))),
  mode: "infer",
  data: syntheticImages({ channels: 1, height: 8, width: 8, classes: 2, length: 64 }),
  loader: { batchSize: 16 },
  variants: { plain: {}, half: { amp: "O2" } },
});
if (import.meta.main) await run();
`;

const figures = (changes: Partial<Figures> = {}): Figures => ({
  ...{ workgroup: 64, lanes: 64, vectorRegisters: 32, scalarRegisters: 20, spilledVector: 0, spilledScalar: 0 },
  ...{ scratch: 0, lds: 0, waves: 16, maxWaves: 16, limit: "none", codeBytes: 400, instructions: 90, cost: 100 },
  ...{ latency: 900, whole: null, loop: null },
  ...changes,
});

const row = (kernel: string, gpu: string, changes: Partial<Figures> | null = {}): KernelEstimate => ({
  ...{ kernel, gpu, dispatches: 1, advice: [], figures: changes === null ? null : figures(changes) },
  error: changes === null ? "refused" : null,
});

Deno.test("the worst kernel of each figure has its name and GPU; none is known where a kernel has no figures", () => {
  const rows = [
    row("a", "NAVI21"),
    row("b", "NAVI21", { spilledVector: 3, spilledScalar: 2, waves: 2 }),
    row("b", "VEGA10", { cost: 7e4 }),
  ];
  assert.deepEqual(worstOf(rows), {
    spills: { value: 5, kernel: "b", gpu: "NAVI21" },
    waves: { value: 2, kernel: "b", gpu: "NAVI21" },
    instructions: { value: 90, kernel: "a", gpu: "NAVI21" },
    cost: { value: 7e4, kernel: "b", gpu: "VEGA10" },
  });
  assert.deepEqual(Object.values(worstOf([...rows, row("c", "NAVI21", null)])), [null, null, null, null]);
  assert.equal(worstOf([]).spills, null);
});

Deno.test("gates name the kernel and the GPU of the worst figure, and compare it with a stored one", () => {
  const variant = (rows: readonly KernelEstimate[]) => ({
    ...unmeasuredVariant("after", {} as never),
    isa: worstOf(rows),
  });
  const now = {
    baseline: "after",
    variants: [variant([row("a", "NAVI21"), row("b", "VEGA10", { cost: 130, spilledVector: 2 })])],
  };
  const before = { id: "before", result: { ...now, variants: [variant([row("b", "VEGA10")])] } as never };
  const gates = [
    "isa.spills.after==0",
    "isa.cost.after<=+10%@before",
    "isa.waves.after>=8",
    "isa.spills.after<=@before",
  ];
  const outcomes = evaluateGates(gates.map(parseGate), now, new Map([["before", before]]));
  assert.deepEqual(outcomes.map(({ state, why }) => [state, why]), [
    ["fail", "b on VEGA10"],
    ["fail", "b on VEGA10"],
    ["pass", "a on NAVI21"],
    ["fail", "b on VEGA10"],
  ]);
  const [missing] = evaluateGates([parseGate("isa.cost.after<1")], {
    ...now,
    variants: [unmeasuredVariant("after", {} as never)],
  }, new Map());
  assert.deepEqual([missing!.state, missing!.why], ["missing", "not estimated; add --dry-run, or use tacho isa"]);
});

Deno.test("changes pair kernels by name and GPU, with those that are new or gone", () => {
  const before = [row("a", "NAVI21"), row("b", "NAVI21"), row("gone", "NAVI21")];
  const after = [row("a", "NAVI21"), row("b", "NAVI21", { cost: 150, waves: 8.5 }), row("new", "NAVI21")];
  const changes = changesOf(before, after);
  assert.deepEqual(changes.map(({ kernel, before, after }) => [kernel, before === null, after === null]), [
    ["b", false, false],
    ["new", true, false],
    ["gone", false, true],
  ]);
  const { columns } = changesTable(changes, "main");
  const cells = changes.map((change) => columns.map((column) => cellOf(column, change).text));
  assert.deepEqual(cells[0], ["b", "NAVI21", "32", "0", "16 → 8.5", "90", "–", "×1.500"]);
  assert.deepEqual(cells[1]!.slice(2, 5), ["– → 32", "– → 0", "– → 16"]);
});

Deno.test("the kernels of a plan are listed once by their code, with their dispatches", () => {
  const dispatch = (name: string, wgsl: string) => ({ kernel: { name, wgsl } });
  const segments = [
    { phase: "forward", dispatches: [dispatch("a", "A"), dispatch("b", "B"), dispatch("a", "A")] },
    { phase: "update", dispatches: [dispatch("u", "U")] },
  ];
  assert.deepEqual(planKernels({ segments, accumulate: 2 } as never), [
    { name: "a", wgsl: "A", dispatches: 4 },
    { name: "b", wgsl: "B", dispatches: 2 },
    { name: "u", wgsl: "U", dispatches: 1 },
  ]);
});

Deno.test("without the driver the message says what to install, elsewhere than on Linux how to run a container", () => {
  assert.throws(() => driverLibrary("linux", ["libnot-there.so"]), {
    exitStatus: 3,
    message: /^tacho isa needs Mesa's Vulkan driver for AMD, libvulkan_radeon\.so.*apt-get install mesa-vulkan-drivers/,
  });
  assert.throws(() => driverLibrary("darwin"), { exitStatus: 3, message: /not on darwin\..*\n {2}docker run / });
});

Deno.test("what is no target, GPU, override or gate is refused with what was expected", async () => {
  await using place = await Place.make();
  await place.write("a.wgsl", SUM);
  const refused = async (...args: string[]) => {
    const { code, stderr } = await place.here("isa", ...args);
    assert.equal(code, 2, stderr);
    return stderr.trim();
  };
  assert.match(await refused("model.onnx"), /expected a WGSL file or a Tacho script, got "model.onnx"/);
  assert.match(await refused("a.wgsl", "amp=O2"), /expected one WGSL file, got "amp=O2" after it/);
  assert.match(await refused("a.wgsl", "--gpu", "navi2l"), /--gpu: unknown GPU "navi2l"; did you mean "NAVI21"\?/);
  assert.match(await refused("a.wgsl", "--override", "N"), /--override: expected a name and a number, such as TILE=16/);
  assert.match(await refused("a.wgsl", "--kernel", "zzz"), /--kernel zzz: none of 1 kernels has this in its name/);
  assert.match(await refused("a.wgsl", "--gate", "isa.spils.baseline==0"), /unknown metric "isa.spils"; did you mean/);
});

compilerTest(
  "a WGSL file: tables with the compiler, JSON, assembly, comparison with another file and gates",
  async () => {
    await using place = await Place.make();
    await place.write("a.wgsl", SUM);
    await place.write("b.wgsl", SUM.replace("1000u", "arrayLength(&y) / 7u"));
    const tacho = async (...args: string[]) => await place.here("isa", "a.wgsl", "--gpu", "RX 6800", ...args);
    const { code, stdout } = await tacho();
    assert.equal(code, 0, stdout);
    assert.match(
      stdout,
      /^Resources \(estimate\)\n[\s\S]*a\.wgsl +NAVI21[\s\S]*estimate without a GPU, by the compiler radv Mesa/,
    );
    assert.doesNotMatch(stdout, /\d ?(ms|us|ns|s)\b/, "no time is printed");
    const json = JSON.parse((await tacho("--json", "-")).stdout) as IsaEstimate;
    assert.deepEqual(json.rows.map(({ kernel, gpu }) => [kernel, gpu]), [["a.wgsl", "NAVI21"]]);
    assert.match((await tacho("--markdown")).stdout, /^\| a\.wgsl \| NAVI21/m);
    assert.match((await tacho("--asm", "a.")).stdout, /^┃ {3}v_add_f32/m);
    await place.write("a.json", JSON.stringify(json));
    assert.equal((await tacho("--against", "a.json")).stdout, "No kernel differs from a.json\n");
    assert.match((await tacho("--against", "b.wgsl")).stdout, /^a\.wgsl +NAVI21 .* ×0\.\d+$/m);
    const gated = await tacho("--gate", "isa.spills.baseline==0", "--gate", "isa.instructions.baseline<=3");
    assert.equal(gated.code, 1);
    assert.match(gated.stdout, /isa\.instructions\.baseline<=3 .*FAILS\n +a\.wgsl on NAVI21/);
  },
  { fast: true },
);

compilerTest(
  "a script: the kernels of its step for GPUs, its own op among them, by variant, and gates of a dry run",
  async () => {
    await using place = await Place.make();
    await place.write("script.ts", SCRIPT);
    const { code, stdout, stderr } = await place.here("isa", "script.ts", "--json", "-", "--gpu", "navi21");
    assert.equal(code, 0, stderr);
    const { rows } = JSON.parse(stdout) as IsaEstimate;
    assert.ok(rows.some(({ kernel }) => kernel.startsWith("row_squares.rows")), stdout);
    assert.ok(rows.every(({ figures, dispatches }) => figures !== null && dispatches! >= 1));
    const half = await place.here("isa", "script.ts", "--variant", "half", "--kernel", "linear f16", "--gpu", "navi21");
    assert.match(half.stdout, /linear\.\S*f16/);
    const dry = await place.tacho(["run", "script.ts", "--dry-run", "--gate", "isa.instructions.plain<=5"]);
    assert.equal(dry.code, 1, dry.stderr);
    assert.match(dry.stdout, /isa\.instructions\.plain<=5 .*FAILS\n +\S+ on (NAVI21|GFX1100|VEGA10)/);
  },
);

compilerTest(
  "two commits: gates compare their worst kernels, and --against lists the kernels that changed",
  async () => {
    await using repository = await Repository.make();
    await repository.commit("one layer", 1);
    await repository.commit("two layers", 2);
    const gates = ["isa.spills.after<=@before", "isa.instructions.after<=10"].flatMap((gate) => ["--gate", gate]);
    const { code, stdout, stderr } = await repository.tacho([
      ...["compare-commits", "HEAD~1", "HEAD", "--dry-run", ...gates, "--", "train.ts"],
    ]);
    assert.equal(code, 1, stderr);
    assert.match(stdout, /isa\.spills\.after<=@before .*holds\n +0 now, 0 in before/);
    assert.match(stdout, /isa\.instructions\.after<=10 .*FAILS\n +\S+ on /);
    const against = await repository.tacho(["isa", "train.ts", "--against", "HEAD~1", "--gpu", "navi21"]);
    assert.equal(against.code, 0, against.stderr);
    assert.match(against.stdout, /^No kernel differs from HEAD~1|^Changes against HEAD~1/);
    const measured = await repository.tacho(["isa", "train.ts", "--against", "nowhere"]);
    assert.match(measured.stderr, /Unknown commit "nowhere"/);
  },
);
