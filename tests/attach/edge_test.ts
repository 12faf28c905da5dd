import { deepStrictEqual, ok } from "node:assert/strict";
import { gather, totalOf } from "../../runtime/analysis/attach/recording.ts";
import { sampled } from "../support/full.ts";
import { runProgram } from "./recorded.ts";

const ENDINGS = [["own", "destroy"], ["throw"], ["unmapped"], ["invalid"], ["exit"]];

for (const ending of sampled(ENDINGS, 3)) {
  Deno.test(`a program behaves the same when recorded: ${ending.join(", ")}`, async () => {
    const [bare, recorded] = [
      await runProgram("edge_program.ts", ending, null),
      await runProgram("edge_program.ts", ending, { stack: true }),
    ];
    deepStrictEqual(recorded.stdout, bare.stdout);
    // The frames of a rejected promise cannot be hidden where nothing handles it
    const seen = (text: string) => ending.includes("unmapped") ? text.split("\n")[0] : text;
    deepStrictEqual(seen(recorded.stderr), seen(bare.stderr));
    deepStrictEqual(recorded.code, bare.code);
    ok(bare.stdout.includes("worker 6"));

    const [main, worker] = recorded.realms.map(gather);
    const [device] = main!.devices;
    const total = (name: Parameters<typeof totalOf>[1]) =>
      device!.stretches.reduce((sum, stretch) => sum + totalOf(stretch, name), 0);
    // 5 of state, 2100, 1 + 1 + 2 in order, 2 refused ones, 50 with timestamps of the program
    deepStrictEqual(total("dispatches"), 5 + 2100 + 4 + 2 + (ending[0] === "own" ? 50 : 0));
    deepStrictEqual(total("renderPasses"), 1);
    deepStrictEqual(total("uploads"), 2);
    deepStrictEqual(total("mappedUploadBytes"), 1024);
    deepStrictEqual([total("textures"), device!.lost === null], [1, !ending.includes("destroy")]);
    const timed = total("timedDispatches");
    if (device!.device.timestamps !== "none") {
      ok(device!.passes.length >= timed - 2, `${device!.passes.length} of ${timed} timed passes are usable`);
    }
    deepStrictEqual(device!.kernels.map(({ entryPoint }) => entryPoint), ["scale", "add"]);
    deepStrictEqual(worker!.devices.map(({ kernels }) => kernels.map(({ does }) => does)), [["map add"]]);
    ok(worker!.realm.endsWith("edge_worker.ts"));
  });
}
