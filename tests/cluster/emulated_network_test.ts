import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { emulatedNetwork, Pace } from "../../runtime/cluster/emulated_network.ts";

Deno.test("TACHO_NETWORK is a latency, a bandwidth or both", () => {
  strictEqual(emulatedNetwork(null), null);
  deepStrictEqual(emulatedNetwork("2ms"), { latency: 2, bandwidth: Infinity });
  deepStrictEqual(emulatedNetwork("1.5ms, 100MB/s"), { latency: 1.5, bandwidth: 1e5 });
  for (const wrong of ["fast", "2", "0MB/s", "2ms,fast", "1TB/s"]) {
    throws(() => emulatedNetwork(wrong), /TACHO_NETWORK=.*expected a latency/);
  }
});

Deno.test("transfers that overlap share the bandwidth of an emulated network, but not its latency", () => {
  const pace = new Pace({ latency: 2, bandwidth: 1e5 });
  strictEqual(pace.endOf(100, 1e6), 112);
  strictEqual(pace.endOf(101, 1e6), 122);
  strictEqual(pace.endOf(200, 1e6, 2), 214);
});
