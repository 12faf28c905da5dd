/** References of operators that resize images. */
import { any, build, constant, type DrawCase, indicesOf, integer, LARGE, read } from "./draw.ts";

const depth = (type: string): DrawCase => (draw) => {
  const block = draw.whole(1, 3);
  const [n, c, h, w] = [draw.whole(1, 2), draw.whole(1, 3), draw.whole(1, 3), draw.whole(1, 3)];
  const mode = draw.pick(["DCR", "CRD"]);
  const large = any(draw, [n, c, h * block, w * block]);
  const isCrd = type === "DepthToSpace" && mode === "CRD";
  // Channels of the deep form by the pixel of the block and the channel of the wide form
  const channel = (i: number, j: number, own: number) =>
    isCrd ? own * block ** 2 + i * block + j : (i * block + j) * c + own;
  const deep = build([n, c * block ** 2, h, w], ([at, wanted, y, x]) => {
    for (const [i, j, own] of indicesOf([block, block, c])) {
      if (channel(i!, j!, own!) === wanted) return read(large, [at!, own!, y! * block + i!, x! * block + j!]);
    }
    return NaN;
  }, large.type);
  const [input, want] = type === "DepthToSpace" ? [deep, large] : [large, deep];
  return {
    inputs: [input],
    attributes: { blocksize: block, ...type === "DepthToSpace" ? { mode } : {} },
    want: [want],
  };
};

const resize: DrawCase = (draw) => {
  const isInteger = draw.chance(0.3);
  const shape = [1, draw.whole(1, 2), draw.whole(1, 5), draw.whole(1, 5)];
  const x = isInteger ? draw.integers(shape, -9, 9, LARGE) : draw.floats(shape);
  const [h, w] = [draw.whole(1, 8), draw.whole(1, 8)];
  const mode = isInteger ? "nearest" : draw.pick(["nearest", "linear"]);
  const places = draw.pick(["half_pixel", "asymmetric", "align_corners"]);
  const rounding = draw.pick(["floor", "ceil", "round_prefer_floor"]);
  const result = [1, shape[1]!, h, w];
  const place = (i: number, d: number) => {
    const [from, to] = [shape[d]!, result[d]!];
    const scale = to / from;
    return places === "half_pixel"
      ? (i + 0.5) / scale - 0.5
      : places === "asymmetric"
      ? i / scale
      : to === 1
      ? 0
      : i * (from - 1) / (to - 1);
  };
  const inside = (i: number, d: number) => Math.min(shape[d]! - 1, Math.max(0, i));
  const near = (p: number) => {
    const exact = Math.abs(p - Math.round(p)) < 1e-5 ? Math.round(p) : p;
    return rounding === "floor" ? Math.floor(exact) : rounding === "ceil" ? Math.ceil(exact) : Math.ceil(exact - 0.5);
  };
  const want = build(result, ([n, c, i, j]) => {
    const [y, z] = [place(i!, 2), place(j!, 3)];
    if (mode === "nearest") return read(x, [n!, c!, inside(near(y), 2), inside(near(z), 3)]);
    const [top, left] = [Math.floor(y), Math.floor(z)];
    return [0, 1].flatMap((a) =>
      [0, 1].map((b) =>
        (a === 1 ? y - top : 1 - y + top) * (b === 1 ? z - left : 1 - z + left) *
        read(x, [n!, c!, inside(top + a, 2), inside(left + b, 3)])
      )
    ).reduce((a, b) => a + b);
  }, x.type);
  return {
    opset: 13,
    inputs: [x, null, null, integer(result)],
    attributes: { mode, coordinate_transformation_mode: places, nearest_mode: rounding },
    want: [want],
    elements: isInteger ? 0 : 1e-4,
    slack: isInteger ? 0 : 1e-4,
  };
};

export const RESIZING: ReadonlyMap<string, DrawCase> = new Map<string, DrawCase>([
  ["DepthToSpace", depth("DepthToSpace")],
  ["SpaceToDepth", depth("SpaceToDepth")],
  ["Resize", resize],
  ["Upsample", (draw) => {
    const x = draw.floats([1, 2, draw.whole(1, 4), draw.whole(1, 4)]);
    const [a, b] = [draw.whole(1, 3), draw.whole(1, 3)];
    const want = build(
      [1, 2, x.shape[2]! * a, x.shape[3]! * b],
      ([n, c, i, j]) => read(x, [n!, c!, Math.floor(i! / a), Math.floor(j! / b)]),
    );
    return {
      opset: 9,
      inputs: [x, constant({ shape: [4], values: [1, 1, a, b] })],
      attributes: { mode: "nearest" },
      want: [want],
    };
  }],
]);
