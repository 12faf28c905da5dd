import assert from "node:assert/strict";
import { applyPatch } from "diff";
import { changeScript, patchScript } from "../../../runtime/experiment/tune/patch.ts";

const change = (path: string, to: string | number | boolean | null) => ({ path, from: null, to });

const SCRIPT = `import { run, scenario } from "../mod.ts";

export default scenario({
  name: "net",
  data: cifar10({ transforms: [] }),
  amp: "O0",
  loader: { batchSize: 32, numWorkers: 1 },
  variants: {
    baseline: {},
    bad: { sink: 0 }, // slow
    both: compose("baseline", "bad"),
  },
});
`;

const PLAIN = `scenario({ name: "net", data: tensors({ input }), amp: "O0", loader: { numWorkers: 1 } })`;

Deno.test("changes are written to the variant's record", () => {
  const text = changeScript(SCRIPT, "baseline", [change("loader.numWorkers", 2), change("sink", 10)]);
  assert.match(text!, /baseline: \{ loader: \{ numWorkers: 2 \}, sink: 10 \},/);
  assert.match(changeScript(SCRIPT, "bad", [change("sink", 5)])!, /bad: \{ sink: 5 \}, \/\/ slow/);
});

Deno.test("Without variants they go into the scenario, where a value is replaced or added", () => {
  const changes = [change("loader.numWorkers", 2), change("loader.prefetch", 4), change("data.placement", "device")];
  assert.equal(
    changeScript(PLAIN, "baseline", [...changes, change("amp.level", "O2")]),
    `scenario({ name: "net", data: tensors({ input, placement: "device" }), amp: { level: "O2" }, ` +
      `loader: { numWorkers: 2, prefetch: 4 } })`,
  );
});

Deno.test("a function of the parameters is changed in its return value", () => {
  const text = `scenario({ data: ({ read }) => cifar10({ transforms: MIXED, delay: { read } }) })`;
  assert.equal(
    changeScript(text, "baseline", [change("data.fuse", true), change("data.transforms", null)]),
    `scenario({ data: ({ read }) => cifar10({ transforms: null, delay: { read }, fuse: true }) })`,
  );
  const block = `scenario({ data: ({ read }) => { return cifar10({ delay: { read } }); } })`;
  assert.equal(changeScript(block, "baseline", [change("data.fuse", true)]), null);
});

Deno.test("A new setting takes the style of its neighbours", () => {
  const long = `scenario({\n    name: "a",\n    loader: {\n      batchSize: 4\n    }\n})`;
  assert.equal(
    changeScript(long, "baseline", [change("loader.prefetch", 3), change("sink", 10)]),
    `scenario({\n    name: "a",\n    loader: {\n      batchSize: 4,\n      prefetch: 3,\n    },\n    sink: 10,\n})`,
  );
});

Deno.test("A setting that cannot be written into the text gives no patch", () => {
  const cases: [string, string, string][] = [
    [SCRIPT, "both", "sink"], // composed
    [SCRIPT, "amp=O0", "sink"], // of a sweep on the command line
    [PLAIN.replace('"O0"', "level"), "baseline", "amp.level"], // computed
    ["export const x = 1;", "baseline", "sink"],
    ["scenario({}); scenario({});", "baseline", "sink"],
    ["scenario(definition)", "baseline", "sink"],
    ["scenario({ <<< })", "baseline", "sink"],
  ];
  for (const [source, variant, path] of cases) {
    assert.equal(patchScript(source, "s.ts", variant, [change(path, 1)]), null, `${variant} in ${source}`);
  }
});

Deno.test("The patch turns the script into the changed one", () => {
  const changes = [change("sink", 10), change("loader.numWorkers", 2)];
  const patch = patchScript(SCRIPT, "scripts/net.ts", "baseline", changes);
  assert.match(patch!, /^--- a\/scripts\/net\.ts\n\+\+\+ b\/scripts\/net\.ts\n@@/);
  assert.equal(applyPatch(SCRIPT, patch!), changeScript(SCRIPT, "baseline", changes));
});
