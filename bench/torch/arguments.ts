import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { type NetName, NETS, type Precision } from "../peers/torch_net.ts";

export interface TorchArguments {
  readonly net: NetName;
  readonly batch: number;
  /** Height and width. */
  readonly image: number;
  readonly rounds: number;
  readonly steps: number;
  readonly skip: number;
  readonly precisions: readonly Precision[];
  /** Device of PyTorch; the default is the GPU if it has one. */
  readonly device?: "cuda" | "cpu" | undefined;
  readonly python: string;
  readonly autotune: boolean;
  readonly channelsLast: boolean;
  readonly kernels: boolean;
  /** True to print the losses of every step. */
  readonly losses: boolean;
}

const PRECISIONS: readonly Precision[] = ["f32", "amp"];

const HELP = `
Both libraries train from the same weights on the same batch, which stays on the device, with SGD,
momentum 0.9 and weight decay 1e-4. They take turns; each measures a block of steps in a separate
process and waits for the device once, at the end of the block.
  f32   PyTorch without TF32, with cudnn.benchmark; Tacho with amp O0
  amp   PyTorch with autocast to float16 and GradScaler; Tacho with amp O2. Needs CUDA

Examples:
  deno task bench:torch                                            ResNet-50, 224 x 224, batch 64
  deno task bench:torch --precision amp --channels-last --autotune both at their best in float16
  deno task bench:torch --net resnet20 --batch 32 --rounds 2 --steps 3 --device cpu
  deno task bench:torch --kernels                                  GEMM and 3x3 convolutions instead`;

/** Parses the command line; exits the process after \`--help\` and on a bad argument. */
export function readArguments(args: readonly string[]): TorchArguments {
  const command = new Command("deno task bench:torch")
    .description("Compare training steps or single kernels in Tacho and PyTorch eager on this machine.")
    .addOption(
      new Option("--net <name>", "net to train").choices(Object.keys(NETS) as NetName[]).default("resnet50"),
    )
    .option("--batch <n>", "images per batch", count, 64)
    .option("--image <n>", "height and width (default: 224, for resnet20 32)", count)
    .option("--rounds <n>", "blocks per library; the libraries take turns", count, 5)
    .option("--steps <n>", "measured steps per block", count, 20)
    .option("--skip <n>", "warm-up steps per block, at least 2", count, 10)
    .option("--precision <list>", "comma-separated list of f32 and amp", precisions, PRECISIONS)
    .addOption(new Option("--device <name>", "PyTorch's device (default: cuda if available)").choices(["cuda", "cpu"]))
    .option("--python <path>", "Python interpreter with PyTorch", "python3")
    .option("--autotune", "add a row for Tacho with autotuned kernels", false)
    .option("--channels-last", "store PyTorch's images in NHWC", false)
    .option("--kernels", "compare single kernels instead of a net", false)
    .option("--record", "write the result to the file of this machine in bench/results/")
    .option("--losses", "print the losses of every step", false)
    .addHelpText("after", HELP)
    .parse([...args], { from: "user" });
  const { image, precision, ...rest } = command.opts();
  const net = rest.net as NetName;
  return { ...rest, net, image: image ?? (net === "resnet20" ? 32 : 224), precisions: precision };
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("expected a whole number above 0");
  return value;
}

function precisions(text: string): readonly Precision[] {
  const names = text.split(",");
  const unknown = names.find((name) => !PRECISIONS.some((known) => known === name));
  if (unknown !== undefined) throw new InvalidArgumentError(`expected some of ${PRECISIONS.join(", ")}`);
  return names as Precision[];
}
