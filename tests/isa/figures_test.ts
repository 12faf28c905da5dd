/** Figures from the driver's statistics, names of GPUs, and the advice that follows. */
import assert from "node:assert/strict";
import { adviceOn } from "../../runtime/isa/advice/advise.ts";
import { figuresOf } from "../../runtime/isa/figures.ts";
import { findGpu, GPUS } from "../../runtime/isa/gpus.ts";

const statistics = {
  "SGPRs": 128,
  "Pre-Sched SGPRs": 40,
  "VGPRs": 56,
  "Spilled VGPRs": 0,
  "Spilled SGPRs": 0,
  "LDS size": 16896,
  "Scratch size": 0,
  "Subgroups per SIMD": 16,
  "Code size": 2048,
  "Instructions": 500,
  "Inverse Throughput": 900,
};

const answer = (changes: Record<string, number> = {}, assembly = "BB0:\n\ts_endpgm ; 0\n", lanes = 64) => ({
  lanes,
  statistics: { ...statistics, ...changes },
  texts: { Assembly: assembly },
});

Deno.test("GPUs are found by family, target and product", () => {
  for (
    const name of ["navi21", "NAVI21", "gfx1030", "RX 6800", "rx6800xt", "AMD Radeon RX 6800", "Radeon(TM) RX 6900 XT"]
  ) {
    assert.equal(findGpu(name).name, "NAVI21", name);
  }
  assert.deepEqual(["Vega 64", "navi31", "RX 7900 XTX"].map((name) => findGpu(name).name), [
    "VEGA10",
    "GFX1100",
    "GFX1100",
  ]);
  assert.throws(() => findGpu("navi12x"), /InputError: --gpu: unknown GPU "navi12x"; did you mean "NAVI10"\?/);
  const all = GPUS.flatMap((
    { families, target, products },
  ) => [...new Set([...families, target, ...products].map((name) => name.toLowerCase()))]);
  assert.equal(new Set(all).size, all.length, "no name is of two GPUs");
});

Deno.test("waves of RDNA are halved, and only whole workgroups with their LDS count", () => {
  const waves = (gpu: string, changes: Record<string, number>, workgroup: number) => {
    const { waves, limit, maxWaves } = figuresOf(answer(changes), findGpu(gpu), workgroup);
    return [waves, maxWaves, limit];
  };
  assert.deepEqual(waves("navi21", {}, 256), [7, 16, "LDS"]); // the driver says 8: seven workgroups of four waves fit
  assert.deepEqual(waves("navi21", { "LDS size": 0, "Subgroups per SIMD": 10 }, 64), [5, 16, "registers"]);
  assert.deepEqual(waves("navi21", { "LDS size": 0, "Subgroups per SIMD": 10 }, 1024), [4, 16, "workgroup"]);
  assert.deepEqual(waves("navi21", { "LDS size": 0, "Subgroups per SIMD": 32 }, 256), [16, 16, "none"]);
  assert.deepEqual(waves("vega10", { "LDS size": 25088, "Subgroups per SIMD": 3 }, 256), [2, 10, "LDS"]);
});

Deno.test("statistics that the driver lacks are null, not 0", () => {
  const figures = figuresOf({ lanes: 0, statistics: {}, texts: {} }, findGpu("navi21"), 64);
  const { workgroup: _, maxWaves: __, ...rest } = figures;
  assert.deepEqual([...new Set(Object.values(rest))], [null]);
});

Deno.test("scalar registers are those before scheduling on RDNA, and the allocated ones on GCN", () => {
  assert.deepEqual(["navi10", "vega10"].map((gpu) => figuresOf(answer(), findGpu(gpu), 64).scalarRegisters), [40, 128]);
});

const LOOP = `BB0:
BB1:
\tds_read_b32 v1, v0 ; 0
${"\tv_min_u32_e32 v1, 63, v1 ; 0\n".repeat(4)}${"\tbuffer_load_dword v1, v0, s[0:3], 0 offen ; 0\n".repeat(4)}${
  "\tv_mul_lo_u32 v1, v1, s4 ; 0\n".repeat(4)
}${"\tv_fma_f16 v1, v1, v1, v1 ; 0\n".repeat(4)}\tv_rcp_iflag_f32_e32 v1, v1 ; 0
\tbuffer_load_dword v1, off, s[0:3], s5 offset:8 ; 0
\ts_cbranch_scc1 BB1 ; 0
`;

const WGSL = `enable f16;
@group(0) @binding(0) var<storage, read> x: array<f32>;
var<workgroup> tile: array<f32, 64>;
@compute @workgroup_size(32)
fn main() {
  var sums = array<f32, 16>();
  for (var i = 0u; i < u.n; i++) {
    let row = i / u.width;
    sum += x[i] * tile[i];
    h += f16(1);
  }
}`;

function advice(changes: Record<string, number>, workgroup = 32) {
  const gpu = findGpu("navi21");
  const figures = figuresOf(answer(changes, LOOP), gpu, workgroup);
  return adviceOn({ figures, wgsl: WGSL, gpu });
}

Deno.test("each finding has its rule, the line of the code, and figures", () => {
  const found = advice({ "Spilled VGPRs": 3, "Scratch size": 64, "Subgroups per SIMD": 4, "LDS size": 256 });
  const lines = Object.fromEntries(found.map(({ rule, line }) => [rule, line]));
  assert.deepEqual(lines, {
    "spills": 6,
    "few-waves": 4,
    "scalar-loads": 9,
    "idle-lanes": 4,
    "integer-arithmetic": 8,
    "clamped-indices": 9,
    "unpacked-f16": 10,
  });
  const text = Object.fromEntries(found.map(({ rule, finding }) => [rule, finding]));
  assert.match(text["spills"]!, /^3 vector and 0 scalar registers spill; 64 bytes/);
  assert.match(text["few-waves"]!, /^2 of 16 waves: 56 vector registers/);
  assert.match(text["idle-lanes"]!, /a workgroup of 32 leaves 50 % of the lanes of its waves of 64 idle/);
  assert.match(text["integer-arithmetic"]!, /^4 integer multiplications .* with 1 divisions/);
  assert.ok(found.every(({ share }) => share > 0 && share <= 1));
  assert.deepEqual(found.map(({ share }) => share), found.map(({ share }) => share).toSorted((a, b) => b - a));
});

Deno.test("LDS that limits the waves names the bytes that would allow four", () => {
  const [first] = advice({ "Subgroups per SIMD": 8, "LDS size": 40960 }, 256).filter(({ rule }) =>
    rule === "few-waves"
  );
  assert.match(first!.finding, /^3 of 16 waves: 40960 bytes of LDS per workgroup/);
  assert.match(first!.change, /^at most 32768 bytes would allow 4 waves/);
  assert.equal(first!.line, 3);
});

Deno.test("a kernel without a reason gets no advice", () => {
  const gpu = findGpu("navi21");
  const figures = figuresOf(answer({ "LDS size": 0 }), gpu, 256);
  assert.deepEqual(adviceOn({ figures, wgsl: WGSL, gpu }), []);
});
