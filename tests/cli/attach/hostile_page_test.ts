/** Pages that mean harm, or make it hard to record them. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { Place } from "../tacho_process.ts";
import { attachedPage, FLAGS, fullPageTest } from "./attached_page.ts";
import { page, STEPS } from "./page_programs.ts";

const UNSAFE = /[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t\ufe0e\ufe0f]]/v;

/** Markup and control characters, as the source of a string. */
const EVIL = JSON.stringify("</title><script>alert(1)</script><img src=x onerror=alert(1)>\x1b]0;x\x07\x1b[2J\u202e")
  .replaceAll("</", "<\\/");

const RUN = `${STEPS} for (let i = 0; i < 6; i++) await step(i);`;

fullPageTest(
  "a content security policy that allows nothing, and early snapshots of WebGPU, change nothing",
  async () => {
    const csp = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'">`;
    const early = `<script>const gpu = navigator.gpu, request = gpu.requestAdapter, { submit } = GPUQueue.prototype;
    GPUQueue.prototype.submit = function (...args) { globalThis.calls = (globalThis.calls ?? 0) + 1; return submit.apply(this, args); };
    </script>`;
    const { stdout, result } = await attachedPage(
      page(`await request.call(gpu); ${RUN} console.log(calls); window.close();`, csp + early),
    );
    deepEqual([stdout, result.devices[0]!.totals.submits, result.complete], ["6\n", 6, true]);
  },
);

fullPageTest("markup and control characters stay out of the terminal and the report", async () => {
  await using place = await Place.make();
  await place.write(
    "page.html",
    page(`const evil = ${EVIL}; document.title = evil; console.log(evil); console.error(evil); ${RUN}
    device.createBuffer({ label: evil, size: 4, usage: 4 });
    device.createComputePipeline({ label: evil, layout: "auto", compute: { module } });
    device.queue.writeBuffer(device.createBuffer({ label: evil, size: 4, usage: 4 }), 0, new Uint8Array(4));
    device.createBuffer({ label: evil, size: 4, usage: 0x1000 });
    setTimeout(() => { throw new Error(evil); });
    setTimeout(() => window.close(), 500);`),
  );
  const args = [...FLAGS, "--stack", "--report", "out", "--json", "out.json", "--page", "page.html"];
  const { code, stdout, stderr } = await place.tacho(args);
  equal(code, 0, stderr);
  ok(!UNSAFE.test(stdout) && !UNSAFE.test(stderr), stderr);
  match(stderr, /img src=x/, "the text itself is shown");
  const report = await Deno.readTextFile(join(place.folder, "out/report.html"));
  ok(!report.includes("<img") && !report.includes("<script>alert"));
});

fullPageTest(
  "a page that replaces what the recorder may need keeps its results, and leaves a clean report",
  async () => {
    const { code, stdout, stderr } = await attachedPage(page(`${STEPS}
    JSON.stringify = () => '{"kind":"cut"}\\n\\u001b[2J';
    Object.prototype.toJSON = () => "evil";
    performance.now = () => NaN;
    try { for (let i = 0; i < 3; i++) console.log(await step(i)); } finally { window.close(); }`));
    deepEqual([code, UNSAFE.test(stderr)], [0, false], stderr);
    equal(stdout, "2\n3\n4\n");
  },
);

fullPageTest("a thread that never ends, and a download that hangs, do not outlive --duration", async () => {
  const stop = new AbortController(); // a shutdown would wait for the answers
  const listening = { port: 0, hostname: "127.0.0.1", signal: stop.signal, onListen() {} };
  const hanging = Deno.serve(listening, () => new Promise(() => {}));
  const address = `http://127.0.0.1:${hanging.addr.port}/`;
  const loop = page(`${RUN} console.log("loops"); for (;;);`);
  const download = page(`fetch(${JSON.stringify(address)}); ${RUN}`);
  for (const html of [loop, download]) {
    const { code, result, leftovers } = await attachedPage(html, ["--duration", "4s"]);
    deepEqual([code, result.devices[0]!.totals.submits, leftovers], [0, 6, []]);
  }
  await using place = await Place.make();
  const { code, stderr } = await place.tacho([...FLAGS, "--duration", "2s", "--no-store", "--page", address]);
  equal(code, 0, stderr);
  match(stderr, /the page requested no WebGPU device/);
  stop.abort();
});

fullPageTest("200 workers all run", async () => {
  const { code, stdout, result } = await attachedPage(page(`
    const code = URL.createObjectURL(new Blob(["postMessage(1)"]));
    const answers = Array.from({ length: 200 }, () => new Promise((resolve) => {
      const worker = new Worker(code);
      worker.onmessage = ({ data }) => { worker.terminate(); resolve(data); };
    }));
    console.log((await Promise.all(answers)).length); ${RUN} window.close();`));
  deepEqual([code, stdout, result.devices.length], [0, "200\n", 1]);
});

fullPageTest(
  "a page on an insecure origin has no WebGPU, and the report says why; an address without a server is named",
  async () => {
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () =>
        new Response(page("console.log(navigator.gpu === undefined); window.close();"), {
          headers: { "content-type": "text/html" },
        }),
    );
    await using place = await Place.make();
    const rule = "--browser-flag=--host-resolver-rules=MAP insecure.test 127.0.0.1";
    const args = [...FLAGS, "--no-store", rule, "--page"];
    const { code, stdout, stderr } = await place.tacho([...args, `http://insecure.test:${server.addr.port}/`]);
    deepEqual([code, stdout], [0, "true\n"], stderr);
    match(stderr, /requested no WebGPU device: browsers have it on secure origins only/);
    const missing = await place.tacho([...args, "http://127.0.0.1:9/"]);
    deepEqual([missing.code, place.leftovers()], [2, []]);
    match(missing.stderr, /http:\/\/127\.0\.0\.1:9\/ cannot be opened: net::ERR_/);
  },
);
