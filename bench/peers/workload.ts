/**
 * Workloads that every library trains: the same nets on the same images with SGD and momentum, in f32.
 *
 * @module
 */

export interface Workload {
  readonly name: string;
  readonly batch: number;
  /** Shape of one image. */
  readonly shape: readonly [channels: number, height: number, width: number];
  readonly parameters: number;
  readonly learningRate: number;
}

export const WORKLOADS: Readonly<Record<string, Workload>> = {
  lenet: { name: "lenet", batch: 64, shape: [1, 28, 28], parameters: 61_706, learningRate: 0.02 },
  resnet20: { name: "resnet20", batch: 32, shape: [3, 32, 32], parameters: 272_474, learningRate: 0.02 },
};

export const MOMENTUM = 0.9;
export const CLASSES = 10;
/** Number of batches, which take turns. */
export const BATCHES = 4;

export interface Samples {
  readonly input: Float32Array<ArrayBuffer>;
  readonly target: Int32Array<ArrayBuffer>;
}

/** Draws noise with a pattern per class, so that losses fall. Returns the images of all batches in order. */
export function drawImages({ batch, shape }: Pick<Workload, "batch" | "shape">): Samples {
  const size = shape[0] * shape[1] * shape[2];
  const count = batch * BATCHES;
  const input = new Float32Array(count * size);
  const target = new Int32Array(count);
  let state = 1;
  const random = () => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) / 2 ** 32;
  for (let i = 0; i < count; i++) {
    const label = target[i] = Math.floor(random() * CLASSES);
    for (let j = 0; j < size; j++) input[i * size + j] = random() - 0.5 + Math.sin(j * (label + 1) / 20) / 2;
  }
  return { input, target };
}

/** Returns the shape of each parameter, by torchvision's names. */
export function imageShapes({ name }: Workload): Record<string, readonly number[]> {
  const shapes: Record<string, readonly number[]> = {};
  const layer = (name: string, shape: readonly number[]) => {
    shapes[`${name}.weight`] = shape;
    shapes[`${name}.bias`] = [shape[0]!];
  };
  if (name === "lenet") {
    layer("conv1", [6, 1, 5, 5]);
    layer("conv2", [16, 6, 5, 5]);
    layer("fc1", [120, 400]);
    layer("fc2", [84, 120]);
    layer("fc3", [CLASSES, 84]);
    return shapes;
  }
  const conv = (at: string, norm: string, to: number, from: number, kernel: number) => {
    shapes[`${at}.weight`] = [to, from, kernel, kernel];
    layer(norm, [to]);
  };
  conv("conv1", "bn1", 16, 3, 3);
  for (const { at, from, to } of residualBlocks()) {
    conv(`${at}.conv1`, `${at}.bn1`, to, from, 3);
    conv(`${at}.conv2`, `${at}.bn2`, to, to, 3);
    if (from !== to) conv(`${at}.downsample.0`, `${at}.downsample.1`, to, from, 1);
  }
  layer("fc", [CLASSES, 64]);
  return shapes;
}

/** Returns the blocks of ResNet-20: their names, channels and strides. */
export function residualBlocks(): { at: string; from: number; to: number; stride: number }[] {
  return [16, 32, 64].flatMap((to, stage) =>
    [0, 1, 2].map((block) => {
      const first = stage > 0 && block === 0;
      return { at: `layer${stage + 1}.${block}`, from: first ? to / 2 : to, to, stride: first ? 2 : 1 };
    })
  );
}

/** Returns the workload named by the first argument. */
export function namedWorkload(name: string | undefined): Workload {
  const workload = WORKLOADS[name ?? ""];
  if (workload === undefined) throw new Error(`Expected one of ${Object.keys(WORKLOADS).join(", ")}, got "${name}"`);
  return workload;
}

/**
 * Parses `NAME --steps N --skip N`, flags in any order.
 *
 * @throws {Error} if a flag is missing, or is no whole number
 */
export function readSteps(args: readonly string[]): { steps: number; skip: number } {
  const read = (flag: string, least: number) => {
    const at = args.indexOf(flag);
    const value = at < 0 ? NaN : Number(args[at + 1]);
    if (Number.isInteger(value) && value >= least) return value;
    throw new Error(
      `Expected ${flag} and a whole number of at least ${least}, got: ${args.join(" ") || "no arguments"}`,
    );
  };
  return { steps: read("--steps", 1), skip: read("--skip", 0) };
}
