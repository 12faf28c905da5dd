/** Scenarios and options made of values that cannot be read or printed: each is an InputError with a short message. */
import assert from "node:assert/strict";
import { z } from "zod";
import fc from "../packages/fast_check.ts";
import * as tacho from "../../mod.ts";
import { InputError } from "../../runtime/core/errors.ts";
import { resolveScenario } from "../../runtime/scenario/resolve.ts";
import { fails, HOSTILE } from "../fuzz/hostile_values.ts";
import { altered } from "./fixtures.ts";

const SEED = { seed: 7 };

/** Drawn as functions, since fast-check reads the values that it draws. */
const hostile = fc.constantFrom(...HOSTILE);
const recipe = fc.oneof(
  hostile,
  fc.record({ kind: fc.oneof(hostile, fc.constantFrom("sgd", "cifar10", "crossEntropy")), level: hostile }),
  fc.array(hostile, { maxLength: 3 }),
);

/** Makes the values of a drawn recipe. */
function made(drawn: unknown): unknown {
  if (typeof drawn === "function") return (drawn as () => unknown)();
  if (Array.isArray(drawn)) return drawn.map(made);
  if (typeof drawn !== "object" || drawn === null) return drawn;
  return Object.fromEntries(Object.entries(drawn).map(([key, inner]) => [key, made(inner)]));
}

/** Runs the action, which either succeeds or throws an InputError with a short message. */
function survives(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof InputError, error instanceof Error ? error.stack : "another kind of error");
    assert.ok(error.message.length < 13_000, `${error.message.length} characters`);
  }
}

const KEYS = [
  ...["name", "params", "model", "loss", "optimizer", "data", "loader", "amp", "sink", "compile", "mode", "monitor"],
  ...["timing", "evaluate", "measure", "epochs", "target", "profile", "memoryBudget", "seed", "baseline", "variants"],
  ...["sweep", "unknown"],
];

/** A hostile value at a path of a scenario. */
const place = fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom("", "a", "batchSize", "zip", "kind", "level", "0"));

Deno.test("a scenario of hostile values is an InputError that is short, never another error", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(place, recipe), { minLength: 1, maxLength: 3 }), fc.boolean(), (given, inVariant) => {
      const keys = Object.fromEntries(
        given.map(([[key, inner], drawn]) => {
          const item = made(drawn);
          return [key, inner === "" ? item : inner === "0" ? [item] : { [inner]: item }];
        }),
      );
      survives(() => resolveScenario(inVariant ? altered({ variants: { a: keys, b: {} } }) : altered(keys)));
    }),
    { numRuns: 1500, ...SEED },
  );
});

Deno.test("a hostile value for the whole scenario, a list of variants or a parameter is an InputError", () => {
  for (const make of HOSTILE) {
    survives(() => resolveScenario(make() as never));
    survives(() => resolveScenario(altered({ variants: [make(), { name: make() }] })));
    survives(() => resolveScenario(altered({ variants: [{ loader: make() }] })));
    survives(() => resolveScenario(altered({ variants: undefined, sweep: { sink: [make(), make()] } })));
    survives(() => resolveScenario(altered({ params: { p: z.unknown() }, variants: [{ params: { p: make() } }] })));
    survives(() => resolveScenario(altered({ params: { p: z.unknown().transform(fails) } })));
  }
});

const FACTORIES = {
  ...Object.fromEntries(
    ["cifar10", "cifar100", "mnist", "npz", "imageFolder", "tensors", "syntheticImages", "sgd", "adam", "adamW", "lion"]
      .concat(
        "rmsprop",
        "crossEntropy",
        "huber",
        "conv2d",
        "linear",
        "batchNorm",
        "maxPool2d",
        "dropout",
        "gelu",
        "mlp",
      )
      .concat("resnet", "lenet", "sequential", "reshape", "scope", "layer")
      .map((name) => [name, tacho[name as keyof typeof tacho]]),
  ),
  ...tacho.transforms,
} as unknown as Readonly<Record<string, (...options: unknown[]) => unknown>>;

Deno.test("factories of data, layers, losses, optimizers and transforms reject hostile options by InputError", () => {
  const options = fc.array(fc.oneof(recipe, fc.record({ dir: recipe, kernel: recipe, input: recipe, p: recipe })), {
    maxLength: 2,
  });
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(FACTORIES)), options, (name, given) => {
      survives(() => FACTORIES[name]!(...given.map(made)));
    }),
    { numRuns: 1500, ...SEED },
  );
});

Deno.test("a baseline of 1 MB makes a message of a line", () => {
  assert.throws(
    () => resolveScenario(altered({ baseline: "x".repeat(1 << 20) })),
    (error) => error instanceof InputError && error.message.length < 200,
  );
});

Deno.test("400 wrong variants make a message of 21 lines", () => {
  const variants = Array.from({ length: 400 }, (_, i) => ({ loader: { batchSize: -1 - i } }));
  assert.throws(
    () => resolveScenario(altered({ variants })),
    (error) => error instanceof InputError && error.message.split("\n").length === 21,
  );
});
