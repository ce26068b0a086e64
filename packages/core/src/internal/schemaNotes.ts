/** What is noted about schemas for the compiler, apart from it: a bundle may hold schemas and no compiler. */
import * as Option from "effect/Option"
import type * as AST from "effect/SchemaAST"
import type { Fallback } from "../Decoder.js"

export type Read = (value: unknown) => unknown

/** What a reader returns for an invalid value; `no` in compiled code. */
export const fallback: Fallback = { _tag: "@effect-klaytn/core/Fallback" }

/** Custom readers by the schema they belong to; a schema derived from it has none. */
export const customReaders = new WeakMap<AST.AST, Read>()

/** For records that keep unknown fields: the name under which they keep them. */
export const keepers = new WeakMap<AST.AST, string>()

/** Transformations whose results are valid by construction. */
export const trusted = new WeakSet<AST.AST>()

/** Treats `null` as missing: a field transformation that the compiler recognises. */
export const dropNull = <A>(found: Option.Option<A>): Option.Option<Exclude<A, null>> =>
  Option.filter(found, (value): value is Exclude<A, null> => value !== null)
