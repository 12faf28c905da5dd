/**
 * Evidence in the names and elements of tensors that they are not learned.
 *
 * @module
 */
import { type Shape, sizeOf } from "../core/shape.ts";

const PREFIXES = "pixel|image|img|input|output|target|data|dataset|channel|obs|x|y";

/** Last parts of names that projects give to what they register beside parameters. */
const BUFFER_NAMES = new RegExp(
  [
    `((${PREFIXES})_)?(mean|std|var|variance)s?`,
    "running_(mean|var)|num_batches_tracked",
    "pe|inv_freq|freqs?(_cis)?|(sin|cos)(_cached|_cache)?",
    "(\\w+_)?(mask|masked_bias|anchors?|grid|ids|index|indices|buffer)s?",
    "eps|epsilon",
  ].map((names) => `^(${names})$`).join("|"),
  "i",
);

/** Last parts of names that parameters have. */
const PARAMETER_NAMES = /weight|bias|gamma|beta|embed|token|kernel|temperature|logit_scale/i;

/** Names that exporters and optimizers number themselves. */
const NUMBERED_NAMES = /^onnx::|^\d+$|_output_\d+$|(^|[/.])(const|val|tmp|scalar)\w*$|(^|\/)[xy]$/i;

/** Names of initializers that a tool made of nodes `Constant`. */
const CONSTANT_NODE_NAMES = /(^|[/.])Constant(_\d+)?(_output_0)?$/;

const withoutPort = (name: string) => name.replace(/:\d+$/, "");
const lastPart = (name: string) => withoutPort(name).split(/[./]/).at(-1)!;

/** Returns true for a name such as `pixel_mean`, `inv_freq` or `attn_mask`. */
export function isBufferName(name: string): boolean {
  return BUFFER_NAMES.test(lastPart(name));
}

/** Returns true for a name such as `norm.bias` or `cls_token`. */
export function isParameterName(name: string): boolean {
  return PARAMETER_NAMES.test(lastPart(name));
}

/**
 * Returns true for a name that only a number with a name in the model has: PyTorch's exporter writes all other numbers as
 * nodes `Constant`, while other exporters write them as initializers too.
 */
export function isOwnName(name: string, producer: string): boolean {
  if (NUMBERED_NAMES.test(withoutPort(name)) || isConstantNodeName(name)) return false;
  return producer.startsWith("pytorch") || isParameterName(name) || /^[\w-]+(\.[\w-]+)+$/.test(name);
}

/** Returns true for a name such as `/norm/Constant_1_output_0`. */
export function isConstantNodeName(name: string): boolean {
  return CONSTANT_NODE_NAMES.test(name);
}

/** Elements above which a tensor is not looked at. */
const MAX_ELEMENTS = 1 << 20;

/** Score below which a key of attention has no weight. */
const EXCLUDED = -1e3;

/** Reads the first elements of a tensor. */
type Read = (count: number) => ArrayLike<number>;

/** Returns what the elements of a tensor are if they are no parameter; null if they may be one. */
export function fixedContent(shape: Shape, read: Read): string | null {
  const size = sizeOf(shape);
  if (size < 2 || size > MAX_ELEMENTS) return null;
  const few = Math.min(size, MIN_ROWS * (shape.at(-1) ?? 1));
  const first = read(few);
  const maybe = { mask: first.length > 0 && !hasOthers(first), table: isTable(shape, first, false) };
  if (!maybe.mask && !maybe.table) return null;
  const values = few === size ? first : read(size);
  if (isMask(values)) return "a mask";
  return maybe.table && isTable(shape, values, true) ? "a table of waves or steps" : null;
}

/** Returns true for a depthwise convolution whose channels have the same kernel, such as a blur; kernels of one number are none. */
export function isFilter(shape: Shape, read: Read): boolean {
  const [channels, inner, ...sizes] = shape;
  const size = sizeOf(sizes);
  if (sizes.length < 1 || inner !== 1 || channels! < 2 || size < 2 || size * channels! > MAX_ELEMENTS) return false;
  const values = read(size * channels!);
  let varies = false;
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== values[i % size]) return false;
    varies ||= values[i] !== values[0];
  }
  return varies;
}

/** Returns true for zeros and ones, or zeros and very low numbers, of both kinds. */
function isMask(values: ArrayLike<number>): boolean {
  const kinds = new Set(Array.from(values, (value) => value < EXCLUDED ? EXCLUDED : value));
  return !hasOthers(values) && (kinds.has(EXCLUDED) ? !kinds.has(1) : kinds.size === 2);
}

/** Returns true for elements that no mask has. */
function hasOthers(values: ArrayLike<number>): boolean {
  for (let i = 0; i < values.length; i++) {
    if (!(values[i] === 0 || values[i] === 1 || values[i]! < EXCLUDED)) return true;
  }
  return false;
}

/** Rows and columns that are looked at. */
const [MIN_ROWS, MAX_ROWS, MAX_COLUMNS] = [5, 48, 64];

/**
 * Returns true for a table whose columns are sines of the row, as tables of positions have them, or steps of equal size: the
 * sum of both neighbours is the same multiple of each element. A table of equal rows is none.
 *
 * @param values elements, or the first of them
 * @param isWhole false to take equal rows for the first rows of a table
 */
function isTable(shape: Shape, values: ArrayLike<number>, isWhole: boolean): boolean {
  const columns = shape.at(-1) ?? 0;
  const rows = Math.min(shape.at(-2) ?? 0, MAX_ROWS, values.length / columns);
  if (rows < MIN_ROWS || columns < 2) return false;
  let varies = !isWhole;
  for (let column = 0; column < Math.min(columns, MAX_COLUMNS); column++) {
    const at = (row: number) => values[row * columns + column]!;
    let [product, square, low, high] = [0, 0, at(0), at(0)];
    for (let row = 1; row < rows - 1; row++) {
      product += at(row) * (at(row - 1) + at(row + 1));
      square += at(row) ** 2;
    }
    const factor = square === 0 ? 0 : product / square;
    for (let row = 1; row < rows; row++) {
      [low, high] = [Math.min(low, at(row)), Math.max(high, at(row))];
      if (row < rows - 1 && !(Math.abs(at(row - 1) + at(row + 1) - factor * at(row)) < 1e-3)) return false;
    }
    if (Math.abs(factor) > 2 + 1e-3) return false;
    varies ||= high - low > 0.25;
  }
  return varies;
}
