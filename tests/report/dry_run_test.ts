import assert from "node:assert/strict";
import stringWidth from "string-width";
import { renderDryRun } from "../../runtime/report/dry_run.ts";
import { dryRun } from "./result_fixture.ts";

Deno.test("a dry run prints settings, work, memory and differences of every variant", () => {
  const expected = `\
resnet-cifar10: dry run for any adapter, nothing was run

          input                                       forward  backward  update
variant   shape       amp  sink  workers  parameters    GFLOP     GFLOP   GFLOP
───────────────────────────────────────────────────────────────────────────────
baseline  32x3x32x32  O0      0        0     272,474     2.60      5.20   <0.01
all       32x3x32x32  O2      0        2     272,474     2.60      5.20   <0.01
same      32x3x32x32  O0      0        0     272,474     2.60      5.20   <0.01
huge      32x3x32x32  O0      0        0           –        –         –       –

          peak  parameters  gradients  optimizer  activations  workspace  feed
memory     MiB         MiB        MiB        MiB          MiB        MiB   MiB
──────────────────────────────────────────────────────────────────────────────
baseline   300        1.00       1.00       1.00          280       12.0  0.75
all        300        1.00       1.00       1.00          280       12.0  0.75
same       300        1.00       1.00       1.00          280       12.0  0.75
huge         –           –          –          –            –          –     –

all: amp.level O0 -> O2, loader.numWorkers 0 -> 2
same: the same as baseline
huge: the same as baseline
huge cannot run: needs 90 GiB, 8 are allowed
FLOP: per step
peak: below the sum of its parts where they share memory
all variants together: 372 MiB on the device, with shared activations and two copies of the baseline
–  the variant cannot run
`;
  assert.equal(renderDryRun(dryRun, { columns: null, color: false }), expected);
});

Deno.test("a dry run fits a narrow terminal", () => {
  const adapted = {
    adapters: ["software"],
    changes: [{ path: "loader.batchSize", from: 32, to: 8 }],
    omitted: ["all"],
  };
  const text = renderDryRun({ ...dryRun, adapted }, { columns: 60, color: true });
  for (const line of text.split("\n")) assert(stringWidth(line) <= 60, line);
  assert.match(text, /^for a software adapter: loader\.batchSize 32 -> 8/m);
  assert.match(text, /left out to fit 60 columns: input shape, memory of feed/);
});

Deno.test("a dry run of the loader shows no work on the device", () => {
  const loader = { ...dryRun.variants[0]!, parameters: null, flops: null, memory: null, inputShape: null };
  const text = renderDryRun({ ...dryRun, variants: [loader], resident: null }, { columns: null, color: false });
  assert.match(text, /^baseline +– +O0 +0 +0 +– +– +– +–$/m);
  assert.match(text, /^– {2}no model, only the loader would run$/m);
});

Deno.test("a dry run says why the variants cannot run together", () => {
  const error = "4 variants together need 372 MiB of device memory, more than the memoryBudget of 1 MiB";
  const text = renderDryRun({ ...dryRun, error }, { columns: null, color: false });
  assert.match(text.replaceAll(/\s+/g, " "), new RegExp(`The run would be refused: ${error}`));
});
