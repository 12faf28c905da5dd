import { addresses } from "./addresses.ts";
import { commands, scriptFlags } from "./command_lines.ts";
import { dataSets } from "./data_sets.ts";
import { folders } from "./folders.ts";
import type { Fuzzer } from "./fuzzer.ts";
import { lockFiles } from "./lock_files.ts";
import { onnxFiles } from "./onnx_files.ts";
import { onnxOperators } from "./onnx_operators.ts";
import { onnxPatterns } from "./onnx_patterns.ts";
import { programs } from "./programs.ts";
import { scenarios } from "./scenarios.ts";
import { stores } from "./stores.ts";

/** All fuzzers. */
export const FUZZERS: readonly Fuzzer[] = [
  scenarios,
  scriptFlags,
  commands,
  dataSets,
  lockFiles,
  stores,
  onnxFiles,
  onnxOperators,
  onnxPatterns,
  programs,
  folders,
  addresses,
];
