import type * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import type { InvalidInput, ReadError, ServiceError } from "@effect-klaytn/core/ServiceError"
import type { Key } from "@effect-klaytn/wallet/Account"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import type * as Migration from "@effect-klaytn/wallet/Migration"
import type { MigrationProgress } from "@effect-klaytn/wallet/MigrationProgress"
import * as NonceSource from "@effect-klaytn/wallet/NonceSource"
import type * as OldKey from "@effect-klaytn/wallet/OldKey"
import type { RegistrationResult } from "@effect-klaytn/wallet/Registration"
import * as Resources from "@effect-klaytn/wallet/Resources"
import * as SendOutcome from "@effect-klaytn/wallet/SendOutcome"
import type { SendPlan } from "@effect-klaytn/wallet/SendPlan"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import type * as Transactions from "@effect-klaytn/wallet/Transactions"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Match from "effect/Match"
import type * as Stream from "effect/Stream"
import { describe, expect, it } from "tstyche"

declare const wallet: Wallet.Service
declare const migration: Migration.Service

const address = "0x1111111111111111111111111111111111111111"
const send = { from: address, to: address, value: 1n, payer: FeeDelegation.service }

describe("a send", () => {
  it("says all its ends, and needs nothing more", () => {
    expect(wallet.sendValue(send))
      .type.toBe<Effect.Effect<SendOutcome.Submitted, SendOutcome.NotSent | SendOutcome.SendUnknown>>()
    expect(wallet.sendValue({ ...send, submit: true }))
      .type.toBe<Effect.Effect<SendOutcome.Submitted, SendOutcome.NotSent | SendOutcome.SendUnknown>>()
    expect(wallet.sendValue({ ...send, submit: false }))
      .type.toBe<Effect.Effect<SendOutcome.Submission, SendOutcome.NotSent | SendOutcome.SendUnknown>>()
    expect<SendOutcome.Submitted["_tag"]>().type.toBe<"Sent" | "Pending">()
    expect(wallet.plan(send)).type.toBe<Effect.Effect<SendPlan, InvalidInput>>()
    expect<SendOutcome.SendOutcome["_tag"]>()
      .type.toBe<"Sent" | "SignedOnly" | "Pending" | "NotSent" | "SendUnknown">()
  })

  it("has to say who pays", () => {
    expect<Omit<typeof send, "payer">>().type.not.toBeAssignableTo<Wallet.SendValueInput>()
    expect<{ from: string; to: string; value: bigint; payer: string }>()
      .type.not.toBeAssignableTo<Wallet.SendValueInput>()
    expect<{ request: { _tag: "Anchor"; from: string; input: string } }>()
      .type.not.toBeAssignableTo<Transactions.SendInput>()
  })

  it("takes amounts as whole peb only", () => {
    expect<Wallet.SendValueInput["value"]>().type.toBe<bigint>()
    expect<Wallet.SendValueInput["nonce"]>().type.toBe<number | undefined>()
  })

  it("is settled into one union that a match exhausts", () => {
    const told = Effect.map(
      SendOutcome.settle(wallet.sendValue(send)),
      Match.valueTags({
        Sent: (_) => _.transactionHash,
        Pending: (_) => _.transactionId,
        NotSent: (_) => _.reason._tag,
        SendUnknown: (_) => _.reconcile
      })
    )
    expect<Effect.Effect.Error<typeof told>>().type.toBe<never>()
  })

  it("that is not known brings the way to find out", () => {
    expect<SendOutcome.SendUnknown["reconcile"]>()
      .type.toBe<Effect.Effect<SendOutcome.SendVerdict, SendOutcome.LookupFailed>>()
    expect<SendOutcome.SendVerdict["_tag"]>()
      .type.toBe<"Executed" | "Waiting" | "Superseded" | "NotExecuted" | "Ambiguous">()
  })

  it("that was not sent never has an unknown outcome for its reason", () => {
    expect<Extract<SendOutcome.NotSentReason, { readonly _tag: "SendUnknown" }>>().type.toBe<never>()
  })

  it("with a nonce of the source needs the source", () => {
    expect(NonceSource.withNonce(address, (nonce) => wallet.sendValue({ ...send, nonce }))).type.toBe<
      Effect.Effect<
        SendOutcome.Submitted,
        | SendOutcome.NotSent
        | SendOutcome.SendUnknown
        | NonceSource.NonceUnavailable
        | SendOutcome.LookupFailed
        | NonceSource.StoreFailed
        | InvalidInput,
        NonceSource.NonceSource
      >
    >()
  })
})

describe("the other operations", () => {
  it("say how they fail", () => {
    expect<Effect.Effect.Error<ReturnType<Wallet.Service["getAccounts"]>>>().type.toBe<ReadError>()
    expect<Effect.Effect.Error<Wallet.Service["createAccount"]>>().type.toBe<ServiceError | SpendPolicy.SpendRefused>()
    expect(wallet.createKeys(5)).type.toBe<Stream.Stream<Key, ServiceError | SpendPolicy.SpendRefused>>()
    expect(wallet.registerAccounts([])).type.toBe<
      Stream.Stream<RegistrationResult, ServiceError | SpendPolicy.SpendRefused>
    >()
    expect(migration.migrateAccounts([])).type.toBe<Stream.Stream<MigrationProgress, Migration.MigrationError>>()
  })

  it("take private keys only in wrapping", () => {
    expect<string>().type.not.toBeAssignableTo<OldKey.OldKey>()
    expect<{ address: string; oldKey: string }>().type.not.toBeAssignableTo<Migration.AccountInput>()
  })
})

describe("the doors", () => {
  it("say what they need and how they fail", () => {
    expect(Wallet.make()).type.toBe<
      Effect.Effect<Wallet.Service, InvalidInput, ClientConfig.ClientConfig | HttpClient.HttpClient>
    >()
    expect(Wallet.layer()).type.toBe<
      Layer.Layer<Wallet.Wallet, InvalidInput, ClientConfig.ClientConfig | HttpClient.HttpClient>
    >()
    expect(Wallet.layerConfig()).type.toBe<
      Layer.Layer<Wallet.Wallet, ConfigError.ConfigError | InvalidInput, HttpClient.HttpClient>
    >()
    expect(Resources.layerConfig()).type.toBe<
      Layer.Layer<Resources.Resources, ConfigError.ConfigError | InvalidInput, HttpClient.HttpClient>
    >()
    expect(TransactionLookup.layerConfig()).type.toBe<
      Layer.Layer<TransactionLookup.TransactionLookup, ConfigError.ConfigError | InvalidInput, HttpClient.HttpClient>
    >()
    expect(SpendPolicy.make({})).type.toBe<Effect.Effect<SpendPolicy.Service, InvalidInput>>()
    expect<SpendPolicy.Rules>().type.toBeAssignableTo<NonNullable<Wallet.Options["policy"]>>()
  })
})
