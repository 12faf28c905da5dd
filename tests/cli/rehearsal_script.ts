/**
 * A scenario script with a simulated experiment: it opens no device and measures nothing, so that the command line can
 * be tested alone. `TACHO_REHEARSAL` sets the outcome: `fail` fails a variant, `throw` throws an unexpected error, `lost` loses
 * the device, and `wait` waits for Ctrl-C.
 */
import { z } from "zod";
import "../../runtime/cli/guard.ts";
import type { Experiment } from "../../runtime/cli/on_ranks.ts";
import { main } from "../../runtime/cli/main.ts";
import { DeviceError } from "../../runtime/core/errors.ts";
import { cifar10 } from "../../runtime/data/sources/cifar10.ts";
import { crossEntropy } from "../../runtime/nn/losses/cross_entropy.ts";
import { sgd } from "../../runtime/nn/optimizers/sgd.ts";
import { resnet } from "../../runtime/nn/resnet.ts";
import type { VariantResult } from "../../runtime/result/schema.ts";
import { compose } from "../../runtime/scenario/compose.ts";
import { scenario } from "../../runtime/scenario/definition.ts";
import { describeConfig } from "../../runtime/scenario/describe.ts";
import type { ResolvedVariant } from "../../runtime/scenario/resolve.ts";
import { profile as profileFixture, profiled } from "../report/profile_fixture.ts";
import { failed, result, variant } from "../report/result_fixture.ts";

/** A test that has forgotten the process must not keep a core busy for ever. */
const LONGEST_WAIT_MS = 120_000;

const happening = () => Deno.env.get("TACHO_REHEARSAL");

export default scenario({
  name: "rehearsal",
  params: { depth: z.coerce.number().int().positive().default(20).describe("layers of the network") },
  model: ({ depth }) => resnet({ depth, classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
  data: cifar10(),
  loader: { batchSize: 64 },
  variants: {
    baseline: {},
    workers: { loader: { numWorkers: 2 } },
    amp: { amp: "O2" },
    all: compose("workers", "amp"),
  },
});

function configOf({ config }: ResolvedVariant): VariantResult["config"] {
  return describeConfig(config) as VariantResult["config"];
}

export const rehearsal: Experiment = {
  followExperiment: () => Promise.reject(new Error("A rehearsal has one rank")),
  async runExperiment({ name, seed, baseline, variants }, { interrupted, onEvent = () => {}, profile, script }) {
    onEvent({ type: "progress", variant: baseline, stage: "measure", step: 1, steps: 10, fraction: 0.1 });
    if (happening() === "throw") throw new TypeError("x is not a function");
    if (happening() === "lost") throw new DeviceError("The device was lost: driver reset");
    if (happening() === "wait") console.log("waiting");
    const end = performance.now() + LONGEST_WAIT_MS;
    while (happening() === "wait" && !interrupted() && performance.now() < end) {
      /* blocks, as a wait for the device */
    }
    const outcome = result(variants.map((one) => {
      if (happening() === "fail" && one.name === "amp") return failed(one.name, "The adapter has no shader-f16", 3);
      const status = interrupted() ? "interrupted" : "ok";
      if (profile === null) return variant(one.name, { config: configOf(one), status });
      onEvent({
        type: "timeline",
        timeline: {
          variant: one.name,
          spans: [{ track: "main", name: "step", start: 1, end: 2 }],
          counters: [],
          flows: [],
        },
      });
      return profiled(one.name, {
        config: configOf(one),
        status,
        profile: { ...profileFixture, steps: profile.active, firstStep: profile.skipFirst },
      });
    }));
    const made = { ...outcome, baseline, scenario: { ...outcome.scenario, ...script, name, seed } };
    onEvent({ type: "result", result: made });
    return await Promise.resolve(made);
  },
  async dryRun({ name, baseline, variants }, { adapter = null } = {}) {
    const planned = variants.map((one) => ({
      name: one.name,
      config: configOf(one),
      parameters: 272_474,
      flops: { forward: 1e9, backward: 2e9, update: 1e6 },
      memory: variant(one.name).memory,
      exact: null,
      inputShape: [64, 3, 32, 32],
      error: happening() === "fail" ? "needs 90 GiB, 8 are allowed" : null,
    }));
    const none = { adapted: null, ranks: null, resident: null, error: null };
    return await Promise.resolve({ scenario: name, baseline, adapter, variants: planned, ...none });
  },
};

if (import.meta.main) Deno.exitCode = await main(Deno.args, () => Promise.resolve(rehearsal));
