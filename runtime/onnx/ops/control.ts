/**
 * Graphs inside of nodes.
 *
 * @module
 */
import { stack } from "../../../ops/concat.ts";
import { InputError } from "../../core/errors.ts";
import type { Application } from "../application.ts";
import { spend } from "../budget.ts";
import { joined } from "../host.ts";
import type { Operator } from "../operator.ts";
import { Constant, isConstant, type Value } from "../value.ts";

/** The branch that a constant condition takes. */
const branch: Operator = {
  type: "If",
  build(node) {
    const condition = node.number(0, "the condition");
    const { attributes } = node;
    const [then, otherwise] = [attributes.graph("then_branch"), attributes.graph("else_branch")];
    return node.surroundings.subgraph(condition !== 0 ? then : otherwise, []);
  },
};

/** A loop, written out turn by turn. The number of turns has to be known. */
const loop: Operator = {
  type: "Loop",
  build(node) {
    const body = node.attributes.graph("body");
    const most = node.has(0) ? node.number(0, "the number of turns")! : Infinity;
    let carried = node.inputs.slice(2).map((_, i): Value | null => node.has(2 + i) ? node.value(2 + i) : null);
    let condition: Value | null = node.has(1) ? node.value(1) : null;
    if (body.outputs.length < 1 + carried.length) {
      throw new InputError(`its body has ${body.outputs.length} outputs; expected at least ${1 + carried.length}`);
    }
    const scanned: Value[][] = body.outputs.slice(1 + carried.length).map(() => []);
    for (let turn = 0; turn < most && isTrue(condition); turn++) {
      spend("turns");
      const index = Constant.of("integer", [], [turn]);
      const [next, ...values] = node.surroundings.subgraph(body, [
        index,
        condition ?? Constant.of("boolean", [], [1]),
        ...carried,
      ]);
      condition = next ?? null;
      carried = values.slice(0, carried.length);
      values.slice(carried.length).forEach((value, i) => scanned[i]!.push(collected(value)));
    }
    return [...carried, ...scanned.map((values, i) => stacked(node, values, i))];
  },
};

function collected(value: Value | null): Value {
  if (value !== null) return value;
  throw new InputError("its body does not compute a value that it collects");
}

function isTrue(condition: Value | null): boolean {
  if (condition === null) return true;
  if (isConstant(condition)) return condition.values[0] !== 0;
  throw new InputError(
    "the condition of the loop depends on the model's input; expected a number of turns that is known",
  );
}

function stacked(node: Application, values: readonly Value[], i: number): Value {
  if (values.length === 0) throw new InputError("a loop of no turns collects values; expected at least one turn");
  if (values.every((value): value is Constant => isConstant(value) && !value.trained)) {
    return joined(values.map((value) => value.reshaped([1, ...value.shape])), 0);
  }
  return stack(values.map((value, turn) => isConstant(value) ? node.toTensor(value, `scan${i}_${turn}`) : value));
}

export const CONTROL: readonly Operator[] = [branch, loop];
