import { type Tape, Value } from "./value.ts";

/** Computes `torch.nn.ConvTranspose2d` of x `[n, c, h, w]` with weight `[c, out, kh, kw]` and bias `[out]`, without padding. */
export function convTranspose2d(
  tape: Tape,
  x: Value,
  weight: Value,
  bias: Value,
  stride: readonly [number, number],
): Value {
  const [n, c, h, w] = x.shape as [number, number, number, number];
  const [, out, kh, kw] = weight.shape as [number, number, number, number];
  const [oh, ow] = [(h - 1) * stride[0] + kh, (w - 1) * stride[1] + kw];
  const y = Value.zeros([n, out, oh, ow]);
  const each = (visit: (source: number, tap: number, target: number) => void) => {
    for (let source = 0; source < x.data.length; source++) {
      const [column, row] = [source % w, Math.floor(source / w) % h];
      const [channel, image] = [Math.floor(source / w / h) % c, Math.floor(source / w / h / c)];
      for (let o = 0; o < out; o++) {
        for (let ky = 0; ky < kh; ky++) {
          for (let kx = 0; kx < kw; kx++) {
            const tap = ((channel * out + o) * kh + ky) * kw + kx;
            visit(source, tap, ((image * out + o) * oh + row * stride[0] + ky) * ow + column * stride[1] + kx);
          }
        }
      }
    }
  };
  const channelOf = (target: number) => Math.floor(target / oh / ow) % out;
  y.data.forEach((_, target) => y.data[target] = bias.data[channelOf(target)]!);
  each((source, tap, target) => y.data[target]! += x.data[source]! * weight.data[tap]!);
  tape.record(() => {
    y.grad.forEach((slope, target) => bias.grad[channelOf(target)]! += slope);
    each((source, tap, target) => {
      x.grad[source]! += y.grad[target]! * weight.data[tap]!;
      weight.grad[tap]! += y.grad[target]! * x.data[source]!;
    });
  });
  return y;
}
