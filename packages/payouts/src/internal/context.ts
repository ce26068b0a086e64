/** What the steps of a payout work with. */
import type * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import type * as Chain from "@effect-klaytn/core/Chain"
import type * as Hash from "@effect-klaytn/core/Hash"
import * as Krn from "@effect-klaytn/core/Krn"
import type * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import type { PendingTransaction } from "@effect-klaytn/wallet/MultisigApi"
import * as Pool from "@effect-klaytn/wallet/Pool"
import type { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import type * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import type * as Transactions from "@effect-klaytn/wallet/Transactions"
import type * as Wallet from "@effect-klaytn/wallet/Wallet"
import type * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Content } from "../Payout.js"
import type * as PayoutState from "../PayoutState.js"
import * as clocks from "./clock.js"
import type { Recorded } from "./limitRows.js"
import type { Node } from "./node.js"
import type { Store, Stored } from "./store.js"
import * as telemetry from "./telemetry.js"

/** A transaction in a block, the newest block that this process has seen since, and since when, on its monotonic clock. */
export interface Found {
  readonly hash: Hash.Hash
  readonly block: number
  readonly head: number
  readonly since: number
}

/** What the steps work with. */
export interface Context {
  /** Waits until the database answers: the state must be written before anything else happens. */
  readonly store: Store<never>
  /** Plans payments of coins, so that errors name the fields of the input. */
  readonly wallet: Pick<Wallet.Service, "plan">
  readonly transactions: Transactions.Service
  readonly lookup: TransactionLookup.Service
  /** The service's node; none if no address of it is configured. */
  readonly node: Option.Option<Node>
  /** Whether receivers have code, as checks of many payments read it. */
  readonly codes: Pick<Cache.Cache<Address.Address, boolean, LookupFailed>, "get">
  /** Whether the wallet has accounts, by address and pools. */
  readonly holders: Pick<Cache.Cache<readonly [Address.Address, string | undefined], string>, "get">
  readonly policy: SpendPolicy.Service
  /** The limits of this process: it gives a nonce to no payout with others. */
  readonly limits: Recorded
  readonly approveAbove?: bigint | undefined
  readonly confirmInterval: Duration.Duration
  readonly stuckAfter: Duration.Duration
  readonly signaturesWithin: Duration.Duration
  readonly confirmations: number
  /** The transactions that this process has found in blocks that may still be moved, by payout. */
  readonly found: Map<string, Found>
  /** Is told of the service's time by its answers. */
  readonly serviceTime: ServiceTime.ServiceTime
  /** Whether several signers have to sign for the accounts that this process sends for. */
  readonly shared: Map<Address.Address, boolean>
  /** The transactions of an account that wait for signatures, as far as the service lists them. */
  readonly waitingOf: (from: Address.Address) => Effect.Effect<ReadonlyArray<PendingTransaction>, LookupFailed>
  /** Limits how many requests are in progress: those that send, or look up what was sent, and those that prepare a send. */
  readonly permits: Effect.Semaphore
  readonly preparing: Effect.Semaphore
  /** The chain of this process's client. */
  readonly chain: Chain.Chain
  /** The attempts, by key and number, for which this process has logged an alert. */
  readonly alerted: Set<string>
  /** The accounts whose nonces this process has compared with the chain. */
  readonly synced: Set<string>
  /** The payouts on which this process is working. */
  readonly working: Set<string>
  /** Called with every change that this process makes. */
  readonly onChange: (payout: Stored) => Effect.Effect<void>
}

/** Runs an effect with the pools that were current when the payout was asked for. */
export const withRouting =
  ({ pool }: Pick<Content, "pool">) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const [own, payers] = (pool?.split(",") ?? []).map((text) => Option.getRight(Krn.make(text)))
    return effect.pipe(
      Effect.provideService(Pool.CurrentPool, own ?? Option.none()),
      Effect.provideService(Pool.CurrentFeePayerPool, payers ?? Option.none())
    )
  }

/** Plans a payment, or another transaction of its account. */
export const plan = (
  { transactions }: Pick<Context, "transactions">,
  content: Content,
  input: Transactions.SendInput
) =>
  // It can't fail: the payment was planned before it was stored, with the same account and fee payer.
  transactions.plan(input).pipe(withRouting(content), Effect.orDie)

/** What is planned of an attempt: its nonce, and the call if it is one. */
export interface Attempt {
  readonly nonce?: number
  readonly call?: PayoutState.Call | undefined
}

/** The transaction of a content, with the nonce of an attempt. */
export const planOf = (context: Pick<Context, "transactions">, content: Content, { call, nonce }: Attempt) => {
  const { feeRatio, gasLimit, payer, request } = content
  if (call === undefined || request._tag === "Execute") {
    return plan(context, content, { request, payer, gasLimit, feeRatio, nonce })
  }
  const { from, to, value } = request
  const asCall = { _tag: "Execute" as const, from, to, value, input: "0x" }
  return plan(context, content, { request: asCall, payer, gasLimit: gasLimit ?? call.gas, feeRatio, nonce })
}

/**
 * What a payout may spend at most, as it is made. Coin for a contract is sent by a call without data: the contract decides the gas of it, and
 * gets no more than the value.
 */
export const spendOf = (context: Pick<Context, "transactions">, content: Content, call?: PayoutState.Call) =>
  Effect.map(planOf(context, content, { call }), (plan): SpendPolicy.Spend => ({
    ...SpendPolicy.ofPlan(plan),
    opaque: content.request._tag === "Execute"
  }))

/** Why a spend needs a person's approval, if it does. A call may move what can't be compared with a value. */
export const approvalOf = (
  { approveAbove }: Pick<Context, "approveAbove">,
  { opaque, value }: SpendPolicy.Spend
): string | undefined => {
  if (approveAbove === undefined) return undefined
  if (value > approveAbove) return `${Amount.format(value)} is more than ${Amount.format(approveAbove)}`
  return opaque ? "it is a contract call, and may move more than the coin that can be seen, such as tokens" : undefined
}

/** Applies an event to a payout, and reports the change. */
export const apply = (
  context: Context,
  key: string,
  event: PayoutState.PayoutEvent
): Effect.Effect<Either.Either<Stored, string>> =>
  Effect.gen(function*() {
    const applied = yield* context.store.apply(key, event)
    yield* Either.isLeft(applied)
      ? Effect.logDebug(`payout ${key}: ${applied.left}`)
      : publish(context, applied.right, event)
    return applied
  })

/** Reports a stored change to operators, and to callers that wait in this process. */
export const publish = (
  { onChange }: Context,
  payout: Stored,
  event: PayoutState.PayoutEvent
): Effect.Effect<void> => Effect.flatMap(telemetry.recordChange(payout, event), () => onChange(payout))

const longest = Duration.seconds(30)

export const backoff = ({ confirmInterval }: Context, tries: number): Duration.Duration =>
  Duration.min(Duration.times(confirmInterval, 1.5 ** Math.min(Math.max(0, tries - 1), 20)), longest)

/** Logs an alert for a payout that takes too long: once for each attempt, and again after a restart. */
export const alertOnce = (context: Context, payout: Stored, problem: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { key, since, state } = payout
    const topic = `${key} ${"attempt" in state ? state.attempt : 0}`
    const age = clocks.since(yield* context.store.now(), since)
    if (context.alerted.has(topic) || age <= Duration.toMillis(context.stuckAfter)) return
    context.alerted.add(topic)
    yield* telemetry.alert(payout, problem)
  })
