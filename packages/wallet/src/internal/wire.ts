/** Forms of fields that several records of the wallet share. */
import * as Address from "@effect-klaytn/core/Address"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const AnyCase = Schema.String.pipe(
  Schema.pattern(/^0x[0-9a-fA-F]{40}$/, { message: () => "expected an address as 0x and 40 hexadecimal digits" })
)

/** An address that is written in checksum case: the wallet's own records. Any case is read. */
export const ChecksumAddress: Schema.Schema<Address.Address, string> = Schema.transform(AnyCase, Address.Address, {
  strict: true,
  decode: (text) => text.toLowerCase(),
  encode: (text) => {
    const address = Address.make(text)
    return address._tag === "Right" ? Address.checksum(address.right) : text
  }
}).annotations({ identifier: "ChecksumAddress" })

/** An address that is null, an empty text or absent when there is none. */
export const noneAsEmpty = Schema.optionalToOptional(Schema.NullOr(Schema.String), Address.FromWire, {
  decode: Option.flatMap((text) => text === null || text === "" ? Option.none<string>() : Option.some(text)),
  encode: (address): Option.Option<string | null> => address
})

/** A field that is absent or null when there is none. */
export const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })

/** A count, as a JSON number. */
export const Count = Schema.NonNegativeInt
