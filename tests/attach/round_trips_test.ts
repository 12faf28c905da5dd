import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { analyseAttached } from "../../runtime/analysis/attach/analyse.ts";
import { RoundTrips } from "../../runtime/attach/round_trips.ts";
import { attachedSchema } from "../../runtime/result/attached.ts";
import { renderAttached } from "../../runtime/report/attach/text.ts";
import { runProgram } from "./recorded.ts";

const bytes = (length: number, seed: number) => new Uint8Array(length).map((_, i) => (i * seed) % 251);

Deno.test("an upload pairs with a readback of the same bytes, once", () => {
  const trips = new RoundTrips();
  trips.read(bytes(4096, 7));
  strictEqual(trips.uploads(bytes(4096, 11)), false, "other bytes");
  strictEqual(trips.uploads(bytes(2048, 7)), false, "a part");
  strictEqual(trips.uploads(bytes(4096, 7)), true);
  strictEqual(trips.uploads(bytes(4096, 7)), false, "again");
});

Deno.test("small and constant contents do not pair, since they are equal by chance", () => {
  const trips = new RoundTrips();
  for (const contents of [bytes(32, 7), new Uint8Array(4096), new Uint8Array(0)]) {
    trips.read(contents);
    strictEqual(trips.uploads(contents), false, `${contents.length}`);
  }
});

Deno.test("large contents pair, from any offset of an array", () => {
  const trips = new RoundTrips();
  const large = bytes(5_000_003, 13);
  trips.read(large);
  const shifted = new Uint8Array(large.length + 1);
  shifted.set(large, 1);
  strictEqual(trips.uploads(shifted.subarray(1)), true);
});

Deno.test("a program whose values go through the host is told so", async () => {
  const { realms, code, stderr } = await runProgram("round_trip_program.ts", [], {});
  strictEqual(code, 0, stderr);
  const result = analyseAttached(realms, "auto");
  const { totals } = result.devices[0]!;
  deepStrictEqual([totals.roundTrips, totals.roundTripBytes], [5, 5 * 4096]);
  const text = renderAttached(result, { color: false, columns: 120 }, 10);
  match(text, /\nreadbacks uploaded again +1 +4\.0+ KiB +5 +20\.0 KiB\n/);
  const traffic = text.slice(text.indexOf("Memory traffic by direction"));
  const shares = [...traffic.matchAll(/^(host to device|device to host|on the device) +([\d.]+) /gm)];
  deepStrictEqual(shares.map(([, direction]) => direction), ["host to device", "device to host", "on the device"]);
  const sum = shares.reduce((all, [, , share]) => all + Number(share), 0);
  ok(Math.abs(sum - 100) <= 2, `${sum} %`);
});

Deno.test("totals of earlier versions, which did not count round trips, can be read", async () => {
  const { realms } = await runProgram("round_trip_program.ts", [], { timing: false });
  const result = JSON.parse(JSON.stringify(analyseAttached(realms, "auto")));
  const { roundTrips: _, roundTripBytes: __, ...earlier } = result.devices[0].totals;
  result.devices[0].totals = earlier;
  strictEqual(attachedSchema.parse(result).devices[0]!.totals.roundTrips, 0);
});
