/**
 * Generates the types of results, as declarations that need no inference, from the schemas: the compiler resolves each
 * exported `z.infer<typeof schema>`, and doc comments of the schemas' fields become those of the declarations.
 *
 * @module
 */
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "../packages/typescript.ts";
import { format } from "./format.ts";

const root = join(import.meta.dirname!, "../..");

/** The generated file, relative to the root. */
export const RESULT_TYPES = "runtime/result/types.ts";

/** Modules with the schemas, besides those in the folder of the generated file. */
const OTHER_MODULES = ["runtime/record/peaks.ts"];

/** A type to declare. */
interface Named {
  readonly name: string;
  readonly type: ts.Type;
  /** Lines of the doc comment; empty without one. */
  readonly doc: string;
}

/** Generates the file, formatted. */
export async function generateResultTypes(): Promise<string> {
  const folder = dirname(RESULT_TYPES);
  const modules = [...Deno.readDirSync(join(root, folder))].map(({ name }) => `${folder}/${name}`)
    .filter((module) => module !== RESULT_TYPES).sort();
  const program = createProgram([...modules, ...OTHER_MODULES].map((module) => join(root, module)));
  const writer = new Writer(program.getTypeChecker(), namedTypes(program));
  const declarations = writer.declarations();
  const code = [
    `/**\n * Types of results. Generated from the schemas in this folder by: deno task types\n *\n * @module\n */`,
    ['import type { z } from "zod";', ...writer.imports()].join("\n"),
    ...declarations,
  ];
  return await format(`${code.join("\n\n")}\n`);
}

function createProgram(files: readonly string[]): ts.Program {
  const zod = dirname(fileURLToPath(import.meta.resolve("zod")));
  return ts.createProgram([...files], {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
    paths: { zod: [join(zod, "index.d.ts")] },
  });
}

/** Returns the types that the modules export by name, in order: those of schemas and of annotated schemas. */
function namedTypes(program: ts.Program): Named[] {
  const checker = program.getTypeChecker();
  const files = program.getSourceFiles().filter(({ fileName }) => {
    const module = relative(root, fileName);
    return module !== RESULT_TYPES && (dirname(module) === dirname(RESULT_TYPES) || OTHER_MODULES.includes(module));
  });
  return files.flatMap((file) => file.statements.flatMap((statement) => namedIn(statement, checker)));
}

function namedIn(statement: ts.Statement, checker: ts.TypeChecker): Named[] {
  // Others are written without schemas
  if (ts.isTypeAliasDeclaration(statement) && isExported(statement) && /z\.infer<|\[/.test(statement.type.getText())) {
    const symbol = checker.getSymbolAtLocation(statement.name)!;
    const doc = docOf(symbol, checker) || docOfSchema(statement.type, checker);
    return [{ name: statement.name.text, type: checker.getTypeAtLocation(statement), doc }];
  }
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name, type, initializer }) => {
    const annotated = type?.getText().match(/^z\.ZodType<(\w+)>$/)?.[1];
    if (annotated === undefined || initializer === undefined) return [];
    const given = ts.isTypeReferenceNode(type!)
      ? checker.getTypeFromTypeNode(type.typeArguments![0]!).symbol
      : undefined;
    if (given !== undefined && writtenIn(given) !== null) return [];
    const output = outputOf(checker.getTypeAtLocation(initializer), checker);
    return [{ name: annotated, type: output, doc: docOf(checker.getSymbolAtLocation(name)!, checker) }];
  });
}

function isExported(statement: ts.TypeAliasDeclaration): boolean {
  return statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

/** Returns the type of a schema's values. */
function outputOf(schema: ts.Type, checker: ts.TypeChecker): ts.Type {
  const internals = checker.getTypeOfSymbol(checker.getPropertyOfType(schema, "_zod")!);
  return checker.getTypeOfSymbol(checker.getPropertyOfType(internals, "output")!);
}

/** Returns the doc comment of the schema in `z.infer<typeof schema>`. */
function docOfSchema(type: ts.TypeNode, checker: ts.TypeChecker): string {
  const query = ts.isTypeReferenceNode(type) ? type.typeArguments?.[0] : undefined;
  if (query === undefined || !ts.isTypeQueryNode(query)) return "";
  return docOf(checker.getSymbolAtLocation(query.exprName)!, checker);
}

function docOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker));
}

function comment(doc: string): string {
  if (doc === "") return "";
  const lines = doc.replace(/^Schema of (\w)/, (_, first) => first.toUpperCase()).split("\n");
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}`).join("\n")}\n */\n`;
}

/** Writes types as TypeScript. */
class Writer {
  readonly #checker: ts.TypeChecker;
  readonly #named: readonly Named[];
  readonly #names: ReadonlyMap<ts.Type, string>;
  /** Written types that the declarations name, with their modules. */
  readonly #written = new Map<string, string>();

