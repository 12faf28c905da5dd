/**
 * Generates the types of records and options of factories, such as `sgd` and `cifar10`, with their descriptions and
 * defaults as doc comments, from the schemas of the records.
 *
 * @module
 */
import { dirname, join, relative } from "node:path/posix";
import { z } from "zod";
import { commonFields } from "../../runtime/data/sources/source_def.ts";
import { dataSchema } from "../../runtime/data/sources/sources.ts";
import { transformSchema } from "../../runtime/data/transforms/schema.ts";
import { initializerSchema } from "../../runtime/nn/initializers.ts";
import { LOSSES } from "../../runtime/nn/losses.ts";
import { OPTIMIZERS } from "../../runtime/nn/optimizers.ts";
import { SCHEDULES } from "../../runtime/nn/schedules.ts";
import { format } from "./format.ts";
import { type Declared, fieldsOf, typeOf } from "./schema_text.ts";

/** A generated file with the types of all records of one sort. */
export interface RecordFile {
  /** Path relative to the root. */
  readonly path: string;
  /** Name of the records in comments, in the plural. */
  readonly what: string;
  /** Type of any of the records. */
  readonly union: string;
  readonly schemas: readonly z.ZodObject[];
  readonly imports?: readonly string[];
  /** Fields that all records have, which make interfaces of their own. */
  readonly common?: CommonFields;
  /** Returns true for a field that the options of a factory have; by default all fields except `kind`. */
  readonly isOption?: (kind: string, field: string, schema: z.core.$ZodType) => boolean;
  readonly declared?: Declared;
}

interface CommonFields {
  readonly shape: z.core.$ZodShape;
  readonly spec: string;
  readonly options: string;
  /** Doc comment of the options. */
  readonly doc: string;
}

/** Arguments of transforms that are not in the options. */
const POSITIONAL: Readonly<Record<string, readonly string[]>> = {
  centerCrop: ["size"],
  cutout: ["size"],
  normalize: ["mean", "std"],
  randomCrop: ["size"],
  randomResizedCrop: ["size"],
  rescale: ["scale", "shift"],
  resize: ["size"],
};

/** Factories whose options are not the fields of their records. */
const WRITTEN = ["map", "source", "tensors"];

export const RECORD_TYPES: readonly RecordFile[] = [
  {
    path: "runtime/nn/initializer_types.ts",
    what: "initialisers",
    union: "InitializerSpec",
    schemas: initializerSchema.options,
    isOption: () => false,
  },
  { path: "runtime/nn/losses/types.ts", what: "losses", union: "FactoryLossSpec", schemas: schemasOf(LOSSES) },
  {
    path: "runtime/nn/optimizers/types.ts",
    what: "optimizers",
    union: "OptimizerSpec",
    schemas: schemasOf(OPTIMIZERS),
  },
  { path: "runtime/nn/schedules/types.ts", what: "schedules", union: "ScheduleSpec", schemas: schemasOf(SCHEDULES) },
  {
    path: "runtime/data/transforms/types.ts",
    what: "transforms",
    union: "TransformSpec",
    schemas: transformSchema.options,
    common: {
      shape: { delay: transformSchema.options[0].shape.delay },
      spec: "CommonTransformSpec",
      options: "DelayOption",
      doc: "Options of every transform",
    },
    isOption: (kind, field) => !WRITTEN.includes(kind) && POSITIONAL[kind]?.includes(field) !== true,
  },
  {
    path: "runtime/data/sources/types.ts",
    what: "data sources",
    union: "DataSpec",
    schemas: dataSchema.options,
    imports: ['import type { TransformSpec } from "../transforms/types.ts";'],
    common: {
      shape: commonFields,
      spec: "CommonSourceSpec",
      options: "CommonOptions",
      doc: "Options of every data source",
    },
    // A unit with one value only is no option
    isOption: (kind, _field, schema) => !WRITTEN.includes(kind) && !hasOneValue(schema),
    declared: new Map([[transformSchema, "TransformSpec"]]),
  },
];

/** Generates a file, formatted. */
export async function generateRecordTypes(file: RecordFile): Promise<string> {
  const { what, union, schemas, imports = [], common, declared } = file;
  const kinds = schemas.map((schema) => kindOf(schema));
  const declarations = schemas.flatMap((schema) => interfaces(schema, file));
  const core = join(relative(dirname(file.path), "runtime/core"), "resolved.ts");
  const parts = [
    `/**\n * Types of ${what}. Generated from their schemas by: deno task types\n *\n * @module\n */`,
    [
      ...declarations.some((text) => text.includes("Resolved<")) ? [`import type { Resolved } from "${core}";`] : [],
      ...imports,
    ].join("\n"),
    ...common === undefined ? [] : [
      `/** Fields of every record. */\nexport interface ${common.spec} {\n${
        fieldsOf(common.shape, "output", declared)
      }\n}`,
      `/** ${common.doc}. */\nexport interface ${common.options} {\n${fieldsOf(common.shape, "input", declared)}\n}`,
    ],
    ...declarations,
    `/** Record of any of the ${what}. */\nexport type ${union} = ${
      kinds.map((kind) => `${nameOf(kind)}Spec`).join(" | ")
    };`,
  ];
  return await format(`${parts.join("\n\n")}\n`);
}

/** Declares the options of a record, and the record as these options with the defaults filled in and its other fields. */
function interfaces(schema: z.ZodObject, { common, isOption = () => true, declared }: RecordFile): string[] {
  const kind = kindOf(schema);
  const name = nameOf(kind);
  const own = Object.entries(schema.shape).filter(([name]) => common === undefined || !(name in common.shape));
  const options = own.filter(([name, field]) => name !== "kind" && isOption(kind, name, field));
  const resolved = options.filter(([, field]) =>
    typeOf(field, "input", declared) === typeOf(field, "output", declared)
  );
  const rest = own.filter((field) => !resolved.includes(field));
  const base = common === undefined ? [] : [common.options];
  const parents = [
    ...common === undefined ? [] : [common.spec],
    ...resolved.length === 0 ? [] : [`Resolved<${[`${name}Options`, ...base].join(", ")}>`],
  ];
  const declare = (name: string, parents: readonly string[], fields: typeof own, side: "input" | "output") =>
    `export interface ${name} ${parents.length === 0 ? "" : `extends ${parents.join(", ")} `}{\n${
      fieldsOf(Object.fromEntries(fields), side, declared)
    }\n}`;
  return [
    `/** Record that \`${kind}\` returns. */\n${declare(`${name}Spec`, parents, rest, "output")}`,
    ...options.length === 0
      ? []
      : [`/** Options of \`${kind}\`. */\n${declare(`${name}Options`, base, options, "input")}`],
  ];
}

function schemasOf(definitions: readonly { readonly schema: z.ZodObject }[]): z.ZodObject[] {
  return definitions.map(({ schema }) => schema);
}

function kindOf({ shape }: z.ZodObject): string {
  return String((shape["kind"] as z.ZodLiteral).value);
}

function nameOf(kind: string): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}

function hasOneValue(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodDefault && schema.def.innerType instanceof z.ZodLiteral;
}
