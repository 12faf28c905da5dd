import assert from "node:assert/strict";
import { lineOfVariant } from "../../../runtime/experiment/tune/patch.ts";
import { type Check, githubAnnotations, gitlabReport, junitReport } from "../../../runtime/report/ci/check.ts";

const HOSTILE: Check = {
  name: "ips.a>=1",
  variant: "a,b:100%\n::error::x",
  state: "unmet",
  message: 'is <slow> & "bad"\n::error file=x::injected\u{1b}[2J',
};

Deno.test("names and messages cannot end an annotation or start another", () => {
  const [line, ...more] = githubAnnotations([HOSTILE], () => ({ file: "a,b:c.ts", line: 3 }));
  assert.deepEqual(more, []);
  assert.equal(line!.includes("\n"), false);
  assert.equal(line!.includes("\u{1b}"), false);
  assert.match(
    line!,
    /^::error file=a%2Cb%3Ac\.ts,line=3,title=ips\.a>=1 \(a%2Cb%3A100%25\\n%3A%3Aerror%3A%3Ax\)::a,b:/,
  );
  assert.deepEqual(githubAnnotations([{ ...HOSTILE, state: "met" }], () => null), []);
  assert.match(githubAnnotations([{ ...HOSTILE, state: "warning" }], () => null)[0]!, /^::warning title=/);
});

Deno.test("a JUnit file is well-formed XML for any names", () => {
  const xml = junitReport('net <"1">', [HOSTILE, { ...HOSTILE, state: "met" }], () => null);
  assert.equal(/[^\n\P{Cc}]/u.test(xml), false);
  const text = xml.replaceAll(/<[^<>]*>/g, "");
  assert.equal(/[<>]|&(?!(amp|lt|gt|quot);)/.test(text), false, text);
  assert.match(xml, /<testsuite name="net &lt;&quot;1&quot;&gt;" tests="2" failures="1"/);
});

Deno.test("GitLab's fingerprint depends on script, gate and variant, and not on the measured figure", () => {
  const of = (check: Check) => gitlabReport([check], "net.ts", () => null)[0]!.fingerprint;
  assert.equal(of(HOSTILE), of({ ...HOSTILE, message: "other" }));
  assert.notEqual(of(HOSTILE), of({ ...HOSTILE, variant: "b" }));
});

Deno.test("a variant's line is that of its name, else of the variants, the scenario, or 1", () => {
  const script =
    'import "x";\nexport default scenario({\n  name: "net",\n  variants: {\n    a: {},\n    "b c": compose("a"),\n  },\n});\n';
  assert.deepEqual(["a", "b c", "sink=1"].map((name) => lineOfVariant(script, name)), [5, 6, 4]);
  assert.equal(lineOfVariant('\nscenario({ name: "net" })', "a"), 2);
  assert.equal(lineOfVariant("not a script (", "a"), 1);
});
