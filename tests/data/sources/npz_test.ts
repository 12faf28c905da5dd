import assert from "node:assert/strict";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { InputError } from "../../../runtime/core/errors.ts";
import { describeDataset, samplePlan } from "../../../runtime/data/describe.ts";
import { createLoader } from "../../../runtime/data/loader/create_loader.ts";
import { readNpy, readNpyHeader } from "../../../runtime/data/npy_file.ts";
import { npz } from "../../../runtime/data/sources/npz.ts";
import type { NpzOptions } from "../../../runtime/data/sources/types.ts";
import { filesOf } from "../../../runtime/data/sources/sources.ts";
import { isInstalled } from "../../support/is_installed.ts";
import { DEFAULTS, take, withFolder } from "../fixtures.ts";
import { type Entry, npy, zip } from "../npz_files.ts";
import { refuses, rejects } from "../../support/refuses.ts";

const inputs = Uint8Array.from({ length: 24 }, (_, i) => i * 10);
const X = npy("|u1", [6, 2, 2], inputs);
const Y = npy("<i8", [6], BigInt64Array.from([0n, 1n, 2n, 0n, 1n, 2n]));

Deno.test("two .npy files give a data set", () =>
  withFolder({ "x.npy": X, "y.npy": Y }, async (dir) => {
    const spec = npz({ train: { input: join(dir, "x.npy"), target: join(dir, "y.npy") } });
    const { train, test, classes, input } = describeDataset(spec);
    assert.deepEqual([train.length, test, classes, input!.shape], [6, null, 3, [1, 2, 2]]);
    await using loader = await createLoader(spec, { ...DEFAULTS, batchSize: 6, shuffle: false });
    const [batch] = await take(loader, 1);
    assert.deepEqual(batch!.input, Float32Array.from(inputs, (x) => x / 255));
    assert.deepEqual(batch!.target, Int32Array.of(0, 1, 2, 0, 1, 2));
    assert.deepEqual(filesOf(spec), [join(dir, "x.npy"), join(dir, "y.npy")]);
    await rejects(createLoader(spec, { ...DEFAULTS, split: "test" }), /npz has no test split; give npz\(\{ test/);
  }));

Deno.test("one archive gives both splits, or each split has its own, stored and deflated", () => {
  const files = {
    "all.npz": zip({ "x.npy": { bytes: X }, "y.npy": { bytes: Y }, "x_test.npy": { bytes: X, method: 0 } }),
    "test.npz": zip({ "x.npy": { bytes: X, method: 0 }, "y.npy": { bytes: Y } }),
  };
  return withFolder(files, (dir) => {
    const [file, testFile] = [join(dir, "all.npz"), join(dir, "test.npz")];
    const one = npz({ file, train: { input: "x", target: "y" }, test: { input: "x_test", target: "y" } });
    const two = npz({ file, testFile, train: { input: "x", target: "y" }, test: { input: "x", target: "y" } });
    for (const spec of [one, two]) {
      assert.equal(describeDataset(spec).test!.length, 6);
      for (const split of ["train", "test"] as const) {
        const { source } = samplePlan(spec, { split, layout: "row", seed: 1 });
        assert.ok(source.kind === "tensors");
        assert.deepEqual(new Uint8Array(source.input!), inputs);
      }
    }
    assert.deepEqual(filesOf(two), [file, testFile]);
  });
});

Deno.test("images can be in either order, and float targets are values", () => {
  const pixels = Float32Array.from({ length: 12 }, (_, i) => i);
  const files = { "x.npy": npy("<f4", [2, 1, 2, 3], pixels), "y.npy": npy("<f8", [2, 1], Float64Array.of(0.5, -1)) };
  return withFolder(files, async (dir) => {
    const spec = npz({ train: { input: join(dir, "x.npy"), target: join(dir, "y.npy") }, order: "hwc" });
    const { input, target, classes } = describeDataset(spec);
    assert.deepEqual([input!.shape, target, classes], [[3, 1, 2], { shape: [1], dtype: "f32" }, null]);
    await using loader = await createLoader(spec, { ...DEFAULTS, batchSize: 2, shuffle: false });
    const [batch] = await take(loader, 1);
    assert.deepEqual(batch!.input, pixels);
    assert.deepEqual(batch!.target, Float32Array.of(0.5, -1));
  });
});

/** Three values of each type; the last is its minimum or a fraction. */
const VALUES: Record<string, (view: DataView, at: number, value: number, little: boolean) => void> = {
  u2: (view, at, value, little) => view.setUint16(at, value, little),
  u4: (view, at, value, little) => view.setUint32(at, value, little),
  u8: (view, at, value, little) => view.setBigUint64(at, BigInt(value), little),
  i2: (view, at, value, little) => view.setInt16(at, value, little),
  i4: (view, at, value, little) => view.setInt32(at, value, little),
  i8: (view, at, value, little) => view.setBigInt64(at, BigInt(value), little),
  f2: (view, at, value, little) => view.setFloat16(at, value, little),
  f4: (view, at, value, little) => view.setFloat32(at, value, little),
  f8: (view, at, value, little) => view.setFloat64(at, value, little),
};

Deno.test("values of any type and byte order load", () =>
  withFolder({}, (dir) => {
    for (const [type, set] of Object.entries(VALUES)) {
      const expected = [1, 258, type.startsWith("u") ? 60000 : type.startsWith("i") ? -129 : -0.25];
      for (const order of ["<", ">"]) {
        const bytes = new Uint8Array(3 * Number(type[1]));
        const view = new DataView(bytes.buffer);
        expected.forEach((value, i) => set(view, i * Number(type[1]), value, order === "<"));
        const file = join(dir, `${order === "<" ? "little" : "big"}_${type}.npy`);
        Deno.writeFileSync(file, npy(order + type, [3], bytes, { version: order === "<" ? 1 : 2 }));
        const header = readNpyHeader({ file, name: null });
        assert.deepEqual([...readNpy(header, "f32")], expected, order + type);
      }
    }
  }));

Deno.test("headers of Python 2 and of other writers load, whatever their spaces and quotes", () =>
  withFolder({}, (dir) => {
    const file = join(dir, "x.npy");
    for (
      const header of [
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2L, 3L), }",
        '{"descr": "<i4", "fortran_order": False, "shape": (2, 3)}',
        "{ 'shape' :(2 ,3 , ) ,\t'fortran_order' :False, 'descr'  :  u'<i4' }",
        "{'descr':'<i4','fortran_order':False,'shape':( 2,\n3)}",
      ]
    ) {
      Deno.writeFileSync(file, npy("", [], Int32Array.of(1, 2, 3, 4, 5, 6), { header }));
      assert.deepEqual(readNpyHeader({ file, name: null }).shape, [2, 3], header);
    }
    for (const [sizes, shape] of [["()", []], ["(6L,)", [6]], ["( 6 ,)", [6]]] as const) {
      const header = `{'descr': '<i4', 'fortran_order': False, 'shape': ${sizes}, }`;
      Deno.writeFileSync(file, npy("", [], new Int32Array(shape.length === 0 ? 1 : 6), { header }));
      assert.deepEqual(readNpyHeader({ file, name: null }).shape, shape, header);
    }
  }));

