import { adam, adamW, sgd } from "../../mod.ts";
import { adam as referenceAdam, sgd as referenceSgd } from "../support/reference/optimizers.ts";
import type { ModelCase } from "./case.ts";

type Optimizer = ModelCase["optimizer"];

export function bySgd(settings: Parameters<typeof referenceSgd>[0]): Optimizer {
  return { spec: sgd(settings), reference: () => referenceSgd(settings) };
}

export function byAdam(settings: Parameters<typeof referenceAdam>[0]): Optimizer {
  return { spec: adam(settings), reference: () => referenceAdam(settings) };
}

export function byAdamW(settings: Parameters<typeof referenceAdam>[0]): Optimizer {
  return { spec: adamW(settings), reference: () => referenceAdam({ ...settings, decoupled: true }) };
}
