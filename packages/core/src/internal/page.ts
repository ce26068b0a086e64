/** Pages some of whose records can't be read. */
import * as Context from "effect/Context"
import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { Cursor } from "../Cursor.js"
import * as decoder from "./decoder.js"
import { type Redact, words } from "./foreign.js"
import { complaint } from "./parseIssue.js"
import { pathText } from "./serviceError.js"

/** Whether a record that can't be read makes its page fail, or is handed on as it came. */
export class CurrentUnreadable extends Context.Reference<CurrentUnreadable>()(
  "@effect-klaytn/core/internal/CurrentUnreadable",
  { defaultValue: (): "fail" | "keep" => "fail" }
) {}

/** A record as it came, in the place of one that could be read. */
export class Unread {
  constructor(readonly raw: unknown, readonly index: number, readonly reason: string) {}
}

const itemsOf = (body: unknown): ReadonlyArray<unknown> | undefined => {
  const items = Predicate.isRecord(body) ? body["items"] : undefined
  return Array.isArray(items) ? items : undefined
}

/** The cursor behind a page, if the page has one and more follows. */
export const nextCursor = (body: unknown): Cursor | undefined => {
  const cursor = Predicate.isRecord(body) ? body["cursor"] : undefined
  return typeof cursor === "string" && cursor !== "" ? Cursor.make(cursor) : undefined
}

/** The schema of one item, in the schema of a page. */
const itemAst = (ast: AST.AST): AST.AST | undefined => {
  if (AST.isTransformation(ast) || AST.isRefinement(ast)) return itemAst(ast.from)
  if (!AST.isTypeLiteral(ast)) return undefined
  const items = ast.propertySignatures.find(({ name }) => name === "items")?.type
  const types: ReadonlyArray<AST.AST> = items === undefined ? [] : AST.isUnion(items) ? items.types : [items]
  const list = types.find(AST.isTupleType)
  return list?.rest[0]?.type
}

/** Reads a page that its schema did not take: what can't be read of its records stays as it came. */
export const keeping =
  <A, I>(schema: Schema.Schema<A, I>, decode: (body: unknown) => Either.Either<A, ParseResult.ParseError>) =>
  (body: unknown, redact: Redact): Either.Either<A, ParseResult.ParseError> => {
    const ast = itemAst(schema.ast)
    const items = itemsOf(body)
    if (ast === undefined || items === undefined || !Predicate.isRecord(body)) return decode(body)
    const read = decoder.make(Schema.make<unknown, unknown>(ast))
    const unread = (raw: unknown, index: number, error: ParseResult.ParseError): Unread => {
      const { actual, expected, path } = complaint(error)
      return new Unread(raw, index, words(redact)(`${pathText(path, "record")}: expected ${expected}, got ${actual}`))
    }
    return Either.map(decode({ ...body, items: [] }), (page) => ({
      ...page,
      // Only `Paged` asks for it, and shows it in its types.
      items: items.map((raw, index) => Either.getOrElse(read(raw), (error) => unread(raw, index, error)))
    }))
  }
