/** The weights and the comparison of losses of `deno task bench:peers`. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { AMPLIFIED_TOLERANCE, compareLosses, LOSS_TOLERANCE } from "../../bench/peers/losses.ts";
import { NETS } from "../../bench/peers/nets.ts";
import { drawParameters } from "../../bench/peers/weights.ts";

const trained = (...losses: number[]) => ({ losses, wall: 1, cpu: 1 });

Deno.test("losses that differ by rounding agree", () => {
  const { largest, failures } = compareLosses(
    "lenet",
    new Map([["tacho", [trained(3, 2), trained(3, 2)]], ["other", [trained(3 + LOSS_TOLERANCE, 2), trained(3, 2)]]]),
  );
  deepStrictEqual(failures, []);
  strictEqual(Math.abs(largest / (LOSS_TOLERANCE / 4) - 1) < 1e-3, true, `${largest}`);
});

Deno.test("a library whose loss differs at any step of any round is named with that step", () => {
  const tacho = [trained(3, 2, 1), trained(3, 2, 1)];
  const { failures } = compareLosses(
    "lenet",
    new Map([
      ["tacho", tacho],
      ["late", [trained(3, 2, 1), trained(3, 2, 1.001)]],
      ["lost", [trained(3, NaN, 1), trained(3, 2, 1)]],
      ["short", [trained(3, 2), trained(3, 2, 1)]],
    ]),
  );
  strictEqual(failures.length, 3);
  match(
    failures[0]!,
    /^lenet: in round 2, the loss of step 3 is 1\.001 in late and 1 in tacho; expected .* 0\.00002 \* /,
  );
  match(failures[1]!, /the loss of step 2 is NaN in lost/);
  match(failures[2]!, /the loss of step 3 is undefined in short/);
});

Deno.test("a tolerance for later steps leaves that of the first", () => {
  const runs = (first: number, second: number) =>
    new Map([["tacho", [trained(3, 2, 1)]], ["other", [trained(first, second, 1)]]]);
  deepStrictEqual(compareLosses("resnet20", runs(3, 2.01), AMPLIFIED_TOLERANCE).failures, []);
  strictEqual(compareLosses("resnet20", runs(3, 2.02), AMPLIFIED_TOLERANCE).failures.length, 1);
  strictEqual(compareLosses("resnet20", runs(3.002, 2), AMPLIFIED_TOLERANCE).failures.length, 1);
});

Deno.test("a net whose losses do not fall fails", () => {
  match(compareLosses("vit", new Map([["tacho", [trained(2, 2)]]])).failures[0]!, /^vit does not learn: losses 2, 2$/);
});

Deno.test("every net has the number of parameters that it should", () => {
  for (const net of Object.values(NETS)) {
    const sizes = [...drawParameters(net).values()].map(({ data }) => data.length);
    strictEqual(sizes.reduce((sum, size) => sum + size), net.parameters, net.name);
  }
});
