import { InputError } from "../runtime/core/errors.ts";
import { formatShape, type Shape, sizeOf } from "../runtime/core/shape.ts";
import { shown } from "../runtime/core/shown.ts";
import type { Tensor } from "../runtime/graph/op.ts";
import { mul } from "./arithmetic.ts";
import { checkTensors } from "./check_arguments.ts";
import { matmul } from "./matmul.ts";
import { reshape } from "./reshape.ts";
import { sum } from "./sum.ts";
import { transpose } from "./transpose.ts";
import { tril, triu } from "./triangle.ts";

/** A tensor and the label of each of its dimensions. */
interface Labelled {
  readonly x: Tensor;
  readonly labels: readonly string[];
}

/**
 * Returns the sum of products that an equation describes, as in NumPy: `einsum("bhqd,bhkd->bhqk", q, k)`. Dimensions
 * with the same letter are multiplied; those that the output lacks are summed. A letter twice in one operand takes its
 * diagonal; `...` matches any dimensions, which are broadcast, and summed if the output lacks it, as in PyTorch. Without
 * `->`, the output has the dimensions of `...` and the letters that occur once, in alphabetical order. Two operands become
 * one batched matrix product.
 *
 * @throws {InputError} if the equation does not fit the operands
 */
export function einsum(equation: string, ...operands: readonly Tensor[]): Tensor {
  if (typeof equation !== "string") {
    throw new InputError(`einsum expects an equation such as "ij,jk->ik" and then tensors, got ${shown(equation)}`);
  }
  checkTensors(`einsum(${JSON.stringify(equation)})`, operands);
  const { inputs, output } = parse(equation, operands);
  let [result, ...rest] = inputs as [Labelled, ...Labelled[]];
  while (rest.length > 0) {
    const [next, ...others] = rest as [Labelled, ...Labelled[]];
    const kept = new Set([...output, ...others.flatMap(({ labels }) => labels)]);
    result = multiply(result, next, kept, output);
    rest = others;
  }
  const { x, labels } = summed(result, new Set(output));
  return transpose(x, output.map((label) => labels.indexOf(label)));
}

/** Multiplies two operands and sums the dimensions that both have and `kept` lacks. */
function multiply(left: Labelled, right: Labelled, kept: ReadonlySet<string>, output: readonly string[]): Labelled {
  const a = summed(left, new Set([...kept, ...right.labels]));
  const b = summed(right, new Set([...kept, ...left.labels]));
  const shared = a.labels.filter((label) => b.labels.includes(label));
  const batch = shared.filter((label) => kept.has(label));
  const inner = shared.filter((label) => !kept.has(label));
  const rows = a.labels.filter((label) => !shared.includes(label));
  const columns = b.labels.filter((label) => !shared.includes(label));
  const size = (label: string) => sizeOfLabel(a, label) ?? sizeOfLabel(b, label)!;
  if (inner.length === 0) {
    const labels = [...batch, ...rows, ...columns];
    return { x: mul(aligned(a, labels), aligned(b, labels)), labels };
  }
  // The output's last dimension should be that of the product's columns
  if (rows.includes(output.at(-1)!) && columns.length > 0) return multiply(right, left, kept, output);
  const [x, y] = [arranged(a, batch, rows, inner), arranged(b, batch, columns, inner)];
  // a is [batch, rows, inner]; b is [batch, columns, inner]
  const c = matmul(x.x, y.x, { transposeA: x.innerFirst, transposeB: !y.innerFirst });
  const labels = [...batch, ...rows, ...columns];
  return { x: reshape(c, labels.map(size)), labels };
}

/** Returns an operand as matrices `[batch, outer, inner]`, or `[batch, inner, outer]` if its dimensions are so ordered. */
function arranged(
  { x, labels }: Labelled,
  batch: readonly string[],
  outer: readonly string[],
  inner: readonly string[],
): { x: Tensor; innerFirst: boolean } {
  const innerFirst = [...batch, ...inner, ...outer].every((label, d) => label === labels[d]) && outer.length > 0;
  const order = innerFirst ? [...batch, ...inner, ...outer] : [...batch, ...outer, ...inner];
  const ordered = transpose(x, order.map((label) => labels.indexOf(label)));
  const size = (group: readonly string[]) => sizeOf(group.map((label) => x.shape[labels.indexOf(label)]!));
  const matrix = innerFirst ? [size(inner), size(outer)] : [size(outer), size(inner)];
  return { x: reshape(ordered, batch.length === 0 ? matrix : [size(batch), ...matrix]), innerFirst };
}

/** Returns an operand with the given dimensions; those that it lacks have size 1. */
function aligned({ x, labels }: Labelled, all: readonly string[]): Tensor {
  const own = all.filter((label) => labels.includes(label));
  const ordered = transpose(x, own.map((label) => labels.indexOf(label)));
  return reshape(ordered, all.map((label) => labels.includes(label) ? x.shape[labels.indexOf(label)]! : 1));
}

