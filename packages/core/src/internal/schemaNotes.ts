/** Notes about schemas for the compiler, in a module of their own: a bundle may have schemas and no compiler. */
import * as Option from "effect/Option"
import type * as AST from "effect/SchemaAST"
import type { Fallback } from "../Decoder.js"

export type Reader = (value: unknown) => unknown

/** What a reader returns for an invalid value; `no` in compiled code. */
export const fallback: Fallback = { _tag: "@effect-klaytn/core/Fallback" }

/** Custom readers by the schema they belong to; a schema derived from it has none. */
export const customReaders = new WeakMap<AST.AST, Reader>()

/** The name under which a record keeps unknown fields, for records that do. */
export const keepers = new WeakMap<AST.AST, string>()

/** Transformations whose results are valid by construction. */
export const trusted = new WeakSet<AST.AST>()

/** Treats `null` as missing: a field transformation that the compiler recognises. */
export const dropNull = <A>(found: Option.Option<A>): Option.Option<Exclude<A, null>> =>
  Option.filter(found, (value): value is Exclude<A, null> => value !== null)
