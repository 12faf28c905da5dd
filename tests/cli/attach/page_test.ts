/** Pages in a real Chromium, where one is installed. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import type { AttachResult } from "@tacho/tacho/attach";
import { CdpConnection } from "../../../runtime/attach/browser/cdp.ts";
import { launchBrowser } from "../../../runtime/attach/browser/launch.ts";
import { Place } from "../tacho_process.ts";
import { attachedPage, FLAGS, fullPageTest, pageTest } from "./attached_page.ts";
import { CLOSING, ENDLESS, page, REALMS, STEPS } from "./page_programs.ts";

pageTest("a page is recorded until it closes its window, with the same output, counts and times", async () => {
  const { code, stdout, stderr, result, leftovers } = await attachedPage(CLOSING);
  const expected = Array.from({ length: 8 }, (_, i) => `${i} ${10 * i + 2}\n`).join("");
  deepEqual([code, stdout, leftovers], [0, expected, []], stderr);
  const [device] = result.devices;
  const { submits, dispatches, waits, reads, readBytes, uploads, copies, buffers, pipelines } = device!.totals;
  deepEqual({ submits, dispatches, waits, reads, readBytes, uploads, copies, buffers, pipelines }, {
    ...{ submits: 8, dispatches: 16, waits: 8, reads: 8, readBytes: 8 * 256, uploads: 8, copies: 8, buffers: 2 },
    pipelines: 1,
  });
  deepEqual([result.complete, device!.realm, device!.steps.steps.length], [true, "main", 8]);
  match(device!.kernels[0]!.name, /^adding #/);
  if (device!.timestamps === "added") ok(device!.timedSteps > 0 && device!.clock.unusable === 0, stderr);
  const { browser } = result;
  deepEqual([browser!.isolated, browser!.secure, browser!.connected], [false, true, false]);
  ok(browser!.flags.includes("--no-sandbox") && browser!.clockStep! > 0);
  const { load } = browser!;
  ok(load!.downloads >= 1 && load!.cached === 0 && load!.wasm === 0 && load!.heapBytes! > 0, JSON.stringify(load));
  match(stderr, /Start of the page, and memory at its end[\s\S]*first step/);
  match(stderr, /attach: Chrom\w* \d+.*; page not cross-origin isolated, so WebAssembly has one thread;/);
  if (/swiftshader/i.test(device!.adapter)) match(stderr, /the adapter is software/);
});

Deno.test({
  name: "as root, a page needs --no-sandbox, and a message says so",
  ignore: Deno.build.os === "windows" || Deno.uid() !== 0,
  async fn() {
    await using place = await Place.make();
    await place.write("page.html", CLOSING);
    const { code, stderr } = await place.here("attach", "--page", "page.html");
    equal(code, 2);
    match(stderr, /CHROME_PATH|as root .* add --no-sandbox/);
  },
});

Deno.test("flags of pages need --page, and what cannot be recorded is named", async () => {
  await using place = await Place.make();
  for (
    const [args, message] of [
      [["--duration", "3s", "--", "deno", "run", "x.ts"], /--duration: is for pages; add --page/],
      [["--page", "missing.html"], /--page: missing.html is no file; expected an address or an HTML file/],
      [["--page", "x.html", "--duration", "3"], /--duration: expected a time, such as 30s, 2m or 500ms, got "3"/],
      [["--page", "x.html", "--", "deno"], /--page: takes no command/],
      [["--page", "http://localhost/", "--isolate"], /--isolate: only pages in files get COOP and COEP/],
      [["--page", "x.html", "--connect", "9"], /--connect: expected --page with the address of a tab/],
      [["--page", "http://x/", "--connect", "9", "--headed"], /--connect: the browser runs already, so --headed/],
      [["--page", "http://x/", "--connect", "9"], /no browser answers there: .* since Chrome 136, a --user-data-dir/],
      [["--page", "x.html", "--do", "missing.ts"], /--do missing.ts: cannot be loaded/],
    ] as const
  ) {
    const { code, stderr } = await place.here("attach", ...args);
    equal(code, 2, stderr);
    match(stderr, message);
  }
});

fullPageTest("workers of every kind and frames are recorded", async () => {
  const { code, stdout, stderr, result } = await attachedPage(REALMS);
  deepEqual([code, stdout], [0, "done,done,done,done,done\n"], stderr);
  const labels = result.devices.map(({ label }) => label).sort();
  deepEqual(labels, ["frame", "worker", "worker", "worker", "worker"]);
  ok(result.devices.every(({ label, totals }) => totals.waits === (label === "frame" ? 1 : 3)), stderr);
  match(stderr, /in frame about:srcdoc/);
  match(stderr, /in worker of a data: address/);
});

fullPageTest(
  "a page without an end ends by steps, by time, by a script, or by a signal, and leaves a report",
  async () => {
    const script =
      "export default async (page) => { await page.sleep(1500); console.log(await page.evaluate('1 + 1')); };";
    await using place = await Place.make();
    await place.write("page.html", ENDLESS);
    await place.write("drive.ts", script);
    const base = [...FLAGS, "--no-store", "--page", "page.html"];
    const ends = [["--max-steps", "20", "--steps", "mark"], ["--duration", "2500ms"], ["--do", "drive.ts"]];
    for (const flags of ends) {
      const { code, stdout, stderr } = await place.tacho([...base, ...flags]);
      deepEqual([code, place.leftovers()], [0, []], stderr);
      match(stdout, flags[0] === "--do" ? /2/ : /runs/);
      match(stderr, /\d+ steps: steps begin at performance marks/);
    }
    const child = place.start(base);
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    match((await reader.read()).value ?? "", /runs/);
    await reader.cancel();
    child.kill("SIGINT");
    const stderr = await new Response(child.stderr).text();
    deepEqual([(await child.status).code, place.leftovers()], [130, []], stderr);
    match(stderr, /\d+ steps: steps begin at performance marks/);
  },
);

fullPageTest("a tab that crashes leaves a report, and status 3", async () => {
  const crash = page(`${STEPS} for (let i = 0; i < 6; i++) await step(i); setTimeout(() => {
    const all = []; for (;;) all.push(new Array(1e7).fill(Math.random())); }, 500);`);
  const { code, stderr, result, leftovers } = await attachedPage(crash);
  deepEqual([code, leftovers, result.devices[0]!.totals.submits], [3, [], 6], stderr);
  match(stderr, /the tab crashed: what it did last may be missing/);
});

fullPageTest("with --isolate, a page is cross-origin isolated; a frame of its folder loads", async () => {
  const isolated = page("console.log(crossOriginIsolated, typeof SharedArrayBuffer); window.close();");
  const { stdout, stderr, result } = await attachedPage(isolated, ["--isolate"]);
  deepEqual([stdout, result.browser!.isolated, result.devices], ["true function\n", true, []], stderr);
  match(stderr, /page cross-origin isolated; performance\.now\(\) in steps of \d+/);
  match(stderr, /the page requested no WebGPU device/);
});

fullPageTest("Chromium's own calls in passes keep their meaning, and images are uploads", async () => {
  const { stdout, stderr, result } = await attachedPage(page(`
const inside = "chromium-experimental-timestamp-query-inside-passes";
const adapter = await navigator.gpu.requestAdapter();
const requestDevice = GPUAdapter.prototype.requestDevice;
GPUAdapter.prototype.requestDevice = function (d) {
  return requestDevice.call(this, { ...d, requiredFeatures: adapter.features.has(inside) ? [inside] : [] });
};
${STEPS}
if (device.features.has(inside)) {
  const set = device.createQuerySet({ type: "timestamp", count: 2 });
  for (let i = 0; i < 6; i++) console.log(await step(i, (pass) => pass.writeTimestamp(set, i % 2)));
} else for (let i = 0; i < 6; i++) console.log(await step(i));
const texture = device.createTexture({ format: "rgba8unorm", size: [4, 2], usage: 22 });
const canvas = new OffscreenCanvas(4, 2);
canvas.getContext("2d").fillRect(0, 0, 4, 2);
device.queue.copyExternalImageToTexture({ source: canvas }, { texture }, [4, 2]);
console.log(device.features.has("timestamp-query"));
window.close();`));
  deepEqual(stdout.split("\n"), ["2", "3", "4", "5", "6", "7", "false", ""], stderr);
  const [device] = result.devices;
  deepEqual([device!.errors, device!.totals.uploads, device!.totals.uploadBytes], [[], 7, 6 * 256 + 32]);
});

fullPageTest("--connect records one tab of a running browser, and leaves it open", async () => {
  await using place = await Place.make();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(ENDLESS, { headers: { "content-type": "text/html" } }),
  );
  await using browser = await launchBrowser({ profile: null, sandbox: false, headed: false, flags: [] });
  const connection = await CdpConnection.open(browser.socket, () => {});
  const [url, other] = ["a", "b"].map((name) => `http://127.0.0.1:${server.addr.port}/${name}`);
  for (const each of [url, other]) await connection.send("Target.createTarget", { url: each });
  const port = new URL(browser.socket).port;
  const base = ["attach", "--no-store", "--connect", port, "--page"];
  const { code, stderr } = await place.tacho([...base, url!, "--max-steps", "10", "--steps", "mark"]);
  equal(code, 0, stderr);
  match(stderr, /which was running: it rounds timestamps/);
  match(stderr, /\d+ steps: steps begin at performance marks/);
  const { targetInfos } = await connection.send("Target.getTargets");
  const tabs = (targetInfos as { readonly type: string; readonly url: string }[]).filter(({ type }) => type === "page");
  ok([url, other].every((each) => tabs.some((tab) => tab.url === each)));
  const missing = await place.tacho([...base, "http://127.0.0.1:1/"]);
  equal(missing.code, 2);
  match(missing.stderr, /no tab shows http:\/\/127\.0\.0\.1:1\/; its tabs:/);
  await connection.send("Browser.close");
  await connection.close();
});

fullPageTest("WebAssembly, its memory, long tasks and cached downloads are in the account of the start", async () => {
  // A module that exports a memory of two pages of 64 KiB
  const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 5, 3, 1, 0, 2, 7, 5, 1, 1, 109, 2, 0];
  await using place = await Place.make();
  await place.write("data.json", JSON.stringify(Array.from({ length: 5000 }, (_, i) => i)));
  await place.write(
    "page.html",
    page(`await (await fetch("data.json")).json();
    const { instance } = await WebAssembly.instantiate(new Uint8Array(${JSON.stringify(bytes)}));
    globalThis.kept = instance;
    setTimeout(() => { for (const end = performance.now() + 120; performance.now() < end;); });
    await new Promise((resolve) => setTimeout(resolve, 300));
    ${STEPS} for (let i = 0; i < 4; i++) await step(i); window.close();`),
  );
  const args = [...FLAGS, "--no-store", "--json", "out.json", "--profile", "profile", "--page", "page.html"];
  for (const cached of [0, 1]) {
    const { code, stderr } = await place.tacho(args);
    equal(code, 0, stderr);
    const result = JSON.parse(await Deno.readTextFile(join(place.folder, "out.json"))) as AttachResult;
    const load = result.browser!.load!;
    deepEqual([load.wasm, load.wasmBytes, load.longTasks > 0, load.downloads >= 2], [1, 2 * 65_536, true, true]);
    ok(load.longestTaskMs >= 100 && load.cached >= cached, JSON.stringify(load));
  }
});
