/**
 * Operators that choose elements by their size or by a mask.
 *
 * @module
 */
import { neg } from "../../../ops/arithmetic.ts";
import { cast } from "../../../ops/cast.ts";
import { where } from "../../../ops/choice.ts";
import { concat } from "../../../ops/concat.ts";
import { argmax, max } from "../../../ops/extremes.ts";
import { take } from "../../../ops/gather.ts";
import { oneHot } from "../../../ops/one_hot.ts";
import { reshape } from "../../../ops/reshape.ts";
import { transpose } from "../../../ops/transpose.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape, sizeOf } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import { moved } from "../host/moving.ts";
import type { Operator } from "../operator.ts";
import { Constant } from "../value.ts";
import { axisOf } from "./reductions.ts";

/** Most elements that are taken one after another. */
const MOST_TAKEN = 32;

/** Lower than every element that is left. */
const LOWEST = -3.4e38;

/** The k largest or smallest elements of an axis, and their places. */
const top: Operator = {
  type: "TopK",
  build(node) {
    const { attributes } = node;
    attributes.ignore("sorted");
    const given = node.floats(0);
    const axis = axisOf(attributes.integer("axis", -1), given.shape);
    const k = attributes.has("k") ? attributes.integer("k", 1) : node.number(1, "k")!;
    const isLargest = attributes.integer("largest", 1) !== 0;
    const size = given.shape[axis]!;
    if (k > MOST_TAKEN || k < 1 || k > size) {
      throw new InputError(`k is ${k} for ${size} elements; expected 1 to ${Math.min(MOST_TAKEN, size)}`);
    }
    // The axis comes last, where one-hot rows mark what is taken
    const order = [...given.shape.keys()].filter((d) => d !== axis).concat(axis);
    const back = given.shape.map((_, d) => order.indexOf(d));
    const x = transpose(isLargest ? given : neg(given), order);
    const last = x.shape.length - 1;
    const values: Tensor[] = [];
    const places: Tensor[] = [];
    for (let [i, left] = [0, x]; i < k; i++) {
      const place = argmax(left, { axes: last });
      values.push(max(left, { axes: last, keepDims: true }));
      places.push(reshape(cast(place, "f32"), [...place.shape, 1]));
      if (i < k - 1) left = where(oneHot(place, size), LOWEST, left);
    }
    const joined = (tensors: readonly Tensor[]) => transpose(concat(tensors, last), back);
    const found = joined(values);
    return [isLargest ? found : neg(found), cast(joined(places), "i32")];
  },
};

/** Rows where a constant condition holds. */
const compress: Operator = {
  type: "Compress",
  build(node) {
    const condition = node.list(1, "the condition")!;
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
    const lengths = node.list(1, "the lengths of the sequences")!;
    if (time + batch !== 1) throw new InputError(`axes ${formatShape([time, batch])}; expected 0 and 1 in any order`);
    const lead = x.shape.slice(0, 2);
    if (lengths.length !== x.shape[batch] || lengths.some((n) => n < 0 || n > x.shape[time]!)) {
      throw new InputError(`lengths ${formatShape(lengths)} do not fit ${formatShape(x.shape)}`);
    }
    const numbers = Constant.of("integer", lead, Array.from({ length: sizeOf(lead) }, (_, i) => i));
    const turned = moved(numbers, lead, (index) => {
      const [t, length] = [index[time]!, lengths[index[batch]!]!];
      return t < length ? index.with(time, length - 1 - t) : index;
    });
    const rows = reshape(x, [sizeOf(lead), ...x.shape.slice(2)]);
    return reshape(take(rows, node.toTensor(turned.reshaped([turned.size]), "places")), x.shape);
  },
};

export const SELECTION: readonly Operator[] = [compress, reverse, top];