/** Sums the dimensions that are not in `kept`. */
function summed({ x, labels }: Labelled, kept: ReadonlySet<string>): Labelled {
  const axes = labels.flatMap((label, d) => kept.has(label) ? [] : [d]);
  return axes.length === 0 ? { x, labels } : { x: sum(x, { axes }), labels: labels.filter((label) => kept.has(label)) };
}

function sizeOfLabel({ x, labels }: Labelled, label: string): number | undefined {
  return x.shape[labels.indexOf(label)];
}

function parse(equation: string, operands: readonly Tensor[]): { inputs: Labelled[]; output: string[] } {
  const [left, right, more] = equation.replaceAll(" ", "").split("->") as [string, string?, string?];
  const terms = left.split(",");
  const fail = (expected: string) =>
    new InputError(
      `einsum("${equation}") with shapes ${operands.map(({ shape }) => formatShape(shape)).join(", ")}: ${expected}`,
    );
  if (more !== undefined || ![...terms, right ?? ""].every((term) => /^[a-zA-Z]*(\.{3})?[a-zA-Z]*$/.test(term))) {
    throw fail("expected terms of letters, with ... for any dimensions, such as ij,jk->ik or ...ij,jk->...ik");
  }
  if (terms.length !== operands.length) throw fail(`expected ${terms.length} tensors, got ${operands.length}`);
  const open = terms.map((term, i) => term.includes(ELLIPSIS) ? operands[i]!.shape.length - term.length + 3 : 0);
  const most = Math.max(0, ...open);
  const sizes = new Map<string, number>();
  const labelled = operands.map((x, i): Labelled => {
    const labels = labelsOf(terms[i]!, open[i]!);
    if (labels.length !== x.shape.length) {
      throw fail(`expected a tensor of ${labels.length} dimensions for "${terms[i]}"`);
    }
    check(sizes, labels, x.shape, fail);
    return { x, labels };
  });
  const all = terms.join("");
  const once = [...sizes.keys()].filter((label) => isLetter(label) && all.indexOf(label) === all.lastIndexOf(label));
  const output = right === undefined ? [...labelsOf(ELLIPSIS, most), ...once.sort()] : labelsOf(right, most);
  const unknown = output.find((label) => !sizes.has(label));
  if (unknown !== undefined) throw fail(`the output's "${unknown}" is in no operand`);
  if (new Set(output).size < output.length) throw fail(`expected each letter once in "${right}"`);
  return { inputs: labelled.map((operand) => diagonals(withoutBroadcast(operand, sizes))), output };
}

const ELLIPSIS = "...";

/** Returns the label of each dimension of a term; those of `...` are numbered from the last, to which they are aligned. */
function labelsOf(term: string, open: number): string[] {
  const at = term.indexOf(ELLIPSIS);
  if (at < 0) return [...term];
  const dots = Array.from({ length: Math.max(0, open) }, (_, d) => `${ELLIPSIS}${open - d}`);
  return [...term.slice(0, at), ...dots, ...term.slice(at + ELLIPSIS.length)];
}

function isLetter(label: string): boolean {
  return !label.startsWith(ELLIPSIS);
}

/** Removes the dimensions of size 1 that `...` matches and that are larger in another operand. */
function withoutBroadcast({ x, labels }: Labelled, sizes: ReadonlyMap<string, number>): Labelled {
  const own = labels.map((label, d) => isLetter(label) || x.shape[d] === sizes.get(label));
  if (!own.includes(false)) return { x, labels };
  return { x: reshape(x, x.shape.filter((_, d) => own[d])), labels: labels.filter((_, d) => own[d]) };
}

/** Takes the diagonal of dimensions with the same letter, as the sum over one of them of what is on the diagonal. */
function diagonals({ x, labels }: Labelled): Labelled {
  const second = labels.findIndex((label, d) => labels.indexOf(label) < d);
  if (second < 0) return { x, labels };
  const first = labels.indexOf(labels[second]!);
  const others = labels.flatMap((_, d) => d === first || d === second ? [] : [d]);
  const square = transpose(x, [...others, first, second]);
  return diagonals({
    x: sum(tril(triu(square)), { axes: -1 }),
    labels: [...others.map((d) => labels[d]!), labels[first]!],
  });
}

function check(sizes: Map<string, number>, labels: readonly string[], shape: Shape, fail: (text: string) => Error) {
  labels.forEach((label, d) => {
    const [known, size] = [sizes.get(label), shape[d]!];
    const broadcasts = !isLetter(label) && (known === 1 || size === 1);
    if (known !== undefined && known !== size && !broadcasts) {
      throw fail(`"${isLetter(label) ? label : ELLIPSIS}" is both ${known} and ${size}`);
    }
    sizes.set(label, Math.max(known ?? 1, size));
  });
}
