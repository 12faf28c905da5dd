import assert from "node:assert/strict";
import { findAdapter } from "../../runtime/device/adapter.ts";
import { type AdapterIdentity, keysFor } from "../../runtime/scenario/adapters.ts";
import { type ResolveOptions, resolveScenario } from "../../runtime/scenario/resolve.ts";
import { resolveForAdapter } from "../../runtime/scenario/resolve_for_adapter.ts";
import { altered, configOf, example, namesOf, refuses } from "./fixtures.ts";

const adapters = {
  software: { loader: { batchSize: 8 }, measure: { steps: 2 }, params: { depth: 32 }, variants: ["baseline", "sink"] },
  "geforce": { loader: { batchSize: 256 } },
};
const adaptive = altered({ adapters });

const on = (keys: string[], options: ResolveOptions = {}) => resolveScenario(adaptive, { ...options, adapters: keys });

Deno.test("settings for an adapter replace the scenario's, and leave variants out", () => {
  const resolved = on(["software"]);
  assert.deepEqual(namesOf(resolved), ["baseline", "sink"]);
  assert.equal(configOf(resolved, "sink").loader.batchSize, 8);
  assert.equal(configOf(resolved, "sink").sink, 10, "the variant's own setting");
  assert.equal(resolved.measure.steps, 2);
  assert.equal(resolved.params["depth"], 32);
  assert.deepEqual(resolved.adapted, {
    adapters: ["software"],
    changes: [
      { path: "model", from: "resnet20", to: "resnet32" },
      { path: "loader.batchSize", from: 32, to: 8 },
      { path: "measure.steps", from: 5, to: 2 },
      { path: "params.depth", from: 20, to: 32 },
    ],
    omitted: ["workers", "amp", "all"],
  });
});

Deno.test("without a matching adapter the settings are the script's", () => {
  const resolved = on([]);
  assert.deepEqual(resolved.adapted, { adapters: [], changes: [], omitted: [] });
  const { adapted: _, ...rest } = resolved;
  const { adapted, ...plain } = resolveScenario(example);
  assert.equal(adapted, null, "a scenario without settings by adapter");
  const configs = ({ variants }: Pick<typeof resolved, "variants">) =>
    variants.map(({ name, config: { model: _, ...config } }) => ({ name, config }));
  assert.deepEqual(configs(rest), configs(plain));
  assert.deepEqual(on(["none"]).adapted, resolved.adapted);
});

Deno.test("overrides, flags and named variants win over the settings for an adapter", () => {
  const resolved = on(["software"], { overrides: ["loader.batchSize=16"], steps: 7, variants: ["baseline", "all"] });
  assert.deepEqual(namesOf(resolved), ["baseline", "all"]);
  assert.equal(configOf(resolved, "all").loader.batchSize, 16);
  assert.equal(resolved.measure.steps, 7);
  assert.deepEqual(resolved.adapted!.changes.map(({ path }) => path), ["model", "params.depth"]);
  assert.deepEqual(resolved.adapted!.omitted, []);
  assert.deepEqual(namesOf(on(["software"], { overrides: ["baseline=amp"] })), ["baseline", "sink", "amp"]);
  const swept = on(["software"], { overrides: ["amp=O0,O2"] });
  assert.deepEqual(namesOf(swept), ["amp=O0", "amp=O2"]);
  assert.equal(configOf(swept, "amp=O2").loader.batchSize, 8);
});

Deno.test("several matching adapters apply in the scenario's order", () => {
  const resolved = on(["software", "geforce"]);
  assert.equal(configOf(resolved, "baseline").loader.batchSize, 256);
  assert.deepEqual(namesOf(resolved), ["baseline", "sink"]);
});

Deno.test("an adapter is matched by its kind, name or driver", () => {
  const keys = ["software", "geforce", "llvm"];
  const of = (fields: Partial<AdapterIdentity>) =>
    keysFor(keys, { name: "NVIDIA GeForce RTX 4090", driver: null, fallback: false, ...fields });
  assert.deepEqual(of({}), ["geforce"]);
  assert.deepEqual(of({ name: "llvmpipe (LLVM 15)", fallback: true }), ["software", "llvm"]);
  assert.deepEqual(of({ name: "Radeon", driver: "radv LLVM" }), ["llvm"]);
});

Deno.test("problems are found for every adapter, also for those that do not apply", () => {
  const bad = (settings: Record<string, unknown>) => altered({ adapters: { geforce: settings } });
  refuses(bad({ loader: { batchSze: 8 } }), {}, /^adapters\.geforce\.loader\.batchSze: unknown key; did you mean/);
  refuses(bad({ measure: { steps: 0 } }), {}, /^adapters\.geforce\.measure\.steps: expected .* got 0$/);
  refuses(bad({ variants: ["snk"] }), {}, /^adapters\.geforce\.variants: unknown variant "snk"; did you mean "sink"/);
  refuses(
    bad({ model: null }),
    {},
    /^adapters\.geforce\.model: is the same on every adapter; move it to the scenario$/,
  );
  refuses(bad({ batchSize: 8 }), {}, /^adapters\.geforce\.batchSize: unknown key/);
  refuses(altered({ adapters: { none: {} } }), {}, /^adapters\.none: expected software, or a part/);
  refuses(altered({ adapters: [] }), {}, /^adapters: expected settings by adapter/);
  refuses(adaptive, { adapters: ["sofware"] }, /^adapters: unknown settings "sofware"; did you mean "software"\?$/);
});

Deno.test("the adapter of the run selects the settings, unless they are named", async () => {
  const found = await findAdapter({ probe: false });
  const names = keysFor(Object.keys(adapters), found!.info);
  assert.deepEqual((await resolveForAdapter(adaptive)).adapted!.adapters, names);
  const named = await resolveForAdapter(adaptive, { settingsFor: ["geforce"] });
  assert.deepEqual(named.adapted!.adapters, ["geforce"]);
  assert.equal(named.variants[0]!.config.loader.batchSize, 256);
  assert.equal((await resolveForAdapter(example)).adapted, null);
});
