/** Results of subgroup kernels with the adapter's own number of lanes, with configured lanes and with emulated lanes. */
import assert from "node:assert/strict";
import { testDevice } from "../support/evaluate.ts";
import { emulateSubgroups } from "../support/subgroup_emulation.ts";
import { assertEveryTile, checkSubgroupProducts } from "../support/subgroup_products.ts";

const script = new URL("../support/subgroup_products.ts", import.meta.url).href;
const { traits: own } = await testDevice();

Deno.test({
  name: "kernels with the adapter's own subgroups match the references",
  ignore: own.subgroupSize === null,
  async fn() {
    const lanes = own.subgroupSize!;
    assertEveryTile(await checkSubgroupProducts(lanes, "f32"), lanes);
    if (own.f16) assertEveryTile(await checkSubgroupProducts(lanes, "f16"), lanes);
  },
});

for (const lanes of [4, 16]) {
  Deno.test(`kernels with subgroups of ${lanes} lanes match the references, on adapters that can be configured for them`, async (t) => {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", "--no-check", script, String(lanes)],
      env: { LP_NATIVE_VECTOR_WIDTH: String(32 * lanes) },
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    const result = JSON.parse(new TextDecoder().decode(stdout)) as {
      lanes: number | null;
      names: Record<string, string[]>;
    };
    await t.step({
      name: result.lanes === lanes
        ? `${lanes} lanes`
        : `skipped: with LP_NATIVE_VECTOR_WIDTH=${32 * lanes} the adapter has subgroups of ${result.lanes} lanes`,
      ignore: result.lanes !== lanes,
      fn() {
        assert.deepEqual(Object.keys(result.names), own.f16 ? ["f32", "f16"] : ["f32"]);
        for (const names of Object.values(result.names)) assertEveryTile(names, lanes);
      },
    });
  });
}

for (const [lanes, dtype] of [[32, "f16"], [64, "f32"]] as const) {
  Deno.test({
    name: `kernels with emulated subgroups of ${lanes} lanes match the references in ${dtype}`,
    ignore: dtype === "f16" && !own.f16,
    async fn() {
      assertEveryTile(await checkSubgroupProducts(lanes, dtype, { change: emulateSubgroups }), lanes);
    },
  });
}
