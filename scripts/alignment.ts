/**
 * Mixed precision per shape: matrix products and convolutions in f32 and f16, with sizes that are multiples of 8 and odd ones
 * beside them. The product is [16, 36, 1504] x [1504, 10000], as in Paddle's performance guide, with an odd number of rows
 * (35), of inner columns, of outer columns and of both; convolutions are measured in both memory layouts, nhwc and nchw. A
 * software adapter uses about an eighth of the length and width. All shapes are measured in turns. Below the matrix, a table
 * has the device times of f32 and f16 and their ratio.
 *
 *     deno run -A scripts/alignment.ts
 *     deno run -A scripts/alignment.ts --variants f32-product-1504x10000,f16-product-1504x10000
 */
import { conv2d, findAdapter, linear, type Result, run, scenario, tensors, type VariantDefinition, z } from "../mod.ts";

const OPS = ["product", "conv"] as const;
type Op = typeof OPS[number];

const BATCH = 16;
/** Rows of the left matrix. */
const ROWS = 36;
const NCHW = "nchw" as const;
const LEVELS = { f32: "O0", f16: "O3" } as const;

const adapter = await findAdapter();
/** Sizes that are multiples of 8: columns of both matrices, and channels and width of the images. */
const { product, channels, image } = adapter?.info.fallback
  ? { product: [192, 1256], channels: 32, image: 16 } as const
  : { product: [1504, 10000], channels: 256, image: 56 } as const;

type Layout = "nhwc" | "nchw";

/** Sizes of an op. */
interface Shape {
  readonly op: Op;
  readonly input: number;
  readonly output: number;
  /** Rows of the left matrix of a product. */
  readonly rows: number;
  readonly layout: Layout;
}

/** Aligned sizes, one odd, the other, both; then an odd number of rows, and convolutions in the other layout. */
const SHAPES: readonly Shape[] = [
  ...around("product", product[0], product[1]),
  { ...around("product", product[0], product[1])[0]!, rows: ROWS - 1 },
  ...around("conv", channels, channels),
  ...around("conv", channels, channels).flatMap((shape, i): Shape[] =>
    i === 0 || i === 3 ? [{ ...shape, layout: NCHW }] : []
  ),
];

function around(op: Op, input: number, output: number): Shape[] {
  return [[0, 0], [1, 0], [0, 1], [1, 1]].map(([less, fewer]) => ({
    ...{ op, input: input - less!, output: output - fewer!, rows: ROWS, layout: "nhwc" },
  }));
}

const params = {
  op: z.enum(OPS).default("product").describe("matrix product, or convolution of 3 x 3"),
  input: z.coerce.number().default(product[0]).describe("columns of the left matrix, or channels of the images"),
  output: z.coerce.number().default(product[1]).describe("columns of the right matrix, or channels of the result"),
  rows: z.coerce.number().default(ROWS).describe("rows of the left matrix"),
};

function nameOf(type: string, { op, input, output, rows, layout }: Shape): string {
  const kind = layout === NCHW ? `${op}-${NCHW}` : op;
  return `${type}-${kind}-${rows === ROWS ? "" : `${rows}x`}${input}x${output}`;
}

const variants: Record<string, VariantDefinition<typeof params>> = {};
for (const shape of SHAPES) {
  const { op, input, output, rows, layout } = shape;
  for (const [type, amp] of Object.entries(LEVELS)) {
    if (type === "f16" && adapter !== null && !adapter.traits.f16) continue;
    variants[nameOf(type, shape)] = { params: { op, input, output, rows }, amp, compile: { layout } };
  }
}

export default scenario({
  name: "alignment",
  params,
  model: ({ op, output }) =>
    op === "product" ? linear(output, { bias: false }) : conv2d(output, { kernel: 3, padding: 1, bias: false }),
  data: ({ op, input, rows }) => {
    const shape = op === "product" ? [rows, input] : [input, image, image];
    const values = shape.reduce((product, size) => product * size, BATCH);
    return tensors({
      input: { shape, data: new Float32Array(values).fill(0.5) },
      target: { data: new Int32Array(BATCH) },
    });
  },
  loader: { batchSize: BATCH, shuffle: false },
  measure: { steps: 5, skip: 2, maxSkip: 4, rounds: 5 },
  variants,
});

/** Returns the table of device times in f32 and f16, and their ratio, for the shapes in a result. */
export function alignmentTable({ variants }: Pick<Result, "variants">): string[] {
  const time = (name: string) => medianForward(variants.find((variant) => variant.name === name)?.blocks ?? []);
  const rows = SHAPES.flatMap((shape) => {
    const [f32, f16] = [time(nameOf("f32", shape)), time(nameOf("f16", shape))];
    if (f32 === null && f16 === null) return [];
    const { op, input, output, rows, layout } = shape;
    const [left, right] = op === "product"
      ? [[BATCH, rows, input], [input, output]]
      : [[BATCH, input, image, image], [output, input, 3, 3]];
    const sizes = `[${left.join(", ")}] ${op === "product" ? "x" : "*"} [${right.join(", ")}]`;
    const aligned = input % 8 === 0 && output % 8 === 0 && rows % 4 === 0 ? "yes" : "no";
    const ratio = f32 === null || f16 === null ? "–" : `×${(f32 / f16).toFixed(2)}`;
    return [[op === "conv" ? `${op} ${layout}` : op, sizes, aligned, milliseconds(f32), milliseconds(f16), ratio]];
  });
  if (rows.length === 0) return [];
  const head = ["op", "sizes", "aligned", "f32 ms", "f16 ms", "f32/f16"];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => i < 3 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)).join("  ").trimEnd();
  return [
    "Device time of the forward pass by precision, medians over all steps; aligned: columns and channels are multiples of 8, rows of 4",
    line(head),
    ...rows.map(line),
  ];
}

/** Returns the median time of the forward pass in ms; null if it was not timed. */
function medianForward(blocks: Result["variants"][number]["blocks"]): number | null {
  const times = blocks.flatMap(({ steps }) => steps.flatMap(({ forward }) => forward ?? [])).sort((a, b) => a - b);
  if (times.length === 0) return null;
  return (times[(times.length - 1) >> 1]! + times[times.length >> 1]!) / 2;
}

function milliseconds(time: number | null): string {
  if (time === null) return "–";
  return time >= 100 ? time.toFixed(0) : time.toPrecision(3);
}

if (import.meta.main) {
  let table: readonly string[] = [];
  await run({
    onEvent: (event) => {
      if (event.type === "result") table = alignmentTable(event.result);
    },
  });
  // stdout may hold JSON
  const print = Deno.args.some((arg) => arg === "-" || arg === "--json-lines") ? console.error : console.log;
  if (table.length > 0) print(`\n${table.join("\n")}`);
}
