/** Cases of a test file in a report, by result. */
export interface Cases {
  readonly passed: number;
  readonly failed: number;
  /** Names of those that were skipped. */
  readonly skipped: readonly string[];
  /** Time of all, in seconds. */
  readonly seconds: number;
}

const SUITE = /<testsuite name="([^"]*)"[^>]*>([\s\S]*?)<\/testsuite>/g;
const CASE = /<testcase name="([^"]*)"([^>]*)>([\s\S]*?)<\/testcase>/g;

/**
 * Reads the cases of each file in a JUnit report of `deno test`; files without tests are left out. The report also lists
 * steps as cases, named `case > step`. Steps are ignored, since a failed step fails its case.
 *
 * @param xml null if no report was written
 * @returns null if there is no report or it is truncated
 */
export function readCases(xml: string | null): Map<string, Cases> | null {
  if (xml === null || !xml.trimEnd().endsWith("</testsuites>")) return null;
  return new Map([...xml.matchAll(SUITE)].map(([, file, body]) => [file!.replace(/^\.\//, ""), casesOf(body!)]));
}

/** Adds up cases. */
export function sumCases(all: Iterable<Cases>): Cases {
  return [...all].reduce((sum, { passed, failed, skipped, seconds }) => ({
    passed: sum.passed + passed,
    failed: sum.failed + failed,
    skipped: [...sum.skipped, ...skipped],
    seconds: sum.seconds + seconds,
  }), { passed: 0, failed: 0, skipped: [], seconds: 0 });
}

function casesOf(suite: string): Cases {
  const cases = [...suite.matchAll(CASE)].map(([, name, attributes, content]) => ({
    name: name!,
    seconds: Number(/ time="([^"]*)"/.exec(attributes!)?.[1] ?? 0),
    content: content!,
  }));
  const names = new Set(cases.map(({ name }) => name));
  return sumCases(
    cases.filter(({ name }) => !isStep(name, names)).map(({ name, seconds, content }) => {
      const failed = /<(failure|error)\b/.test(content);
      const skipped = !failed && /<skipped\b/.test(content);
      return {
        passed: failed || skipped ? 0 : 1,
        failed: failed ? 1 : 0,
        skipped: skipped ? [unescaped(name)] : [],
        seconds,
      };
    }),
  );
}

/** Returns true for the name of a step, which starts with the name of its case. `>` is escaped in attributes. */
function isStep(name: string, names: ReadonlySet<string>): boolean {
  const separator = / (?:&gt;|>) /g;
  return [...name.matchAll(separator)].some(({ index }) => names.has(name.slice(0, index)));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name) => ENTITIES[name]!);
}
