/** Where and what a schema complained about, without repeating the content it complained about. */
import type * as ParseResult from "effect/ParseResult"
import type * as SchemaAST from "effect/SchemaAST"

export interface Complaint {
  readonly path: ReadonlyArray<string | number>
  readonly expected: string
  readonly actual: string
}

const key = (part: PropertyKey): string | number => typeof part === "symbol" ? part.toString() : part

const isList = <A>(value: A | ReadonlyArray<A>): value is ReadonlyArray<A> => Array.isArray(value)

/** What kind of thing a value is: never the value. */
const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (value === undefined) return "nothing"
  if (typeof value === "string") return `a string of ${value.length} characters`
  if (Array.isArray(value)) return `an array of ${value.length}`
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

/** What a schema expects, short enough for a message. */
const named = (ast: SchemaAST.AST): string => {
  const text = String(ast)
  return text.length <= 160 ? text : `${text.slice(0, 160)}...`
}

const leaves = (issue: ParseResult.ParseIssue, path: ReadonlyArray<string | number>): ReadonlyArray<Complaint> => {
  switch (issue._tag) {
    case "Pointer": {
      const parts = isList<PropertyKey>(issue.path) ? issue.path : [issue.path]
      return leaves(issue.issue, [...path, ...parts.map(key)])
    }
    case "Composite": {
      const issues = isList<ParseResult.ParseIssue>(issue.issues) ? issue.issues : [issue.issues]
      return issues.flatMap((inner) => leaves(inner, path))
    }
    case "Refinement":
      return issue.kind === "From" ? leaves(issue.issue, path) : [
        { path, expected: named(issue.ast), actual: kindOf(issue.actual) }
      ]
    case "Transformation":
      return issue.kind === "Transformation" ?
        [
          { path, expected: named(issue.ast.to), actual: kindOf(issue.actual) }
        ] :
        leaves(issue.issue, path)
    case "Type":
      return [{ path, expected: named(issue.ast), actual: kindOf(issue.actual) }]
    case "Missing":
      return [{ path, expected: named(issue.ast.type), actual: "nothing" }]
    case "Unexpected":
      return [{ path, expected: "no such field", actual: kindOf(issue.actual) }]
    case "Forbidden":
      return [{ path, expected: "a value that can be read at once", actual: kindOf(issue.actual) }]
  }
}

/** The deepest complaint: in a union, the one of the member that came furthest. */
export const complaint = (error: ParseResult.ParseError): Complaint =>
  leaves(error.issue, []).reduce((best, next) => next.path.length > best.path.length ? next : best)
