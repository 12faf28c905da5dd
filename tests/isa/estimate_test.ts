/** Kernels through naga and Mesa's compiler, which need no GPU. */
import assert from "node:assert/strict";
import { LineProcess, ProcessEnded } from "../../runtime/isa/line_process.ts";
import { estimateKernels } from "../../runtime/isa/estimate.ts";
import { findGpu } from "../../runtime/isa/gpus.ts";
import { instructionsPerMultiplyAdd } from "../../runtime/isa/tables.ts";
import { compilerTest, estimated } from "./driver.ts";

/** A product of rows, whose loop has one multiply-add. */
const DOT = `@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var sum = vec4<f32>();
  for (var i = 0u; i < 1000u; i++) { sum = fma(a[i * 64u + id.x], a[i], sum); }
  y[id.x] = sum.x + sum.y + sum.z + sum.w;
}`;

compilerTest("a kernel has figures on three generations, with the compiler's version and no time", async () => {
  const { rows, compiler, frontEnd } = await estimated({ dot: DOT });
  assert.match(compiler!, /^radv Mesa \d+\.\d+/);
  assert.match(frontEnd!, /^naga 25\.0\.1 /);
  assert.deepEqual(rows.map(({ gpu, error }) => [gpu, error]), [["NAVI21", null], ["GFX1100", null], ["VEGA10", null]]);
  for (const { figures } of rows) {
    assert.deepEqual([figures!.workgroup, figures!.lanes, figures!.spilledVector, figures!.lds], [64, 64, 0, 0]);
    assert.ok(
      figures!.vectorRegisters! >= 8 && figures!.waves! >= 8 && figures!.cost! > 0 && figures!.codeBytes! > 100,
    );
    assert.ok(figures!.loop!.loads128 >= 1 && instructionsPerMultiplyAdd(figures!)! < 8, JSON.stringify(figures!.loop));
  }
}, { fast: true });

compilerTest("every group, textures, samplers and entry points are compiled", async () => {
  const wgsl = `
@group(1) @binding(3) var image: texture_2d<f32>;
@group(1) @binding(4) var filtering: sampler;
@group(3) @binding(0) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(0) var target_: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(0) var<uniform> scale: vec4<f32>;
@compute @workgroup_size(8, 8)
fn sample(@builtin(global_invocation_id) id: vec3<u32>) {
  let value = textureSampleLevel(image, filtering, vec2<f32>(id.xy) / 64.0, 0.0);
  textureStore(target_, id.xy, value);
  y[id.x] = value;
}
@compute @workgroup_size(32)
fn scaled(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] *= scale; }
@fragment fn shade() -> @location(0) vec4<f32> { return vec4<f32>(1.0); }`;
  const { rows } = await estimated({ image: wgsl }, ["navi21"]);
  assert.deepEqual(rows.map(({ kernel, error }) => [kernel, error]), [["image:sample", null], ["image:scaled", null]]);
  assert.deepEqual(rows.map(({ figures }) => figures!.workgroup), [64, 32]);
  assert.ok(rows[0]!.figures!.whole!.images >= 2, "it samples and stores an image");
});

compilerTest("indices into workgroup memory are clamped, signed ones and those of vectors too", async () => {
  const clamps = async (body: string, type = "array<f32, 100>") => {
    const wgsl = `@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<storage, read> at: array<i32>;
var<workgroup> tile: ${type};
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { ${body} }`;
    const { rows: [row] } = await estimated({ clamp: wgsl }, ["navi21"]);
    assert.equal(row!.error, null);
    return row!.figures!.whole!.clamps;
  };
  assert.equal(await clamps("tile[at[i]] = y[i]; workgroupBarrier(); y[i] = tile[at[i + 1u]];"), 2);
  assert.equal(await clamps("tile[5] = y[i]; workgroupBarrier(); y[i] = tile[7];"), 0);
  assert.equal(await clamps("let v = vec4<f32>(y[i], y[i + 1u], y[i + 2u], y[i + 3u]); y[i] = v[at[i]];"), 1);
});

