import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { Engine } from "@effect-klaytn/engine/Engine"
import * as Batch from "@effect-klaytn/payouts/Batch"
import type * as Payout from "@effect-klaytn/payouts/Payout"
import type { DatabaseFailed, InvalidTransition, KeyConflict, NoSuchPayout } from "@effect-klaytn/payouts/PayoutError"
import * as Payouts from "@effect-klaytn/payouts/Payouts"
import * as PayoutState from "@effect-klaytn/payouts/PayoutState"
import * as SqlNonces from "@effect-klaytn/payouts/SqlNonces"
import * as SqlSpendPolicy from "@effect-klaytn/payouts/SqlSpendPolicy"
import * as TokenPayout from "@effect-klaytn/payouts/TokenPayout"
import type { NewerTables, Upgrade } from "@effect-klaytn/store/Migrations"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import type { NonceSource } from "@effect-klaytn/wallet/NonceSource"
import type { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import type { Service, SpendRefused } from "@effect-klaytn/wallet/SpendPolicy"
import type { TransactionLookup } from "@effect-klaytn/wallet/TransactionLookup"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { WorkflowEngine } from "@effect/workflow/WorkflowEngine"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "tstyche"

declare const payouts: Payouts.Service
declare const state: PayoutState.PayoutState

const value = { key: "a", from: "0x1", to: "0x2", value: 1n, payer: FeeDelegation.service }

describe("Payouts", () => {
  it("tells each failure by its tag, and a refused payment as a state and no failure", () => {
    expect(payouts.pay(value)).type.toBe<
      Effect.Effect<Payout.Payout, InvalidInput | KeyConflict | DatabaseFailed>
    >()
    expect(payouts.get("a")).type.toBe<Effect.Effect<Payout.PayoutWithHistory, NoSuchPayout | DatabaseFailed>>()
    expect(payouts.approve("a")).type.toBe<
      Effect.Effect<Payout.Payout, NoSuchPayout | InvalidTransition | DatabaseFailed>
    >()
    expect(payouts.changes()).type.toBe<Stream.Stream<Payout.Change, DatabaseFailed>>()
  })

  it("takes a payment of coins or a request, and neither both nor less", () => {
    const { to: _, ...incomplete } = value
    expect(payouts.pay).type.not.toBeCallableWith(incomplete)
    expect(payouts.pay).type.not.toBeCallableWith({ ...value, value: 1 })
    expect(payouts.pay).type.not.toBeCallableWith({ ...value, nonce: 4 })
    const call = { _tag: "Execute", from: "0x1", to: "0x2", input: "0x" } as const
    expect(payouts.submit({ key: "a", payer: FeeDelegation.service, request: call })).type.toBe<
      Effect.Effect<Payout.Payout, InvalidInput | KeyConflict | DatabaseFailed>
    >()
    expect(payouts.pay).type.not.toBeCallableWith({
      key: "a",
      payer: FeeDelegation.service,
      request: { _tag: "Cancel", from: "0x1", nonce: 1 }
    })
  })

  it("lists by states that there are", () => {
    expect(payouts.list({ states: ["Unknown", "Sent"] })).type.toBe<
      Effect.Effect<Payouts.Page, InvalidInput | DatabaseFailed>
    >()
    expect(payouts.list).type.not.toBeCallableWith({ states: ["Lost"] })
  })

  it("needs the engine, its database and the wallet's configuration", () => {
    expect(Payouts.layer()).type.toBe<
      Layer.Layer<
        Payouts.Payouts,
        InvalidInput | DatabaseFailed | NewerTables,
        ClientConfig | HttpClient | SqlClient | Engine | WorkflowEngine
      >
    >()
  })

  it("shares nonces and a spend window with sends that are no payouts", () => {
    expect(SqlNonces.layer({ chain: 1001 })).type.toBe<
      Layer.Layer<NonceSource, SqlError | NewerTables, SqlClient | TransactionLookup>
    >()
    expect(SqlSpendPolicy.make({})).type.toBe<
      Effect.Effect<Service, InvalidInput | SqlError | NewerTables, SqlClient>
    >()
    expect(Payouts.upgrade()).type.toBe<Effect.Effect<Upgrade, DatabaseFailed | NewerTables, SqlClient>>()
  })
})

describe("a state", () => {
  it("has its block once it is executed, and not before", () => {
    if (state._tag === "Executed") expect(state.block).type.toBe<number>()
    if (PayoutState.isFinal(state)) {
      expect(state._tag).type.toBe<"Executed" | "MovedOtherwise" | "Refused" | "Cancelled">()
    }
    expect(state).type.not.toHaveProperty("block")
  })
})

describe("Token and Batch", () => {
  it("tell what is refused before anything is stored", () => {
    const { value: _, ...common } = value
    expect(TokenPayout.pay({ ...common, token: "0x3", amount: "12.5" })).type.toBe<
      Effect.Effect<
        Payout.Payout,
        TokenPayout.TokenRefused | LookupFailed | InvalidInput | KeyConflict | SpendRefused | DatabaseFailed,
        Payouts.Payouts | ClientConfig | HttpClient
      >
    >()
    expect(TokenPayout.pay).type.not.toBeCallableWith({ ...common, token: "0x3", amount: 12.5 })
    expect(Batch.payAll(Stream.make(value))).type.toBe<
      Stream.Stream<
        Batch.LineResult,
        Batch.BatchRefused | LookupFailed | InvalidInput | KeyConflict | DatabaseFailed,
        Payouts.Payouts | ClientConfig | HttpClient
      >
    >()
  })
})
