/**
 * Code for a chain of elementwise ops, and a kernel for it. Each step's code has its own block, which declares the
 * step's names for its inputs.
 *
 * @module
 */
import type { KernelOptions, KernelPlan } from "../../runtime/device/kernel.ts";
import { type FormNames, renderCode } from "../../runtime/graph/form_code.ts";
import type { ElementwiseForm, KernelContext } from "../../runtime/graph/op.ts";
import type { TensorType } from "../../runtime/graph/types.ts";
import { elementwise, type SpreadInput } from "./elementwise.ts";
import { isAligned, spreadInput } from "./elementwise_form.ts";
import type { FloatBuffer } from "./access.ts";
import { inputBuffer, outputBuffer } from "./tensors.ts";

/** Source of a step's value: an input of the chain or an earlier step. */
export type ChainSource = { readonly input: number } | { readonly step: number };

export interface ChainStep {
  readonly form: ElementwiseForm;
  /** One source per input of the form. */
  readonly sources: readonly ChainSource[];
}

export interface ChainAttrs {
  readonly steps: readonly ChainStep[];
  /** Steps whose values are outputs. */
  readonly outputs: readonly { readonly step: number; readonly type: TensorType }[];
}

/** Inputs and WGSL of a chain. The value of step n is `v<n>`. */
export interface ChainCode {
  /** Inputs in the order of the chain's elements. */
  readonly inputs: Readonly<Record<string, FloatBuffer>>;
  /** Inputs that are broadcast. */
  readonly spread: Readonly<Record<string, SpreadInput>>;
  /** Buffers that steps index themselves. */
  readonly buffers: KernelOptions["buffers"];
  readonly uniforms: NonNullable<KernelOptions["uniforms"]>;
  readonly prelude: string;
  readonly statements: string;
}

/** Returns the code of steps that compute elements of `space` from inputs of the given types. */
export function chainCode(steps: readonly ChainStep[], types: readonly TensorType[], space: TensorType): ChainCode {
  const buffers: Record<string, KernelOptions["buffers"][string]> = {};
  const inputs: Record<string, FloatBuffer> = {};
  const spread: Record<string, SpreadInput> = {};
  for (const { form, sources } of steps) {
    sources.forEach((source, i) => {
      if (!("input" in source)) return;
      const name = form.inputs[i]!;
      if (typeof name !== "string") buffers[bufferOf(source)] = { ref: { input: source.input }, type: name.type };
      else if (isAligned(types[source.input]!, space)) inputs[valueOf(source)] = inputBuffer(types, source.input);
      else spread[valueOf(source)] = spreadInput(types, source.input, space);
    });
  }
  const uniforms = Object.fromEntries(
    steps.flatMap(({ form }, n) => Object.entries(form.uniforms ?? {}).map(([key, value]) => [`${key}${n}`, value])),
  );
  return {
    inputs,
    spread,
    buffers,
    uniforms,
    prelude: [...new Set(steps.flatMap(({ form }) => form.prelude ?? []))].join("\n"),
    statements: steps.map(stepCode).join("\n    "),
  };
}

export function chainKernel({ steps, outputs }: ChainAttrs, context: KernelContext<ChainAttrs>): KernelPlan {
  return elementwise({
    name: `elementwise.${chainName(steps)}`,
    traits: context.traits,
    type: context.outputs[0]!,
    ...chainCode(steps, context.inputs, context.outputs[0]!),
    outputs: Object.fromEntries(
      outputs.map((
        { step },
        i,
      ) => [`out${i}`, { ...outputBuffer(context.outputs, i, context.over), value: `v${step}` }]),
    ),
  });
}

/** Returns the names of the steps, such as `mul+add`. */
export function chainName(steps: readonly ChainStep[]): string {
  return steps.map(({ form }) => form.name).join("+");
}

/** Returns the types of the script's own ops among the steps. */
export function ownOpsOf(steps: readonly ChainStep[]): string[] {
  return [...new Set(steps.flatMap(({ form }) => form.own ?? []))];
}

function stepCode({ form, sources }: ChainStep, n: number): string {
  const inputs = form.inputs.flatMap((name, i) =>
    typeof name === "string" ? [`let ${name} = ${valueOf(sources[i]!)};`] : []
  );
  const names: FormNames = {
    uniform: (field) => `u.${field}${n}`,
    buffer: (name) =>
      bufferOf(sources[form.inputs.findIndex((input) => typeof input !== "string" && input.buffer === name)]!),
  };
  return `var v${n}: vec4<f32>;
    { ${[...inputs, renderCode(form.statements, names)].join(" ")} v${n} = ${renderCode(form.value, names)}; }`;
}

function valueOf(source: ChainSource): string {
  return "input" in source ? `in${source.input}` : `v${source.step}`;
}

function bufferOf(source: ChainSource): string {
  if (!("input" in source)) throw new Error("A step of a chain can index a buffer only if it is an input of the chain");
  return `raw${source.input}`;
}
