/**
 * Compiles schemas to code: for each schema a function that decodes a valid value in one pass and gives up on any
 * other.
 *
 * A schema is traversed once and written as JavaScript: a record becomes a function that reads each field by name,
 * checks it in place, and builds the result with `this.name = ...`, so that the engine knows its shape; a union becomes
 * a `switch` over its discriminating field; a list becomes a loop. A page of 1,000 transfers is thus decoded in
 * half the time of its `JSON.parse`. `effect/Schema` takes 25 times as long; composing functions at run time, instead
 * of compiling code, took 5 times as long (`npx -y pnpm@10.34.9 bench reader`).
 *
 * Parts that are not compiled (classes, tuples, templates, parse options, ...) become calls to `effect/Schema` within
 * the code. A part that refuses its value returns `no`; then the next member of a union is tried, and finally the
 * schema itself, which reports what is wrong. Where the code can't know what the schema would do, as for a field that
 * is present but undefined, it throws `useSchema`, and the schema decodes the whole value.
 *
 * Only field names and string literals of a schema get into the code's text, both through `JSON.stringify`. Everything
 * else is passed as a constant. Where a policy forbids code generation, nothing is compiled and the schema decodes
 * everything. Bundles for browsers and Workers hold `uncompiled.ts` instead of this module.
 */
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as plan from "./plan.js"

const options: AST.ParseOptions = {}

/** Thrown where it is not clear whether a value is valid: then the schema decodes the whole value. */
const useSchema = { _tag: "@effect-klaytn/core/UseSchema" }

/** The result of a part that the schema decodes. One that returns an effect has no result yet. */
const rightOrFallback = (result: unknown): unknown => {
  if (!Either.isEither(result)) throw useSchema
  return Either.isRight(result) ? result.right : plan.fallback
}

/** Decodes a part with `effect/Schema`. */
const bySchema = (ast: AST.AST): plan.Reader => {
  const decode = ParseResult.decodeUnknownEither(Schema.make<unknown, unknown>(ast))
  return (value) => rightOrFallback(decode(value))
}

/**
 * The code of a part of a schema, given the name of a variable that holds the value: a condition under which the value
 * is valid as is, or an expression for the decoded value or `no`.
 */
interface Part {
  readonly _tag: "Check" | "Make"
  readonly code: (value: string) => string
}

const check = (code: (value: string) => string): Part => ({ _tag: "Check", code })
const make = (code: (value: string) => string): Part => ({ _tag: "Make", code })

/** An expression for the decoded value of a part, or `no`. */
const valueOf = ({ _tag, code }: Part, value: string): string =>
  _tag === "Check" ? `(${code(value)} ? ${value} : no)` : code(value)

const quote = (name: PropertyKey): string => JSON.stringify(String(name))

/** What `typeof` says of the values of a schema. */
const typeNames = {
  StringKeyword: "string",
  NumberKeyword: "number",
  BooleanKeyword: "boolean",
  BigIntKeyword: "bigint",
  UndefinedKeyword: "undefined"
}

/** Generates the code of one schema. */
class Writer {
  readonly #constants: Array<unknown> = []
  readonly #places = new Map<unknown, string>()
  readonly #functions: Array<string> = []
  readonly #parts = new Map<AST.AST, Part>()

  constructor(
    private readonly compile: plan.Compile,
    /** The plain function that reads a part, if it has one. */
    private readonly plainReader: (ast: AST.AST) => plan.Reader | undefined
  ) {}

  /** Compiles the reader of a schema. */
  read(ast: AST.AST): plan.Reader {
    const result = valueOf(this.#part(ast), "value")
    const names = this.#constants.map((_, i) => `c${i}`)
    const text = `"use strict"
const { no, useSchema, isArray, hasOwn, shallow, right, options, none, some } = runtime
const [${names.join(", ")}] = constants
${this.#functions.join("\n")}
return (value) => ${result}`
    return new Function("runtime", "constants", text)(runtime, this.#constants)
  }

  /** The name of a constant that is passed to the code. */
  #constant(value: unknown): string {
    const known = this.#places.get(value)
    if (known !== undefined) return known
    const name = `c${this.#constants.push(value) - 1}`
    this.#places.set(value, name)
    return name
  }

  /** Adds a function of one value to the code. */
  #function(body: string): Part {
    const name = `f${this.#functions.length}`
    this.#functions.push(`function ${name}(value) {\n${body}\n}`)
    return make((value) => `${name}(${value})`)
  }

