/**
 * Payments that are made once for a key, whatever dies: {@link Service.pay} answers with the same end for the same key,
 * asked at any time by any process.
 *
 * **Details**
 *
 * A key is a name of yours, such as that of an order. What is asked for first under a key is stored, and done by
 * whichever process of the engine takes it; a key that is asked for with another content fails with `KeyConflict`,
 * which names the difference. README.md says, step by step, what can die and why the payment is made once.
 *
 * The service makes its own clients of the wallet from the `ClientConfig` of the program, and keeps its payouts in the
 * database of the engine. On processes with `Engine.layerRunner` it does the work; on those with `Engine.layerClient` it
 * submits, waits, and answers.
 *
 * **Example** (pay an order)
 *
 * ```ts
 * import * as Payouts from "@effect-klaytn/payouts/Payouts"
 * import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function*() {
 *   const payouts = yield* Payouts.Payouts
 *   const { state } = yield* payouts.pay({
 *     key: "order-4711",
 *     from: "0x1111111111111111111111111111111111111111",
 *     to: "0x2222222222222222222222222222222222222222",
 *     value: 1_500_000_000_000_000_000n,
 *     payer: FeeDelegation.service
 *   })
 *   return state._tag === "Executed" ? state.transactionHash : undefined
 * })
 * ```
 *
 * @since 0.1.0
 */
import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { Engine } from "@effect-klaytn/engine/Engine"
import type { FeePayerInput } from "@effect-klaytn/wallet/FeeDelegation"
import type { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import type * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import type * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import type { TransactionRequestInput } from "@effect-klaytn/wallet/TransactionRequest"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { WorkflowEngine } from "@effect/workflow/WorkflowEngine"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import * as internal from "./internal/payouts.js"
import type { Change, Content, Payout, PayoutWithHistory } from "./Payout.js"
import type { DatabaseFailed, KeyConflict, NoSuchPayout, NotPossible } from "./PayoutError.js"
import type { Tag } from "./PayoutState.js"

/**
 * What a payout of any kind names besides its transaction.
 *
 * @since 0.1.0
 * @category models
 */
export interface CommonInput {
  /** Your name for the payment: 1 to 200 characters. */
  readonly key: string
  /** Who pays the fee. */
  readonly payer: FeePayerInput
  /** The gas limit. Defaults to the service's. */
  readonly gasLimit?: number | undefined
  /** The percentage that the fee payer pays, 1 to 99. */
  readonly feeRatio?: number | undefined
}

/**
 * A payment of coins, as for `sendValue` of the wallet.
 *
 * @since 0.1.0
 * @category models
 */
export interface ValueInput extends CommonInput {
  readonly from: string
  readonly to: string
  /** In peb. */
  readonly value: bigint
  readonly memo?: string | undefined
}

/**
 * A payment by a request of `Transactions`: a `Value`, or an `Execute` such as the transfer of a token.
 *
 * @since 0.1.0
 * @category models
 */
export interface RequestInput extends CommonInput {
  readonly request: Extract<TransactionRequestInput, { readonly _tag: "Value" | "Execute" }>
}

/**
 * Input of `pay` and `submit`.
 *
 * @since 0.1.0
 * @category models
 */
export type PayInput = ValueInput | RequestInput

/**
 * Which payouts are listed: all by default, 100 to a page.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListInput {
  readonly states?: ReadonlyArray<Tag> | undefined
  /** The account that pays. */
  readonly from?: string | undefined
  /** 1 to 1000. */
  readonly size?: number | undefined
  /** That of the page before. */
  readonly cursor?: string | undefined
}

/**
 * A page of payouts, newest first.
 *
 * @since 0.1.0
 * @category models
 */
export interface Page {
  readonly items: ReadonlyArray<Payout>
  /** For the next page; none after the last one. */
  readonly cursor: Option.Option<string>
}

/**
 * Where all payouts stand.
 *
 * @since 0.1.0
 * @category models
 */
export interface Health {
  /** How many have not ended, by state. */
  readonly open: Readonly<Partial<Record<Tag, number>>>
  /** Those of which it is not known whether they were sent: `Sending` and `Unknown`. */
  readonly unknown: number
  /** How long the one of them that waits longest has. */
  readonly oldestUnknown: Option.Option<Duration.Duration>
  /** Payouts that wait for a person's approval. */
  readonly waitingForApproval: number
  /** Payouts that were accepted and are in no block, and whose attempt was begun longer than `stuckAfter` ago. */
  readonly stuck: number
  /** How long the payout that waits longest has, approvals apart: since its attempt was begun, however often it was sent. */
  readonly oldest: Option.Option<Duration.Duration>
  /** What is left of the spend window now, in peb, if the policy has one; `fee` if it limits fees. */
  readonly left: Option.Option<{ readonly value: bigint; readonly fee: bigint | undefined }>
  /** What counts in the spend window now, in peb, if the policy has one. */
  readonly spent: Option.Option<{ readonly value: bigint; readonly fee: bigint }>
}

