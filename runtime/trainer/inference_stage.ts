import { asImages } from "../../ops/to_layout.ts";
import { InputError } from "../core/errors.ts";
import { toPhysical } from "../core/layout.ts";
import { formatShape, type Shape, sizeOf } from "../core/shape.ts";
import { compileInference } from "../compile/compile.ts";
import type { Plan } from "../compile/plan.ts";
import type { Device } from "../device/device.ts";
import type { TimestampRecorder } from "../device/timestamps.ts";
import type { DeviceTraits } from "../device/traits.ts";
import { Executor } from "../engine/executor.ts";
import { ModelState } from "../engine/model_state.ts";
import type { SlotPool } from "../engine/slot_pool.ts";
import { bufferBytes, type TensorType } from "../graph/types.ts";
import { Tensor } from "../graph/op.ts";
import type { Layer } from "../nn/layer.ts";

const USAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;

/** One model of a pipeline on the device: weights, executor and output buffer. */
export class InferenceStage {
  readonly #device: Device;
  readonly #state: ModelState;
  readonly #executor: Executor;
  readonly #input: GPUBuffer;
  readonly #ownsInput: boolean;

  readonly plan: Plan;
  readonly output: GPUBuffer;

  private constructor(
    device: Device,
    plan: Plan,
    state: ModelState,
    executor: Executor,
    input: { buffer: GPUBuffer; own: boolean },
    output: GPUBuffer,
  ) {
    this.plan = plan;
    this.output = output;
    this.#device = device;
    this.#state = state;
    this.#executor = executor;
    this.#input = input.buffer;
    this.#ownsInput = input.own;
  }

  static plan(model: Layer, input: Shape, traits: DeviceTraits): Plan {
    return compileInference({
      // The next model reads four dimensions as images
      model: (x: Tensor) => {
        const y: unknown = model(x);
        return y instanceof Tensor ? asImages(y) : y as Tensor;
      },
      loss: null,
      optimizer: null,
      batch: { input: { shape: input, dtype: "f32" }, target: { shape: [input[0]!], dtype: "f32" } },
      amp: { level: "O0", keepF32: [], scaler: null },
      fusion: true,
      traits,
    });
  }

  /** Allocates buffers and creates pipelines. The input is the output of `previous` unless it is null. */
  static async create(
    plan: Plan,
    device: Device,
    slots: SlotPool,
    previous: InferenceStage | null,
    options: { seed: number; label: string },
  ): Promise<InferenceStage> {
    if (previous !== null && previous.plan.output.layout !== inputOf(plan).layout) {
      throw new Error(`Stages in ${previous.plan.output.layout} and ${inputOf(plan).layout} do not fit together`);
    }
    const input = previous === null
      ? { buffer: buffer(device, `${options.label}.input`, inputOf(plan)), own: true }
      : { buffer: previous.output, own: false };
    const output = buffer(device, `${options.label}.output`, plan.output);
    const state = new ModelState(device, plan, { ...options, lossScale: 1 });
    const buffers = new Map([...state.buffersFor(plan), ["batch.input", input.buffer], ["output", output]]);
    const executor = await Executor.create(plan, device, buffers, slots);
    return new InferenceStage(device, plan, state, executor, input, output);
  }

  setInput(data: Float32Array): void {
    const { shape, layout } = inputOf(this.plan);
    if (!(data instanceof Float32Array) || data.length !== sizeOf(shape)) {
      throw new InputError(
        `setInput: got ${data?.length ?? 0} values, expected a Float32Array of ${sizeOf(shape)} for ${
          formatShape(shape)
        }`,
      );
    }
    this.#device.write(this.#input, 0, toPhysical(data, shape, layout));
  }

  /** Submits one run as one pass. Does not wait. */
  submit(timestamps: TimestampRecorder | null): void {
    const encoder = this.#device.gpu.createCommandEncoder({ label: "infer" });
    this.#executor.encode(encoder, timestamps === null ? undefined : () => timestamps.next());
    timestamps?.endSubmit(encoder);
    this.#device.submit(encoder);
  }

  free(): void {
    this.#state.free();
    this.#executor.free();
    this.#device.free(this.output);
    if (this.#ownsInput) this.#device.free(this.#input);
  }
}

/** Returns the type of the model's input. */
function inputOf({ inputs }: Plan): TensorType {
  return inputs["input"]!;
}

function buffer(device: Device, label: string, type: TensorType): GPUBuffer {
  return device.buffer(label, bufferBytes(type), USAGE);
}
