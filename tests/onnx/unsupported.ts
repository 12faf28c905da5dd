/**
 * Cases of ONNX's test data that are not supported, as globs.
 *
 * @module
 */
import { matchesGlob } from "../../runtime/core/glob.ts";

/** Values that are no dense tensors of numbers: sequences, optional values, strings. */
const OTHER_VALUES = [
  "node/test_identity_opt",
  "node/test_identity_sequence",
  "node/test_loop13_seq",
  "node/test_loop16_seq_none",
  "node/test_optional_*",
  "node/test_sequence_*",
  "simple/test_sequence_*",
  "*_strnorm*",
  "*_STRING*",
  "node/test_tfidfvectorizer_*",
];

/** Places between aligned corners by a size that is no whole number, where PyTorch and onnxruntime take the whole one. */
const FRACTIONAL_SIZES = ["node/test_resize_downsample_scales_*_align_corners"];

/** Resizing of a part of the images. */
const CROPPED = ["node/test_resize_tf_crop_and_resize"];

/** Convolutions over three dimensions. */
const VOLUMES = [
  "node/test_convtranspose_3d",
  "pytorch-converted/test_Conv3d*",
];

/** Cases whose bfloat16 values are written as the integers of their bits. */
const WRITTEN_AS_BITS = ["node/test_cast*_BFLOAT16*"];

/** Random masks of dropout, whose ratio is an input. */
const RANDOM = ["node/test_training_dropout*"];

/** Reductions of scattered values other than a sum. */
const SCATTERED = ["node/test_scatter*_multiply", "node/test_scatter*_max", "node/test_scatter*_min"];

const UNSUPPORTED = [
  ...FRACTIONAL_SIZES,
  ...CROPPED,
  ...OTHER_VALUES,
  ...VOLUMES,
  ...WRITTEN_AS_BITS,
  ...RANDOM,
  ...SCATTERED,
];

/** Returns true for a case that is not supported. */
export function isUnsupported(name: string): boolean {
  return UNSUPPORTED.some((pattern) => matchesGlob(pattern, name));
}

/** Operators in the data that Tacho does not have. */
export const MISSING_OPERATORS: readonly string[] = [
  // Values other than dense tensors of numbers
  ...["ConcatFromSequence", "Optional", "OptionalGetElement", "OptionalHasElement", "SequenceAt", "SequenceConstruct"],
  ...["SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength", "SequenceMap", "SplitToSequence"],
  ...["StringNormalizer", "TfIdfVectorizer"],
  // Shapes that depend on values
  ...["NonMaxSuppression", "Unique"],
  // Losses and optimizers, which a scenario has
  ...["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss", "ai.onnx.preview.training.Adagrad"],
  ...["ai.onnx.preview.training.Adam", "ai.onnx.preview.training.Gradient", "ai.onnx.preview.training.Momentum"],
  // Random numbers, which differ from generator to generator
  ...["Bernoulli", "RandomUniformLike"],
  // Signals and their windows, and linear algebra
  ...["BlackmanWindow", "DFT", "Det", "HammingWindow", "HannWindow", "MelWeightMatrix", "STFT"],
  // Not written yet
  ...["BitShift", "ConvInteger", "GridSample", "MaxUnpool", "QLinearConv", "RoiAlign", "Scan"],
];
