/**
 * The workloads in jax-js, as its README recommends: one jit-compiled function for the whole step, which takes
 * ownership of the arrays. It omits the running averages of batch normalisation, in its favour.
 */
import { blockUntilReady, defaultDevice, init, jit, lax, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
import { trainSteps } from "./steps.ts";
import { BATCHES, CLASSES, drawImages, MOMENTUM, namedWorkload, type Workload } from "./workload.ts";

type Parameters = { [name: string]: np.Array };
type Model = (parameters: Parameters, x: np.Array) => np.Array;

const workload = namedWorkload(Deno.args[0]);
await init("webgpu");
defaultDevice("webgpu");

const shapes: Record<string, number[]> = {};
const model = workload.name === "lenet" ? lenet() : resnet20();
let parameters = await initialize();
let velocity: Parameters = tree.map((p: np.Array) => np.zerosLike(p), tree.ref(parameters));
const step = jit(trainStep);
const { input, target } = drawImages(workload);

await trainSteps(dispatch, async (loss) => (await loss.data())[0]!);

function dispatch(index: number): np.Array {
  const { x, y } = batchOf(workload, index % BATCHES);
  const [nextParameters, nextVelocity, loss] = step(parameters, velocity, x, y);
  parameters = nextParameters;
  velocity = nextVelocity;
  return loss;
}

function batchOf({ batch, shape }: Workload, index: number): { x: np.Array; y: np.Array } {
  const size = shape[0] * shape[1] * shape[2];
  const x = np.array(input.subarray(index * batch * size, (index + 1) * batch * size)).reshape([batch, ...shape]);
  return { x, y: np.array(target.subarray(index * batch, (index + 1) * batch), { dtype: np.int32 }) };
}

/** Trains one step of SGD with momentum. */
function trainStep(p: Parameters, v: Parameters, x: np.Array, y: np.Array): [Parameters, Parameters, np.Array] {
  const [loss, gradients] = valueAndGrad(lossOf)(tree.ref(p), x, y);
  const nextVelocity = tree.map((v: np.Array, g: np.Array) => v.mul(MOMENTUM).add(g), v, gradients) as Parameters;
  const next = tree.map(
    (p: np.Array, v: np.Array) => p.sub(v.mul(workload.learningRate)),
    p,
    tree.ref(nextVelocity),
  ) as Parameters;
  return [next, nextVelocity, loss];
}

function lossOf(p: Parameters, x: np.Array, y: np.Array): np.Array {
  return nn.logSoftmax(model(p, x), -1).mul(nn.oneHot(y, CLASSES)).sum().mul(-1 / workload.batch);
}

/** Draws weights from He's normal distribution; scales start at 1 and other vectors at 0. */
async function initialize(): Promise<Parameters> {
  const made: Parameters = {};
  let count = 0;
  let state = 7;
  const random = () => ((state = Math.imul(state, 1664525) + 1013904223 >>> 0) + 0.5) / 2 ** 32;
  for (const [name, shape] of Object.entries(shapes)) {
    const size = shape.reduce((product, n) => product * n, 1);
    count += size;
    const deviation = Math.sqrt(2 / (size / shape[0]!));
    const values = Float32Array.from({ length: size }, () => {
      if (shape.length === 1) return name.endsWith("gamma") ? 1 : 0;
      return deviation * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    });
    made[name] = np.array(values).reshape(shape);
  }
  if (count !== workload.parameters) throw new Error(`Expected ${workload.parameters} parameters, made ${count}`);
  await blockUntilReady(made);
  return made;
}

/** Registers a parameter and returns a function that reads it. */
function parameter(name: string, shape: number[]): (p: Parameters) => np.Array {
  shapes[name] = shape;
  return (p) => p[name]!.ref;
}

function conv(name: string, from: number, to: number, kernel: number, stride = 1, padding = kernel >> 1): Model {
  const weight = parameter(`${name}.weight`, [to, from, kernel, kernel]);
  const sides: [number, number][] = [[padding, padding], [padding, padding]];
  return (p, x) => lax.convGeneralDilated(x, weight(p), [stride, stride], sides);
}

function bias(name: string, channels: number, rank: number): Model {
  const value = parameter(`${name}.bias`, [channels]);
  return (p, x) => x.add(value(p).reshape(rank === 4 ? [1, channels, 1, 1] : [1, channels]));
}

function linear(name: string, from: number, to: number): Model {
  const weight = parameter(`${name}.weight`, [to, from]);
  const add = bias(name, to, 2);
  return (p, x) => add(p, np.matmul(x, weight(p).transpose()));
}

function batchNorm(name: string, channels: number): Model {
  const gamma = parameter(`${name}.gamma`, [channels]);
  const beta = parameter(`${name}.beta`, [channels]);
  return (p, x) => {
    const centered = x.ref.sub(x.mean([0, 2, 3], { keepdims: true }));
    const variance = np.square(centered.ref).mean([0, 2, 3], { keepdims: true });
    const scale = gamma(p).reshape([1, channels, 1, 1]).div(np.sqrt(variance.add(1e-5)));
    return centered.mul(scale).add(beta(p).reshape([1, channels, 1, 1]));
  };
}

function chain(...layers: Model[]): Model {
  return (p, x) => layers.reduce((y, layer) => layer(p, y), x);
}

function relu(_: Parameters, x: np.Array): np.Array {
  return nn.relu(x);
}

function maxPool(_: Parameters, x: np.Array): np.Array {
  const [n, c, h, w] = x.shape as [number, number, number, number];
  return x.reshape([n, c, h / 2, 2, w / 2, 2]).max([3, 5]);
}

function flatten(_: Parameters, x: np.Array): np.Array {
  return x.reshape([x.shape[0]!, -1]);
}

function lenet(): Model {
  return chain(
    conv("conv1", 1, 6, 5),
    bias("conv1", 6, 4),
    relu,
    maxPool,
    conv("conv2", 6, 16, 5, 1, 0),
    bias("conv2", 16, 4),
    relu,
    maxPool,
    flatten,
    linear("fc1", 400, 120),
    relu,
    linear("fc2", 120, 84),
    relu,
    linear("fc3", 84, CLASSES),
  );
}

function resnet20(): Model {
  const layers: Model[] = [conv("conv1", 3, 16, 3), batchNorm("bn1", 16), relu];
  let from = 16;
  for (const [stage, to] of [16, 32, 64].entries()) {
    for (let block = 0; block < 3; block++) {
      layers.push(residual(`layer${stage + 1}.${block}`, from, to, stage > 0 && block === 0 ? 2 : 1));
      from = to;
    }
  }
  layers.push((_, x) => x.mean([2, 3]), linear("fc", 64, CLASSES));
  return chain(...layers);
}

function residual(name: string, from: number, to: number, stride: number): Model {
  const body = chain(
    conv(`${name}.conv1`, from, to, 3, stride),
    batchNorm(`${name}.bn1`, to),
    relu,
    conv(`${name}.conv2`, to, to, 3),
    batchNorm(`${name}.bn2`, to),
  );
  const shortcut = from === to
    ? chain()
    : chain(conv(`${name}.down`, from, to, 1, stride), batchNorm(`${name}.downbn`, to));
  return (p, x) => nn.relu(body(p, x.ref).add(shortcut(p, x)));
}
