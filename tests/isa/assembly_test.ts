/** Counting instructions in the assembly that Mesa prints for GFX9, GFX10 and GFX11. */
import assert from "node:assert/strict";
import { parseAssembly } from "../../runtime/isa/assembly/instructions.ts";
import { analyse, markedAssembly, type Mix, multiplyAdds } from "../../runtime/isa/assembly/mix.ts";

const GFX10 = `BB0:
\ts_load_dwordx4 s[12:15], s[2:3], 0x30                       ; f4080301 fa000030
BB1:
\tv_add_nc_u32_e32 v0, 1, v0                                  ; 4a000081
BB2:
\ts_cbranch_scc1 BB4                                          ; bf850001
BB3:
\tds_read_b128 v[4:7], v1                                     ; d9fc0000
\tds_read2_b32 v[8:9], v1 offset1:1                           ; d8dc0100
\tbuffer_load_dwordx4 v[8:11], v2, s[0:3], 0 offen            ; e0381000
\tbuffer_load_dword v12, v2, s[0:3], 0 offen                  ; e0301000
\tv_min_u32_e32 v1, 63, v1                                    ; 260202bf
\tv_fmac_f32_e32 v20, v4, v8                                  ; 56281104
\tv_pk_fma_f16 v21, v4, v8, v21                               ; cc0e0015
\tv_pk_add_f16 v21, v4, v8                                    ; cc0f0015
\tv_pk_mul_f16 v21, v4, v8                                    ; cc100015
\tv_mul_lo_u32 v3, v2, s4                                     ; d5690003
\ts_branch BB2                                                ; bf82ffe0
BB4:
\ts_cbranch_scc1 BB1                                          ; bf85ffdf
BB5:
\tbuffer_store_dwordx4 v[20:23], v2, s[0:3], 0 offen          ; e0781000
\ts_endpgm                                                    ; bf810000
`;

const some = (mix: Mix | null, ...kinds: (keyof Mix)[]) => kinds.map((kind) => mix?.[kind]);

Deno.test("kinds are counted in the innermost loop with the most multiply-adds", () => {
  const { whole, loop, hot } = analyse(GFX10);
  assert.deepEqual(some(loop, "all", "lds32", "lds64", "lds128", "loads32", "loads128", "clamps"), [
    12,
    0,
    1,
    1,
    1,
    1,
    1,
  ]);
  assert.deepEqual(some(loop, "integerMultiplications", "packedF16", "f16", "stores"), [1, 3, 3, 0]);
  assert.deepEqual(some(whole, "all", "stores"), [17, 1]);
  assert.deepEqual(hot, { first: 4, last: 17 });
});

Deno.test("a packed multiply-add is two, packed additions and products are none", () => {
  assert.equal(multiplyAdds(analyse(GFX10).loop!), 3);
});

Deno.test("instructions that GFX11 issues together are two, and its mnemonics are known", () => {
  const { whole } = analyse(`BB0:
\tv_dual_fmac_f32 v1, v2, v3 :: v_dual_fmac_f32 v4, v5, v6    ; c8000503 01040b05
\tds_load_b128 v[4:7], v1                                     ; dbfc0000
\tds_load_2addr_b32 v[4:5], v1 offset1:1                      ; d8dc0100
\tglobal_load_b32 v1, v0, s[0:1]                              ; dc520000
\tbuffer_load_d16_b16 v1, v0, s[0:3], 0 offen                 ; e0800000
\tbuffer_load_b64 v[1:2], v0, s[0:3], 0 offen                 ; e0541000
\tscratch_load_b32 v1, off, s0                                ; dc510000
\tv_fma_mix_f32 v1, v2, v3, v1                                ; cc200001
`);
  assert.equal(multiplyAdds(whole), 3);
  const kinds = ["all", "lds128", "lds64", "loads32", "loads64", "scratch"] as const;
  assert.deepEqual(some(whole, ...kinds), [9, 1, 1, 2, 1, 1]);
});

Deno.test("GFX9 reads and loads are counted by width", () => {
  const { whole } = analyse(`BB0:
\tbuffer_load_ushort v1, v0, s[0:3], 0 offen                  ; e0481000
\tbuffer_load_dwordx2 v[1:2], v0, s[0:3], 0 offen             ; e0541000
\tds_read_u16 v1, v0                                          ; d8780000
\tds_write2st64_b64 v0, v[1:2], v[3:4] offset1:1              ; d89e0100
\tv_mac_f32_e32 v1, v2, v3                                    ; 2c020702
\tv_rcp_iflag_f32_e32 v1, v1                                  ; 7e024701
`);
  const kinds = ["loads32", "loads64", "lds32", "lds128", "multiplyAdds", "divisions"] as const;
  assert.deepEqual(some(whole, ...kinds), [1, 1, 1, 1, 1, 1]);
});

Deno.test("repeated instructions are counted, and hints for the scheduler are not, as Mesa 25 prints them", () => {
  const { whole } = analyse(`BB0:
\ts_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1) ; bf870091
\tv_fma_f32 v1, v2, v3, v1                                    ; d6130001
\t(then repeated 6 times)
\ts_wait_kmcnt 0x0                                            ; bfc70000
`);
  assert.deepEqual(some(whole, "all", "multiplyAdds", "waits"), [8, 7, 1]);
});

Deno.test("a loop ends at its last jump back", () => {
  const { loops } = parseAssembly(
    "BB0:\nBB1:\n\ts_cbranch_scc1 BB1 ; 0\n\tv_nop ; 0\n\ts_branch BB1 ; 0\nBB2:\n\ts_branch BB3 ; 0\nBB3:\n",
  );
  assert.deepEqual(loops, [{ first: 1, last: 4 }]);
});

Deno.test("the hottest loop is marked, without encodings", () => {
  const lines = markedAssembly(GFX10).split("\n");
  assert.deepEqual(lines.slice(3, 6), ["    v_add_nc_u32_e32 v0, 1, v0", "┃ BB2:", "┃   s_cbranch_scc1 BB4"]);
  assert.equal(lines.filter((line) => line.startsWith("┃")).length, 14);
});

Deno.test("assembly without a loop has none, and an empty text no instruction", () => {
  assert.deepEqual([analyse("BB0:\n\ts_endpgm ; 0").loop, analyse("").whole.all], [null, 0]);
});
