/**
 * The grammar of the text stand-in. Each line is a name, one or two clauses, and the same name again:
 *
 *     mako: some old dogs {that this cat sees} follow the red bird; a king hears these boats, says mako.
 *
 * The next character depends on more than the previous one: the rest of a word on its start, the verb's ending on the
 * number of its subject before a relative clause, the closing bracket on the opening one, and the name at the end on the
 * name at the start. Each line has a single derivation, so its probability is the product of those of its choices.
 *
 * @module
 */
import { RandomStream, streamKey } from "../../core/random.ts";
import { TEXT_VERSION } from "./cache.ts";

const LINE_KEY = streamKey(TEXT_VERSION, "data/standin/text");

const CONSONANTS = "bdfgklmnprstvz";
const VOWELS = "aeiou";

const BRACKETS = [["(", ")"], ["[", "]"], ["{", "}"], ["<", ">"]] as const;

const SINGULAR = ["a", "the", "this", "every"];
const PLURAL = ["some", "the", "these", "many"];

const ADJECTIVES = ["old", "red", "small", "quiet", "brave", "green", "young", "blind", "proud", "clever"];

const NOUNS = [
  ...["dog", "cat", "bird", "king", "boat", "river", "teacher", "farmer", "doctor", "tree", "horse", "singer", "stone"],
  ...["cloud", "garden", "queen"],
];

const VERBS = ["see", "hear", "follow", "like", "find", "call", "help", "paint", "want", "know", "greet", "leave"];

/** Probability of an adjective, a relative clause, a relative clause inside another, and a second clause. */
const ADJECTIVE = 0.3;
const RELATIVE = 0.45;
const NESTED = 0.2;
const SECOND = 0.4;

/** Most relative clauses inside each other. */
const DEPTH = 2;

/** Line of the text, and its information content: minus the logarithm of its probability, in nats. */
export interface Line {
  readonly text: string;
  readonly nats: number;
}

/** Draws a line of the text. */
export function drawLine(index: number): Line {
  const draw = new Draw(new RandomStream(LINE_KEY, index));
  const name = [CONSONANTS, VOWELS, CONSONANTS, VOWELS].map((letters) => draw.one([...letters])).join("");
  const clauses = draw.chance(SECOND) ? [clause(draw), clause(draw)] : [clause(draw)];
  return { text: `${name}: ${clauses.join("; ")}, says ${name}.\n`, nats: draw.nats };
}

/** Choices, with their information content. */
class Draw {
  nats = 0;
  readonly #random: RandomStream;

  constructor(random: RandomStream) {
    this.#random = random;
  }

  one<T>(choices: readonly T[]): T {
    this.nats += Math.log(choices.length);
    return choices[this.#random.below(choices.length)]!;
  }

  chance(probability: number): boolean {
    const happens = this.#random.uniform() < probability;
    this.nats -= Math.log(happens ? probability : 1 - probability);
    return happens;
  }
}

/** A subject, its verb and an object. */
function clause(draw: Draw): string {
  const subject = nounPhrase(draw, 0);
  return `${subject.text} ${verb(draw, subject.plural)} ${nounPhrase(draw, 0).text}`;
}

interface NounPhrase {
  readonly text: string;
  readonly plural: boolean;
}

/** A determiner, perhaps an adjective, a noun, and perhaps a relative clause in brackets. */
function nounPhrase(draw: Draw, depth: number): NounPhrase {
  const plural = draw.chance(0.5);
  const words = [draw.one(plural ? PLURAL : SINGULAR)];
  if (draw.chance(ADJECTIVE)) words.push(draw.one(ADJECTIVES));
  words.push(`${draw.one(NOUNS)}${plural ? "s" : ""}`);
  if (depth < DEPTH && draw.chance(depth === 0 ? RELATIVE : NESTED)) words.push(relative(draw, plural, depth + 1));
  return { text: words.join(" "), plural };
}

/** `that follows a dog`, whose verb agrees with the noun before it, or `that a dog follows`, whose verb does not. */
function relative(draw: Draw, plural: boolean, depth: number): string {
  const [open, close] = draw.one(BRACKETS);
  if (draw.chance(0.5)) return `${open}that ${verb(draw, plural)} ${nounPhrase(draw, depth).text}${close}`;
  const subject = nounPhrase(draw, depth);
  return `${open}that ${subject.text} ${verb(draw, subject.plural)}${close}`;
}

function verb(draw: Draw, plural: boolean): string {
  return `${draw.one(VERBS)}${plural ? "" : "s"}`;
}
