import { type Tape, Value } from "./value.ts";

export interface ConvSettings {
  readonly stride?: readonly [number, number];
  readonly padding?: readonly [number, number];
  readonly dilation?: readonly [number, number];
  readonly groups?: number;
}

/** Computes the cross-correlation of x `[n, c, h, w]` with weight `[out, c / groups, kh, kw]`; bias `[out]` or null. */
export function conv2d(tape: Tape, x: Value, weight: Value, bias: Value | null, settings: ConvSettings = {}): Value {
  const { stride = [1, 1], padding = [0, 0], dilation = [1, 1], groups = 1 } = settings;
  const [n, c, h, w] = x.shape as [number, number, number, number];
  const [out, perGroup, kh, kw] = weight.shape as [number, number, number, number];
  if (perGroup * groups !== c) throw new Error(`${c} channels for a weight [${weight.shape}] in ${groups} groups`);
  const oh = Math.floor((h + 2 * padding[0] - dilation[0] * (kh - 1) - 1) / stride[0]) + 1;
  const ow = Math.floor((w + 2 * padding[1] - dilation[1] * (kw - 1) - 1) / stride[1]) + 1;
  const y = Value.zeros([n, out, oh, ow]);

  /**
   * Calls `visit` for each row of outputs and each tap, with the offsets of both rows and the range of valid columns.
   */
  const eachRow = (visit: (yRow: number, xRow: number, tap: number, from: number, to: number) => void) => {
    for (let image = 0; image < n; image++) {
      for (let o = 0; o < out; o++) {
        const group = Math.floor(o / (out / groups));
        for (let k = 0; k < perGroup; k++) {
          const plane = (image * c + group * perGroup + k) * h;
          for (let ky = 0; ky < kh; ky++) {
            for (let kx = 0; kx < kw; kx++) {
              const tap = ((o * perGroup + k) * kh + ky) * kw + kx;
              const shift = kx * dilation[1] - padding[1];
              const from = Math.max(0, Math.ceil(-shift / stride[1]));
              const to = Math.min(ow, Math.floor((w - 1 - shift) / stride[1]) + 1);
              for (let i = 0; i < oh; i++) {
                const row = i * stride[0] - padding[0] + ky * dilation[0];
                if (row < 0 || row >= h) continue;
                visit(((image * out + o) * oh + i) * ow, (plane + row) * w + shift, tap, from, to);
              }
            }
          }
        }
      }
    }
  };

  const step = stride[1];
  const size = oh * ow;
  if (bias !== null) { for (let i = 0; i < y.data.length; i++) y.data[i] = bias.data[Math.floor(i / size) % out]!; }
  eachRow((yRow, xRow, tap, from, to) => {
    const factor = weight.data[tap]!;
    for (let j = from; j < to; j++) y.data[yRow + j]! += factor * x.data[xRow + j * step]!;
  });
  tape.record(() => {
    if (bias !== null) { for (let i = 0; i < y.grad.length; i++) bias.grad[Math.floor(i / size) % out]! += y.grad[i]!; }
    eachRow((yRow, xRow, tap, from, to) => {
      const factor = weight.data[tap]!;
      let sum = 0;
      for (let j = from; j < to; j++) {
        const dy = y.grad[yRow + j]!;
        sum += dy * x.data[xRow + j * step]!;
        x.grad[xRow + j * step]! += dy * factor;
      }
      weight.grad[tap]! += sum;
    });
  });
  return y;
}
