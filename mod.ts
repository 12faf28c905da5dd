/**
 * Tacho: a scriptable profiling runtime for training neural networks on Deno's WebGPU.
 *
 * ```ts
 * import { cifar10, crossEntropy, resnet, run, scenario, sgd } from "@tacho/tacho";
 *
 * export default scenario({
 *   name: "resnet20",
 *   model: resnet({ depth: 20, classes: 10 }),
 *   loss: crossEntropy(),
 *   optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
 *   data: cifar10(),
 *   variants: { baseline: {}, amp: { amp: "O2" } },
 * });
 *
 * if (import.meta.main) await run();
 * ```
 *
 * @module
 */
import "./runtime/cli/guard.ts";

// The scenario
export { scenario } from "./runtime/scenario/definition.ts";
export type {
  AdapterDefinition,
  ProgramsDefinition,
  Scenario,
  ScenarioDefinition,
  VariantDefinition,
} from "./runtime/scenario/definition.ts";
export type {
  AmpSettings,
  AutotuneSettings,
  CompileSettings,
  EvaluateSettings,
  LoaderSettings,
  MeasureSettings,
  ProfileSettings,
  ScalerSettings,
  ScenarioSettings,
  TargetSettings,
  VariantSettings,
} from "./runtime/scenario/setting_types.ts";
export { compose } from "./runtime/scenario/compose.ts";
export { command, type CommandOptions, type CommandSpec } from "./runtime/scenario/command.ts";
export { program, type ProgramOptions, type ProgramSpec } from "./runtime/scenario/program.ts";
export type { ModelData, ModelField } from "./runtime/scenario/model_data.ts";
export { run, type RunOptions } from "./runtime/cli/run.ts";
export { bench } from "./runtime/library/bench.ts";
export type { BenchContext, BenchEntry, BenchFunction, BenchOptions } from "./runtime/library/bench_options.ts";
export { measure } from "./runtime/library/measure.ts";
export type { MeasurementOptions } from "./runtime/library/measure_scenario.ts";
export type { Measurement, MeasurementControls } from "./runtime/library/measurement.ts";
export { z } from "zod";

// Models and layers
export { gpt, type GptOptions, type GptSize } from "./runtime/nn/gpt.ts";
export { lenet } from "./runtime/nn/lenet.ts";
export { llama, type LlamaOptions, type LlamaSize } from "./runtime/nn/llama.ts";
export { lstmLanguageModel, type LstmLanguageModelOptions } from "./runtime/nn/lstm_language_model.ts";
export { mlp, type MlpOptions } from "./runtime/nn/mlp.ts";
export { type MobilenetStage, mobilenetV2, type MobilenetV2Options } from "./runtime/nn/mobilenet_v2.ts";
export { mobilenetV3, type MobilenetV3Options } from "./runtime/nn/mobilenet_v3.ts";
export type { MobilenetOptions } from "./runtime/nn/inverted_residual.ts";
export { resnet, type ResnetOptions } from "./runtime/nn/resnet.ts";
export { unet, type UnetOptions } from "./runtime/nn/unet.ts";
export { vit, type VitOptions, type VitSize } from "./runtime/nn/vit.ts";
export { type Layer, layer } from "./runtime/nn/layer.ts";
export {
  buffer,
  type BufferOptions,
  parameter,
  type ParameterOptions,
  type ParameterShape,
} from "./runtime/nn/parameter.ts";
export { defineOp } from "./runtime/nn/own_ops/define_op.ts";
export type {
  ElementwiseOpDefinition,
  ElementwiseOwnOp,
  KernelOp,
  KernelOpDefinition,
  OpKernel,
  OpOptions,
  OpPass,
  TensorInfo,
} from "./runtime/nn/own_ops/definition.ts";
export { multiInput, type MultiInputModel, type Tensors } from "./runtime/nn/multi_input.ts";
export { onnx, type OnnxOptions } from "./runtime/onnx/onnx.ts";
export type { OnnxModel, OnnxTensor, OnnxUsage, OnnxValue } from "./runtime/onnx/model_type.ts";
export { scope } from "./runtime/nn/scope.ts";
export { sequential } from "./runtime/nn/sequential.ts";
export { conv2d, type Conv2dOptions } from "./runtime/nn/conv2d.ts";
export { conv1d, type Conv1dOptions } from "./runtime/nn/conv1d.ts";
export { convTranspose2d, type ConvTranspose2dOptions } from "./runtime/nn/conv_transpose2d.ts";
export { adaptiveAvgPool2d, upsample, type UpsampleOptions } from "./runtime/nn/resizing.ts";
export { gru, lstm, type RecurrentOptions, rnn, type RnnOptions } from "./runtime/nn/recurrent.ts";
export { tiedLinear, type TiedLinearOptions } from "./runtime/nn/tied_linear.ts";
export { linear, type LinearOptions } from "./runtime/nn/linear.ts";
export { batchNorm, type BatchNormOptions } from "./runtime/nn/batch_norm.ts";
export {
  elu,
  gelu,
  hardSigmoid,
  hardSwish,
  leakyRelu,
  logSoftmax,
  relu,
  relu6,
  sigmoid,
  silu,
  softmax,
  softplus,
  tanh,
} from "./runtime/nn/activations.ts";
export { prelu, swiglu } from "./runtime/nn/gated.ts";
export { groupNorm, type GroupNormOptions, instanceNorm } from "./runtime/nn/group_norm.ts";
export { layerNorm, type LayerNormOptions, rmsNorm, type RmsNormOptions } from "./runtime/nn/row_norms.ts";
export { embedding, type EmbeddingOptions, learnedPositions, type PositionsOptions } from "./runtime/nn/embedding.ts";
export { type SinusoidalOptions, sinusoidalPositions } from "./runtime/nn/positions.ts";
export { type AttentionOptions, multiHeadAttention } from "./runtime/nn/attention.ts";
export { avgPool2d, globalAvgPool2d, maxPool2d, type PoolOptions } from "./runtime/nn/pooling.ts";
export { dropout } from "./runtime/nn/dropout.ts";
export {
  randomNormal,
  type RandomNormalOptions,
  randomUniform,
  type RandomUniformOptions,
} from "./runtime/nn/random.ts";
export { flatten, identity, reshape } from "./runtime/nn/shaping.ts";
export { add } from "./runtime/nn/add.ts";
export { range } from "./runtime/core/range.ts";

