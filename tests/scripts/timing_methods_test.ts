import assert from "node:assert/strict";
import { publishedLines } from "../../scripts/timing_methods.ts";

const times = (total: readonly (number | null)[]) => ({ total: [...total] });

/** What a script reads from the text's output. */
const read = (lines: readonly string[]) =>
  new Map(lines.flatMap((line) => {
    const found = /^((?:syn |event )?avg time): (\d+\.\d{5})/.exec(line);
    return found === null ? [] : [[found[1]!, Number(found[2])] as const];
  }));

Deno.test("the means are printed as in the text, in seconds, beside our medians", () => {
  const lines = publishedLines({ host: times([1, 1, 4]), sync: times([20, 20, 26]), event: times([19, 20, 24]) });
  assert.deepEqual([...read(lines)], [["avg time", 0.002], ["syn avg time", 0.022], ["event avg time", 0.021]]);
  assert.match(lines[1]!, /^syn avg time: 0\.02200 +median +20\.00 ms, 3 repeats$/);
  assert.equal(lines[3], "syn and event are 1.00 ms apart; in the text less than 1 ms");
  assert.match(lines[4]!, /^without a wait 9\.1 % of the time is seen/);
});

Deno.test("an adapter without timestamps has no mean of events", () => {
  const lines = publishedLines({ host: times([1]), sync: times([20]), event: times([null]) });
  assert.match(lines[2]!, /^event avg time: –/);
  assert.match(lines[3]!, /no timestamps/);
});