  constructor(checker: ts.TypeChecker, named: readonly Named[]) {
    this.#checker = checker;
    this.#named = named;
    // Literals and primitives have no identity of their own
    const own = named.filter(({ type }) => (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Union)) !== 0);
    this.#names = new Map(own.toReversed().map(({ name, type }) => [type, name]));
  }

  /** Declares all named types, in alphabetical order. */
  declarations(): string[] {
    return this.#named.toSorted((a, b) => a.name < b.name ? -1 : 1).map(({ name, type, doc }) => {
      const other = this.#names.get(type);
      const body = other === undefined || other === name ? this.#structure(type) : other;
      const declared = body.startsWith("{") && this.#isRecord(type)
        ? `export interface ${name} ${body}`
        : `export type ${name} = ${body};`;
      return comment(doc) + declared;
    });
  }

  /** Imports the written types that the declarations name. */
  imports(): string[] {
    return [...this.#written].map(([name, module]) => `import type { ${name} } from "./${basename(module)}";`);
  }

  #isRecord(type: ts.Type): boolean {
    return (type.flags & ts.TypeFlags.Object) !== 0;
  }

  /** Writes a type by name if it has one. */
  #text(type: ts.Type): string {
    return this.#names.get(type) ?? generatedName(type) ?? this.#writtenName(type) ?? this.#structure(type);
  }

  /** Returns the name of an interface that is written beside the schemas; null for other types. */
  #writtenName(type: ts.Type): string | null {
    const module = type.symbol === undefined ? null : writtenIn(type.symbol);
    if (module !== null) this.#written.set(type.symbol.name, module);
    return module === null ? null : type.symbol.name;
  }

  #structure(type: ts.Type): string {
    const checker = this.#checker;
    if (this.#isJson(type)) return "z.core.util.JSONType";
    if ((type.flags & ts.TypeFlags.Boolean) !== 0) return "boolean";
    if (type.isUnion()) return this.#union(type);
    if (checker.isArrayType(type) || checker.isTupleType(type)) return this.#list(type as ts.TypeReference);
    if (!this.#isRecord(type)) return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
    if (type.symbol?.declarations?.some(isDeclaredElsewhere) === true && type.isClassOrInterface()) {
      throw new Error(`${type.symbol.name}: no declaration for a type from another module`);
    }
    return this.#record(type);
  }

  /** Returns true for the values of `z.json()`, a union with lists of itself. */
  #isJson(type: ts.Type): boolean {
    return type.isUnion() &&
      type.types.some((part) =>
        this.#checker.isArrayType(part) && this.#checker.getTypeArguments(part as ts.TypeReference)[0] === type
      );
  }

  #union(type: ts.UnionType): string {
    // A union of a named union and other types remembers its parts
    const { origin } = type as { origin?: ts.Type };
    const parts = (origin?.isUnion() === true ? origin : type).types.filter((part) => !isMissing(part));
    const isNamed = (part: ts.Type) => this.#names.has(part) && this.#names.get(part) !== this.#names.get(type);
    const booleans = parts.filter((part) => (part.flags & ts.TypeFlags.BooleanLiteral) !== 0);
    const texts = parts.filter((part) => !booleans.includes(part)).map((part) => {
      const text = isNamed(part) ? this.#names.get(part)! : this.#writtenName(part) ?? this.#structure(part);
      return { text, last: (part.flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) !== 0 };
    });
    if (booleans.length === 2) texts.push({ text: "boolean", last: false });
    else booleans.forEach((part) => texts.push({ text: this.#checker.typeToString(part), last: false }));
    return [...new Set(texts.toSorted(byPlace).map(({ text }) => text))].join(" | ");
  }

  #list(type: ts.TypeReference): string {
    const parts = this.#checker.getTypeArguments(type).map((part) => this.#text(part));
    if (this.#checker.isTupleType(type)) return `[${parts.join(", ")}]`;
    const readonly = type.symbol.name === "ReadonlyArray" ? "readonly " : "";
    return `${readonly}${/[ |{]/.test(parts[0]!) ? `(${parts[0]})` : parts[0]}[]`;
  }

  #record(type: ts.Type): string {
    const checker = this.#checker;
    const fields = checker.getPropertiesOfType(type).map((property) => {
      const optional = (property.flags & ts.SymbolFlags.Optional) !== 0 ? "?" : "";
      const text = this.#text(checker.getTypeOfSymbol(property));
      return `${comment(docOf(property, checker))}${
        isReadonly(property) ? "readonly " : ""
      }${property.name}${optional}: ${text};`;
    });
    const indices = checker.getIndexInfosOfType(type).map(({ keyType, type: value }) =>
      `[name: ${checker.typeToString(keyType)}]: ${this.#text(value)};`
    );
    return `{\n${[...fields, ...indices].join("\n")}\n}`;
  }
}

/** Returns the module beside the schemas that declares an interface by hand; null for other symbols. */
function writtenIn(symbol: ts.Symbol): string | null {
  const declaration = symbol.declarations?.find(ts.isInterfaceDeclaration);
  const module = declaration && relative(root, declaration.getSourceFile().fileName);
  return module !== undefined && module !== RESULT_TYPES && dirname(module) === dirname(RESULT_TYPES) ? module : null;
}

/** Returns the name of a type that the generated file declares, for schemas that are annotated with it. */
function generatedName(type: ts.Type): string | null {
  const symbol = type.aliasSymbol ?? type.symbol;
  const files = symbol?.declarations?.map((declaration) => relative(root, declaration.getSourceFile().fileName));
  return files?.includes(RESULT_TYPES) === true && symbol!.name !== "__type" ? symbol!.name : null;
}

/** Returns true for the type of a field that is missing, which the compiler tells apart from undefined. */
function isMissing(type: ts.Type): boolean {
  return (type as { debugIntrinsicName?: string }).debugIntrinsicName === "missing";
}

/** Bit of the compiler's `CheckFlags` for a property that a mapped type makes read-only. */
const READONLY = 1 << 3;

function isReadonly(property: ts.Symbol): boolean {
  const { links } = property as { links?: { checkFlags?: number } };
  return ((links?.checkFlags ?? 0) & READONLY) !== 0;
}

/** Orders the parts of a union: by text, but null and undefined last. */
function byPlace(a: { text: string; last: boolean }, b: { text: string; last: boolean }): number {
  return Number(a.last) - Number(b.last) || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0);
}

function isDeclaredElsewhere(declaration: ts.Declaration): boolean {
  const module = relative(root, declaration.getSourceFile().fileName);
  return dirname(module) !== dirname(RESULT_TYPES) && !OTHER_MODULES.includes(module);
}
