/** Weights in other files: those beside the model are read, also through links, and no others. */
import { deepStrictEqual, throws } from "node:assert/strict";
import { dirname, join } from "node:path";
import { Graph } from "../../runtime/graph/graph.ts";
import { leafAttrs } from "../../runtime/graph/leaf.ts";
import { rowMajor } from "../../runtime/graph/types.ts";
import { initialize } from "../../runtime/nn/initialize.ts";
import { openModel } from "../../runtime/onnx/open_model.ts";
import { onnxFile } from "../support/onnx_file.ts";
import { tempFolder } from "../support/temp_folder.ts";

/** Returns a model that adds two numbers from another file. */
function adding(location: string): Uint8Array {
  return onnxFile({
    inputs: [{ name: "x" }],
    outputs: [{ name: "y" }],
    nodes: [{ type: "Add", inputs: ["x", "w"], outputs: ["y"] }],
    initializers: [{ name: "w", shape: [2], values: [], external: { location, offset: 4, length: 8 } }],
  });
}

const NUMBERS = new Uint8Array(Float32Array.of(9, 1, 2).buffer);
const OUTSIDE = /is in the file ".+"; expected a file in the folder of the model$/;

/** Builds the model of a file, and returns the numbers that it adds. */
function read(path: string | Uint8Array): number[] {
  const graph = new Graph("infer");
  openModel(path, null, [])(graph.leaf("input", "@x", rowMajor([3, 2], "f32")));
  const [leaf] = graph.leaves("parameter");
  return [...initialize(leafAttrs(leaf!)!.initializer!, leaf!.shape, 1, "w")];
}

/** Writes files, and links as `-> target`, into a folder that is removed afterwards. */
function inFolder(
  content: Readonly<Record<string, Uint8Array | string>>,
  check: (folder: string) => void,
): void {
  using temporary = tempFolder();
  const folder = Deno.realPathSync(temporary.path);
  for (const [name, value] of Object.entries(content)) {
    const path = join(folder, name);
    Deno.mkdirSync(dirname(path), { recursive: true });
    if (typeof value === "string") Deno.symlinkSync(value.replace("FOLDER", folder), path);
    else Deno.writeFileSync(path, value);
  }
  check(folder);
}

Deno.test("links within the folder of the model, and a folder that is a link, are followed", () => {
  const content = {
    "m/net.onnx": adding("link/w.bin"),
    "m/parts/w.bin": NUMBERS,
    "m/link": "parts",
    "m/absolute.onnx": adding("absolute.bin"),
    "m/absolute.bin": "FOLDER/m/parts/w.bin",
    "m/back.onnx": adding("parts\\..\\parts\\w.bin"),
    "other": "m",
    "beside/linked.onnx": "../m/net.onnx",
  };
  inFolder(content, (folder) => {
    for (const path of ["m/net.onnx", "m/absolute.onnx", "m/back.onnx", "other/net.onnx", "beside/linked.onnx"]) {
      deepStrictEqual(read(join(folder, path)), [1, 2], path);
    }
  });
});

Deno.test("a cache of Hugging Face keeps models and weights as links to its blobs", () => {
  const snapshot = "hub/models--a--b/snapshots/0123";
  const blobs = "hub/models--a--b/blobs";
  const content = {
    [`${blobs}/aa`]: adding("model.onnx_data"),
    [`${blobs}/bb`]: NUMBERS,
    [`${blobs}/cc`]: "../../../secret.bin",
    "secret.bin": NUMBERS,
    "hub/models--c--d/blobs/bb": NUMBERS,
    [`${snapshot}/model.onnx`]: "../../blobs/aa",
    [`${snapshot}/model.onnx_data`]: "../../blobs/bb",
    [`${snapshot}/onnx/model.onnx`]: "../../../blobs/aa",
    [`${snapshot}/onnx/model.onnx_data`]: "../../../blobs/bb",
    [`${snapshot}/left/model.onnx`]: "../../../blobs/aa",
    [`${snapshot}/left/model.onnx_data`]: "../../../../models--c--d/blobs/bb",
    [`${snapshot}/chain/model.onnx`]: "../../../blobs/aa",
    [`${snapshot}/chain/model.onnx_data`]: "../../../blobs/cc",
    [`${snapshot}/up/model.onnx`]: "../../../blobs/aa",
    [`${snapshot}/up/model.onnx_data`]: "../model.onnx_data",
    "plain/model.onnx": adding("model.onnx_data"),
    "plain/model.onnx_data": "../blobs/bb",
    "blobs/bb": NUMBERS,
  };
  inFolder(content, (folder) => {
    for (const path of ["", "onnx/", "up/"].map((part) => `${snapshot}/${part}model.onnx`)) {
      deepStrictEqual(read(join(folder, path)), [1, 2], path);
    }
    for (const path of [`${snapshot}/left/model.onnx`, `${snapshot}/chain/model.onnx`, "plain/model.onnx"]) {
      throws(() => read(join(folder, path)), { name: "InputError", message: OUTSIDE }, path);
    }
  });
});

Deno.test("links, folders and paths that leave the folder of the model are refused", () => {
  const locations = [
    "link",
    "folder/w.bin",
    "../w.bin",
    "a/../../w.bin",
    "..\\w.bin",
    "FOLDER/w.bin",
    "C:\\w.bin",
    ".",
    "",
  ];
  const content = { "w.bin": NUMBERS, "m/link": "../w.bin", "m/folder": "..", "m/sub/x": NUMBERS, "m2/w.bin": NUMBERS };
  inFolder(content, (folder) => {
    for (const location of locations) {
      const path = join(folder, "m/net.onnx");
      Deno.writeFileSync(path, adding(location.replace("FOLDER", folder)));
      throws(
        () => read(path),
        { name: "InputError", message: /expected a file in the folder of the model$/ },
        location,
      );
    }
    Deno.symlinkSync("../m2", join(folder, "m/near"));
    Deno.writeFileSync(join(folder, "m/net.onnx"), adding("near/w.bin"));
    throws(() => read(join(folder, "m/net.onnx")), { message: OUTSIDE });
    for (
      const [location, message] of [["sub", /m\/sub is not a file/], ["gone", /cannot be read: No such file/]] as const
    ) {
      Deno.writeFileSync(join(folder, "m/net.onnx"), adding(location));
      throws(() => read(join(folder, "m/net.onnx")), { name: "InputError", message });
    }
  });
});

Deno.test("a description needs no elements of other files, and a model that is given as bytes has none", () => {
  inFolder({ "net.onnx": adding("gone") }, (folder) => {
    const { tensors } = openModel(join(folder, "net.onnx"), null, []);
    deepStrictEqual(tensors.map(({ usage }) => usage), ["trained"]);
    throws(() => read(adding("gone")), { message: /the model is given as bytes/ });
  });
});
