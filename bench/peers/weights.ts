/**
 * The weights that every library starts from.
 *
 * @module
 */
import { isTransformer, type Net } from "./nets.ts";
import { parameterShapes } from "./transformers.ts";
import { imageShapes } from "./workload.ts";

export interface Parameter {
  readonly shape: number[];
  readonly data: Float32Array<ArrayBuffer>;
}

/** Standard deviation of a transformer's weights. */
const DEVIATION = 0.02;

/**
 * Draws the weights of a net from a normal distribution, He's for nets on images; scales start at 1 and biases at 0.
 * Matrices are `[out, in]`, filters `[out, in, height, width]`.
 */
export function drawParameters(net: Net): Map<string, Parameter> {
  const drawn = new Map<string, Parameter>();
  let count = 0;
  let state = 7;
  const random = () => ((state = Math.imul(state, 1664525) + 1013904223 >>> 0) + 0.5) / 2 ** 32;
  const shapes = isTransformer(net) ? parameterShapes(net) : imageShapes(net);
  for (const [name, shape] of Object.entries(shapes)) {
    const size = shape.reduce((product, n) => product * n, 1);
    count += size;
    const deviation = isTransformer(net) ? DEVIATION : Math.sqrt(2 / (size / shape[0]!));
    const data = Float32Array.from({ length: size }, () => {
      if (shape.length === 1) return name.endsWith("weight") ? 1 : 0;
      return deviation * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    });
    drawn.set(name, { shape: [...shape], data });
  }
  if (count !== net.parameters) throw new Error(`Expected ${net.parameters} parameters, made ${count}`);
  return drawn;
}
