/** Fields that several records, inputs and lists of the wallet share. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as Input from "@effect-klaytn/core/Input"
import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import * as Paged from "@effect-klaytn/core/Paged"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as FeeDelegation from "../../FeeDelegation.js"
import { codes } from "../../WalletCode.js"
import { toEither } from "./codec.js"

// Fields of records, as they are on the wire.

const AnyCase = Schema.String.pipe(
  Schema.pattern(/^0x[0-9a-fA-F]{40}$/, { message: () => "expected an address as 0x and 40 hexadecimal digits" })
)

/** An address that is written in checksum case: the wallet's own records. Any case is read. */
export const ChecksumAddress: Schema.Schema<Address.Address, string> = Schema.transform(AnyCase, Address.Address, {
  strict: true,
  decode: (text) => text.toLowerCase(),
  encode: (text) => Either.getOrElse(Either.map(Address.make(text), Address.checksum), () => text)
}).annotations({ identifier: "ChecksumAddress" })

/** An address; null, empty or absent if there is none. */
export const noneAsEmpty = Schema.optionalToOptional(Schema.NullOr(Schema.String), Address.FromWire, {
  decode: Option.flatMap((text) => text === null || text === "" ? Option.none<string>() : Option.some(text)),
  encode: (address): Option.Option<string | null> => address
})

/** A field that is absent or null if there is no value. */
export const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })

/** The query of what deletes an account or a key. */
export const deletion = {
  /**
   * Whether an account that is deleted, or whose key is, may have coin. Ours: a gateway of your own refuses to delete it without this, with
   * the code 1069410; the hosted service was never seen to know it.
   */
  withCoin: Schema.optional(Schema.transformLiterals(["true", true], ["false", false]))
}

/** A count, as a JSON number. */
export const Count = Schema.NonNegativeInt

/** What every record of a transaction has. */
export const transaction = {
  /** The address of the sender. */
  from: Address.FromWire,
  /** The address of the receiver; absent, null or empty if there is none. */
  to: noneAsEmpty,
  /** The number of the transaction type: 8 value transfer, 48 contract execution, 49 the same with a fee payer, ... */
  typeInt: Count,
  /** The amount of coin, in peb. */
  value: maybe(Amount.FromQuantity),
  /** The data of the transaction: call data, code or what is anchored. */
  input: maybe(HexEncoding.HexDataFromWire)
}

/** What every record of a key has. */
export const key = {
  /** The ID of the key. */
  keyId: KeyId.FromString,
  /** The pool that it belongs to. */
  krn: Krn.FromString,
  /** The public key, uncompressed: 65 bytes (seen). */
  publicKey: HexEncoding.HexDataFromWire
}

// Fields of inputs.

/** Text of at least one character, or the problem. */
export const notEmpty = (problem: string) => Schema.String.pipe(Schema.minLength(1, { message: () => problem }))

/** 0 is valid here, but to the service it means "choose one". */
export const Nonce = Input.wholeNumber("a nonce is a whole number, 0 or more")

export const Gas = Input.wholeNumber("a gas limit is a whole number, 1 or more", 1)

const FeeRatio = Input.wholeNumber("a fee ratio is the percentage that the fee payer pays, 1 to 99", 1, 99)

export const KeyCount = Input.wholeNumber("the number of keys is a whole number, 0 or more")

// The docs of these fields are those of the public inputs made of them.

export const accountAddress = {
  /** The account. In one case or with a correct checksum. */
  address: Address.FromInput
}

/** A list in which an account occurs only once. */
export const accounts = <A extends { readonly address: Address.Address }, I>(account: Schema.Schema<A, I>) =>
  Schema.Array(account).pipe(Schema.filter((all) => {
    const seen = new Set<Address.Address>()
    const repeated = all.findIndex(({ address }) => seen.size === seen.add(address).size)
    return repeated === -1 ? undefined : { path: [repeated, "address"], message: "an account can be listed only once" }
  }))

/** The path of an operation on one account. */
export const accountPath = {
  /** The address of the account. */
  address: Address.FromWire
}

export const keyId = {
  /** The key's ID, as a string or as returned with the key. */
  keyId: Schema.Union(Schema.typeSchema(KeyId.KeyId), KeyId.FromString)
}

