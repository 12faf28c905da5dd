import { emulateSubgroups } from "../support/subgroup_emulation.ts";
import { assertEveryTile, checkSubgroupProducts } from "../support/subgroup_products.ts";

Deno.test("kernels with emulated subgroups of 32 lanes match the references in f32", async () => {
  assertEveryTile(await checkSubgroupProducts(32, "f32", { change: emulateSubgroups }), 32);
});
