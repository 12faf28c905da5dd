import assert from "node:assert/strict";
import { einsum } from "../../ops/einsum.ts";
import { type Shape, sizeOf } from "../../runtime/core/shape.ts";
import { Graph } from "../../runtime/graph/graph.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { coordinates, placeOf } from "../support/broadcast_reference.ts";
import { checkOp, type Values } from "../support/op_case.ts";
import { refuses } from "../support/refuses.ts";

const SIZES: Readonly<Record<string, number>> = { b: 2, h: 3, q: 5, k: 4, d: 7, i: 3, j: 5, z: 2 };

/** Writes `...` as the letters `zh`; an operand with fewer dimensions has the last of them. */
const SPELLED: Readonly<Record<string, string>> = {
  "...ij,...jk->...ik": "zhij,zhjk->zhik",
  "...ij,jk->...ik": "zhij,jk->zhik",
  "i...,...->...": "izh,h->zh",
  "...i,i": "zhi,i->zh",
  "...i->i": "zhi->i",
};

/** Sums the products over all values of all letters. */
function reference(written: string, operands: readonly Values[]): Float64Array {
  const equation = SPELLED[written] ?? written;
  const [left, output] = equation.split("->") as [string, string];
  const terms = left.split(",");
  const letters = [...new Set(left.replaceAll(",", ""))];
  const shapeOf = (term: string): Shape => [...term].map((letter) => SIZES[letter]!);
  const result = new Float64Array(sizeOf(shapeOf(output)));
  const all = letters.map((letter) => SIZES[letter]!);
  for (let n = 0; n < sizeOf(all); n++) {
    const at = coordinates(all, n);
    const place = (term: string) => placeOf(shapeOf(term), [...term].map((letter) => at[letters.indexOf(letter)]!));
    result[place(output)]! += terms.reduce((product, term, i) => product * operands[i]![place(term)]!, 1);
  }
  return result;
}

for (
  const equation of [
    "bhqd,bhkd->bhqk",
    "bqhd,bkhd->bhqk",
    "ij,jk->ki",
    "ij,ij->",
    "i,j->ij",
    "bij,j->bi",
    "ijz,kz->k",
    "bij->jb",
    "bi,bj,bk->ijk",
    "ii->i",
    "iib,ij->jb",
    "ibi->",
    ...Object.keys(SPELLED),
  ]
) {
  Deno.test(`einsum ${equation} and its gradients match the reference`, async () => {
    const terms = (SPELLED[equation] ?? equation).split("->")[0]!.split(",");
    const shapes = terms.map((term) => [...term].map((letter) => SIZES[letter]!));
    await checkOp({
      name: equation,
      inputs: Object.fromEntries(shapes.map((shape, i) => [`x${i}`, { shape }])),
      build: (tensors) => einsum(equation, ...terms.map((_, i) => tensors[`x${i}`]!)),
      reference: (values) => reference(equation, terms.map((_, i) => values[`x${i}`]!)),
      tolerance: { f32: 1e-5, f16: 6e-3 },
      samples: 12,
      floor: 1,
    });
  });
}

Deno.test("einsum refuses equations that do not fit", () => {
  const graph = new Graph();
  const [x, y] = [graph.leaf("input", "x", rowMajor([2, 3], "f32")), graph.leaf("input", "y", rowMajor([4, 5], "f32"))];
  const refused = (equation: string, message: RegExp) => refuses(() => einsum(equation, x, y), message);
  assert.deepEqual(einsum("ij,kl", x, y).shape, [2, 3, 4, 5]);
  refused("ij,jk->ik", /with shapes \[2, 3\], \[4, 5\]: "j" is both 3 and 4/);
  refused("ij->ij", /expected 1 tensors, got 2/);
  refused("ii,jk->i", /"i" is both 2 and 3/);
  refused("ij,kl->ii", /each letter once in "ii"/);
  refused("ij,klm->i", /3 dimensions for "klm"/);
  refused("ij,kl->x", /the output's "x" is in no operand/);
  refused("i..,kl->i", /expected terms of letters/);
});

Deno.test("dimensions of ... of size 1 are broadcast", async () => {
  await checkOp({
    name: "...i,...i->...i",
    inputs: { a: { shape: [2, 1, 3] }, b: { shape: [4, 3] } },
    build: ({ a, b }) => einsum("...i,...i->...i", a, b),
    reference: ({ a, b }) =>
      Float64Array.from(
        { length: 24 },
        (_, n) => a[Math.floor(n / 12) * 3 + n % 3]! * b[Math.floor(n / 3) % 4 * 3 + n % 3]!,
      ),
  });
});