compilerTest("override constants and directives: substituted, and removed with a note", async () => {
  const wgsl = `enable f16, subgroups;
override size: u32;
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(size) fn main(@builtin(local_invocation_index) i: u32) { y[i] = subgroupAdd(y[i]); }`;
  const source = { name: "subgroups", wgsl, dispatches: null };
  const gpus = [findGpu("navi21")];
  const { rows, notes } = await estimateKernels([{ ...source, overrides: { size: 256 } }], { gpus });
  assert.equal(rows[0]!.figures!.workgroup, 256);
  assert.deepEqual(notes, ["removed before compiling, since the front end lacks it: enable subgroups"]);
  const { rows: [without] } = await estimateKernels([source], { gpus });
  assert.match(without!.error!, /^override size has no value/);
});

compilerTest("a kernel that is refused is named with the reason, and the others go on", async () => {
  const { rows } = await estimated({
    wrong: "@compute @workgroup_size(1) fn main() { let x: u32 = 1.5; }",
    large: "@compute @workgroup_size(64, 64) fn main() {}",
    none: "fn helper() {}",
    dot: DOT,
  }, ["vega10"]);
  const errors = Object.fromEntries(rows.map(({ kernel, error }) => [kernel, error]));
  assert.equal(errors["dot"], null);
  assert.match(errors["wrong"]!, /u32/);
  assert.equal(errors["large"], "entry point main: a workgroup of 4096 invocations; expected 1 to 1024");
  assert.equal(errors["none"], "no entry point for compute; expected a function with @compute");
});

compilerTest("a front end's module that takes the compiler down is named, and the others go on", async () => {
  // OpTypePointer to an ID that does not exist: no front end makes it, and the driver does not check
  const naga = (await import("../../runtime/isa/naga/translator.ts")).createNaga();
  const { instruction, joinModule, parseModule, Op } = await import("../../runtime/isa/spirv/module.ts");
  const translator: typeof naga = {
    version: "faulty",
    async toSpirv(wgsl) {
      const spirv = await naga.toSpirv(wgsl);
      if (!wgsl.includes("faulty")) return spirv;
      const { header, instructions } = parseModule(spirv);
      const broken = instructions.map((words) =>
        (words[0]! & 0xffff) === Op.store ? instruction(Op.store, 1000, 1001) : words
      );
      return joinModule(header, broken, header[3]!);
    },
    [Symbol.asyncDispose]: () => naga[Symbol.asyncDispose](),
  };
  const sources = [["faulty", `${DOT} // faulty`], ["dot", DOT]].map(([name, wgsl]) => ({
    ...{ name: name!, wgsl: wgsl!, dispatches: null },
  }));
  const { rows } = await estimateKernels(sources, { gpus: [findGpu("navi21")], translator });
  assert.deepEqual(rows.map(({ kernel, error }) => [kernel, error === null]), [["faulty", false], ["dot", true]]);
  assert.match(rows[0]!.error!, /^the compiler ended on this kernel: SIG(SEGV|ABRT)|vkCreate/);
});

compilerTest("a family that the driver does not know ends with one message", async () => {
  const unknown = { ...findGpu("navi21"), name: "NAVI99", families: ["NAVI99", "NAVI98"] };
  await assert.rejects(
    estimateKernels([{ name: "dot", wgsl: DOT, dispatches: null }], { gpus: [unknown] }),
    { name: "DeviceError", message: /opens no device for NAVI99: .*Unknown family: NAVI98/ },
  );
});

Deno.test("a process that ends or prints other lines does not mix up answers", async () => {
  const module = `data:application/typescript,${
    encodeURIComponent(`
    console.log("a driver's own words");
    const reader = Deno.stdin.readable.pipeThrough(new TextDecoderStream()).getReader();
    await reader.read();
    console.log("{}");
    await reader.read();
    console.error("last words");
    Deno.exit(9);`)
  }`;
  await using process = new LineProcess(module, [], []);
  assert.deepEqual(await process.ask({}, 20_000), {});
  await assert.rejects(process.ask({}, 20_000), new ProcessEnded("status 9: last words"));
});
