import { ci } from "./ci.ts";
import { ownModel } from "./own_model.ts";
import { resnet } from "./resnet.ts";
import type { Template } from "./template.ts";

/** Templates of `tacho init`; the first is the default. */
export const TEMPLATES: readonly [Template, ...Template[]] = [resnet, ownModel, ci];
