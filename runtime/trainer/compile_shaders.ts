import { DeviceError, InterruptedError } from "../core/errors.ts";
import type { Device } from "../device/device.ts";
import { ShaderHelper } from "../device/shader_helper.ts";
import type { NewShader } from "../engine/executor.ts";
import type { Session } from "./session.ts";

/** Time from which the first shader was compiled and did not come from the driver's cache, in ms. */
const COMPILED = 100;

/** Number of pairs after which the driver should have written the first one's shaders to its cache. */
const PAIRS = 3;

export interface CompileOptions {
  /** Called before each shader with the number of those compiled and of all. */
  onShader(done: number, all: number): void;
  shouldStop(): boolean;
}

/**
 * Compiles the shaders of a session that the device has not run yet. Adapters compile a shader when it is first
 * dispatched, so each is dispatched with a single workgroup; then the state is restored. On software adapters, two
 * devices compile at the same time.
 *
 * @returns number of compiled shaders
 * @throws {InterruptedError} if `shouldStop` returns true
 */
export async function compileShaders(
  { executor, state }: Pick<Session, "executor" | "state">,
  device: Device,
  { onShader, shouldStop }: CompileOptions,
): Promise<number> {
  const shaders = executor.newShaders();
  if (shaders.length === 0) return 0;
  const before = state.snapshot();
  try {
    await compileAll(shaders, device, (done) => {
      if (shouldStop()) throw new InterruptedError();
      onShader(done, shaders.length);
    });
  } finally {
    state.restore(before);
  }
  await device.settle();
  return shaders.length;
}

/** Compiles the longest shader, then pairs of similar length, the second of each on another device if that is faster. */
async function compileAll(
  shaders: readonly NewShader[],
  device: Device,
  onShader: (done: number) => void,
): Promise<void> {
  const queue = shaders.toSorted((a, b) => b.kernel.wgsl.length - a.kernel.wgsl.length);
  let done = 0;
  /** Returns the time that the shader and its partner took, in ms. */
  const run = async (shader: NewShader, helper?: ShaderHelper, partner?: NewShader): Promise<number> => {
    onShader(done);
    const start = performance.now();
    const encoder = device.gpu.createCommandEncoder({ label: `compile ${shader.kernel.name}` });
    shader.encode(encoder);
    if (partner !== undefined) await helper!.start(partner.kernel);
    device.submit(encoder);
    device.wait();
    if (partner !== undefined) helper!.wait();
    done++;
    return performance.now() - start;
  };
  const first = await run(queue.shift()!);
  let helper = device.traits.class === "cpu" && first > COMPILED && queue.length > 1 ? await openHelper(device) : null;
  /** Shaders of the helper, which the device has yet to run, with the time that each took. */
  const cached: { readonly shader: NewShader; readonly took: number }[] = [];
  let compares = true;
  try {
    while (queue.length > 0) {
      const shader = queue.shift()!;
      const partner = helper === null ? undefined : queue.shift();
      const took = await run(shader, helper ?? undefined, partner);
      if (partner !== undefined) cached.push({ shader: partner, took });
      if (!compares || cached.length < PAIRS) continue;
      compares = false;
      const { shader: oldest, took: before } = cached.shift()!;
      const works = await helper!.works();
      if (await run(oldest) < before / 2 && works) continue;
      helper!.close(); // it compiles nothing, or the driver has no cache on disk
      helper = null;
    }
  } finally {
    helper?.close();
  }
  for (const { shader } of cached) await run(shader);
  onShader(shaders.length);
}

/** Returns null if the adapter opens no second device. */
async function openHelper(device: Device): Promise<ShaderHelper | null> {
  try {
    return await ShaderHelper.open(device);
  } catch (error) {
    if (error instanceof DeviceError) return null;
    throw error;
  }
}
