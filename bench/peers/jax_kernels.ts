/** The kernels in jax-js, one jit-compiled function each. */
import { blockUntilReady, defaultDevice, init, jit, lax, numpy as np } from "@jax-js/jax";
import { elementAt, kernelNamed, type KernelTime, operand, operandShapes, timeBlocks } from "./kernels.ts";

const one = kernelNamed(Deno.args[0]);
await init("webgpu");
defaultDevice("webgpu");

const [a, b] = operandShapes(one).map((shape, i) => np.array(operand(one, i as 0 | 1)).reshape(shape)) as [
  np.Array,
  np.Array,
];
const kernel = jit((x: np.Array, y: np.Array): np.Array => {
  if (one.op === "matmul") return np.matmul(x, y);
  if (one.op === "add") return x.add(y);
  const side: [number, number] = [one.kernel >> 1, one.kernel >> 1];
  return lax.convGeneralDilated(x, y, [1, 1], [side, side]);
});
await blockUntilReady([a, b]);

const time = await timeBlocks(async (repeats) => {
  let last = a.ref;
  for (let i = 0; i < repeats; i++) last = kernel(last, b.ref);
  await last.data();
});
const values = await kernel(a, b).data();
const measured: KernelTime = { library: "jax-js", time, element: Number(values[elementAt(one)]) };
console.log(JSON.stringify(measured));
Deno.exit(0);
