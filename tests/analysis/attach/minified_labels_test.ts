import { deepEqual } from "node:assert/strict";
import { gather } from "../../../runtime/analysis/attach/recording.ts";
import type { AttachRecord } from "../../../runtime/attach/records.ts";

/** Returns the labels that kernels have after they are gathered. */
function labels(kernels: readonly (readonly [label: string, hash: string])[]): string[] {
  const records: AttachRecord[] = [
    { kind: "start", version: 1, realm: "main", time: 0, timeOrigin: 0 },
    { kind: "device", device: 0, time: 0, label: "", adapter: "", timestamps: "none" },
    ...kernels.map(([label, hash], kernel): AttachRecord => ({
      ...{ kind: "kernel", device: 0, kernel, label, hash, entryPoint: "main", does: "copy", line: null },
    })),
  ];
  return gather(records).devices[0]!.kernels.map(({ label }) => label);
}

Deno.test("a label of one or two letters that three kernels share is a minifier's, and no name", () => {
  deepEqual(labels([["e", "1"], ["e", "2"], ["e", "3"], ["f", "4"], ["Gemm", "5"]]), ["", "", "", "f", "Gemm"]);
  deepEqual(labels([["e", "1"], ["e", "2"]]), ["e", "e"]);
  deepEqual(labels([["Gemm", "1"], ["Gemm", "2"], ["Gemm", "3"]]), ["Gemm", "Gemm", "Gemm"]);
});
