import { branches } from "./branches.ts";
import type { ModelCase } from "./case.ts";
import { depthwise } from "./depthwise.ts";
import { lenet } from "./lenet.ts";
import { classifier, regression } from "./perceptron.ts";
import { resnet20 } from "./resnet20.ts";

/** Whole networks that together cover every layer, loss and optimizer. */
export const CASES: readonly ModelCase[] = [branches, lenet, classifier, regression, depthwise, resnet20];
