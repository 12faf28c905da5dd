import type { FloatType } from "../../runtime/core/dtype.ts";
import type { KernelSpec, UniformValue } from "../../runtime/device/kernel.ts";
import { parameterKernel } from "./parameter_kernel.ts";
import { StepWord } from "./step_state.ts";

/** Type of the optimizer's state. In f16 the square of a small gradient is zero, and Adam divides by its root. */
const STATE = "vec4<f32>";

/** WGSL of an update of four parameters, with its state and constants; plain data. */
export interface UpdateForm {
  /** Family and variant of the kernel, such as `sgd.momentum`. */
  readonly name: string;
  /**
   * Number of state tensors as large as the parameters; at most 5, since an adapter binds 8 storage buffers by default.
   */
  readonly states: number;
  /** Betas whose bias corrections 1 - beta^t the code reads; see `correction` in `step_state.ts`. */
  readonly corrections?: readonly number[];
  /**
   * Fields of `u` that the code reads, among them the learning rate. With a schedule, `u.rate`, and `u.decay` of decoupled
   * weight decay, are those of the current update.
   */
  readonly uniforms: Readonly<Record<string, UniformValue>> & { readonly rate: { readonly f32: number } };
  /**
   * WGSL that changes `var p: vec4<f32>` given `gradient: vec4<f32>` (unscaled), the step state `S`, and
   * `load_stateN(i)` / `store_stateN(i, value)`.
   */
  readonly body: string;
  /** Floating-point operations per parameter. */
  readonly flops: number;
  /** The weight decay that `body` includes, which profiles time alone; absent without weight decay. */
  readonly decay?: DecayForm;
}

/** Weight decay: `factor` times the parameters, added to the gradient, or replacing the parameters if `decoupled`. */
interface DecayForm {
  readonly factor: number;
  readonly decoupled: boolean;
}

/** Range of an arena that one dispatch updates. */
interface UpdateRange {
  /** Storage type of parameters and gradients; optimizer state and arithmetic are f32. */
  readonly dtype: FloatType;
  /** Vectors of four parameters. */
  readonly vectors: number;
  /** Maximum number of workgroups per dimension. */
  readonly maxPerDimension: number;
  /** True if the learning rate follows a schedule, whose factor the step state has. Default false. */
  readonly scheduled?: boolean;
}

/**
 * Returns one kernel for all parameters of an arena: it unscales the gradient and updates the parameters, and does
 * nothing in a skipped step.
 *
 * Buffers: 0 gradients, 1 step state, 2 parameters, 3 and up optimizer state.
 */
export function updateKernel(form: UpdateForm, range: UpdateRange): KernelSpec {
  const { dtype } = range;
  const type = `vec4<${dtype}>`;
  const states = Array.from({ length: form.states }, (_, n) => n);
  const { decay } = form;
  const fading = range.scheduled === true && decay?.decoupled === true;
  return parameterKernel({
    name: `update.${form.name}${range.scheduled === true ? ".scheduled" : ""}.${dtype}`,
    buffers: {
      gradients: { ref: { input: 0 }, type },
      S: { ref: { input: 1 }, type: "u32" },
      parameters: { ref: { output: 0 }, type },
      ...Object.fromEntries(states.map((n) => [`state${n}`, { ref: { output: n + 1 }, type: STATE }])),
    },
    uniforms: { ...form.uniforms, ...fading && { fade: { f32: 1 - decay.factor } } },
    prelude: states.map((n) => `
fn load_state${n}(i: u32) -> vec4<f32> { return state${n}[i]; }
fn store_state${n}(i: u32, value: vec4<f32>) { state${n}[i] = value; }`).join(""),
    statements: `let gradient = vec4<f32>(gradients[i]) * scale;
    var p = vec4<f32>(parameters[i]);${range.scheduled === true ? scheduledUniforms(fading) : ""}
    ${form.body}
    parameters[i] = ${type}(p);`,
  }, range);
}

/** Returns code after which `u` is a copy with the learning rate of the current update. */
function scheduledUniforms(fading: boolean): string {
  return `
    var current = u;
    current.rate *= bitcast<f32>(S[${StepWord.rateFactor}]);${
    fading ? `\n    current.decay = 1.0 - u.fade * bitcast<f32>(S[${StepWord.rateFactor}]);` : ""
  }
    let u = current;`;
}

/**
 * Returns a kernel that updates the moving averages of the parameters: average = decay average + (1 - decay) p, and
 * average = p after the first update, as PyTorch's `AveragedModel` does. Averages are f32; f16 parameters also have a copy
 * of them in f16, which inference plans can read. A skipped step leaves the averages alone.
 *
 * Buffers: 0 parameters, 1 step state, 2 averages in f32, 3 their copy in f16 if parameters are f16.
 */
export function averageKernel(
  decay: number,
  range: { readonly dtype: FloatType; readonly vectors: number; readonly maxPerDimension: number },
): KernelSpec {
  const { dtype } = range;
  const type = `vec4<${dtype}>`;
  const copied = dtype === "f16";
  return parameterKernel({
    name: `update.average.${dtype}`,
    buffers: {
      parameters: { ref: { input: 0 }, type },
      S: { ref: { input: 1 }, type: "u32" },
      averages: { ref: { output: 0 }, type: "vec4<f32>" },
      ...copied && { copy: { ref: { output: 1 }, type } },
    },
    uniforms: { decay: { f32: decay }, rest: { f32: 1 - decay } },
    statements: `let p = vec4<f32>(parameters[i]);
    let average = select(u.decay * averages[i] + u.rest * p, p, S[${StepWord.updates}] <= 1u);
    averages[i] = average;${copied ? `\n    copy[i] = ${type}(average);` : ""}`,
  }, range);
}

/** Floating-point operations of weight decay per parameter, the gradient's unscaling included. */
export function decayFlops({ decoupled }: DecayForm): number {
  return decoupled ? 1 : 3;
}

/**
 * Returns a kernel that computes weight decay alone, to time it: the update kernel includes it. It reads and writes as much
 * as a separate pass would, and writes to the gradients, which are unused after the update.
 *
 * Buffers: 0 parameters, 1 step state, 2 gradients.
 */
export function decayKernel(form: DecayForm, range: UpdateRange): KernelSpec {
  const { dtype } = range;
  const type = `vec4<${dtype}>`;
  const decayed = `u.factor * vec4<f32>(parameters[i])`;
  return parameterKernel({
    name: `weight_decay${form.decoupled ? ".decoupled" : ""}.${dtype}`,
    buffers: {
      parameters: { ref: { input: 0 }, type },
      S: { ref: { input: 1 }, type: "u32" },
      gradients: { ref: { output: 0 }, type },
    },
    uniforms: { factor: { f32: form.factor } },
    statements: `gradients[i] = ${type}(${form.decoupled ? decayed : `vec4<f32>(gradients[i]) * scale + ${decayed}`});`,
  }, range);
}