  /**
   * A part that is compiled separately at first use: a recursive schema would never end, and most programs meet only
   * some members of a large union.
   */
  #later(ast: AST.AST): Part {
    let read: plan.Reader | undefined
    return this.#called((value) => (read ??= this.compile(AST.isSuspend(ast) ? ast.f() : ast))(value))
  }

  #called(read: plan.Reader): Part {
    const name = this.#constant(read)
    return make((value) => `${name}(${value})`)
  }

  #part(ast: AST.AST): Part {
    const known = this.#parts.get(ast)
    if (known !== undefined) return known
    const custom = this.plainReader(ast)
    const made = custom !== undefined
      ? this.#called(custom)
      : plan.isSpecial(ast)
      ? this.#called(bySchema(ast))
      : this.#own(ast)
    this.#parts.set(ast, made)
    return made
  }

  #own(ast: AST.AST): Part {
    switch (ast._tag) {
      case "UnknownKeyword":
      case "AnyKeyword":
      case "VoidKeyword":
        return check((value) => `(typeof ${value} !== "object" || shallow(${value}))`)
      case "StringKeyword":
      case "NumberKeyword":
      case "BooleanKeyword":
      case "BigIntKeyword":
      case "UndefinedKeyword":
        return check((value) => `typeof ${value} === "${typeNames[ast._tag]}"`)
      case "Literal": {
        const literal = this.#literal(ast.literal)
        return check((value) => `${value} === ${literal}`)
      }
      case "Refinement":
        return this.#refinement(ast)
      case "Transformation":
        return this.#transformation(ast)
      case "TypeLiteral":
        return this.#typeLiteral(ast)
      case "TupleType":
        return this.#list(ast)
      case "Union":
        return this.#union(ast)
      case "Suspend":
        return this.#later(ast)
      case "Declaration": {
        const parse = ast.decodeUnknown(...ast.typeParameters)
        return this.#called((value) => rightOrFallback(parse(value, options, ast)))
      }
      default:
        return this.#called(bySchema(ast))
    }
  }

  #literal(literal: AST.LiteralValue): string {
    return typeof literal === "string" ? JSON.stringify(literal) : this.#constant(literal)
  }

  #refinement(ast: AST.Refinement): Part {
    const from = this.#part(ast.from)
    const filter = this.#constant(ast.filter)
    const self = this.#constant(ast)
    const passes = (value: string) => `${filter}(${value}, options, ${self})._tag === "None"`
    return from._tag === "Check"
      ? check((value) => `${from.code(value)} && ${passes(value)}`)
      : this.#function(`const made = ${from.code("value")}
