import { fieldOf } from "../../record/copies.ts";
import type { VariantResult } from "../../result/schema.ts";
import { MISSING } from "../format.ts";
import { nncEntries, type NncEntry } from "../nnc_entries.ts";
import { nameText } from "../plain_text.ts";
import { type DialectRenderer, fusedNotes, loadingNotes } from "./renderer.ts";

/** Longest name in a line. */
const LONGEST_NAME = 120;

/** Renders the log of Sony's Neural Network Console: `forward_function (conv1 : Convolution : in_place) 0.061000(ms)`. */
export const renderNnc: DialectRenderer = (variant) => {
  const decays = variant.profile?.weightDecay != null;
  const entries = nncEntries(variant);
  return {
    lines: [
      `Profiling optimizer '${name(optimizerOf(entries))}' with network '${name(networkOf(variant))}' ...`,
      ...entries.map((entry) => `${title(entry)} ${entry.ms === null ? MISSING : entry.ms.toFixed(6)}(ms)`),
      "Profile Completed.",
    ],
    notes: [
      ...timedFields(variant) ? [] : ["let_data includes the targets"],
      "gradients are overwritten, never zeroed, so both backward_all are equal",
      ...decays ? ["weight_decay is timed alone after each profiled step; update includes it"] : [],
      ...loadingNotes(variant),
      ...fusedNotes(variant),
      "functions show medians of profiled steps; forward_all, backward_all and update those of measured ones",
    ],
  };
};

function title({ function: name_, layer, type, inPlace }: NncEntry): string {
  const [owner, kind] = [name(layer), name(type)];
  switch (name_) {
    case "let_data":
      return `let_data (${owner} to ${kind})`;
    case "generate_data":
    case "weight_decay":
    case "update":
      return `${name_} (${owner})`;
    case "setup_function":
      return `setup_function (${owner} : ${kind})`;
    case "forward_function":
    case "backward_function":
      return `${name_} (${owner} : ${kind}${inPlace ? " : in_place" : ""})`;
    default:
      return name_;
  }
}

function name(text: string): string {
  return nameText(text, LONGEST_NAME);
}

/** Returns true if the fields of a batch were timed one by one. */
function timedFields({ profile }: VariantResult): boolean {
  return profile?.host.some(({ name }) => fieldOf(name) !== null) === true;
}

function optimizerOf(entries: readonly NncEntry[]): string {
  return entries.find((entry) => entry.function === "update")?.layer ?? "none";
}

function networkOf({ config, name }: VariantResult): string {
  return config.model ?? name;
}
