import { z } from "zod";
import { positiveInteger } from "../data/checked.ts";
import { relu } from "./activations.ts";
import { conv2d } from "./conv2d.ts";
import { type MarkedLayer, markedLayer } from "./layer.ts";
import { linear } from "./linear.ts";
import { layerOptions } from "./options.ts";
import { maxPool2d } from "./pooling.ts";
import { sequential } from "./sequential.ts";
import { flatten } from "./shaping.ts";

const schema = z.strictObject({ classes: positiveInteger });

/**
 * Creates LeNet-5 (Y. LeCun et al., 1998) in its common form with ReLU and max pooling: two 5x5 convolutions of 6 and 16
 * channels, and linear layers of 120, 84 and `classes` features. Takes images `[n, c, h, w]`; the first convolution pads
 * images below 32x32 by 2. 61,706 parameters for `[1, 28, 28]`, 62,006 for `[3, 32, 32]`, with 10 classes.
 *
 * @throws {InputError} if an option is invalid; on application, if images are too small
 */
export function lenet(options: { classes: number }): MarkedLayer {
  const { classes } = layerOptions("lenet", schema, options);
  const body = (padding: number) =>
    sequential({
      conv1: conv2d(6, { kernel: 5, padding }),
      relu1: relu(),
      pool1: maxPool2d({ kernel: 2 }),
      conv2: conv2d(16, { kernel: 5 }),
      relu2: relu(),
      pool2: maxPool2d({ kernel: 2 }),
      flatten: flatten(),
      fc1: linear(120),
      relu3: relu(),
      fc2: linear(84),
      relu4: relu(),
      fc3: linear(classes),
    });
  const [padded, plain] = [body(2), body(0)];
  return markedLayer({ type: "lenet", leaf: false, title: "lenet" }, (x) => (x.shape[2]! < 32 ? padded : plain)(x));
}
