/**
 * Measuring as a library: a program that looks for the smallest batch size at which submitting ten steps at once no longer
 * helps. It prints and keeps what it wants to; Tacho itself prints, writes and ends nothing.
 *
 *     deno run -A examples/09_library.ts
 */
import { checkGates, measure, render } from "../mod.ts";
import spirals from "./03_own_data.ts";

if (Deno.args.includes("--help")) {
  console.log(
    "Looks for the smallest batch at which a sink does not help. Takes no arguments; measures about a minute.",
  );
  Deno.exit();
}

for (const batchSize of [16, 64, 256]) {
  const result = await measure(spirals, {
    settings: [`loader.batchSize=${batchSize}`, "evaluate=null", "epochs=null", "measure.steps=20", "measure.rounds=8"],
    seed: 7,
    signal: AbortSignal.timeout(120_000),
  });
  console.log(`batch size ${batchSize}`);
  console.log(await render(result, { sections: ["speed"] }));
  const { passed, gates: [gate] } = await checkGates(result, ["speedup.sink>=1.1"]);
  if (passed) continue;
  console.log(`a sink is not shown to be 10 % faster: ${gate?.why}`);
  break;
}
