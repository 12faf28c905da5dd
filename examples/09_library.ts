/**
 * Measuring as a library: a program that asks at which batch sizes a sink, which submits sixteen steps at once, is at least
 * 10 % faster. It prints and keeps what it wants to; Tacho itself prints, writes and ends nothing.
 *
 *     deno run -A examples/09_library.ts
 */
import { checkGates, measure, render } from "../mod.ts";
import spirals from "./03_own_data.ts";

if (Deno.args.includes("--help")) {
  console.log("Asks at which batch sizes a sink is at least 10 % faster. Takes no arguments.");
  Deno.exit();
}

for (const batchSize of [16, 64, 256]) {
  const result = await measure(spirals, {
    settings: [
      `loader.batchSize=${batchSize}`,
      "evaluate=null",
      "epochs=null",
      "measure.steps=16",
      "measure.rounds=12",
    ],
    seed: 7,
    signal: AbortSignal.timeout(120_000),
  });
  console.log(`batch size ${batchSize}`);
  console.log(await render(result, { sections: ["speed"] }));
  const { passed, gates: [gate] } = await checkGates(result, ["speedup.sink>=1.1"]);
  console.log(passed ? "a sink is at least 10 % faster\n" : `not shown: ${gate?.why}\n`);
}
