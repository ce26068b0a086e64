/** Pages with unreadable records. */
import * as Context from "effect/Context"
import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { Cursor } from "../../Cursor.js"
import * as Decoder from "../../Decoder.js"
import type { Redact } from "../../Sanitize.js"
import { pathText } from "../errors/errorText.js"
import { mismatch } from "../errors/parseIssue.js"
import { clean } from "../values/cleanText.js"

/** Whether an unreadable record makes its page fail or is delivered raw. */
export class CurrentUnreadable extends Context.Reference<CurrentUnreadable>()(
  "@effect-klaytn/core/internal/CurrentUnreadable",
  { defaultValue: (): "fail" | "keep" => "fail" }
) {}

/** A record that is kept raw, in place of a decoded one. */
export class RawRecord {
  constructor(readonly raw: unknown, readonly index: number, readonly reason: string) {}
}

/** The cursor of the next page, if there is one. */
export const nextCursor = (body: unknown): Cursor | undefined => {
  const cursor = Predicate.isRecord(body) ? body["cursor"] : undefined
  return typeof cursor === "string" && cursor !== "" ? Cursor.make(cursor) : undefined
}

/** Finds the schema of an item in the schema of a page. */
const itemAst = (ast: AST.AST): AST.AST | undefined => {
  if (AST.isTransformation(ast) || AST.isRefinement(ast)) return itemAst(ast.from)
  if (!AST.isTypeLiteral(ast)) return undefined
  const items = ast.propertySignatures.find(({ name }) => name === "items")?.type
  const types: ReadonlyArray<AST.AST> = items === undefined ? [] : AST.isUnion(items) ? items.types : [items]
  const list = types.find(AST.isTupleType)
  return list?.rest[0]?.type
}

/** Decodes a page that its schema refused, and keeps unreadable records raw. */
export const keepUnreadable =
  <A, I>(schema: Schema.Schema<A, I>, decode: (body: unknown) => Either.Either<A, ParseResult.ParseError>) =>
  (body: unknown, redact: Redact): Either.Either<A, ParseResult.ParseError> => {
    const ast = itemAst(schema.ast)
    if (ast === undefined || !Predicate.isRecord(body) || !Array.isArray(body["items"])) return decode(body)
    const items: ReadonlyArray<unknown> = body["items"]
    const read = Decoder.make(Schema.make<unknown, unknown>(ast))
    const reason = (error: ParseResult.ParseError): string => {
      const { actual, expected, path } = mismatch(error)
      return clean(redact)(`${pathText(path, "record")}: expected ${expected}, got ${actual}`)
    }
    return Either.map(decode({ ...body, items: [] }), (page) => ({
      ...page,
      // Only `Paged` requests this, and its types show it.
      items: items.map((raw, index) => Either.getOrElse(read(raw), (error) => new RawRecord(raw, index, reason(error))))
    }))
  }
