/**
 * Convolutions.
 *
 * @module
 */
import { conv2d } from "../../../ops/conv2d.ts";
import { reshape, reshapeTo } from "../../../ops/reshape.ts";
import { pad } from "../../../ops/slice.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape } from "../../core/shape.ts";
import type { Operator } from "../operator.ts";
import { windowOf } from "../window.ts";

/** A convolution over one or two dimensions. */
const convolution: Operator = {
  type: "Conv",
  build(node) {
    const [shape, weightShape] = [node.shape(0), node.shape(1)];
    const spatial = weightShape.length - 2;
    if ((spatial !== 1 && spatial !== 2) || shape.length !== weightShape.length) {
      throw new InputError(
        `expected an input and a weight with one or two spatial dimensions, got ${formatShape(shape)} and ` +
          formatShape(weightShape),
      );
    }
    const window = windowOf(node, shape.slice(2), weightShape.slice(2));
    const { stride, dilation, even } = window;
    const groups = node.attributes.integer("group", 1);
    const bias = node.has(2) ? node.floats(2) : null;
    const sides = window.pads.slice(2 - spatial);
    const x = even === null ? pad(node.floats(0), [[0, 0], [0, 0], ...sides]) : node.floats(0);
    const attrs = { stride, padding: even ?? [0, 0] as const, dilation, groups };
    if (spatial === 2) return conv2d(x, node.tensor(1, "hwio"), bias, attrs);
    const [n, c, length] = x.shape as [number, number, number];
    const images = reshapeTo(x, { shape: [n, c, 1, length], layout: node.graph.imageLayout });
    const weight = node.tensor(1, "wio");
    const y = conv2d(
      images,
      reshapeTo(weight, { shape: weight.shape.toSpliced(2, 0, 1), layout: "hwio" }),
      bias,
      attrs,
    );
    return reshape(y, [n, weightShape[0]!, y.shape[3]!]);
  },
};

export const CONVOLUTIONS: readonly Operator[] = [convolution];
