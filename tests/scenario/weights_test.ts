/** The setting `weights`, and the record `model: { layer, weights }`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { createTrainer, InputError, linear } from "../../mod.ts";
import { inputFiles } from "../../runtime/experiment/input_hashes.ts";
import { DEFAULT_TRAITS } from "../../runtime/device/traits.ts";
import { planOne } from "../../runtime/experiment/planning.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { small } from "../trainer/models.ts";

const folder = Deno.makeTempDirSync({ prefix: "tacho-weights-" });
addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

const FILE = join(folder, "small.safetensors");

function refuses(run: () => unknown, message: RegExp): void {
  assert.throws(run, (error) => {
    assert.ok(error instanceof InputError, `${error}`);
    assert.match(error.message, message);
    return true;
  });
}

Deno.test("a model's record sets weights, which variants and the command line change", () => {
  const layer = linear(3);
  const scenario = small({
    model: { layer, weights: FILE },
    variants: {
      trained: {},
      fresh: { model: { weights: null } },
      other: { model: linear(3), weights: "b.safetensors" },
    },
  });
  const { variants } = resolveScenario(scenario);
  assert.deepEqual(variants.map(({ config }) => config.weights), [FILE, null, "b.safetensors"]);
  assert.deepEqual(variants.map(({ config }) => config.model === layer), [true, true, false]);
  const overridden = resolveScenario(scenario, { overrides: ["weights=c.safetensors"] }).variants;
  // Two variants are the same then, and run once
  assert.deepEqual(overridden.map(({ config }) => config.weights), ["c.safetensors", "c.safetensors"]);
  assert.deepEqual(inputFiles({ data: { kind: "syntheticImages" }, weights: FILE }), [FILE]);
  refuses(
    () => resolveScenario(scenario, { overrides: ["model.weights=c"] }),
    /the setting is called weights; write weights=F/,
  );
  refuses(
    () => resolveScenario(small({ model: { layer, weigths: FILE } as never })),
    /model: has no "weigths"; did you mean "w/,
  );
  refuses(() => resolveScenario(small({ weights: 3 as never })), /weights: .*expected the path of a safetensors file/);
  refuses(
    () => resolveScenario(small({ model: null, loss: null, optimizer: null, weights: FILE })),
    /weights: requires a model; otherwise set weights to null/,
  );
});

Deno.test("a trainer and a run start from the weights; a file that does not fit is refused before the run", async () => {
  {
    await using trained = await createTrainer(small());
    await trained.step();
    await trained.save(FILE);
    const want = await trained.parameters();
    await using started = await createTrainer(small({ weights: FILE }));
    assert.deepEqual(await started.parameters(), want);
  }
  const target = { traits: DEFAULT_TRAITS, adapterName: "any", memory: { bytes: null, source: "none" } };
  const plan = (settings: Parameters<typeof small>[0]) =>
    planOne(resolveScenario(small(settings)).variants[0]!, target);
  assert.equal(plan({ weights: FILE }).error, null);
  assert.match(
    plan({ weights: FILE, model: linear(3) }).error!.message,
    /do not fit the model:\n {2}missing in the file: linear\.weight \[3, 5\]; /,
  );
  assert.match(plan({ weights: `${FILE}.no` }).error!.message, /do not exist; expected a safetensors file$/);
});
