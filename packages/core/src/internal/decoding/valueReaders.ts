/**
 * The compiler of schemas, with readers of the values that nearly every record has: they check digits with a lookup
 * table, in a fraction of the time of the schemas' regular expressions. Bundles for browsers and Workers hold
 * `schemaCompiler/uncompiled.ts` instead of this module.
 */
import * as Brand from "effect/Brand"
import type * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import * as Address from "../../Address.js"
import * as Amount from "../../Amount.js"
import * as Hash from "../../Hash.js"
import * as HexEncoding from "../../HexEncoding.js"
import { maxUint256 } from "../values/decimal.js"
import { lowerCase, quantity } from "../values/digits.js"
import { makeCompile } from "./schemaCompiler/codeGeneration.js"
import { type Compile, fallback, type Reader } from "./schemaCompiler/plan.js"

const reader = <A>(schema: Schema.Schema<A, string>, read: (value: unknown) => A | typeof fallback) =>
  [schema.ast, read] as const

const inLowerCase = <A extends string>(schema: Schema.Schema<A, string>, is: (value: unknown) => value is A) =>
  reader(schema, (value) => {
    if (is(value)) return value
    const lower = lowerCase(value)
    return is(lower) ? lower : fallback
  })

const address = inLowerCase(Address.FromWire, Address.is)
const hash = inLowerCase(Hash.FromWire, Hash.is)
const data = inLowerCase(HexEncoding.HexDataFromWire, HexEncoding.isData)
const whole = reader(HexEncoding.BigIntFromQuantity, (value) => quantity(value) ?? fallback)

const asPeb = Brand.nominal<Amount.Peb>()

const peb = reader(Amount.FromQuantity, (value) => {
  const found = quantity(value)
  return found === undefined || found > maxUint256 ? fallback : asPeb(found)
})

/** Compiles a schema, or finds what it was compiled to. A schema that is derived from one of these has no reader. */
export const compile: Compile = makeCompile(new Map<AST.AST, Reader>([address, hash, data, whole, peb]))
