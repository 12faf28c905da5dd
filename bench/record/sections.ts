/** A part of a section's results, and the figures to show of it. */
interface Table {
  readonly cases: RegExp;
  readonly columns: readonly string[];
}

/** A section of `bench/RESULTS.md`: the results of one benchmark. */
export type Section =
  & {
    readonly benchmark: string;
    readonly title: string;
    readonly text: string;
  }
  & (
    | { readonly tables: readonly Table[] }
    /** Machines side by side: the figure of a software adapter, that of a GPU, and a share that stands beside both. */
    | { readonly pivot: { readonly software: string; readonly gpu: string; readonly share: string } }
  );

const ALL = /^/;

export const SECTIONS: readonly Section[] = [
  {
    benchmark: "peers",
    title: "Training steps beside other libraries",
    text:
      "All libraries start from the same weights and take the same batches, and their losses agree at every step; the " +
      "largest difference, as a part of 1 + the loss, is given. LeNet-5 with 64 images of 28 x 28 and ResNet-20 with 32 of " +
      "32 x 32, SGD with momentum; a GPT of 4 layers and width 128 with 8 x 128 tokens and a ViT of 6 layers and width 192 " +
      "with 16 images of 32 x 32, AdamW. `ratio`: how many times the library takes Tacho's time, by processor time on a " +
      "software adapter and wall time on a GPU. Rows of programs in one matrix are wall times of an earlier protocol, in " +
      "which LeNet and ResNet-20 started from other weights in each library.",
    tables: [
      {
        cases: /^(?:lenet|resnet20|gpt|vit)$/,
        columns: [
          ...["tacho_cpu_ms", "jax_js_cpu_ms", "jax_js_wasm_cpu_ms", "tfjs_webgpu_cpu_ms"],
          ...["jax_js_ratio", "jax_js_wasm_ratio", "tfjs_webgpu_ratio", "loss_difference_ratio"],
        ],
      },
      { cases: /^geometric mean$/, columns: ["jax_js_ratio", "jax_js_wasm_ratio", "tfjs_webgpu_ratio"] },
      {
        cases: /, as programs in one matrix$/,
        columns: ["tacho_wall_ms", "jax_js_wall_ms", "jax_js_wasm_wall_ms", "tfjs_webgpu_wall_ms"],
      },
      {
        cases: /^(?:matmul|conv|add) /,
        columns: ["tacho_wall_ms", "jax_js_wall_ms", "tfjs_webgpu_wall_ms", "jax_js_ratio", "tfjs_webgpu_ratio"],
      },
    ],
  },
  {
    benchmark: "torch",
    title: "Beside PyTorch",
    text: "Time per step or kernel, and Tacho's speed as a multiple of PyTorch's.",
    tables: [{
      cases: ALL,
      columns: ["tacho_step_ms", "tacho_ms", "pytorch_step_ms", "pytorch_ms", "tacho_to_pytorch_ratio"],
    }],
  },
  {
    benchmark: "models",
    title: "Published models at full size",
    text:
      "Largest difference from PyTorch in f64 with the same weights: of the logits as a part of the largest, of the " +
      "gradients of a step as a part of their norm, and of the losses of some steps; `torch` is PyTorch in f32.",
    tables: [{
      cases: ALL,
      columns: [
        ...["parameters_count", "logits_difference_ratio", "gradients_difference_ratio", "loss_difference_ratio"],
        ...[
          "torch_logits_difference_ratio",
          "torch_gradients_difference_ratio",
          "torch_loss_difference_ratio",
        ],
      ],
    }],
  },
  {
    benchmark: "start",
    title: "Start of a training, and the first command",
    text:
      "From the start of the process to the end of the first step, with an empty shader cache (cold) and a filled one " +
      "(warm): median wall time and least processor time. Of the first command, `deno run -A scripts/resnet.ts` with empty " +
      "caches: runs with at least two verdicts other than `unclear` (decided), and the median time from start to end; the " +
      "load is the machine's at the first run.",
    tables: [
      {
        cases: /\.ts\b/,
        columns: [
          ...["shaders_count", "cold_all_wall_ms", "cold_all_cpu_ms", "warm_all_wall_ms", "warm_all_cpu_ms"],
          ...["warm_modules_wall_ms", "warm_plan_wall_ms", "warm_pipelines_wall_ms", "warm_step_wall_ms"],
        ],
      },
      { cases: /^first command/, columns: ["runs_count", "decided_count", "wall_ms"] },
    ],
  },
  {
    benchmark: "planning",
    title: "Planning",
    text: "Compilation of the plan of a large model on the CPU, without a device, in a new process.",
    tables: [{ cases: ALL, columns: ["dispatches_count", "wall_ms", "cpu_ms", "memory_mib"] }],
  },
  {
    benchmark: "trust",
    title: "Accuracy of the device's measurements",
    text:
      "Ops and the gaps between them should add up to phases (the residual is the rest), phases and gaps to steps, and " +
      "twice the work should take twice the time.",
    tables: [
      {
        cases: /^(?:ResNet-20|LeNet|MLP)$/,
        columns: [
          ...["ops_count", "forward_ms", "forward_residual_percent", "backward_ms", "backward_residual_percent"],
          ...["update_ms", "update_residual_percent", "phases_and_gap_of_step_percent"],
        ],
      },
      { cases: /^twice the work$/, columns: ["first_ratio", "second_ratio"] },
      { cases: /^recording a step$/, columns: ["timestamps_us", "host_spans_us"] },
    ],
  },
  {
    benchmark: "simulate",
    title: "Verdicts in simulated experiments",
    text:
      "Rates in %, the same on any CPU. The machines of the first table have noise that is fitted to recorded blocks of " +
      "LeNet, an MLP and ResNet-20 on lavapipe, `minEffect` is 1 %, and `finds` is how often an effect of 2, 5 or 10 % is " +
      "called faster. The second table has waves of 5 %, a variant that slows the next block, and noise that no recording " +
      "shows: one variant, 20 rounds.",
    tables: [
      {
        cases: /^\d+ rounds, \d+ machines$/,
        columns: [
          ...["false_verdicts_percent", "most_false_verdicts_percent", "coverage_percent", "least_coverage_percent"],
          ...["finds_2_percent", "finds_5_percent", "finds_10_percent"],
        ],
      },
      {
        cases: /^20 rounds, (?!\d+ machines$)/,
        columns: ["false_verdicts_percent", "coverage_percent", "finds_10_percent"],
      },
    ],
  },
  {
    benchmark: "predictions",
    title: "Predictions of advice",
    text:
      "Slow trainings; each change that a rule advises is measured against the training as it was. Medians of the " +
      "gains, and how many predictions are within the interval of the measurement.",
    tables: [{
      cases: ALL,
      columns: [
        ...["trials_count", "predicted_ratio", "measured_ratio", "median_error_percent", "within_interval_count"],
      ],
    }],
  },
  {
    benchmark: "attach",
    title: "Recording a program",
    text:
      "Time of a call in a program that is not attached, attached and counting, and attached and timing; memory that the " +
      "records hold.",
    tables: [
      { cases: /^(?:not attached|counting|timing)$/, columns: ["dispatch_ns", "submit_ns", "write_buffer_ns"] },
      { cases: /^after /, columns: ["heap_mib"] },
    ],
  },
  {
    benchmark: "commands",
    title: "Commands",
    text:
      "Whole runs of commands. The mean of the same command by `tacho versus` and by hyperfine, in turns, and how many are " +
      "within 2 ms or 2 %, beside hyperfine with itself; verdicts on equal commands and on one that is 10 % faster; and two commands, the second 10 % " +
      "faster, on a core that another process shares from the middle on, by both.",
    tables: [
      {
        cases: /^mean of /,
        columns: [
          ...["trials_count", "close_count", "hyperfine_close_count", "own_ms", "hyperfine_ms", "difference_ms"],
        ],
      },
      {
        cases: /^(?:equal commands|10 % faster)$/,
        columns: ["trials_count", "faster_count", "slower_count", "same_count", "unclear_count"],
      },
      {
        cases: /^a core /,
        columns: [
          ...[
            "trials_count",
            "hyperfine_ratio",
            "own_ratio",
            "hyperfine_wrong_count",
            "own_wrong_count",
            "faster_count",
          ],
        ],
      },
    ],
  },
  {
    benchmark: "store",
    title: "The store",
    text:
      "A store on the CPU with as many runs of a matrix of 5 variants, with 8 blocks of 10 steps and 100 profiled ops each. " +
      "Commands are whole processes.",
    tables: [{ cases: ALL, columns: ["runs_count", "took_ms", "size_mb"] }],
  },
  {
    benchmark: "isa",
    title: "Kernels on AMD GPUs, estimated",
    text:
      "What Mesa's compiler makes of the default kernels for GPUs that are not there: an estimate, which no GPU has " +
      "confirmed and which is the same on every machine with that version of Mesa. `waves`: those that a SIMD holds at once, " +
      "of 16 on NAVI21 (RX 6800) and GFX1100 (RX 7900 XTX) and of 10 on VEGA10 (RX Vega 64); `registers` and instructions " +
      "`per multiply add` of the hottest loop on NAVI21; `spills`: registers that go to memory, on any of them. Of several " +
      "kernels with one name, the worst. [The guide](../docs/guide/isa.md) says what this does not see.",
    tables: [{
      cases: ALL,
      columns: ["f32", "f16"].flatMap((dtype) =>
        ["navi21_waves_count", "gfx1100_waves_count", "vega10_waves_count", "registers_count", "per_multiply_add_ratio"]
          .map((name) => `${dtype}_${name}`)
      ).concat("spills_count"),
    }],
  },
  {
    benchmark: "kernels",
    title: "Kernels",
    text:
      "The kernel that each case gets without autotuning: processor time on a software adapter, device time on a GPU, and " +
      "its share of the adapter's limit in %: of its peak for kernels with at least 8 operations a byte, else of a copy that " +
      "ran just before and after. `kernels` checks every result against a reference.",
    pivot: { software: "cpu_ms", gpu: "device_ms", share: "of_limit_percent" },
  },
];