/**
 * What `check` finds out about a payout before it is stored.
 *
 * @since 0.1.0
 * @category models
 */
export interface Checked {
  readonly content: Content
  /** What it would move, and the most that its fee can be. */
  readonly spend: SpendPolicy.Spend
  /** What is stored under the key: the same content, if there is one. */
  readonly stored: Option.Option<Payout>
  /** Whether it would wait for a person. */
  readonly needsApproval: boolean
}

/**
 * The operations.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /**
   * Pays once for the key, and answers with the end: `Executed`, `Refused` or `GivenUp`. A payout that waits for an
   * approval is waited for. Interrupted, it only stops waiting.
   */
  readonly pay: (input: PayInput) => Effect.Effect<Payout, InvalidInput | KeyConflict | DatabaseFailed>
  /** Stores the payout and answers with where it stands, without waiting. */
  readonly submit: (input: PayInput) => Effect.Effect<Payout, InvalidInput | KeyConflict | DatabaseFailed>
  /**
   * All that can be known about a payout before it is stored: its content and key are checked, and the policy is asked,
   * the window apart. Stores and sends nothing.
   */
  readonly check: (
    input: PayInput
  ) => Effect.Effect<Checked, InvalidInput | KeyConflict | SpendPolicy.SpendRefused | DatabaseFailed>
  /** Waits for the end of a payout. */
  readonly wait: (key: string) => Effect.Effect<Payout, NoSuchPayout | DatabaseFailed>
  /** A payout with everything that happened to it. */
  readonly get: (key: string) => Effect.Effect<PayoutWithHistory, NoSuchPayout | DatabaseFailed>
  readonly list: (input?: ListInput) => Effect.Effect<Page, InvalidInput | DatabaseFailed>
  /**
   * The changes of all payouts from now on, whichever process makes them; or of one payout from its beginning to its
   * end. Each is told once. A change whose transaction took longer than a minute may be missed.
   */
  readonly changes: (key?: string) => Stream.Stream<Change, DatabaseFailed>
  /** A person's yes to a payout that waits for it. */
  readonly approve: (key: string) => Effect.Effect<Payout, NoSuchPayout | NotPossible | DatabaseFailed>
  /**
   * A person's no. What was never sent is given up at once. What may have been sent is cancelled by a transaction with
   * the same nonce: it ends as `GivenUp` if that comes first, and as `Executed` if the payment does.
   */
  readonly giveUp: (key: string) => Effect.Effect<Payout, NoSuchPayout | NotPossible | DatabaseFailed>
  /** Asks the chain now what became of a payout, and answers with where it stands. Sends nothing. */
  readonly reconcile: (key: string) => Effect.Effect<Payout, NoSuchPayout | LookupFailed | DatabaseFailed>
  /** Asks the database now. Also sets the gauges, which the layer does every 15 seconds. */
  readonly health: Effect.Effect<Health, DatabaseFailed>
}

/**
 * The payouts as a service.
 *
 * @since 0.1.0
 * @category services
 */
export class Payouts extends Context.Tag("@effect-klaytn/payouts/Payouts")<Payouts, Service>() {}

/**
 * Options of {@link layer}. All processes of a namespace should have the same.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * What may be spent. Its window is kept in the database: it holds over restarts, and for all processes together.
   * Without a policy, everything is allowed on testnet and nothing on mainnet.
   */
  readonly policy?: SpendPolicy.Rules | undefined
  /** A payout that moves more than this, in peb, waits for `approve`. */
  readonly approveAbove?: bigint | undefined
  /** How many requests to the service are under way in this process, at most. 32 by default. */
  readonly concurrency?: number | undefined
  /** The first wait before the chain is asked about a payout; it doubles about every second time, to 30 seconds. 1 second by default. */
  readonly confirmInterval?: Duration.DurationInput | undefined
  /** How long after its begin an attempt may be in doubt, refused or in no block before a person is told. 1 minute by default. */
  readonly stuckAfter?: Duration.DurationInput | undefined
  /** How often the database is asked for what other processes did. 500 milliseconds by default. */
  readonly pollInterval?: Duration.DurationInput | undefined
  /** Looks up what became of a transaction. Defaults to the service and its node. */
  readonly lookup?: TransactionLookup.Service | undefined
}

/**
 * Provides the payouts on the engine of the program.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<
  Payouts,
  InvalidInput | DatabaseFailed,
  ClientConfig | HttpClient | SqlClient | Engine | WorkflowEngine
> => Layer.scoped(Payouts, internal.make(options))
