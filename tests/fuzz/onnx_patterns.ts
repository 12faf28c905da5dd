import { checkPattern } from "../onnx/operators/check_pattern.ts";
import { Draw } from "../onnx/operators/draw.ts";
import { drawPattern } from "../onnx/operators/patterns.ts";
import type { Fuzzer } from "./fuzzer.ts";

/** Random graphs around the patterns of ONNX that the importer recognises, against their values in f64. */
export const onnxPatterns: Fuzzer = {
  name: "onnxPatterns",
  few: 30,
  begin: () => async (random) => await checkPattern(drawPattern(new Draw(random))),
};
