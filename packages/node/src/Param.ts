/**
 * One parameter of a method: its name, its form, and the value that the caller gave.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import { HexDataFromWire, HexQuantity, isData } from "@effect-klaytn/core/HexEncoding"
import * as Input from "@effect-klaytn/core/Input"
import * as Hex from "@effect-klaytn/transaction/Hex"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { AccountKey } from "./Account.js"
import * as BlockSelector from "./BlockSelector.js"
import * as CallRequest from "./CallRequest.js"
import * as schemas from "./internal/records/schemas.js"
import * as Log from "./Log.js"

/**
 * The form of a parameter: which values it accepts and how they are encoded.
 *
 * @category models
 */
export interface Form {
  /** What it accepts, in a word or two, for tables. */
  readonly takes: string
  /** Whether a value is already in its wire form. */
  readonly isReady: (value: unknown) => boolean
  /** Checks and encodes a value. */
  readonly encode: (value: unknown) => Either.Either<unknown, ParseResult.ParseError>
}

/**
 * A parameter with the value that the caller gave.
 *
 * @category models
 */
export interface Param {
  readonly name: string
  readonly form: Form
  readonly value: unknown
  /** Whether it is omitted if the caller gives no value. */
  readonly optional: boolean
}

/** Makes a kind of parameter. A value that can't be read, such as one with a getter that throws, is refused. */
const ofForm = (takes: string, encode: Form["encode"], isReady: Form["isReady"] = () => false) => {
  const form: Form = {
    takes,
    isReady,
    encode: (value) => {
      try {
        return encode(value)
      } catch {
        return Either.left(ParseResult.parseError(new ParseResult.Type(Schema.Unknown.ast, value, "it can't be read")))
      }
    }
  }
  return (name: string, value: unknown): Param => ({ name, form, value, optional: false })
}

/**
 * Makes a kind of parameter from a schema, which turns the caller's value into its wire form. `isReady` recognises
 * values that are already in that form.
 *
 * @category constructors
 */
export const make = <A, I>(
  takes: string,
  schema: Schema.Schema<A, I>,
  isReady?: (value: unknown) => boolean
): (name: string, value: unknown) => Param => ofForm(takes, Schema.decodeUnknownEither(schema), isReady)

/**
 * Omits a parameter if the caller gives no value.
 *
 * @category combinators
 */
export const optional = (param: Param): Param => ({ ...param, optional: true })

/**
 * An address in one case, or with a correct checksum; sent in lower case.
 *
 * @category constructors
 */
export const address = make("address", Address.FromInput, Address.is)

/**
 * A hash of 32 bytes.
 *
 * @category constructors
 */
export const hash = make("hash", Hash.FromWire, Hash.is)

/**
 * Bytes in hex.
 *
 * @category constructors
 */
export const data = make("bytes", HexDataFromWire, isData)

/**
 * A list of bytes in hex.
 *
 * @category constructors
 */
export const dataList = make("bytes[]", Schema.Array(HexDataFromWire))

const notWholeNumber = "expected a whole number that is not negative"

const WholeNumber = Schema.Union(Schema.NonNegativeBigIntFromSelf, Input.wholeNumber(notWholeNumber))
  .annotations({ message: () => notWholeNumber })

const Quantity = Schema.transform(WholeNumber, HexQuantity, {
  strict: true,
  decode: Hex.quantity,
  encode: (text) => BigInt(text)
})

/**
 * A whole number, sent as a quantity.
 *
 * @category constructors
 */
export const quantity = make("whole number", Quantity)

/**
 * A storage slot: its number, or its 32 bytes.
 *
 * @category models
 */
export type Slot = bigint | `0x${string}`

const Slot = Schema.Union(schemas.QuantityFromBigInt, Hash.FromWire)

/**
 * A storage slot by its number or by its 32 bytes.
 *
 * @category constructors
 */
export const slot = make("slot", Slot)

/**
 * Storage slots.
 *
 * @category constructors
 */
export const slots = make("slot[]", Schema.Array(Slot))

/**
 * A block by height or tag.
 *
 * @category constructors
 */
export const blockNumber = make("block number", BlockSelector.NumberToWire, BlockSelector.isTag)

/**
 * A block by height only.
 *
 * @category constructors
 */
export const height = make("height", Quantity)

/**
 * A block by height, tag or hash.
 *
 * @category constructors
 */
export const block = make("block", BlockSelector.ToWire, BlockSelector.isTag)

/**
 * A boolean.
 *
 * @category constructors
 */
export const flag = make("boolean", Schema.Boolean)

/**
 * A boolean that the method fixes; the caller does not give it.
 *
 * @category constructors
 */
export const fixed = (name: string, value: boolean): Param => make(String(value), Schema.Literal(value))(name, value)

/**
 * A string.
 *
 * @category constructors
 */
export const text = make("text", Schema.String)

/**
 * Percentiles from 0 to 100, ascending; at most 100 of them.
 *
 * @category constructors
 */
export const percentiles = make(
  "percentiles",
  Schema.Array(Schema.Number.pipe(Schema.between(0, 100))).pipe(
    Schema.maxItems(100),
    Schema.filter((values) => values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0)), {
      message: () => "expected percentiles in ascending order"
    })
  )
)

/**
 * A simulated execution.
 *
 * @category constructors
 */
export const call = make("call", CallRequest.ToWire)

/**
 * State overrides of accounts for the duration of a call.
 *
 * @category constructors
 */
export const overrides = make("overrides", CallRequest.OverridesToWire)

/**
 * A log filter.
 *
 * @category constructors
 */
export const filter = make("log filter", Log.FilterToWire)

/**
 * An account key.
 *
 * @category constructors
 */
export const accountKey = ofForm("account key", Schema.encodeUnknownEither(AccountKey))
