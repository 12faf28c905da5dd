import assert from "node:assert/strict";
import { crc32, deflateSync } from "node:zlib";
import { encode } from "fast-png";
import fc from "../../packages/fast_check.ts";
import { join } from "node:path";
import { RandomStream } from "../../../runtime/core/random.ts";
import { ImageDecoder } from "../../../runtime/data/images/decode.ts";
import { type Image, ImageError, withChannels } from "../../../runtime/data/images/image.ts";
import { JpegDecoder } from "../../../runtime/data/images/jpeg.ts";
import { TurboJpegDecoder } from "../../../runtime/data/images/turbo_jpeg.ts";

const FIXTURES = join(import.meta.dirname!, "../../fixtures/images");
const decoder = await ImageDecoder.open();
/** The same without the system's libjpeg-turbo. */
const portable = await ImageDecoder.open(await JpegDecoder.open({ native: false }));

function fixture(name: string): Uint8Array {
  return Deno.readFileSync(join(FIXTURES, name));
}

/** Returns the pixels without the bytes between them. */
function packed(image: Image): Uint8Array {
  const { data, width, height, channels, step } = image;
  return Uint8Array.from({ length: width * height * channels }, (_, i) => {
    return data[Math.floor(i / channels) * step + i % channels]!;
  });
}

function decoded(name: string): Image {
  return decoder.decode(fixture(name));
}

async function refused(bytes: Uint8Array, message: RegExp): Promise<void> {
  await decoder.prepare();
  assert.throws(() => decoder.decode(bytes), (error) => error instanceof ImageError && message.test(error.message));
}

Deno.test("baseline, progressive and grey JPEGs decode to the same pixels as in Pillow", () => {
  for (const name of ["baseline.jpg", "progressive.jpg", "grey.jpg"]) {
    const image = decoded(name);
    assert.deepEqual([image.width, image.height, image.channels], [45, 34, name === "grey.jpg" ? 1 : 3]);
    assert.deepEqual(packed(withChannels(image, 3)), packed(decoded(`${name}.png`)), name);
  }
  assert.deepEqual(decoded("grey.jpg").channels, 1);
});

Deno.test("colours become grey as in Pillow", () => {
  assert.deepEqual(packed(withChannels(decoded("photo.png"), 1)), packed(decoded("photo_grey.png")));
  const grey = withChannels(decoded("photo_grey.png"), 3);
  assert.deepEqual([...grey.data.subarray(0, 3)], new Array(3).fill(decoded("photo_grey.png").data[0]));
});

Deno.test("PNGs of every kind decode: grey, RGB, with alpha, palettes, 1 to 4 bits, interlaced", () => {
  assert.deepEqual(packed(decoded("palette.png")), packed(decoded("palette_rgb.png")));
  assert.deepEqual(packed(decoded("bits.png")), packed(decoded("bits_grey.png")));
  for (const channels of [1, 2, 3, 4] as const) {
    for (const interlace of ["null", "Adam7"] as const) {
      for (const [width, height] of [[1, 1], [7, 5], [33, 18]] as const) {
        const data = Uint8Array.from({ length: width * height * channels }, (_, i) => i * 37 + (i >> 3));
        const bytes = encode({ width, height, channels, data }, interlace === "Adam7" ? { interlace } : {});
        const image = decoder.decode(bytes);
        assert.deepEqual([image.width, image.height, image.step], [width, height, channels]);
        assert.equal(image.channels, channels < 3 ? 1 : 3);
        assert.deepEqual(image.data, data);
      }
    }
  }
});

Deno.test("unsupported formats are rejected by name", async () => {
  await refused(fixture("arithmetic.jpg"), /arithmetic-coded JPEG; expected a baseline or progressive one/);
  await refused(fixture("photo.gif"), /it is a GIF file; expected a PNG or a JPEG/);
  await refused(fixture("photo.webp"), /it is a WebP file/);
  await refused(new Uint8Array(0), /the file is empty/);
  await refused(new TextEncoder().encode("hello, world"), /begins with 68 65 6c 6c 6f 2c 20 77, which is neither/);
  const twelve = fixture("baseline.jpg");
  twelve[twelve.findIndex((byte, i) => byte === 0xff && twelve[i + 1] === 0xc0) + 4] = 12;
  await refused(twelve, /JPEG of 12 bits a channel; expected 8/);
});

Deno.test("CMYK JPEGs decode to the colours of Pillow", async () => {
  const image = decoded("cmyk.jpg");
  const expected = packed(decoded("cmyk.jpg.png"));
  assert.deepEqual([image.width, image.height, image.channels], [45, 34, 3]);
  // jpeg-js rounds its transform differently
  for (const [i, value] of packed(image).entries()) assert.ok(Math.abs(value - expected[i]!) <= 3, `${i}`);
  await refused(fixture("cmyk.jpg").slice(0, -200), /truncated JPEG/);
});

