import { deepStrictEqual, match, ok } from "node:assert/strict";
import { helpText } from "../../runtime/cli/help.ts";
import { tensors } from "../../runtime/data/sources/tensors.ts";
import { documentKeys } from "../../runtime/scenario/document.ts";
import { program } from "../../runtime/scenario/program.ts";
import { altered, example } from "../scenario/fixtures.ts";

function help(scenario: { name: string }): string {
  return helpText(scenario, "deno run -A mine.ts", 100);
}

/** Keys that the help lists, after the note on their values. */
function keysOf(text: string): string[] {
  const section = text.match(/^Keys:\n([^]*?)^\S/m)![1]!;
  return [...section.matchAll(/^ {2}([a-z][\w.]*) {2,}\S/gm)].map(([, key]) => key!);
}

Deno.test("a script's help lists the keys that its definition or a variant sets, and where the others are", () => {
  const text = help(example);
  match(text, /^Parameters of resnet-cifar10:\n {2}depth +layers of the network \(number; default 20\)\n {2}image /m);
  const set = documentKeys(example).filter((key) => key.set && !key.param).map(({ path }) => path);
  deepStrictEqual(keysOf(text), [...set, "amp.level", "sink"]);
  match(text, /^ {2}All other settings, or those about a word: tacho help settings \[WORD\]$/m);
  match(text, /^Variants:\n {2}baseline {2}the baseline\n {2}workers {3}loader\.numWorkers 0 -> 2$/m);
});

Deno.test("records that only a variant has are listed with their keys, and axes of a sweep as well", () => {
  const records = keysOf(
    help(altered({ variants: { baseline: {}, averaged: { ema: true }, local: { weights: "w" } } })),
  );
  deepStrictEqual(records.filter((key) => /^(ema|weights|sink)/.test(key)), ["weights", "ema.decay", "ema.evaluate"]);
  const swept = keysOf(help(altered({ variants: undefined, sweep: { accumulate: [1, 2], depth: [20, 32] } })));
  deepStrictEqual(swept.filter((key) => /^(accumulate|depth|sink)/.test(key)), ["accumulate"]);
  deepStrictEqual(keysOf(help(altered({ baseline: "amp", measure: { rounds: 8 } }))).slice(-2), [
    "measure.rounds",
    "baseline",
  ]);
});

Deno.test("samples in memory are named, however many there are", () => {
  const samples = (n: number) => ({
    input: { shape: [3], data: new Float32Array(n * 3) },
    target: { data: new Int32Array(n) },
  });
  const data = tensors({ ...samples(1e7), classes: 10 });
  match(help(altered({ data })), /^ {2}data\.train\.input\.data +inputs of all samples \(.*here set in the script\)$/m);
});

Deno.test("a scenario with errors or of programs only has help, too", () => {
  const wrong = help(altered({ sink: -1 }));
  match(wrong, /^Variants:\n {2}unknown: the scenario has errors; run it to see them$/m);
  ok(keysOf(wrong).includes("sink"));
  const programs = help({ name: "two", ...{ programs: { a: program("deno run a.ts"), b: program("deno run b.ts") } } });
  deepStrictEqual(keysOf(programs), []);
  match(programs, /^Variants:\n {2}a {2}the baseline\n {2}b {2}program\.command deno run a\.ts -> deno run b\.ts$/m);
});
