/** What Sony's nnabla calls the ops. */
const NNC: Readonly<Record<string, string>> = {
  add: "Add2",
  avg_pool2d: "AveragePooling",
  batch_norm: "BatchNormalization",
  conv2d: "Convolution",
  copy: "Identity",
  cross_entropy: "SoftmaxCrossEntropy",
  flatten: "Reshape",
  gelu: "GELU",
  global_avg_pool2d: "GlobalAveragePooling",
  linear: "Affine",
  matmul: "BatchMatmul",
  max_pool2d: "MaxPooling",
  mean_squared_error: "SquaredError",
  relu: "ReLU",
};

/** Ops that do nothing but write a constant; SINGA calls them `SetValue`. */
const FILLS: readonly string[] = ["fill", "zeros", "set_value"];

export function isFill(type: string): boolean {
  return FILLS.includes(type);
}

export function nncType(type: string): string {
  return Object.hasOwn(NNC, type) ? NNC[type]! : pascalCase(type);
}

/** `conv2d` -> `Conv2d`, `batch_norm_grad` -> `BatchNormGrad`, `sgd` -> `Sgd`. */
export function singaType(type: string): string {
  if (isFill(type)) return "SetValue";
  return type === "relu" ? "ReLU" : pascalCase(type);
}

function pascalCase(type: string): string {
  return type.split(/[_.\s]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
