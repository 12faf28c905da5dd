/** LaTeX files of a kept run, which compile where LaTeX is installed. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { isInstalled } from "../../support/is_installed.ts";
import { readLock } from "../../../runtime/cli/repeat/lock_file.ts";
import { latexFigure, latexText, latexUncertain } from "../../../runtime/report/paper/latex.ts";
import { openStore } from "../../../runtime/store/store.ts";
import { paperFiles } from "../../../runtime/report/paper/document.ts";
import { parseCsv } from "../../support/csv.ts";
import { judged } from "../../report/judged_fixture.ts";
import { eventful, metric, result, variant } from "../../report/result_fixture.ts";
import { keepWhole } from "../../store/synthetic_run.ts";
import { tachoHere as tacho } from "../tacho_here.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

/** A variant whose name has every special character of LaTeX, and characters of other scripts. */
const NASTY = "a_b%c&d#e$f{g}h^i~j\\k<l>m|n\"o'p`q é ž 中 🙂 \u0007 -- x=1,y=2";

const PACKAGES = ["booktabs.sty", "siunitx.sty", "pgfplots.sty"];

const canCompile = await isInstalled("pdflatex") && await isInstalled("bibtex") &&
  await isInstalled("kpsewhich", PACKAGES);
if (!canCompile) console.log("skipped: compiling, as pdflatex, bibtex, booktabs, siunitx or pgfplots is not installed");

Deno.test("numbers show two digits of their uncertainty, and text is escaped", () => {
  strictEqual(latexUncertain(140.26, 2.13), "\\num{140.3 +- 2.1}");
  strictEqual(latexUncertain(1404, 213), "\\num{1404 +- 213}");
  strictEqual(latexUncertain(0.04567, 0.0012), "\\num{0.0457 +- 0.0012}");
  strictEqual(latexUncertain(1.5, null), "\\num{1.50}");
  strictEqual(latexFigure(1234), "\\num{1234}");
  strictEqual(latexText("50 % of a_b\\c"), "50 \\% of a\\_b\\textbackslash{}c");
  strictEqual(latexText("中\n"), "U+4E2D\\textbackslash{}n");
});

Deno.test("a run is written as tables, plot, methods, bibliography and archive", async () => {
  await using temporary = await temporaryFolder();
  const { path: folder } = temporary;
  let id: string;
  {
    using store = openStore(folder);
    id = keepWhole(store, 100);
  }
  const out = join(folder, "paper");
  const { code, stdout, stderr } = await tacho(folder, "paper", "--out", out);
  deepStrictEqual([code, stderr, stdout], [0, "", `${join(out, "paper.tex")}\n`]);
  const files = [...Deno.readDirSync(out)].map(({ name }) => name).sort();
  deepStrictEqual(files, [
    "comparison.tex",
    "data.zip",
    "intervals.tex",
    "methods.tex",
    "paper.tex",
    "tacho.bib",
    "times.tex",
  ]);
  const archive = unzipSync(await Deno.readFile(join(out, "data.zip")));
  const texts = new Map(Object.entries(archive).map(([name, bytes]) => [name, strFromU8(bytes)]));
  deepStrictEqual([...texts.keys()].sort(), [
    `${id}/blocks.csv`,
    `${id}/metrics.csv`,
    `${id}/result.json`,
    `${id}/synthetic.lock.json`,
  ]);
  strictEqual(parseCsv(texts.get(`${id}/blocks.csv`)!).length, 1 + 2 * 3);
  const lock = join(folder, "synthetic.lock.json");
  await Deno.writeTextFile(lock, texts.get(`${id}/synthetic.lock.json`)!);
  strictEqual(readLock(lock).spec.scenario, "synthetic");
  match(await Deno.readTextFile(join(out, "comparison.tex")), /baseline & \\num\{100\.0 \+- 1\.0\}/);
  const methods = await Deno.readTextFile(join(out, "methods.tex"));
  match(methods, /Tacho~0\.1\.0~\\cite\{tacho\}/);
});

Deno.test("every reference of the methods is in the bibliography", () => {
  const files = paperFiles(compared());
  const cited = [...files["methods.tex"]!.matchAll(/\\cite\{(\w+)\}/g)].map(([, key]) => key!);
  ok(cited.includes("holm1979") && cited.includes("fisher1935"), cited.join());
  const known = [...files["tacho.bib"]!.matchAll(/^@\w+\{(\w+),/gm)].map(([, key]) => key);
  deepStrictEqual(cited.filter((key) => !known.includes(key)), []);
});

/** A result with variants compared by a sign-flip test, one of which has a name that LaTeX would not take. */
function compared() {
  const run = judged();
  return {
    ...run,
    variants: run.variants.map((one) => ({
      ...one,
      name: one.name === "workers" ? NASTY : one.name,
      comparison: one.comparison && { ...one.comparison, method: "inverted winsorised sign-flip test" },
    })),
  };
}

for (
  const [name, make] of [["compared variants with any names", compared], ["failed variants", eventful], [
    "a single variant that was not measured",
    () =>
      result([variant("alone", { metrics: { ...variant("x").metrics, ips: metric(1, "images/s"), speedup: null } })]),
  ]] as const
) {
  Deno.test({ name: `LaTeX compiles a paper of ${name}`, ignore: !canCompile }, async () => {
    await using temporary = await temporaryFolder();
    const { path: folder } = temporary;
    for (const [file, text] of Object.entries(paperFiles(make()))) await Deno.writeTextFile(join(folder, file), text);
    const compile = async (program: string, ...args: readonly string[]) => {
      const { code, stdout } = await new Deno.Command(program, {
        args: [...args, "paper"],
        cwd: folder,
        stdin: "null",
      })
        .output();
      strictEqual(code, 0, new TextDecoder().decode(stdout));
    };
    await compile("pdflatex", "-interaction=nonstopmode", "-halt-on-error");
    await compile("bibtex");
    await compile("pdflatex", "-interaction=nonstopmode", "-halt-on-error");
    await compile("pdflatex", "-interaction=nonstopmode", "-halt-on-error");
    const log = await Deno.readTextFile(join(folder, "paper.log"));
    deepStrictEqual(log.match(/^.*(?:undefined|Missing character).*$/gm) ?? [], []);
  });
}