return made !== no && ${passes("made")} ? made : no`)
  }

  #transformation(ast: AST.Transformation, isPassing = false): Part {
    const { from, to, transformation } = ast
    const found = plan.recordPlan(ast)
    if (found !== undefined) return this.#record(found)
    if (transformation._tag === "TypeLiteralTransformation") return this.#called(bySchema(ast))
    const decode = transformation._tag === "FinalTransformation" ? transformation.decode : undefined
    if (decode !== undefined && AST.isLiteral(from) && AST.isLiteral(to)) {
      // A literal always decodes to the same value.
      return rightOrFallback(decode(from.literal, options, ast, from.literal)) === to.literal
        ? make((value) => `(${value} === ${this.#literal(from.literal)} ? ${this.#literal(to.literal)} : no)`)
        : this.#called(bySchema(ast))
    }
    const change = decode === undefined
      ? "first"
      : `right(${this.#constant(decode)}(first, options, ${this.#constant(ast)}, value))`
    const source = plan.isAny(from)
      ? "value"
      : valueOf(AST.isTransformation(from) ? this.#passing(from) : this.#part(from), "value")
    const isValid = plan.alwaysValid.has(ast) || (isPassing && plan.isAny(to))
    return this.#function(`const first = ${source}
if (first === no) return no
const made = ${change}
return made === no ? no : ${isValid ? "made" : valueOf(this.#part(to), "made")}`)
  }

  /** The first step of another transformation: the depth of an unknown value is checked after the latter. */
  #passing(ast: AST.Transformation): Part {
    return plan.isAny(ast.to) && this.plainReader(ast) === undefined && !plan.isSpecial(ast)
      ? this.#transformation(ast, true)
      : this.#part(ast)
  }

  #list(ast: AST.TupleType): Part {
    const [rest, ...others] = ast.rest
    if (ast.elements.length > 0 || rest === undefined || others.length > 0) return this.#called(bySchema(ast))
    const item = this.#part(rest.type)
    return this.#function(`if (!isArray(value)) return no
const list = []
for (let i = 0; i < value.length; i++) {
const item = value[i]
${this.#bound(item, "item", "made")}
list.push(${item._tag === "Check" ? "item" : "made"})
}
return list`)
  }

  /** Decodes one variable into another, or only checks it if it is valid as is. */
  #bound(part: Part, from: string, to: string): string {
    return part._tag === "Check"
      ? `if (!(${part.code(from)})) return no`
      : `const ${to} = ${part.code(from)}\nif (${to} === no) return no`
  }

  /** The same for a variable that is only decoded under a condition, and else stays as it is. */
  #boundIf(condition: string, part: Part, from: string, to: string): string {
    return part._tag === "Check"
      ? `if (${condition} && !(${part.code(from)})) return no`
      : `let ${to} = ${from}
if (${condition}) {
${to} = ${part.code(from)}
if (${to} === no) return no
if (${to} === undefined) throw useSchema
}`
  }

  #union(ast: AST.Union): Part {
    const found = plan.unionPlan(ast)
    if (found === undefined) return this.#called(bySchema(ast))
    const { byLiteral, field, others } = found
    const rest = others.map((type) => this.#part(type))
    if (field === undefined && rest.every(({ _tag }) => _tag === "Check")) {
      return check((value) => `(${rest.map(({ code }) => code(value)).join(" || ")})`)
    }
    const attempt = (part: Part): string =>
      part._tag === "Check"
        ? `if (${part.code("value")}) return value`
        : `made = ${part.code("value")}\nif (made !== no) return made`
    const cases = Array.from(
      byLiteral,
      ([literal, types]) =>
        `case ${this.#literal(literal)}:\n${types.map((type) => attempt(this.#later(type))).join("\n")}\nbreak`
    )
    const choice = field === undefined ?
      "" :
      `if (typeof value === "object" && value !== null && hasOwn(value, ${quote(field)})) {
switch (value[${quote(field)}]) {
${cases.join("\n")}
}
}`
    return this.#function(`let made
${choice}
${rest.map(attempt).join("\n")}
return no`)
  }

  #typeLiteral(ast: AST.TypeLiteral): Part {
    const found = plan.recordPlan(ast)
    if (found !== undefined) return this.#record(found)
    const [index, ...others] = ast.indexSignatures
    const isRecord = index !== undefined && others.length === 0 && ast.propertySignatures.length === 0 &&
      AST.isStringKeyword(index.parameter)
    if (!isRecord) return this.#called(bySchema(ast))
    const item = this.#part(index.type)
    return this.#function(`if (typeof value !== "object" || value === null || isArray(value)) return no
const record = {}
for (const name of Object.keys(value)) {
const item = value[name]
${this.#bound(item, "item", "made")}
record[name] = ${item._tag === "Check" ? "item" : "made"}
}
return record`)
  }

  #record({ from, restField, to }: plan.RecordPlan): Part {
    const lines: Array<string> = []
    const keepsFields = to.every(({ change, from, name }) => from?.name === name && change === undefined)
    const found = new Map<plan.Field, string>()
    from.forEach((field, i) => {
      const { isOptional, name, type } = field
      const part = this.#part(type)
      const at = `a${i}`
      const to = part._tag === "Check" ? at : `b${i}`
      found.set(field, to)
      lines.push(`const ${at} = value[${quote(name)}]`)
      if (!isOptional) {
        lines.push(this.#bound(part, at, to))
        // `undefined` stands for a missing field.
        if (!keepsFields) lines.push(`if (${to} === undefined) throw useSchema`)
        return
      }
      lines.push(`if ((${at} === undefined) === hasOwn(value, ${quote(name)})) throw useSchema`)
      lines.push(this.#boundIf(`${at} !== undefined`, part, at, to))
    })
    const made = keepsFields
      ? to.map((target) => found.get(target.from ?? target) ?? "undefined")
      : to.map((target, i) => this.#target(target, target.from && found.get(target.from), i, lines))
    const names = to.map(({ name }) => quote(name))
    if (restField !== undefined) {
      lines.push(this.#others(from, to))
      names.push(quote(restField))
      made.push("others")
    }
    return this.#function(`if (typeof value !== "object" || value === null || isArray(value)) return no
${lines.join("\n")}
return ${this.#object(names, made, to.map(({ isOptional }) => isOptional))}`)
  }

  /**
   * Generates how one field is made from another; returns the name of its variable, or `undefined` if there is none.
   */
  #target(
    { change, from, isOptional, type }: plan.Target,
    source: string | undefined,
    i: number,
    lines: Array<string>
  ): string {
    const at = `d${i}`
    const isKept = change === undefined || change === identity
    if (isKept) lines.push(`const ${at} = ${source ?? "undefined"}`)
    else if (change === plan.dropNull) lines.push(`const ${at} = ${source} === null ? undefined : ${source}`)
    else {
      lines.push(`const o${i} = ${this.#constant(change)}(${source} === undefined ? none : some(${source}))
const ${at} = o${i}._tag === "Some" ? o${i}.value : undefined
if (o${i}._tag === "Some" && ${at} === undefined) throw useSchema`)
    }
    if (!isOptional) lines.push(`if (${at} === undefined) throw useSchema`)
    const alreadyValid = from !== undefined && plan.isResultValidFor(from.type, type)
    if (alreadyValid && change === plan.dropNull) return at
    const part = this.#part(type)
    const needed = [
      `${at} !== undefined`,
      ...(alreadyValid ? [isKept ? `${at} === null` : `(${at} !== ${source} || ${at} === null)`] : [])
    ].join(" && ")
    const to = part._tag === "Check" ? at : `e${i}`
    lines.push(this.#boundIf(needed, part, at, to))
    return to
  }

  /** Collects all fields that the schema does not name. */
  #others(from: ReadonlyArray<plan.Field>, to: ReadonlyArray<plan.Field>): string {
    const known = from.map(({ name }) => quote(name))
    // Names that would overwrite another field.
    const taken = to.map(({ name }) => quote(name)).filter((name) => !known.includes(name))
    return `const others = {}
for (const name in value) {
switch (name) {
${known.map((name) => `case ${name}:`).join("\n")}
break
${[...taken, quote("__proto__")].map((name) => `case ${name}:`).join("\n")}
throw useSchema
default:
if (!hasOwn(value, name)) break
if (typeof value[name] === "object") shallow(value[name])
others[name] = value[name]
}
}`
  }

  /** An expression for an object made of variables; optional fields are set only if they are not `undefined`. */
  #object(names: ReadonlyArray<string>, made: ReadonlyArray<string>, optional: ReadonlyArray<boolean>): string {
    if (!optional.includes(true)) return `{ ${made.map((one, i) => `${names[i]}: ${one}`).join(", ")} }`
    const name = `F${this.#functions.length}`
    const params = names.map((_, i) => `a${i}`)
    const stores = names.map((field, i) =>
      `${optional[i] === true ? `if (a${i} !== undefined) ` : ""}this[${field}] = a${i}`
    )
    this.#functions.push(`function ${name}(${params.join(", ")}) {\n${stores.join("\n")}\n}
${name}.prototype = Object.prototype`)
    return `new ${name}(${made.join(", ")})`
  }
}

/** What the code calls. */
const runtime = {
  no: plan.fallback,
  useSchema,
  isArray: Array.isArray,
  hasOwn: Object.hasOwn,
  shallow: (value: unknown): boolean => {
    if (plan.isTooDeep(value)) throw useSchema
    return true
  },
  right: rightOrFallback,
  options,
  none: Option.none(),
  some: Option.some
}

let isAllowed: boolean | undefined

/** Whether code generation is allowed. A policy may forbid it, as in Workers. */
const mayCompile = (): boolean => {
  try {
    return isAllowed ??= new Function("return true")() === true
  } catch {
    return isAllowed = false
  }
}

/** A reader that leaves everything to the schema. */
const refuseAll: plan.Reader = () => plan.fallback

/**
 * Makes a compiler, which compiles each schema once. `valueReaders` has the readers of some schemas that many others
 * contain, for a caller that has faster ones than the generated code.
 */
export const makeCompile = (valueReaders: ReadonlyMap<AST.AST, plan.Reader>): plan.Compile => {
  const readers = new WeakMap<AST.AST, plan.Reader>()
  const plainReader = (ast: AST.AST): plan.Reader | undefined => plan.customReaders.get(ast) ?? valueReaders.get(ast)
  const compile: plan.Compile = (ast) => {
    const known = readers.get(ast)
    if (known !== undefined) return known
    const made = mayCompile() ? new Writer(compile, plainReader).read(ast) : refuseAll
    readers.set(ast, made)
    return made
  }
  return compile
}
