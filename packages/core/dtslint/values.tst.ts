import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Chain from "@effect-klaytn/core/Chain"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import * as Hash from "@effect-klaytn/core/Hash"
import type * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as WireDialect from "@effect-klaytn/core/WireDialect"
import type * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import type * as Redacted from "effect/Redacted"
import { describe, expect, test } from "tstyche"

declare const address: Address.Address
declare const hash: Hash.Hash
declare const peb: Amount.Peb
declare const time: UnixTime.UnixTime
declare const endpoint: Endpoints.Endpoint
declare const parts: Krn.Parts
declare const secret: Redacted.Redacted<string>

describe("brands", () => {
  test("plain text is no address, hash, hex, or endpoint", () => {
    expect<Address.Address>().type.not.toBeAssignableFrom<`0x${string}`>()
    expect<Address.Address>().type.not.toBeAssignableFrom<string>()
    expect<Hash.Hash>().type.not.toBeAssignableFrom<string>()
    expect<HexEncoding.HexData>().type.not.toBeAssignableFrom<string>()
    expect<HexEncoding.HexQuantity>().type.not.toBeAssignableFrom<string>()
    expect<Endpoints.Endpoint>().type.not.toBeAssignableFrom<string>()
  })

  test("a plain number is no amount and no time, a plain bigint is no amount", () => {
    expect<Amount.Peb>().type.not.toBeAssignableFrom<number>()
    expect<Amount.Peb>().type.not.toBeAssignableFrom<bigint>()
    expect<UnixTime.UnixTime>().type.not.toBeAssignableFrom<number>()
  })

  test("one brand is not another", () => {
    expect<Address.Address>().type.not.toBeAssignableFrom<Hash.Hash>()
    expect<Hash.Hash>().type.not.toBeAssignableFrom<Address.Address>()
    expect<HexEncoding.HexQuantity>().type.not.toBeAssignableFrom<HexEncoding.HexData>()
  })

  test("a branded value is still what it is made of", () => {
    expect<string>().type.toBeAssignableFrom(address)
    expect<string>().type.toBeAssignableFrom(hash)
    expect<`0x${string}`>().type.toBeAssignableFrom(address)
    expect<`0x${string}`>().type.toBeAssignableFrom(hash)
    expect<`0x${string}`>().type.toBeAssignableFrom<HexEncoding.HexData>()
    expect<`0x${string}`>().type.toBeAssignableFrom<HexEncoding.HexQuantity>()
    expect<string>().type.toBeAssignableFrom(endpoint)
    expect<bigint>().type.toBeAssignableFrom(peb)
    expect<number>().type.toBeAssignableFrom(time)
    expect(peb + peb).type.toBe<bigint>()
  })

  test("the checksum spelling is text and no address", () => {
    expect(Address.checksum(address)).type.toBe<`0x${string}`>()
    expect(Address.checksum).type.not.toBeCallableWith("0x00")
  })

  test("loose parts are no resource name, so they can't be formatted into a header unjudged", () => {
    expect<Krn.Krn>().type.not.toBeAssignableFrom<Krn.Parts>()
    expect(Krn.format).type.not.toBeCallableWith(parts)
    expect<KeyId.KeyId>().type.not.toBeAssignableFrom<KeyId.Parts>()
  })
})

describe("chains and dialects", () => {
  test("a chain is one of two numbers", () => {
    expect<Chain.Chain>().type.toBe<8217 | 1001>()
    expect<Chain.Chain>().type.not.toBeAssignableFrom<number>()
    expect(Chain.label).type.not.toBeCallableWith(1)
    const settings = { chain: Chain.mainnet }
    expect(settings).type.toBe<{ chain: 8217 }>()
  })

  test("a spelling takes the known words only", () => {
    expect(WireDialect.make).type.toBeCallableWith({ gas: "both" as const })
    expect(WireDialect.make).type.not.toBeCallableWith({ gas: "gaz" })
  })
})

describe("constructors", () => {
  test("return their failure", () => {
    expect(Address.make("")).type.toBe<Either.Either<Address.Address, ParseResult.ParseError>>()
    expect(Hash.make("")).type.toBe<Either.Either<Hash.Hash, ParseResult.ParseError>>()
    expect(Amount.make(1n)).type.toBe<Either.Either<Amount.Peb, ParseResult.ParseError>>()
    expect(Amount.fromKlay("1")).type.toBe<Either.Either<Amount.Peb, ParseResult.ParseError>>()
    expect(Krn.make("")).type.toBe<Either.Either<Krn.Krn, ParseResult.ParseError>>()
    expect(KeyId.make("")).type.toBe<Either.Either<KeyId.KeyId, ParseResult.ParseError>>()
    expect(UnixTime.make(1)).type.toBe<Either.Either<UnixTime.UnixTime, ParseResult.ParseError>>()
    expect(Endpoints.endpoint("")).type.toBe<Either.Either<Endpoints.Endpoint, Endpoints.EndpointError>>()
  })

  test("take no number for an amount", () => {
    expect(Amount.make).type.not.toBeCallableWith(1)
    expect(Amount.fromKlay).type.not.toBeCallableWith(1.5)
    expect(Amount.fromUnit).type.not.toBeCallableWith("1", "wei")
  })
})

describe("Credentials", () => {
  test("take a secret only when it is redacted", () => {
    expect(Credentials.fromPair).type.toBeCallableWith({ accessKeyId: "", secretAccessKey: secret })
    expect(Credentials.fromPair).type.not.toBeCallableWith({ accessKeyId: "", secretAccessKey: "" })
    expect(Credentials.fromAuthorization).type.toBeCallableWith(secret)
    expect(Credentials.fromAuthorization).type.not.toBeCallableWith("Basic x")
  })

  test("made by a constructor are a provider as they come", () => {
    expect<Credentials.Provider>().type.toBeAssignableFrom(Credentials.fromAuthorization(secret))
  })
})