Deno.test("a value beyond the range of f32 is rejected, and infinities and NaN are kept", () =>
  withFolder({}, (dir) => {
    const file = join(dir, "x.npy");
    const read = (values: number[]) => {
      Deno.writeFileSync(file, npy("<f8", [values.length], Float64Array.from(values)));
      return readNpy(readNpyHeader({ file, name: null }), "f32");
    };
    refuses(() => read([1, -1e39]), /x\.npy: value 1 is -1e\+39, which f32 cannot hold; save it as another type/);
    assert.deepEqual([...read([3.4e38, Infinity, NaN])], [Math.fround(3.4e38), Infinity, NaN]);
  }));

Deno.test("integers that do not fit are rejected", () =>
  withFolder({}, (dir) => {
    const read = (values: bigint[], dtype: "i32" | "f32") => {
      const file = join(dir, "x.npy");
      Deno.writeFileSync(file, npy("<i8", [values.length], BigInt64Array.from(values)));
      return readNpy(readNpyHeader({ file, name: null }), dtype);
    };
    refuses(() => read([0n, 2n ** 31n], "i32"), /x\.npy: value 1 is 2147483648, which i32 cannot hold/);
    refuses(() => read([2n ** 24n + 1n], "f32"), /value 0 is 16777217, which f32 cannot hold/);
    refuses(() => read([2n ** 62n + 1n, 0n, 0n], "f32"), /value 0 is 4611686018427387905/);
  }));