// Tensor ops, with NumPy broadcasting
export { abs, div, mul, neg, sign, sub } from "./ops/arithmetic.ts";
export { atan } from "./ops/trigonometry.ts";
export { assign, type AssignOptions } from "./ops/assign.ts";
export { cast } from "./ops/cast.ts";
export { clamp, maximum, minimum, where } from "./ops/choice.ts";
export { equal, greater, greaterEqual, less, lessEqual, notEqual } from "./ops/comparisons.ts";
export { concat, split, stack } from "./ops/concat.ts";
export { cumsum } from "./ops/cumsum.ts";
export { einsum } from "./ops/einsum.ts";
export { exp, log, rsqrt, sqrt } from "./ops/exponential.ts";
export { argmax, logSumExp, max, min } from "./ops/extremes.ts";
export { gather, type IndexOptions, scatterAdd, take } from "./ops/gather.ts";
export { matmul } from "./ops/matmul.ts";
export { oneHot } from "./ops/one_hot.ts";
export { pow } from "./ops/pow.ts";
export { ceil, floor, round } from "./ops/rounding.ts";
export { rotary, type RotaryOptions } from "./ops/rotary.ts";
export type { LinearScaling, Llama3Scaling, RotaryScaling } from "./ops/rotary.ts";
export {
  scaledDotProductAttention,
  type ScaledDotProductAttentionOptions,
} from "./ops/scaled_dot_product_attention.ts";
export { pad, slice, type SliceRange } from "./ops/slice.ts";
export { stopGradient } from "./ops/stop_gradient.ts";
export { expand, mean, sum } from "./ops/sum.ts";
export { swapAxes, transpose } from "./ops/transpose.ts";
export { tril, triu } from "./ops/triangle.ts";
export { cos, erf, sin } from "./ops/trigonometry.ts";
export type { Operand } from "./ops/elementwise_op.ts";
export type { ReductionOptions } from "./ops/reduction.ts";
export type { Tensor } from "./runtime/graph/op.ts";

// Initialisers, losses, optimizers
export { constant, he, type HeOptions, normal, ones, uniform, xavier, zeros } from "./runtime/nn/initializers.ts";
export { applyLoss } from "./runtime/nn/losses.ts";
export type { LossFunction } from "./runtime/nn/losses/custom.ts";
export { binaryCrossEntropy } from "./runtime/nn/losses/binary_cross_entropy.ts";
export { crossEntropy } from "./runtime/nn/losses/cross_entropy.ts";
export { huber } from "./runtime/nn/losses/huber.ts";
export { meanSquaredError } from "./runtime/nn/losses/mean_squared_error.ts";
export { adam, adamW } from "./runtime/nn/optimizers/adam.ts";
export { lion } from "./runtime/nn/optimizers/lion.ts";
export { rmsprop } from "./runtime/nn/optimizers/rmsprop.ts";
export { sgd } from "./runtime/nn/optimizers/sgd.ts";
export type * from "./runtime/nn/initializer_types.ts";
export type * from "./runtime/nn/losses/types.ts";
export type * from "./runtime/nn/optimizers/types.ts";
export * as schedules from "./runtime/nn/schedules/factories.ts";
export type { ScheduleSpec } from "./runtime/nn/schedules/types.ts";

