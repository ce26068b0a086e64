import * as Address from "@effect-klaytn/core/Address"
import * as Decoder from "@effect-klaytn/core/Decoder"
import { BigIntFromQuantity } from "@effect-klaytn/core/HexEncoding"
import { UnixTime } from "@effect-klaytn/core/UnixTime"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Token from "../Token.js"

/** The discriminator: `kind` on the wire, `_tag` in the domain. */
export const tag = <A extends string, I extends string>(schema: Schema.Schema<A, I>) =>
  Schema.propertySignature(schema).pipe(Schema.fromKey("kind"))

export const common = {
  /** The address of the contract. */
  contractAddress: Address.FromWire,
  /** When it last changed. */
  updatedAt: UnixTime
}

/** What both kinds of summary say about a fungible token; fields that are only for display may be missing. */
export const ftExtras = {
  /** The name that the contract returns. */
  name: Decoder.optional(Schema.String),
  /** The symbol that the contract returns. */
  symbol: Decoder.optional(Schema.String),
  /** How many decimal places the token has. */
  decimals: Decoder.optional(Schema.Int),
  /** How much there is of it altogether. */
  totalSupply: Decoder.optional(BigIntFromQuantity),
  /** The amount as the service writes it in decimal. */
  formattedValue: Decoder.optional(Schema.String)
}

const known: ReadonlySet<unknown> = new Set(Token.TokenKind.literals)

/** A record of another kind: the service may add some. `kind` names the kind. */
const Raw = Token.Extra.pipe(
  Schema.filter((record) => Predicate.isString(record["kind"]) && !known.has(record["kind"]), {
    identifier: "UnknownHolding",
    description: "a record with a kind that is not known"
  })
)

/** Makes the schema of a record of unknown kind, which is kept as received. */
export const unknown = <const Tag extends string>(_tag: Tag) =>
  Schema.transform(
    Raw,
    Schema.Struct({ _tag: Schema.Literal(_tag), kind: Schema.String, record: Schema.typeSchema(Token.Extra) }),
    {
      strict: true,
      decode: (record) => ({ _tag, kind: String(record["kind"]), record }),
      encode: ({ record }) => record
    }
  )
