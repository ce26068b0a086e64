import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** The discriminator: `transferType` on the wire, `_tag` in the domain. */
export const tag = <A extends string, I extends string>(schema: Schema.Schema<A, I>) =>
  Schema.propertySignature(schema).pipe(Schema.fromKey("transferType"))

/** An optional address: an empty string, `null` or absent if there is none, and encoded as an empty string. */
export const noneAsEmpty = Schema.optionalToOptional(Schema.NullOr(Schema.String), Address.FromWire, {
  decode: Option.filter((text): text is string => text !== "" && text !== null),
  encode: Option.orElseSome(() => "")
})

/** 1 and 0 by name, any other number unchanged. */
export const Status = Schema.Union(
  Schema.transformLiterals([1, "success"], [0, "failure"]),
  Schema.Int.pipe(Schema.filter((status) => status !== 0 && status !== 1, { identifier: "OtherStatus" }))
)

const known = new Set(["coin", "klay", "ft", "nft", "mt"])

const AnyRecord = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** A record of another kind: the service may add some. `transferType` names the kind. */
const Raw = AnyRecord.pipe(
  Schema.filter((record) => typeof record["transferType"] === "string" && !known.has(record["transferType"]), {
    identifier: "UnknownTransfer",
    description: "a record with a transferType of an unknown kind"
  })
)

export const UnknownTransfer = Schema.transform(
  Raw,
  Schema.TaggedStruct("UnknownTransfer", { transferType: Schema.String, record: AnyRecord }),
  {
    strict: true,
    decode: (record) => ({
      _tag: "UnknownTransfer" as const,
      transferType: String(record["transferType"]),
      record
    }),
    encode: ({ record }) => record
  }
)

const field = (value: unknown, name: string): unknown => Predicate.isRecord(value) ? value[name] : undefined

const readHash = Schema.decodeUnknownOption(Hash.FromWire)

/** The transaction hash of a record of unknown kind, if it is where the known kinds have it. */
export const hashOf = (record: unknown): Hash.Hash | undefined =>
  Option.getOrUndefined(
    Option.firstSomeOf([record, field(record, "transaction")].map((one) => readHash(field(one, "transactionHash"))))
  )
