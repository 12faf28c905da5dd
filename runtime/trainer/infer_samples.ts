import { toLogical } from "../core/layout.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import type { Device } from "../device/device.ts";
import type { HostTensor } from "../engine/model_state.ts";
import { batchAt, forwardFields, type TrainerBatch, type TrainerTensor } from "./host_batch.ts";
import type { Session } from "./session.ts";

/** A `Float32Array` in row-major order that also has a `shape`. */
export type ShapedArray = Float32Array & HostTensor;

/**
 * Returns the model's f32 output in inference mode for any number of samples, which are first in its shape.
 *
 * @throws {InputError} if a field of `input` is missing or does not fit the model
 */
export async function inferSamples(
  session: Session,
  device: Device,
  input: TrainerTensor | TrainerBatch,
): Promise<ShapedArray> {
  const { executor, batch: buffers, output } = await session.inference();
  const { inputs, output: outputType } = executor.plan;
  const { samples, tensors } = forwardFields(input, inputs);
  const batch = outputType.shape[0]!;
  const outputSize = sizeOf(outputType.shape) / batch;
  const result = new Float32Array(samples * outputSize);
  for (let first = 0; first < samples; first += batch) {
    const count = Math.min(batch, samples - first);
    buffers.write(batchAt(tensors, inputs, first));
    const encoder = device.gpu.createCommandEncoder({ label: "forward" });
    executor.encode(encoder);
    device.submit(encoder);
    const [bytes] = await device.read([{ buffer: output, offset: 0, size: batch * outputSize * 4 }]);
    const logical = toLogical(new Float32Array(bytes!), outputType.shape, outputType.layout);
    result.set(logical.subarray(0, count * outputSize), first * outputSize);
  }
  device.check();
  const shape: Shape = [samples, ...outputType.shape.slice(1)];
  return Object.assign(result, { shape, data: result });
}
