/**
 * Turns a parse error into a place and a problem. It handles issues of any depth and size and never shows a value of
 * the service.
 */
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as AST from "effect/SchemaAST"
import type { Mismatch } from "../../ServiceError.js"
import * as sanitize from "../values/cleanText.js"

type Path = ReadonlyArray<string | number | UnknownField>

/** A single problem, as the schema reports it. */
interface Leaf {
  readonly path: Path
  readonly expected: string
  readonly actual: unknown
  /** The schema's own message, if it has one. */
  readonly message: string | undefined
}

const key = (part: PropertyKey): string | number => typeof part === "symbol" ? part.toString() : part

/** The name of a field that the schema does not have, and so foreign text. */
class UnknownField {
  constructor(readonly name: string) {}
}

/** Makes the check whether a path leads to a field that the schema names. */
const namesOf = (ast: AST.AST): (path: ParseResult.Path) => boolean => {
  if (!AST.isTypeLiteral(ast)) return () => true
  const names = new Set<unknown>(ast.propertySignatures.map(({ name }) => name))
  return (path) => isList<PropertyKey>(path) || names.has(path)
}

const isList = <A>(value: A | ReadonlyArray<A>): value is ReadonlyArray<A> => Array.isArray(value)

const listOf = <A>(value: A | ReadonlyArray<A>): ReadonlyArray<A> => isList(value) ? value : [value]

/** What a schema expects, in words: an object by its tag or its fields, and anything that has a name by that name. */
const expectation = (ast: AST.AST): string => {
  if (AST.TitleAnnotationId in ast.annotations || AST.IdentifierAnnotationId in ast.annotations) return String(ast)
  switch (ast._tag) {
    case "TypeLiteral":
      return anObject(ast.propertySignatures)
    case "TupleType":
      return "an array"
    case "Union":
      return Array.from(new Set(ast.types.map(expectation))).join(" or ")
    case "Refinement":
    case "Transformation":
      return AST.DescriptionAnnotationId in ast.annotations ? String(ast) : expectation(ast.from)
  }
  return String(ast)
}

const anObject = (fields: ReadonlyArray<AST.PropertySignature>): string => {
  const tag = fields.find(({ name }) => name === "_tag")?.type
  if (tag !== undefined && AST.isLiteral(tag)) return String(tag.literal)
  return ["an object", ...fields.flatMap(({ isOptional, name }) => isOptional ? [] : [String(name)])]
    .join(", ").replace(",", " with")
}

type Annotated = Exclude<ParseResult.ParseIssue, ParseResult.Pointer | ParseResult.Missing | ParseResult.Unexpected>

/** The message annotation of a schema; with `override` it stands for every problem inside it. */
const annotation = (issue: Annotated): { readonly message: string; readonly isForAll: boolean } | undefined =>
  Option.getOrUndefined(Option.flatMapNullable(AST.getMessageAnnotation(issue.ast), (make) => {
    const made = make(issue)
    if (typeof made === "string") return { message: made, isForAll: false }
    return "override" in made && typeof made.message === "string"
      ? { message: made.message, isForAll: made.override }
      : undefined
  }))

/** Suggests the field that was probably meant, from the known ones, which the schema's message lists. */
const noSuchField = (path: Path, message = ""): string => {
  const last = path.at(-1)
  const asked = String(last instanceof UnknownField ? last.name : last).toLowerCase()
  const known = Array.from(message.slice(0, 2000).matchAll(/"(\w+)"/g), ([, name = ""]) => name)
  const meant = known.find((name) => {
    const lower = name.toLowerCase()
    return asked.length > 2 && (lower.startsWith(asked) || (lower.length > 2 && asked.startsWith(lower)))
  })
  return meant === undefined ? "there is no such field" : `there is no such field; did you mean ${meant}?`
}

/** An issue, and the path to it. */
type IssueAt = readonly [issue: ParseResult.ParseIssue, path: Path]

const leaf = (path: Path, ast: AST.AST, actual: unknown, message: string | undefined): Leaf => {
  const expected = expectation(ast)
  return { path, expected: expected.length <= 160 ? expected : `${expected.slice(0, 160)}...`, actual, message }
}