Deno.test("PNGs of 16 bits decode to their upper bytes", () => {
  for (const channels of [1, 2, 3, 4] as const) {
    for (const interlace of ["null", "Adam7"] as const) {
      const data = Uint16Array.from({ length: 7 * 5 * channels }, (_, i) => i * 9241);
      const bytes = encode({ width: 7, height: 5, channels, depth: 16, data }, { interlace });
      assert.deepEqual(decoder.decode(bytes).data, Uint8Array.from(data, (value) => value >> 8));
    }
  }
});

/** Returns the position of the first segment with a marker. */
function segment(bytes: Uint8Array, marker: number): number {
  return bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === marker);
}

/** Inserts bytes at a position. */
function inserted(bytes: Uint8Array, at: number, more: readonly number[]): Uint8Array {
  return Uint8Array.of(...bytes.subarray(0, at), ...more, ...bytes.subarray(at));
}

/** Mistakes in files of cameras and editors that leave the image whole. */
const MISTAKES: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  "unknown JFIF revision": (bytes) => bytes.with(segment(bytes, 0xe0) + 9, 0),
  "extraneous bytes": (bytes) => inserted(bytes, segment(bytes, 0xdb), [1, 2, 3]),
  "extraneous bytes before marker 0xd9": (bytes) => inserted(bytes, bytes.length - 2, [9, 9, 9, 9, 9, 9, 9, 9]),
  "Invalid SOS parameters": (bytes) =>
    bytes.with(segment(bytes, 0xda) + 4 + 2 * bytes[segment(bytes, 0xda) + 4]! + 2, 0),
  "Premature end of JPEG file": (bytes) => bytes.slice(0, -2),
};

Deno.test("mistakes that leave a JPEG whole are warnings, alone and together", async () => {
  for (const name of ["baseline.jpg", "grey.jpg"]) {
    const whole = fixture(name);
    for (const decode of [decoder, portable]) {
      for (const [warning, damage] of Object.entries(MISTAKES)) {
        await decode.prepare();
        const image = decode.decode(damage(whole));
        assert.match(image.warning ?? "", new RegExp(warning, "i"), `${name}: ${warning}`);
        assert.deepEqual(packed(image), packed(decode.decode(whole)), `${name}: ${warning}`);
      }
    }
  }
  assert.equal(decoded("baseline.jpg").warning, undefined);
});

Deno.test("a mistake in a JPEG does not hide that image data is missing", async () => {
  const whole = fixture("baseline.jpg");
  for (const [warning, damage] of Object.entries(MISTAKES)) {
    if (warning.includes("0xd9")) continue;
    await refused(damage(whole).slice(0, -150), /truncated JPEG: image data is missing/);
  }
  await refused(fixture("progressive.jpg").slice(0, -2), /truncated JPEG: image data is missing/);
});

Deno.test("a JPEG truncated anywhere is rejected, and the decoder keeps working", async () => {
  for (const name of ["baseline.jpg", "progressive.jpg", "grey.jpg"]) {
    const whole = fixture(name);
    // Without the end marker alone, nothing is missing
    for (let length = 0; length < whole.length - 2; length += length < 700 ? 7 : 61) {
      await refused(whole.slice(0, length), /truncated JPEG|broken JPEG|the file is empty|neither a PNG nor a JPEG/);
    }
    await decoder.prepare();
    assert.equal(decoder.decode(whole).width, 45);
  }
});

Deno.test("a PNG truncated or changed anywhere is rejected", async () => {
  const whole = fixture("photo.png");
  for (let length = 8; length < whole.length; length += 5) await refused(whole.slice(0, length), /truncated PNG/);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 8, max: whole.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, change) => {
        const bytes = whole.slice();
        bytes[at]! ^= change;
        await refused(bytes, /(truncated|broken) PNG|PNG of|interlaced PNG/);
      },
    ),
    { numRuns: 300 },
  );
});

/** Corrects the checksums, so that only the content of chunks is wrong. */
function resealed(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 8 + view.getUint32(at);
    if (end + 4 > bytes.length) break;
    view.setUint32(end, crc32(bytes.subarray(at + 4, end)));
    at = end + 4;
  }
  return bytes;
}

