/**
 * A trainer driven from code: a custom loop that stops early, and predictions of the trained model. Use this to embed Tacho
 * in a program; nothing is measured.
 *
 *     deno run -A examples/05_trainer.ts
 */
import { createTrainer } from "../mod.ts";
import spirals from "./03_own_data.ts";

if (Deno.args.includes("--help")) {
  console.log("Trains on two spirals until 98 % of the test points are right. Takes no arguments; measures nothing.");
  Deno.exit();
}

const GOOD_ENOUGH = 0.98;

// `overrides` are written as on the command line. The device is released at the end of the scope.
await using trainer = await createTrainer(spirals, { variant: "baseline", overrides: ["seed=7"] });

for (let epoch = 1; epoch <= 60; epoch++) {
  let sum = 0;
  for (let step = 0; step < 16; step++) {
    const { loss } = await trainer.step(); // a batch of the scenario's data; step({ input, target }) takes custom data
    sum += loss;
  }
  const { accuracy } = await trainer.evaluate();
  console.log(`epoch ${epoch}: loss ${(sum / 16).toFixed(4)}, test accuracy ${(100 * accuracy!).toFixed(1)} %`);
  if (accuracy! >= GOOD_ENOUGH) break;
}

const logits = await trainer.forward(new Float32Array([0.1, 0, -0.1, 0])); // any number of samples, concatenated
console.log(
  `(0.1, 0) is on spiral ${logits[0]! > logits[1]! ? 0 : 1}, (-0.1, 0) on ${logits[2]! > logits[3]! ? 0 : 1}`,
);

for (const [name, { shape }] of await trainer.parameters()) console.log(`${name} [${shape.join(", ")}]`);
