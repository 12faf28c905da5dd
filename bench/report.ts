/**
 * Measures how long a report.html takes to open: headless Chromium's time with it minus its time with an empty page.
 * The two pages take turns.
 *
 *     deno task bench:report                # 50 variants of 1,000 ops
 *     deno task bench:report 4 200
 *
 * CHROME_PATH names the browser; the default is `chromium` in PATH.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { renderHtml } from "../runtime/report/html/report.ts";
import { largeResult } from "../tests/report/html/full_result.ts";

const ROUNDS = 9;
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--dump-dom"];

const [variants = 50, ops = 1000] = Deno.args.map(Number);
const folder = await Deno.makeTempDir();
try {
  const report = join(folder, "report.html");
  const blank = join(folder, "blank.html");
  const html = renderHtml(largeResult(variants, ops));
  await Deno.writeTextFile(report, html);
  await Deno.writeTextFile(blank, "<!doctype html><title>blank</title>");
  const times: number[] = [];
  await open(blank); // warms the disk cache
  for (let round = 0; round < ROUNDS; round++) {
    const empty = await open(blank);
    times.push(await open(report) - empty);
  }
  times.sort((a, b) => a - b);
  const s = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  console.log(
    `${variants} variants of ${ops} ops, ${(html.length / 1e6).toFixed(2)} MB: opens in ${s(times[ROUNDS >> 1]!)} ` +
      `at the median, ${s(times[0]!)} to ${s(times.at(-1)!)} (${ROUNDS} times)`,
  );
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Returns the time from the start of a browser to the end of the page's loading, in ms. */
async function open(file: string): Promise<number> {
  const program = Deno.env.get("CHROME_PATH") ?? "chromium";
  const args = [...FLAGS, `--user-data-dir=${join(folder, "profile")}`, pathToFileURL(file).href];
  const begin = performance.now();
  const { success, stdout, stderr } = await new Deno.Command(program, { args }).output();
  if (!success || stdout.length === 0) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr)}`);
  return performance.now() - begin;
}
