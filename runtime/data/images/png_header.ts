import { ImageError, MAX_PIXELS } from "./image.ts";

export interface PngHeader {
  readonly width: number;
  readonly height: number;
  /** Bits per value. */
  readonly depth: number;
  readonly colour: "grey" | "rgb" | "palette" | "grey and alpha" | "rgb and alpha";
  /** Values per pixel. */
  readonly samples: 1 | 2 | 3 | 4;
  readonly interlaced: boolean;
}

const COLOURS: Readonly<Record<number, Pick<PngHeader, "colour" | "samples">>> = {
  0: { colour: "grey", samples: 1 },
  2: { colour: "rgb", samples: 3 },
  3: { colour: "palette", samples: 1 },
  4: { colour: "grey and alpha", samples: 2 },
  6: { colour: "rgb and alpha", samples: 4 },
};

/**
 * Parses the IHDR chunk.
 *
 * @throws {ImageError} if it is invalid or the file is of an unsupported kind
 */
export function checkPngHeader(body: Uint8Array): PngHeader {
  if (body.length !== 13) throw new ImageError(`broken PNG: its IHDR chunk has ${body.length} bytes; expected 13`);
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const [depth, type, compression, filter, interlace] = body.subarray(8);
  if (width === 0 || height === 0 || width * height > MAX_PIXELS) {
    throw new ImageError(`broken PNG: its size is ${width} x ${height}`);
  }
  const colour = COLOURS[type!];
  if (
    colour === undefined || compression !== 0 || filter !== 0 || interlace! > 1 || ![1, 2, 4, 8, 16].includes(depth!)
  ) {
    throw new ImageError(`broken PNG: its header ends in ${[...body.subarray(8)].join(", ")}`);
  }
  if (colour.colour === "palette" ? depth === 16 : depth! < 8 && colour.samples > 1) {
    throw new ImageError(`broken PNG: ${colour.colour} of ${depth} bits`);
  }
  if (depth! < 8 && interlace === 1) {
    throw new ImageError(`interlaced PNG of ${depth} bits; expected 8 bits, or no interlacing`);
  }
  return { width, height, depth: depth!, ...colour, interlaced: interlace === 1 };
}

/** Adam7 passes of an interlaced image: first column and row, and their distances. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Returns the bytes of all rows, each with its filter byte. */
export function rowBytes({ width, height, depth, samples, interlaced }: PngHeader): number {
  const bytes = (columns: number, rows: number) =>
    columns <= 0 || rows <= 0 ? 0 : rows * (1 + Math.ceil(columns * samples * depth / 8));
  if (!interlaced) return bytes(width, height);
  return ADAM7.reduce(
    (sum, [x, y, dx, dy]) => sum + bytes(Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)),
    0,
  );
}
