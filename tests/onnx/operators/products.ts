/** References of matrix products. */
import { build, constant, type Draw, type DrawCase, indicesOf, matmul, read, sum, transposed } from "./draw.ts";

/** Equations with the shapes of their operands by letter, and what they sum. */
const einsum: DrawCase = (draw: Draw) => {
  const sizes = { b: draw.whole(1, 3), i: draw.whole(1, 4), j: draw.whole(1, 4), k: draw.whole(1, 4) };
  const equation = draw.pick([
    "ij,jk->ik",
    "bij,bkj->bik",
    "bij->bji",
    "bij,bjk->bik",
    "ij,ij->ij",
    "bij->bi",
    "ij,kj->ik",
  ]);
  const [left, right] = equation.split("->") as [string, string];
  const terms = left.split(",");
  const shapeOf = (term: string) => [...term].map((letter) => sizes[letter as keyof typeof sizes]);
  const inputs = terms.map((term) => draw.floats(shapeOf(term)));
  const summed = [...new Set(left.replace(",", ""))].filter((letter) => !right.includes(letter)).join("");
  const want = build(shapeOf(right), (index) =>
    sum(
      indicesOf(shapeOf(summed)).map((inner) => {
        const places = new Map([...`${right}${summed}`].map((letter, i) => [letter, [...index, ...inner][i]!]));
        return inputs.reduce(
          (product, x, t) => product * read(x, [...terms[t]!].map((letter) => places.get(letter)!)),
          1,
        );
      }),
    ));
  return { inputs, attributes: { equation }, want: [want], elements: 1e-5, slack: 1e-4 };
};

export const PRODUCTS: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
  ["Einsum", einsum],
  ["MatMul", (draw) => {
    const [m, k, n] = [draw.whole(1, 5), draw.whole(1, 6), draw.whole(1, 5)];
    const [, a, b] = draw.broadcast(2);
    const isInteger = draw.chance(0.3);
    const of = (shape: number[]) => isInteger ? draw.integers(shape, -3000, 3000) : draw.floats(shape);
    const [x, y] = [of([...a!.slice(-2), m, k]), of([...b!.slice(-2), k, n])];
    return {
      inputs: [x, draw.chance() ? constant(y) : y],
      want: [{ ...matmul(x, y), type: x.type! }],
      elements: 1e-5,
      slack: isInteger ? 0 : 1e-4,
    };
  }],
  ["Gemm", (draw) => {
    const [m, k, n] = [draw.whole(1, 5), draw.whole(1, 6), draw.whole(1, 5)];
    const [transA, transB] = [draw.whole(0, 1), draw.whole(0, 1)];
    const x = draw.floats(transA === 1 ? [k, m] : [m, k]);
    const y = draw.floats(transB === 1 ? [n, k] : [k, n]);
    const [alpha, beta] = [draw.pick([1, 0.5, -2]), draw.pick([1, 0.5, 0])];
    const c = draw.chance(0.3) ? null : draw.floats(draw.pick([[n], [m, n], [m, 1], [1], []]));
    const product = matmul(transA === 1 ? transposed(x, [1, 0]) : x, transB === 1 ? transposed(y, [1, 0]) : y);
    const want = build([m, n], (index) => alpha * read(product, index) + (c === null ? 0 : beta * read(c, index)));
    return {
      inputs: [x, y, c],
      attributes: { transA, transB, alpha: { float: alpha }, beta: { float: beta } },
      want: [want],
      elements: 1e-5,
      slack: 1e-4,
    };
  }],
  ["com.microsoft.FusedGemm", (draw) => {
    const [x, y] = [draw.floats([3, 4]), draw.floats([4, 2])];
    const alpha = draw.uniform(0.1, 0.5);
    const want = build([3, 2], (index) => {
      const value = read(matmul(x, y), index);
      return value < 0 ? alpha * value : value;
    });
    return {
      inputs: [x, y],
      attributes: { activation: "LeakyRelu", activation_alpha: { float: alpha } },
      want: [want],
      elements: 1e-5,
      slack: 1e-4,
    };
  }],
  ["com.microsoft.FusedMatMul", (draw) => {
    const [transA, transB] = [draw.whole(0, 1), draw.whole(0, 1)];
    const [x, y] = [
      draw.floats(transA === 1 ? [2, 4, 3] : [2, 3, 4]),
      draw.floats(transB === 1 ? [2, 5, 4] : [2, 4, 5]),
    ];
    const alpha = draw.uniform(0.1, 2);
    const product = matmul(transA === 1 ? transposed(x, [0, 2, 1]) : x, transB === 1 ? transposed(y, [0, 2, 1]) : y);
    return {
      inputs: [x, y],
      attributes: { transA, transB, alpha: { float: alpha } },
      want: [build([2, 3, 5], (index) => alpha * read(product, index))],
      elements: 1e-5,
      slack: 1e-4,
    };
  }],
]);
