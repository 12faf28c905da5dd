/** Functions of transforms, which workers create by importing this module. */
import { map } from "../../../runtime/data/transforms/factories.ts";

const module = import.meta.url;
const FACTOR = 2;

export const doubled = map(function doubled({ data, channels, height, width }) {
  return Float32Array.from({ length: channels * height * width }, (_, i) => FACTOR * data[i]!);
}, { module, output: { dtype: "f32" } });

export const speckled = map(({ data }, random) => {
  for (let i = 0; i < 10; i++) data[random.below(data.length)] = 255;
}, { module, name: "speckled" });

export const shortened = map(function shortened() {
  return new Float32Array(3);
}, { module });

export const asynchronous = map((async () => {}) as never, { module, name: "asynchronous" });

export const epochal = map(({ data, epoch }) => {
  data[0] = epoch;
}, { module, name: "epochal" });
