/** The recorder as a script of a page. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { CdpConnection } from "../../../runtime/attach/browser/cdp.ts";
import { servePage } from "../../../runtime/attach/browser/file_server.ts";
import { launchBrowser } from "../../../runtime/attach/browser/launch.ts";
import { ownTab } from "../../../runtime/attach/browser/open_tab.ts";
import { pageDriver } from "../../../runtime/attach/browser/page_driver.ts";
import { Place } from "../tacho_process.ts";
import { fullPageTest } from "./attached_page.ts";
import { page, STEPS } from "./page_programs.ts";

/** Largest script, in bytes. */
const LARGEST = 50_000;

Deno.test("tacho recorder prints one script without imports, smaller than 50 KB", async () => {
  await using place = await Place.make();
  const { code, stdout } = await place.here("recorder");
  equal(code, 0);
  equal(stdout, await Deno.readTextFile(new URL("../../../runtime/attach/page.js", import.meta.url)));
  ok(new TextEncoder().encode(stdout).length < LARGEST);
  ok(!/\bimport\s*[("{*]|\brequire\(/.test(stdout));
});

fullPageTest("a page with the script saves its recording, which tacho attach --show prints", async () => {
  await using place = await Place.make();
  await place.write("tacho.js", (await place.here("recorder")).stdout);
  const script = `${STEPS} for (let i = 0; i < 6; i++) await step(i); document.body.id = "ready";`;
  await place.write("page.html", page(script, '<script src="tacho.js?steps=wait"></script><body>'));
  await using server = servePage(join(place.folder, "page.html"), false);
  await using browser = await launchBrowser({ profile: null, sandbox: false, headed: false, flags: [] });
  const connection = await CdpConnection.open(browser.socket, () => {});
  const tab = await ownTab(connection);
  await connection.send("Network.setCookie", { ...server.cookie, url: server.url }, tab.session);
  equal(await tab.open(server.url), null);
  const driver = pageDriver(connection, tab.session);
  await driver.waitFor("#ready");
  await place.write("tacho.jsonl", String(await driver.evaluate("tacho.text()")));
  await tab.leave();
  await connection.close();
  const { code, stdout, stderr } = await place.here("attach", "--show", "tacho.jsonl", "--json", "out.json");
  deepEqual([code, stderr], [0, ""]);
  match(stdout, /attach: HeadlessChrome \d+/);
  match(stdout, /6 steps: the same kernels repeat every wait/);
  match(stdout, /adding #/);
  const empty = await place.here("attach", "--show", "page.html");
  deepEqual(empty.code, 2);
  match(empty.stderr, /--show page\.html: no recording of this version of Tacho; expected what tacho\.save\(\) wrote/);
});
