/**
 * Operators that choose elements by their size or by a mask.
 *
 * @module
 */
import { gather, take } from "../../../ops/gather.ts";
import { reshape } from "../../../ops/reshape.ts";
import { topIndices } from "../../../ops/top_k.ts";
import { transpose } from "../../../ops/transpose.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, sizeOf } from "../../core/shape.ts";
import { limitedSize, moved } from "../host.ts";
import type { Operator } from "../operator.ts";
import { Constant } from "../value.ts";
import { axisOf } from "./reductions.ts";

/** The k largest or smallest elements of an axis, and their places. */
const top: Operator = {
  type: "TopK",
  build(node) {
    const { attributes } = node;
    attributes.ignore("any order will do where it is 0", "sorted");
    const x = node.tensor(0);
    const axis = axisOf(attributes.integer("axis", -1), x.shape);
    const k = attributes.has("k") ? attributes.integer("k", 1) : node.number(1, "k");
    const largest = attributes.integer("largest", 1) !== 0;
    const size = x.shape[axis]!;
    if (k === null || k < 1 || k > size) throw new InputError(`k is ${k} for ${size} elements; expected 1 to ${size}`);
    const order = [...x.shape.keys()].filter((d) => d !== axis).concat(axis);
    const places = transpose(topIndices(transpose(x, order), k, { largest }), x.shape.map((_, d) => order.indexOf(d)));
    return [gather(x, axis, places), places];
  },
};

/** Rows where a constant condition holds. */
const compress: Operator = {
  type: "Compress",
  build(node) {
    const condition = node.list(1, "the condition", Infinity)!;
    const x = node.tensor(0);
    const isFlat = !node.attributes.has("axis");
    const rows = isFlat ? reshape(x, [sizeOf(x.shape)]) : x;
    const axis = isFlat ? 0 : axisOf(node.attributes.integer("axis", 0), x.shape);
    const places = condition.flatMap((holds, i) => holds !== 0 && i < rows.shape[axis]! ? [i] : []);
    if (places.length === 0) throw new InputError("the condition holds nowhere; expected at least one element");
    return take(rows, node.toTensor(Constant.integers(places), "places"), axis);
  },
};

/** Turns the beginnings of sequences around, whose lengths are constants. */
const reverse: Operator = {
  type: "ReverseSequence",
  build(node) {
    const { attributes } = node;
    const [time, batch] = [attributes.integer("time_axis", 0), attributes.integer("batch_axis", 1)];
    const x = node.tensor(0);
    const lengths = node.list(1, "the lengths of the sequences", Infinity)!;
    if (time + batch !== 1) throw new InputError(`axes ${formatShape([time, batch])}; expected 0 and 1 in any order`);
    const lead = x.shape.slice(0, 2);
    if (lengths.length !== x.shape[batch] || lengths.some((n) => n < 0 || n > x.shape[time]!)) {
      throw new InputError(`lengths ${formatShape(lengths)} do not fit ${formatShape(x.shape)}`);
    }
    const numbers = Constant.of("integer", lead, Array.from({ length: limitedSize(lead) }, (_, i) => i));
    const turned = moved(numbers, lead, (index) => {
      const [t, length] = [index[time]!, lengths[index[batch]!]!];
      return t < length ? index.with(time, length - 1 - t) : index;
    });
    const rows = reshape(x, [sizeOf(lead), ...x.shape.slice(2)]);
    return reshape(take(rows, node.toTensor(turned.reshaped([turned.size]), "places")), x.shape);
  },
};

export const SELECTION: readonly Operator[] = [compress, reverse, top];
