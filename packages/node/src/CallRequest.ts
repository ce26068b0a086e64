/**
 * The execution that `call`, `estimateGas`, `estimateComputationCost` and `createAccessList` simulate.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as schemas from "./internal/records/schemas.js"

const amount = Schema.optional(schemas.QuantityFromBigInt)

/**
 * An execution that is simulated and not sent as a transaction. Amounts and prices are in peb. Give either `gasPrice`
 * or the two fee fields.
 *
 * @category models
 */
export interface CallRequest {
  /** The sender. Defaults to the zero address. */
  readonly from?: string | undefined
  /** The receiver. Leave it out to create a contract. */
  readonly to?: string | undefined
  /** Defaults to 500,000,000, which is also the maximum; an operator may set less. */
  readonly gas?: bigint | undefined
  readonly gasPrice?: bigint | undefined
  readonly maxFeePerGas?: bigint | undefined
  readonly maxPriorityFeePerGas?: bigint | undefined
  readonly value?: bigint | undefined
  /** The call data, or the code of a new contract, in hex. */
  readonly input?: string | undefined
  /** An alias of `input` that other clients use. Give only one of the two; it is sent as `input`. */
  readonly data?: string | undefined
  readonly accessList?:
    | ReadonlyArray<{ readonly address: string; readonly storageKeys: ReadonlyArray<string> }>
    | undefined
  readonly chainId?: bigint | undefined
  /** Only for `eth_` methods and `createAccessList`. */
  readonly nonce?: bigint | undefined
}

/**
 * Overrides the state of an account for the duration of a call. `state` replaces the whole storage, `stateDiff` only
 * some slots; give at most one of them. Supported by nodes since v1.12.
 *
 * @category models
 */
export interface StateOverride {
  readonly nonce?: bigint | undefined
  readonly code?: string | undefined
  readonly balance?: bigint | undefined
  readonly state?: Readonly<Record<string, string>> | undefined
  readonly stateDiff?: Readonly<Record<string, string>> | undefined
}

const Wire = Schema.Struct({
  from: Schema.optional(Address.FromInput),
  to: Schema.optional(Address.FromInput),
  gas: amount,
  gasPrice: amount,
  maxFeePerGas: amount,
  maxPriorityFeePerGas: amount,
  value: amount,
  input: Schema.optional(schemas.Bytes),
  accessList: Schema.optional(
    Schema.Array(Schema.Struct({ address: Address.FromInput, storageKeys: Schema.Array(schemas.Hash) }))
  ),
  chainId: amount,
  nonce: amount
}).pipe(
  Schema.filter(
    (call) =>
      call.gasPrice === undefined || (call.maxFeePerGas === undefined && call.maxPriorityFeePerGas === undefined),
    { message: () => "give either gasPrice or maxFeePerGas and maxPriorityFeePerGas" }
  )
).annotations({ identifier: "CallRequest", parseOptions: { onExcessProperty: "error" } })

const Input = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/**
 * Encodes a {@link CallRequest} for the wire; the fields keep the order of the type. Unknown fields are refused.
 *
 * @category schemas
 */
export const ToWire = Schema.transformOrFail(Input, Wire, {
  strict: false,
  decode: (input: Readonly<Record<string, unknown>>, _, ast) => {
    const { data, ...rest } = input
    if (data === undefined) return ParseResult.succeed(rest)
    return rest["input"] === undefined
      ? ParseResult.succeed({ ...rest, input: data })
      : ParseResult.fail(new ParseResult.Type(ast, input, "give either input or data"))
  },
  encode: ParseResult.succeed
}).annotations({ identifier: "CallRequest" })

/** A record whose keys are decoded too. A key that is given in two spellings is refused. */
const byKey = <K extends string, V, I>(key: Schema.Schema<K, string>, value: Schema.Schema<V, I>) => {
  const decode = Schema.decodeUnknownEither(key)
  return Schema.transformOrFail(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    Schema.Record({ key: Schema.String, value }),
    {
      strict: false,
      decode: (record: Readonly<Record<string, unknown>>, _, ast) => {
        const read = new Map<string, unknown>()
        for (const [name, one] of Object.entries(record)) {
          const known = decode(name)
          if (Either.isLeft(known)) return ParseResult.fail(new ParseResult.Pointer(name, record, known.left.issue))
          if (read.has(known.right)) {
            return ParseResult.fail(new ParseResult.Type(ast, record, "expected each key once"))
          }
          read.set(known.right, one)
        }
        return ParseResult.succeed(Object.fromEntries(read))
      },
      encode: ParseResult.succeed
    }
  )
}

const slots = byKey(schemas.Hash, schemas.Hash)

/**
 * Encodes overrides by address for the wire.
 *
 * @category schemas
 */
export const OverridesToWire = byKey(
  Address.FromInput,
  Schema.Struct({
    nonce: amount,
    code: Schema.optional(schemas.Bytes),
    balance: amount,
    state: Schema.optional(slots),
    stateDiff: Schema.optional(slots)
  }).pipe(
    Schema.filter((account) => account.state === undefined || account.stateDiff === undefined, {
      message: () => "give either state or stateDiff"
    })
  )
).annotations({ identifier: "StateOverrides", parseOptions: { onExcessProperty: "error" } })
