import assert from "node:assert/strict";
import { z } from "zod";
import { InputError } from "../../runtime/core/errors.ts";
import { cifar10 } from "../../runtime/data/sources/cifar10.ts";
import { syntheticImages } from "../../runtime/data/sources/synthetic_images.ts";
import { crossEntropy } from "../../runtime/nn/losses/cross_entropy.ts";
import { sgd } from "../../runtime/nn/optimizers/sgd.ts";
import { resnet } from "../../runtime/nn/resnet.ts";
import { compose } from "../../runtime/scenario/compose.ts";
import { scenario } from "../../runtime/scenario/definition.ts";
import { type ResolvedScenario, type ResolveOptions, resolveScenario } from "../../runtime/scenario/resolve.ts";

/** The scenario of DESIGN.md, and a parameter that the data depend on. */
export const example = scenario({
  name: "resnet-cifar10",
  params: {
    depth: z.coerce.number().default(20).describe("layers of the network"),
    image: z.coerce.number().default(32),
  },
  model: ({ depth }) => resnet({ depth, classes: 10 }),
  loss: crossEntropy(),
  optimizer: sgd({ learningRate: 0.1, momentum: 0.9, weightDecay: 1e-4 }),
  data: ({ image }) =>
    image === 32 ? cifar10() : syntheticImages({ height: image, width: image, classes: 10, length: 1000 }),
  loader: { batchSize: 32, numWorkers: 0 },
  variants: {
    baseline: {},
    workers: { loader: { numWorkers: 2 } },
    sink: { sink: true },
    amp: { amp: "O2" },
    all: compose("workers", "sink", "amp"),
  },
});

/** `example` with other keys, unchecked: what a script without types could write. */
export function altered(keys: Record<string, unknown>): { name: string } {
  return { ...example, ...keys };
}

/** A scenario without variants. */
export const single = altered({ variants: undefined });

/** The configuration of one variant, the first unless named. */
export function configOf(resolved: ResolvedScenario, name = resolved.variants[0]!.name) {
  const variant = resolved.variants.find((one) => one.name === name);
  assert.ok(variant, `no variant ${name} among ${namesOf(resolved)}`);
  return variant.config;
}

export function namesOf({ variants }: ResolvedScenario): string[] {
  return variants.map(({ name }) => name);
}

/** Resolves with overrides alone. */
export function withOverrides(definition: { name: string }, ...overrides: string[]): ResolvedScenario {
  return resolveScenario(definition, { overrides });
}

/** Asserts that resolving throws an InputError with this message, or one that matches. */
export function refuses(definition: unknown, options: ResolveOptions, message: string | RegExp): void {
  assert.throws(() => resolveScenario(definition as { name: string }, options), (error) => {
    assert.ok(error instanceof InputError, `${error instanceof Error ? error.stack : error}`);
    assert.equal(error.exitStatus, 2);
    if (typeof message === "string") assert.equal(error.message, message);
    else assert.match(error.message, message);
    return true;
  });
}