Deno.test("classes are counted, and labels out of range are rejected", () => {
  const files = {
    "x.npy": X,
    "y.npy": npy("<i4", [6], Int32Array.of(0, 1, 7, 0, 0, 0)),
    "z.npy": npy("<i4", [6], Int32Array.of(0, -1, 0, 0, 0, 0)),
  };
  return withFolder(files, (dir) => {
    const spec = (target: string, classes?: number): NpzOptions => ({
      train: { input: join(dir, "x.npy"), target: join(dir, target) },
      ...(classes === undefined ? {} : { classes }),
    });
    assert.equal(describeDataset(npz(spec("y.npy"))).classes, 8);
    assert.equal(describeDataset(npz(spec("y.npy", 10))).classes, 10);
    refuses(
      () => describeDataset(npz(spec("y.npy", 7))),
      /y\.npy: the target of sample 2 is 7; expected a class index 0\.\.6/,
    );
    refuses(() => describeDataset(npz(spec("z.npy"))), /sample 1 is -1; expected a class index of at least 0/);
  });
});

Deno.test("arrays that do not match, or are not arrays of samples, are rejected", () => {
  const files = {
    "x.npy": X,
    "y.npy": Y,
    "short.npy": npy("<i4", [5], new Int32Array(5)),
    "scalar.npy": npy("<i4", [], new Int32Array(1)),
    "empty.npy": npy("<i4", [0, 3], new Int32Array(0)),
    "wide.npy": npy("|u1", [6, 3], new Uint8Array(18)),
    "fortran.npy": npy("|u1", [6, 3], new Uint8Array(18), { fortran: true }),
    "complex.npy": npy("<c8", [6], new Uint8Array(48)),
    "record.npy": npy("", [], new Uint8Array(0), {
      header: "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (0,), }",
    }),
    "cut.npy": X.subarray(0, X.length - 1),
    "header.npy": X.subarray(0, 60),
    "large.npy": npy("<f8", [2 ** 20, 2 ** 20], new Uint8Array(0)),
    "text.npy": new TextEncoder().encode("1,2,3\n4,5,6\n7,8,9\n"),
    "archive.npy": zip({ "x.npy": { bytes: X } }),
  };
  return withFolder(files, (dir) => {
    const describe = (input: string, target = "y.npy", test: string | null = null) =>
      describeDataset(npz({
        train: { input: join(dir, input), target: join(dir, target) },
        test: test === null ? null : { input: join(dir, test), target: join(dir, "y.npy") },
      }));
    refuses(
      () => describe("x.npy", "short.npy"),
      /x\.npy has 6 samples, but .*short\.npy has 5; expected one target per/,
    );
    refuses(() => describe("x.npy", "scalar.npy"), /scalar\.npy has shape \[\]; expected \[samples, \.\.\.\]/);
    refuses(() => describe("empty.npy"), /empty\.npy has shape \[0, 3\]; expected \[samples/);
    refuses(
      () => describe("x.npy", "y.npy", "wide.npy"),
      /wide\.npy has samples u1 \[3\], but .*x\.npy has u1 \[2, 2\]/,
    );
    refuses(() => describe("fortran.npy"), /fortran\.npy is in Fortran order; save np\.ascontiguousarray/);
    refuses(() => describe("complex.npy"), /complex\.npy has values of type c8; expected one of u1, u2/);
    refuses(() => describe("record.npy"), /record\.npy has a header without type, order and shape of a plain array/);
    refuses(() => describe("cut.npy"), /cut\.npy has 151 bytes; expected 152 for shape \[6, 2, 2\] of type u1/);
    refuses(() => describe("header.npy"), /header\.npy has a header of version 1 and 128 bytes; it is damaged/);
    refuses(() => describe("large.npy"), /large\.npy has shape .*; expected at most 4 GiB/);
    refuses(() => describe("text.npy"), /text\.npy is not a \.npy file: it does not begin with \\x93NUMPY$/);
    refuses(
      () => describe("archive.npy"),
      /archive\.npy is not a \.npy file.*it is a ZIP archive: give it as \{ file \}/,
    );
    refuses(() => describe("gone.npy"), /Cannot read .*gone\.npy/);
    refuses(
      () => npz({ train: { input: "", target: "y" } }),
      /npz\(\)\.train\.input is ""; expected the name of an array/,
    );
  });
});

Deno.test("damaged, encrypted and oversized archives and other compression methods are rejected", () => {
  const padded = new Uint8Array(2 ** 24);
  padded.set(X);
  const bomb = deflateRawSync(padded);
  const y: Entry = { bytes: Y };
  const good = zip({ "x.npy": { bytes: X }, "y.npy": y });
  const stored = zip({ "x.npy": { bytes: X, method: 0 }, "y.npy": y });
  const wrong = stored.slice();
  wrong[35 + X.length - 1]! ^= 1; // the last pixel
  const cases: Record<string, [Uint8Array, RegExp]> = {
    missing: [zip({ "y.npy": y }), /missing\.npz has no array x; it has y/],
    encrypted: [zip({ "x.npy": { bytes: X, flags: 1 }, "y.npy": y }), /encrypted\.npz: x\.npy is encrypted/],
    method: [
      zip({ "x.npy": { bytes: X, method: 12 }, "y.npy": y }),
      /method\.npz: x\.npy has compression method 12; expected/,
    ],
    bomb: [
      zip({ "x.npy": { bytes: X, packed: bomb }, "y.npy": y }),
      /bomb\.npz: x\.npy is damaged: it decompresses to more than 152 bytes/,
    ],
    lie: [
      zip({ "x.npy": { bytes: X, size: 2 ** 30 }, "y.npy": y }),
      /lie\.npz: x\.npy is damaged: \d+ bytes at 0 cannot hold/,
    ],
    large: [
      zip({ "x.npy": { bytes: X, size: 0xffffffff }, "y.npy": y }),
      /large\.npz: x\.npy has 4 GiB or more; give it as a/,
    ],
    checksum: [wrong, /checksum\.npz: x\.npy is damaged: its checksum is wrong/],
    cut: [good.subarray(0, -1), /cut\.npz is not a complete ZIP archive: it has no directory at its end/],
    none: [new Uint8Array(0), /none\.npz is not a complete ZIP archive/],
    shifted: [good.subarray(8), /shifted\.npz.* is damaged|cannot hold/],
  };
  const files = Object.fromEntries(Object.entries(cases).map(([name, [bytes]]) => [`${name}.npz`, bytes]));
  return withFolder(files, (dir) => {
    for (const [name, [, message]] of Object.entries(cases)) {
      const spec = npz({ file: join(dir, `${name}.npz`), train: { input: "x", target: "y" } });
      refuses(() => samplePlan(spec, { split: "train", layout: "row", seed: 1 }), message);
    }
  });
});

Deno.test("any wrong byte in an archive gives an InputError or correct values", () =>
  withFolder({}, (dir) => {
    const good = zip({ "x.npy": { bytes: X, method: 0 }, "y.npy": { bytes: Y } });
    const file = join(dir, "x.npz");
    const spec = npz({ file, train: { input: "x", target: "y" } });
    let refused = 0;
    for (let i = 0; i < good.length; i++) {
      const bytes = good.slice();
      bytes[i]! ^= 1 << i % 8;
      Deno.writeFileSync(file, bytes);
      Deno.utimeSync(file, i, i); // not the one that was read before
      try {
        samplePlan(spec, { split: "train", layout: "row", seed: 1 });
      } catch (error) {
        assert.ok(error instanceof InputError, `byte ${i}: ${error}`);
        refused++;
      }
    }
    assert.ok(refused > good.length / 2, `${refused} of ${good.length}`);
  }));

const hasNumpy = await isInstalled("python3", ["-c", "import numpy"]);

Deno.test({
  name: "what NumPy saves is read",
  ignore: !hasNumpy,
  fn: () =>
    withFolder({}, async (dir) => {
      const code = `import numpy as np
x = (np.arange(60) * 3 % 256).astype(np.uint8).reshape(5, 4, 3)
y = np.array([0, 2, 1, 0, 2])
np.savez("stored.npz", x=x, y=y)
np.savez_compressed("packed.npz", x=x, y=y)
np.save("x.npy", np.asfortranarray(x))
np.save("y.npy", y.astype(">i4"))`;
      const { success } = await new Deno.Command("python3", { args: ["-c", code], cwd: dir }).output();
      assert.ok(success);
      for (const name of ["stored", "packed"]) {
        const spec = npz({ file: join(dir, `${name}.npz`), train: { input: "x", target: "y" } });
        const { source } = samplePlan(spec, { split: "train", layout: "row", seed: 1 });
        assert.ok(source.kind === "tensors");
        assert.deepEqual([...source.input!], Array.from({ length: 60 }, (_, i) => i * 3 % 256));
        assert.deepEqual([...source.target], [0, 2, 1, 0, 2]);
      }
      const [x, y] = [join(dir, "x.npy"), join(dir, "y.npy")];
      refuses(() => describeDataset(npz({ train: { input: x, target: y } })), /Fortran order/);
      assert.deepEqual([...readNpy(readNpyHeader({ file: y, name: null }), "i32")], [0, 2, 1, 0, 2]);
    }),
});