export const transactionHash = {
  /** 32 bytes in hex with `0x`. */
  transactionHash: Hash.FromWire
}

/** The fields of every send. */
export const send = {
  /** Who pays the fee: `FeeDelegation.user(address)`, `FeeDelegation.service` or `FeeDelegation.sender`. */
  payer: FeeDelegation.FeePayer,
  /**
   * The nonce of the transaction. A nonce above 0 makes the send safe to repeat, and the client repeats it. Without a
   * nonce, or with 0 (which the service reads as none), the service uses the account's next, and the send is never
   * repeated. Not for `Rlp` and `Cancel`, which contain their own.
   */
  nonce: Schema.optional(Nonce),
  /** The gas limit. Defaults to the service's. Not for `Rlp`, whose bytes contain it. */
  gasLimit: Schema.optional(Gas),
  /**
   * The percentage that the fee payer pays, 1 to 99. Defaults to all of it. Beyond the document: a value
   * transfer takes it only with `feePayerStyle: "paths"` in the configuration.
   */
  feeRatio: Schema.optional(FeeRatio),
  /** `false` to only sign. Defaults to `true`. */
  submit: Schema.optional(Schema.Boolean)
}

/** 32 bytes to sign. */
export const Digest = HexEncoding.HexDataFromWire.pipe(
  Schema.filter((data) => data.length === 66, { message: () => "expected 32 bytes, as 0x and 64 hexadecimal digits" })
)

/** A public key in either form, decoded to the uncompressed one, which the service expects. */
export const Uncompressed: Schema.Schema<HexEncoding.HexData, string> = Schema.transformOrFail(
  HexEncoding.HexDataFromWire,
  Schema.typeSchema(HexEncoding.HexData),
  {
    strict: true,
    decode: (data, _, ast) =>
      Either.flatMap(
        Either.mapLeft(
          toEither(PublicKey.uncompress(data)),
          (error) => new ParseResult.Type(ast, undefined, `expected a public key: ${error.message}`)
        ),
        (key) => Either.mapLeft(HexEncoding.makeData(key), (error) => error.issue)
      ),
    encode: (data) => ParseResult.succeed(data)
  }
)

// Lists.

/** The query of a list with bounds. */
export const listQuery = {
  ...Paged.query,
  /** Only what was created at this time or later; 0 means no bound. */
  "from-timestamp": Schema.optional(UnixTime.FromString),
  /** Only what was created at this time or earlier; 0 means no bound. */
  "to-timestamp": Schema.optional(UnixTime.FromString)
}

/** The fields of a list's input. */
export const list = {
  /** Only records created at this time or later, in Unix seconds. 0 or absent means no bound. */
  from: Schema.optional(UnixTime.UnixTime),
  /**
   * Only records created at this time or earlier (that the bound is inclusive is inferred). 0 or absent means no bound.
   */
  to: Schema.optional(UnixTime.UnixTime),
  ...Paged.fields
}

/** What the bounds of a list become. A bound of 0 means none and is left out. */
export const bounds = {
  from: (from: UnixTime.UnixTime) => ({ "from-timestamp": from === 0 ? undefined : from }),
  to: (to: UnixTime.UnixTime) => ({ "to-timestamp": to === 0 ? undefined : to })
}

/** Turns the failure that means an empty list, recognised by its code, into an empty page. */
export const emptyAt = <A>(page: Effect.Effect<Paged.Page<A>, ReadError>, code: number) =>
  Effect.catchIf(
    page,
    (error) => "code" in error && error.code === code,
    () => Effect.succeed<Paged.Page<A>>({ items: [], cursor: Option.none() })
  )

/** The same for the wallet's own code. */
export const orEmpty = <A>(page: Effect.Effect<Paged.Page<A>, ReadError>) => emptyAt(page, codes.noData)

/** The header that names the pool of a call. */
export interface PoolHeader {
  readonly "x-krn"?: string | undefined
  readonly "idempotency-key"?: string | undefined
}

export const poolHeader = (pool: string | undefined): PoolHeader => ({ "x-krn": pool })
