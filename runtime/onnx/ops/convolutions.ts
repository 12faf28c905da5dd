/**
 * Convolutions.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { conv2d } from "../../../ops/conv2d.ts";
import { convTranspose2d } from "../../../ops/conv_transpose2d.ts";
import { reshape, reshapeTo } from "../../../ops/reshape.ts";
import { pad, slice } from "../../../ops/slice.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import type { Operator } from "../operator.ts";
import { type Pair, transposedWindow, windowOf } from "../window.ts";

/** Adds a convolution over one or two dimensions. */
export function convolve(node: Application): Tensor {
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
}

const convolution: Operator = { type: "Conv", build: convolve };

/** The gradient of a convolution with respect to its input. */
const transposed: Operator = {
  type: "ConvTranspose",
  build(node) {
    const { attributes } = node;
    const [shape, weightShape] = [node.shape(0), node.shape(1)];
    const spatial = weightShape.length - 2;
    if ((spatial !== 1 && spatial !== 2) || shape.length !== weightShape.length) {
      throw new InputError(
        `expected an input and a weight with one or two spatial dimensions, got ${formatShape(shape)} and ` +
          formatShape(weightShape),
      );
    }
    const groups = attributes.integer("group", 1);
    const { stride, dilation, outputPadding, pads } = transposedWindow(node, shape.slice(2), weightShape.slice(2));
    const isEven = pads.every(([before, after], i) => before === after && outputPadding[i]! < stride[i]!);
    const padding = isEven ? [pads[0][0], pads[1][0]] as const : [0, 0] as const;
    const given = node.floats(0);
    const [n, c] = given.shape as [number, number];
    const x = spatial === 2 ? given : reshapeTo(given, { shape: [n, c, 1, shape[2]!], layout: node.graph.imageLayout });
    const stored = node.tensor(1, spatial === 2 ? "hwio" : "wio");
    const weight = spatial === 2
      ? stored
      : reshapeTo(stored, { shape: stored.shape.toSpliced(2, 0, 1), layout: "hwio" });
    const attrs = { stride, padding, dilation, groups, outputPadding: isEven ? outputPadding : [0, 0] as const };
    const whole = convTranspose2d(x, weight, attrs);
    const y = isEven ? whole : cropped(whole, pads, outputPadding);
    const images = node.has(2) ? add(y, reshape(node.floats(2), [y.shape[1]!, 1, 1])) : y;
    return spatial === 2 ? images : reshape(images, [n, y.shape[1]!, y.shape[3]!]);
  },
};

/** Takes away what pads leave out, and adds zeros where the output reaches beyond the last window. */
function cropped(x: Tensor, pads: readonly [Pair, Pair], outputPadding: Pair): Tensor {
  const ends = ([0, 1] as const).map((i) => x.shape[2 + i]! + outputPadding[i] - pads[i][1]) as [number, number];
  const added = ends.map((end, i) => Math.max(0, end - x.shape[2 + i]!)) as [number, number];
  const larger = added.some((n) => n > 0) ? pad(x, [[0, 0], [0, 0], [0, added[0]], [0, added[1]]]) : x;
  return slice(larger, [null, null, [pads[0][0], ends[0]], [pads[1][0], ends[1]]]);
}

export const CONVOLUTIONS: readonly Operator[] = [convolution, transposed];