/** Whether a value has the type of no member of a union. The error is then about the union, not about its first member. */
const matchesNoMember = (issue: ParseResult.Composite): boolean =>
  AST.isUnion(issue.ast) &&
  listOf(issue.issues).every((inner) => inner._tag === "Type" || (inner._tag === "Composite" && matchesNoMember(inner)))

const step = ([issue, path]: IssueAt): ReadonlyArray<IssueAt> | Leaf => {
  switch (issue._tag) {
    case "Pointer":
      return [[issue.issue, [...path, ...listOf<PropertyKey>(issue.path).map(key)]]]
    case "Missing":
      return leaf(path, issue.ast.type, undefined, "is missing")
    case "Unexpected":
      return { path, expected: "no such field", actual: issue.actual, message: noSuchField(path, issue.message) }
    case "Forbidden":
      return { path, expected: "a value that can be read at once", actual: issue.actual, message: issue.message }
  }
  const annotated = annotation(issue)
  if (annotated?.isForAll === true) return leaf(path, issue.ast, issue.actual, annotated.message)
  switch (issue._tag) {
    case "Composite": {
      const isOwn = namesOf(issue.ast)
      const inside = listOf(issue.issues).slice(0, maxIssues).map((inner): IssueAt =>
        inner._tag === "Pointer" && !isOwn(inner.path)
          ? [inner.issue, [...path, new UnknownField(String(inner.path))]]
          : [inner, path]
      )
      return matchesNoMember(issue)
        ? [[new ParseResult.Type(issue.ast, issue.actual), path], ...inside]
        : inside
    }
    case "Refinement":
    case "Transformation": {
      const own = issue.kind === "Predicate" || issue.kind === "Transformation"
      if (!own || (annotated === undefined && issue.issue._tag !== "Type")) return [[issue.issue, path]]
      const inner = issue.issue._tag === "Type" ? issue.issue.message : undefined
      const ast = issue._tag === "Transformation" ? issue.ast.to : issue.ast
      return leaf(path, ast, issue.actual, annotated?.message ?? inner)
    }
    case "Type":
      return leaf(path, issue.ast, issue.actual, annotated?.message ?? issue.message)
  }
}

const maxIssues = 1000

/** The deepest leaf. Of several that are as deep, the first that has a message, or else the first. */
const deepest = (issue: ParseResult.ParseIssue): Leaf => {
  let best = unreadable
  const open: Array<IssueAt> = [[issue, []]]
  for (let seen = 0; seen < maxIssues * 10; seen++) {
    const next = open.pop()
    if (next === undefined) break
    const found = step(next)
    if (!("path" in found)) open.push(...found.toReversed())
    else if (best === unreadable || isBetter(found, best)) best = found
  }
  return best
}

const isBetter = (found: Leaf, best: Leaf): boolean =>
  found.path.length > best.path.length ||
  (found.path.length === best.path.length && found.message !== undefined && best.message === undefined)

const unreadable: Leaf = { path: [], expected: "what is documented", actual: undefined, message: undefined }

/** The schema may be the caller's own: its messages may be anything, and may throw. */
const leafOf = ({ issue }: ParseResult.ParseError): Leaf =>
  Option.getOrElse(Option.liftThrowable(deepest)(issue), () => unreadable)

const longestPath = 32

const shown = (path: Path, ofUnknown: (name: string) => string): ReadonlyArray<string | number> =>
  path.slice(0, longestPath).map((part) => part instanceof UnknownField ? ofUnknown(part.name) : part)

/** What is wrong with an answer. None of its content is shown: a field whose name the service chose becomes `*`. */
export const mismatch = (error: ParseResult.ParseError): Mismatch => {
  const { actual, expected, path } = leafOf(error)
  return { path: shown(path, () => "*"), expected, actual: sanitize.kindOf(actual) }
}

/** What is wrong with an input: the place, and what to pass instead. */
export const problem = (
  error: ParseResult.ParseError
): { readonly path: ReadonlyArray<string | number>; readonly problem: string } => {
  const { actual, expected, message, path } = leafOf(error)
  return {
    path: shown(path, sanitize.nameOf),
    problem: sanitize.plain(message ?? `Expected ${expected}, actual ${sanitize.describe(actual)}`)
  }
}
