/**
 * The workloads in jax-js, as its README recommends: one jit-compiled function for the whole step, which takes
 * ownership of the arrays. It omits the running averages of batch normalisation, in its favour.
 */
import { blockUntilReady, defaultDevice, init, jit, lax, nn, numpy as np, tree, valueAndGrad } from "@jax-js/jax";
import { trainSteps } from "./steps.ts";
import { drawParameters } from "./weights.ts";
import { BATCHES, CLASSES, drawImages, MOMENTUM, namedWorkload, residualBlocks, type Workload } from "./workload.ts";

type Parameters = { [name: string]: np.Array };
type Model = (parameters: Parameters, x: np.Array) => np.Array;

const workload = namedWorkload(Deno.args[0]);
await init("webgpu");
defaultDevice("webgpu");

const model = workload.name === "lenet" ? lenet() : resnet20();
let parameters: Parameters = Object.fromEntries(
  [...drawParameters(workload)].map(([name, { shape, data }]) => [name, np.array(data).reshape(shape)]),
);
let velocity: Parameters = tree.map((p: np.Array) => np.zerosLike(p), tree.ref(parameters));
const step = jit(trainStep);
const { input, target } = drawImages(workload);
await blockUntilReady([parameters, velocity]);

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

function conv(name: string, kernel: number, stride = 1, padding = kernel >> 1): Model {
  const sides: [number, number][] = [[padding, padding], [padding, padding]];
  return (p, x) => lax.convGeneralDilated(x, p[`${name}.weight`]!.ref, [stride, stride], sides);
}

function bias(name: string, rank: number): Model {
  return (p, x) => {
    const value = p[`${name}.bias`]!.ref;
    const channels = value.shape[0]!;
    return x.add(value.reshape(rank === 4 ? [1, channels, 1, 1] : [1, channels]));
  };
}

function linear(name: string): Model {
  const add = bias(name, 2);
  return (p, x) => add(p, np.matmul(x, p[`${name}.weight`]!.ref.transpose()));
}

function batchNorm(name: string, channels: number): Model {
  return (p, x) => {
    const centered = x.ref.sub(x.mean([0, 2, 3], { keepdims: true }));
    const variance = np.square(centered.ref).mean([0, 2, 3], { keepdims: true });
    const scale = p[`${name}.weight`]!.ref.reshape([1, channels, 1, 1]).div(np.sqrt(variance.add(1e-5)));
    return centered.mul(scale).add(p[`${name}.bias`]!.ref.reshape([1, channels, 1, 1]));
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
  const features = [conv("conv1", 5), bias("conv1", 4), relu, maxPool];
  const more = [conv("conv2", 5, 1, 0), bias("conv2", 4), relu, maxPool];
  return chain(...features, ...more, flatten, linear("fc1"), relu, linear("fc2"), relu, linear("fc3"));
}

function resnet20(): Model {
  const blocks = residualBlocks().map(({ at, from, to, stride }) => residual(at, from, to, stride));
  return chain(conv("conv1", 3), batchNorm("bn1", 16), relu, ...blocks, (_, x) => x.mean([2, 3]), linear("fc"));
}

function residual(name: string, from: number, to: number, stride: number): Model {
  const body = chain(
    conv(`${name}.conv1`, 3, stride),
    batchNorm(`${name}.bn1`, to),
    relu,
    conv(`${name}.conv2`, 3),
    batchNorm(`${name}.bn2`, to),
  );
  const shortcut = from === to
    ? chain()
    : chain(conv(`${name}.downsample.0`, 1, stride), batchNorm(`${name}.downsample.1`, to));
  return (p, x) => nn.relu(body(p, x.ref).add(shortcut(p, x)));
}