// Data
export { cifar10 } from "./runtime/data/sources/cifar10.ts";
export { cifar100 } from "./runtime/data/sources/cifar100.ts";
export { fashionMnist, idx, mnist } from "./runtime/data/sources/idx.ts";
export { imageFolder } from "./runtime/data/sources/image_folder.ts";
export { npz, type NpzArrays } from "./runtime/data/sources/npz.ts";
export { source, type SourceOptions } from "./runtime/data/sources/module.ts";
export { syntheticImages } from "./runtime/data/sources/synthetic_images.ts";
export { tensors, type TensorsOptions } from "./runtime/data/sources/tensors.ts";
export { text } from "./runtime/data/sources/text.ts";
export { tokens } from "./runtime/data/sources/tokens.ts";
export type * from "./runtime/data/sources/types.ts";
export * as transforms from "./runtime/data/transforms/factories.ts";

// Driving a variant from code
export { createTrainer } from "./runtime/trainer/create_trainer.ts";
export type { TrainerOptions } from "./runtime/trainer/prepare_trainer.ts";
export type { ShapedArray } from "./runtime/trainer/infer_samples.ts";
export type { LoadOptions, Trainer, TrainerStep } from "./runtime/trainer/trainer.ts";
export type { OutputCheck } from "./runtime/trainer/output_check.ts";
export type { LoadedWeights } from "./runtime/engine/load_weights.ts";
export type { TrainerBatch, TrainerTensor } from "./runtime/trainer/host_batch.ts";
export { checkGradient } from "./runtime/trainer/check_gradient.ts";
export type { CheckedInput, CheckGradientOptions, GradientCheck } from "./runtime/trainer/compare_gradients.ts";
export type { HostTensor } from "./runtime/engine/model_state.ts";
export type { TunedOp, TuningOutcome } from "./runtime/engine/tuning/tuner.ts";

// Inference in stages
export {
  hostTask,
  infer,
  type Pipeline,
  pipeline,
  type Stage,
  type StageOptions,
} from "./runtime/scenario/pipeline.ts";
export { openPipeline } from "./runtime/trainer/open_pipeline.ts";
export type {
  MeasureOptions,
  PipelineOptions,
  PipelineRunner,
  PipelineTimes,
  RepeatOptions,
  StageTimes,
} from "./runtime/trainer/pipeline_runner.ts";
export type { Timing } from "./runtime/record/timing.ts";

// Timing and profiling your own code
export { profile } from "./runtime/library/profile.ts";
export { LoopProfile } from "./runtime/library/profile/loop_profile.ts";
export type { ProfileOptions } from "./runtime/library/profile/schedule.ts";
export { Profiler } from "./runtime/library/profile/profiler.ts";
export type { ProfileSchedule } from "./runtime/library/profile/schedule.ts";
export { DeviceEvent, deviceEvent, type DeviceEventOptions, elapsed } from "./runtime/device/device_event.ts";

// The adapter at hand
export { type AdapterInfo, findAdapter } from "./runtime/device/adapter.ts";

// Results and errors
export { checkGates } from "./runtime/library/check_gates.ts";
export type { CheckedGate, GateCheck, GateCheckOptions } from "./runtime/library/check_result.ts";
export { compareResults } from "./runtime/library/compare_results.ts";
export type {
  ComparisonOptions,
  Figure,
  MetricComparison,
  ResultComparison,
  VariantComparison,
} from "./runtime/library/comparison_of.ts";
export { render } from "./runtime/library/render.ts";
export type { RenderFormat, RenderOptions } from "./runtime/library/render_result.ts";
export { AbortedError } from "./runtime/library/aborted_error.ts";
export { type RunEvent, runEventSchema } from "./runtime/result/run_event.ts";
export type { ProgressEvent } from "./runtime/result/types.ts";
export { readResult, type Result, resultSchema, type VariantResult } from "./runtime/result/schema.ts";
export { DeviceError, ExitStatus, InputError, InterruptedError, TachoError } from "./runtime/core/errors.ts";