Deno.test("a PNG with a wrong header or body but correct checksums is rejected, or has another type of the same size", async () => {
  const whole = fixture("photo.png");
  for (const [at, size] of [[16, 44], [16, 46], [16, 0x7fffffff], [20, 33], [20, 35], [16, 0]] as const) {
    const bytes = whole.slice();
    new DataView(bytes.buffer).setUint32(at, size);
    await refused(resealed(bytes), /broken PNG/);
  }
  fc.assert(
    fc.property(fc.integer({ min: 16, max: whole.length - 13 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const bytes = whole.slice();
      bytes[at]! ^= change;
      try {
        const { width, height, data, step } = decoder.decode(resealed(bytes));
        assert.equal(data.length, width * height * step);
        assert.deepEqual([width, height], [45, 34]);
        // zlib's checksum rejects changed data, so the pixels are unchanged
        if (at > 33) assert.deepEqual(data, decoder.decode(whole).data);
      } catch (error) {
        assert.ok(error instanceof ImageError, `${error}`);
      }
    }),
    { numRuns: 400 },
  );
});

/** Builds a PNG from chunks. */
function png(chunks: Record<string, Uint8Array>): Uint8Array {
  const parts = Object.entries(chunks).flatMap(([type, body]) => {
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, body.length);
    return [length, new TextEncoder().encode(type), body, new Uint8Array(4)];
  });
  return resealed(Uint8Array.from([fixture("photo.png").subarray(0, 8), ...parts].flatMap((part) => [...part])));
}

Deno.test("a PNG with too many rows or an unknown filter is rejected", async () => {
  const body = (length: number, filter: number) => {
    const header = Uint8Array.of(0, 0, 0, 2, 0, 0, 0, 3, 8, 0, 0, 0, 0); // 2 x 3, grey
    const rows = Uint8Array.from({ length }, (_, i) => i % 3 === 0 ? filter : 7);
    return png({ IHDR: header, IDAT: deflateSync(rows), IEND: new Uint8Array(0) });
  };
  assert.deepEqual(decoder.decode(body(9, 0)).data, new Uint8Array(6).fill(7));
  await refused(body(9, 5), /^broken PNG: Unsupported filter: 5$/);
  await refused(body(12, 0), /^broken PNG: it has more than 9 bytes of pixels; expected 9 for its size$/);
  await refused(body(6, 0), /^broken PNG: it has 6 bytes of pixels; expected 9 for its size$/);
});

Deno.test("a damaged JPEG is rejected or decodes to a whole image, and never breaks the decoder", async () => {
  const files = ["baseline.jpg", "progressive.jpg", "grey.jpg"].map(fixture);
  const property = fc.asyncProperty(fc.nat(2), fc.nat(), fc.nat(), async (which, seed, count) => {
    const random = new RandomStream(seed);
    const bytes = files[which]!.slice();
    for (let i = 0; i <= count % 8; i++) bytes[2 + random.below(bytes.length - 2)] = random.below(256);
    await decoder.prepare();
    try {
      const { width, height, data, step } = decoder.decode(bytes);
      assert.equal(data.length, width * height * step);
    } catch (error) {
      assert.ok(error instanceof ImageError, `${error}`);
    }
  });
  await fc.assert(property, { numRuns: 400, interruptAfterTimeLimit: 4000 });
  await decoder.prepare();
  assert.deepEqual(packed(decoder.decode(files[0]!)), packed(decoded("baseline.jpg.png")));
});

/** Opens and closes the system's libjpeg-turbo. Returns false if there is none. */
function hasLibrary(): boolean {
  const library = TurboJpegDecoder.open();
  library?.close();
  return library !== null;
}

Deno.test({
  name: "the system's libjpeg-turbo returns the pixels of the decoder in WebAssembly and refuses damaged files",
  ignore: !hasLibrary(),
  async fn() {
    for (const [name, factors] of [["baseline", 0x22], ["progressive", 0x22], ["grey", 0x11]] as const) {
      const whole = fixture(`${name}.jpg`);
      // Sampling with half the height goes to WebAssembly; with this change, the file is damaged or another image
      const at = whole.findIndex((byte, i) => byte === 0xff && [0xc0, 0xc2].includes(whole[i + 1]!)) + 11;
      assert.equal(whole[at], factors);
      for (const factors of [whole[at]!, 0x12]) {
        const bytes = whole.with(at, factors);
        assert.deepEqual(await outcome(decoder, bytes), await outcome(portable, bytes), name);
      }
      for (let length = 0; length < whole.length - 2; length += 13) {
        assert.equal(typeof await outcome(decoder, whole.slice(0, length)), "string", `${name}: ${length} bytes`);
      }
    }
  },
});

/** Returns size and pixels, or the reason for which a file is refused. */
async function outcome(decode: ImageDecoder, bytes: Uint8Array): Promise<unknown> {
  await decode.prepare();
  try {
    const image = decode.decode(bytes);
    return [image.width, image.height, image.channels, packed(image)];
  } catch (error) {
    assert.ok(error instanceof ImageError, `${error}`);
    return error.message;
  }
}

Deno.test("a closed decoder is closed again without effect, and decodes no more", async () => {
  const closed = await ImageDecoder.open();
  closed.close();
  closed.close();
  if (hasLibrary()) assert.throws(() => closed.decode(fixture("baseline.jpg")), /The decoder is closed/);
});
