/** A server that runs a step for every request; `/end` ends it. */
import { openDevice, runPlanted } from "../../library/attach/planted.ts";

const device = await openDevice();
const server = Deno.serve(
  { port: 0, onListen: ({ port }) => console.log(`listening on ${port} now`) },
  async ({ url }) => {
    if (url.endsWith("/end")) setTimeout(() => server.shutdown(), 0);
    else await runPlanted(device, { steps: 1 });
    return new Response("done");
  },
);
