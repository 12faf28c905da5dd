/** Tests that use a device, for `deno test`. */
import { openDevice, runPlanted } from "../../library/attach/planted.ts";

Deno.test("a program with steps", async () => {
  const device = await openDevice();
  await runPlanted(device, { steps: 6 });
  device.destroy();
});
