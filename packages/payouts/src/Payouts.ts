/**
 * Payments made exactly once per key, even across crashes: {@link Service.pay} returns the same result for the
 * same key, at any time and in any process.
 *
 * **Details**
 *
 * A key is your name for the payment, such as the number of an order. The first request for a key is stored, and one of
 * the engine's processes carries it out. A request for the same key with different contents, or for one that looks the same, fails with `KeyConflict`,
 * which names the differences. The guide to payouts describes step by step what can fail, and why the payment is made
 * once.
 *
 * The service creates its own clients of the wallet from the `ClientConfig` of the program, and stores payouts in the
 * database of the engine. In processes with `Engine.layerRunner` it carries payouts out; in those with
 * `Engine.layerClient` it submits payouts, waits for them and reads them.
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
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import type * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import type { Engine } from "@effect-klaytn/engine/Engine"
import type { NewerTables, Upgrade } from "@effect-klaytn/store/Migrations"
import type { FeePayerInput } from "@effect-klaytn/wallet/FeeDelegation"
import type { NonceBook } from "@effect-klaytn/wallet/NonceBook"
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
import type { DayReport } from "./DayReport.js"
import { orFailed } from "./internal/databaseErrors.js"
import type * as inputs from "./internal/inputs.js"
import * as migrations from "./internal/migrations.js"
import * as internal from "./internal/payoutService.js"
import type { Limits } from "./Limits.js"
import type { Change, Content, Payout, PayoutWithHistory, RecordedChange } from "./Payout.js"
import type { DatabaseFailed, InvalidTransition, KeyConflict, NoSuchPayout } from "./PayoutError.js"
import type { Tag } from "./PayoutState.js"

/**
 * The fields of every payout.
 *
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
 * @category models
 */
export interface RequestInput extends CommonInput {
  readonly request: Extract<TransactionRequestInput, { readonly _tag: "Value" | "Execute" }>
}

/**
 * Input of `pay` and `submit`.
 *
 * @category models
 */
export type PayInput = ValueInput | RequestInput

/**
 * Which payouts are listed: all by default, 100 to a page.
 *
 * @category models
 */
export interface ListInput extends Input.Of<typeof inputs.list> {}

/**
 * Where the feed of changes begins, and whether it ends. By default it begins at the first change and never ends.
 *
 * **Details**
 *
 * The feed is in the order in which the changes were committed, whichever process committed them, and so are the changes of
 * one payout. A reader that stores the `cursor` of the last change that it has processed, and begins after it the next time,
 * misses none. If it dies between processing a change and storing the cursor, it gets that change again: compare its `cursor`
 * with the last one that was processed, or store both in one transaction.
 *
 * A cursor belongs to its database. If it is ahead of the database, because the database is another one or an older copy,
 * the feed fails with `InvalidInput`.
 *
 * **Example** (process every change, across restarts)
 *
 * ```ts
 * import * as Payouts from "@effect-klaytn/payouts/Payouts"
 * import * as Effect from "effect/Effect"
 * import * as Option from "effect/Option"
 * import * as Stream from "effect/Stream"
 *
 * export const program = Effect.gen(function*() {
 *   const { cursor, feed, storeCursor } = yield* Payouts.Payouts
 *   const after = Option.getOrUndefined(yield* cursor("ledger"))
 *   yield* Stream.runForEach(feed({ after }), (change) =>
 *     Effect.zipRight(
 *       Effect.log(change.key, change.state._tag),
 *       storeCursor("ledger", change.cursor)
 *     ))
 * })
 * ```
 *
 * @category models
 */
export interface FeedInput extends Input.Of<typeof inputs.feed> {}

/**
 * A page of payouts, newest first.
 *
 * @category models
 */
export interface Page {
  readonly items: ReadonlyArray<Payout>
  /** For the next page; none after the last one. */
  readonly cursor: Option.Option<string>
}

/**
 * The state of all payouts together.
 *
 * @category models
 */
export interface Health {
  /** How many have not ended, by state. */
  readonly open: Readonly<Partial<Record<Tag, number>>>
  /** Those that may or may not have been sent: `Sending` and `Unknown`. */
  readonly unknown: number
  /** How long the oldest of those has waited. */
  readonly oldestUnknown: Option.Option<Duration.Duration>
  /** Payouts that wait for a person's approval. */
  readonly waitingForApproval: number
  /** Accepted payouts that are in no block, with an attempt that was begun longer than `stuckAfter` ago. */
  readonly stuck: number
  /**
   * Payouts that wait for a nonce and have other limits than this process: a process with theirs begins them, or `adopt` gives
   * them those of this process.
   */
  readonly otherLimits: number
  /** Payouts that are neither final nor wait for approval, and on which no process has worked for 2 minutes. */
  readonly unattended: number
  /** The age of the oldest attempt that is open, however often it was sent. Payouts that wait for approval don't count. */
  readonly oldest: Option.Option<Duration.Duration>
  /** What is left of the spend window now, in peb, if the policy has one; `fee` if it limits fees. */
  readonly left: Option.Option<{ readonly value: bigint; readonly fee: bigint | undefined }>
  /** What counts in the spend window now, in peb, if the policy has one. */
  readonly spent: Option.Option<{ readonly value: bigint; readonly fee: bigint }>
}

/**
 * What `check` finds out about a payout before it is stored.
 *
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
 * What an operator knows about a payout: `NotSent`, no request of it was or will be executed; `Sent`, this transaction
 * executed it.
 *
 * @category models
 */
export type Resolution =
  | { readonly _tag: "NotSent" }
  | { readonly _tag: "Sent"; readonly transactionHash: string }

/**
 * The nonces of an account, as the chain counts them and as the database has them.
 *
 * **Details**
 *
 * The nonces of `book` that are `open` belong to payouts, or to sends that take their nonces from `SqlNonces`; `holders` are the
 * payouts. If `book.next` is above `counts.next` and nothing is open from there on, nodes have counted too much, or have lost what
 * they counted. An open nonce above `book.next` is one of a count that was far too high: no block can have it.
 *
 * @category models
 */
export interface AccountNonces {
  readonly account: Address
  readonly counts: TransactionLookup.Counts
  /** None if no payout of the account has asked for a nonce. */
  readonly book: Option.Option<NonceBook>
  /** The payouts that hold a nonce, lowest first. */
  readonly holders: ReadonlyArray<{ readonly key: string; readonly nonce: number }>
}

/**
 * The operations.
 *
 * @category models
 */
export interface Service {
  /**
   * Pays once for the key and returns the payout when it is final: `Executed`, `MovedOtherwise`, `Refused` or `Cancelled`. Also waits for
   * an approval that is needed, and for a process with the limits of the payout. Interruption stops the waiting, not the payout.
   */
  readonly pay: (input: PayInput) => Effect.Effect<Payout, InvalidInput | KeyConflict | DatabaseFailed>
  /** Stores the payout and returns it as it is now, without waiting. */
  readonly submit: (input: PayInput) => Effect.Effect<Payout, InvalidInput | KeyConflict | DatabaseFailed>
  /**
   * Checks a payout before it is stored: its content, its key, the policy, except for its window, whether the wallet has the account
   * that pays, and whether its receiver can take it, see the guide. Stores and sends nothing.
   */
  readonly check: (
    input: PayInput
  ) => Effect.Effect<Checked, InvalidInput | KeyConflict | SpendPolicy.SpendRefused | LookupFailed | DatabaseFailed>
  /** Waits for the end of a payout. */
  readonly wait: (key: string) => Effect.Effect<Payout, NoSuchPayout | DatabaseFailed>
  /** A payout with everything that happened to it. */
  readonly get: (key: string) => Effect.Effect<PayoutWithHistory, NoSuchPayout | DatabaseFailed>
  readonly list: (input?: ListInput) => Effect.Effect<Page, InvalidInput | DatabaseFailed>
  /**
   * The changes of all payouts from now on, whichever process makes them; or of one payout from its beginning to its
   * end. Each is emitted once. A stream of a key that is not stored waits until a payout with that key is.
   */
  readonly changes: (key?: string) => Stream.Stream<Change, DatabaseFailed>
  /** The changes of all payouts after a cursor, for readers that stop and continue later: see {@link FeedInput}. */
  readonly feed: (input?: FeedInput) => Stream.Stream<RecordedChange, InvalidInput | DatabaseFailed>
  /** The cursor of the last change that is committed: a feed after it has what comes later. */
  readonly lastCursor: Effect.Effect<string, DatabaseFailed>
  /** The cursor that a reader of the feed has stored under its name. */
  readonly cursor: (reader: string) => Effect.Effect<Option.Option<string>, InvalidInput | DatabaseFailed>
  /**
   * Stores the cursor of the last change that a reader has processed. A cursor never goes back: an older one is ignored.
   */
  readonly storeCursor: (
    reader: string,
    cursor: string
  ) => Effect.Effect<void, InvalidInput | DatabaseFailed>
  /** The ID of the limits of this process, with which it stores payouts, and which a payout must have to be begun by it. */
  readonly ownLimits: string
  /** The limits with an ID, as payouts have it. */
  readonly limits: (id: string) => Effect.Effect<Option.Option<Limits>, DatabaseFailed>
  /**
   * Gives a payout that waits for a nonce, or for approval, the limits of this process: a payout of an older version, which has none,
   * or one whose limits no process has any more. What was approved stays approved, and what waits for approval goes on to wait.
   */
  readonly adopt: (key: string) => Effect.Effect<Payout, NoSuchPayout | InvalidTransition | DatabaseFailed>
  /** Approves a payout that waits for approval. */
  readonly approve: (key: string) => Effect.Effect<Payout, NoSuchPayout | InvalidTransition | DatabaseFailed>
  /**
   * Cancels a payout. If none of its requests can execute, it is `Cancelled` at once. Otherwise a cancellation with the same
   * nonce is sent: the payout ends as `Cancelled` if a block holds the cancellation or another transaction with the nonce,
   * and as `Executed` if a block holds the payment.
   */
  readonly cancel: (key: string) => Effect.Effect<Payout, NoSuchPayout | InvalidTransition | DatabaseFailed>
  /**
   * Ends a payout whose outcome the chain alone does not show, with what you know about it. The chain, the node's pool and the
   * history of the payout are checked first: a resolution that contradicts them fails with `InvalidTransition`, which says what
   * contradicts it.
   *
   * `Sent` with the payout's own transaction, if it is in no block yet, changes nothing: the payout goes on to wait for it.
   *
   * **Gotchas**
   *
   * `NotSent` is refused as long as a transaction of the payout may still get into a block: a process is sending it, the service
   * has named its hash, or the node has a transaction with its nonce that waits. `cancel` it then: it ends when a block has the
   * cancellation. Otherwise `NotSent` ends a payout as `Cancelled` on your word alone. If a late copy of its request executes
   * after all, the payment was made: ask for it under another key only if that can't happen.
   */
  readonly resolve: (
    key: string,
    resolution: Resolution
  ) => Effect.Effect<Payout, InvalidInput | NoSuchPayout | InvalidTransition | LookupFailed | DatabaseFailed>
  /** Looks a payout up on the chain now, and returns it as it is then. Sends nothing. */
  readonly reconcile: (key: string) => Effect.Effect<Payout, NoSuchPayout | LookupFailed | DatabaseFailed>
  /** The nonces of an account. A count of the node that nothing explains is asked for three times. */
  readonly nonces: (account: string) => Effect.Effect<AccountNonces, InvalidInput | LookupFailed | DatabaseFailed>
  /**
   * Frees the nonces that the database counts as taken from the account's next nonce on, of which neither the chain nor the node
   * knows anything, and which nothing holds. A nonce that a payout holds stays with it. If it is more than 1000 above, no block can have it:
   * the payouts of the account go on below it, and `cancel` ends its payout. Fails with `LookupFailed`, and changes nothing, if a final
   * block settled a payout with a nonce that the node does not count.
   */
  readonly resetNonces: (account: string) => Effect.Effect<AccountNonces, InvalidInput | LookupFailed | DatabaseFailed>
  /**
   * The report of a day of UTC, such as `2026-11-23`: totals by token and state with their fees, and every difference
   * between the database and the chain. It asks the service's node, also if `lookup` is replaced. See `DayReport` for
   * what counts.
   */
  readonly report: (day: string) => Effect.Effect<DayReport, InvalidInput | LookupFailed | DatabaseFailed>
  /** Reads the database now, and sets the gauges, which the layer does every 15 seconds. */
  readonly health: Effect.Effect<Health, DatabaseFailed>
}

/**
 * The payouts as a service.
 *
 * @category services
 */
export class Payouts extends Context.Tag("@effect-klaytn/payouts/Payouts")<Payouts, Service>() {}

/**
 * Options of {@link layer}. All processes of a namespace should have the same. A process with another
 * `policy` or `approveAbove` does not begin the payouts of the others: see `Limits`.
 *
 * @category models
 */
export interface Options extends Input.Of<typeof inputs.options> {
  /**
   * What may be spent. Its window is kept in the database: it holds over restarts, and for all processes together.
   * Without a policy, everything is allowed on testnet and nothing on mainnet.
   */
  readonly policy?: SpendPolicy.Rules | undefined
  /** Looks up what became of a transaction. Defaults to the service and its node. */
  readonly lookup?: TransactionLookup.Service | undefined
}

/**
 * Creates the tables of payouts, or gives those of an older version what they lack, and returns what was done. `namespace` is
 * that of the engine, `klaytn` by default.
 *
 * **When to use**
 *
 * {@link layer} does the same, after the engine has recorded that this process started. Do it before, on the database alone, to
 * have a newer database refused before anything is written (`NewerTables`), or to upgrade as a step of a deploy, by a user that
 * may change tables.
 *
 * @category upgrading
 */
export const upgrade = (
  options: { readonly namespace?: string | undefined } = {}
): Effect.Effect<Upgrade, DatabaseFailed | NewerTables, SqlClient> =>
  orFailed(migrations.upgrade(options.namespace ?? "klaytn"))

/**
 * Provides the payouts on the engine of the program. Creates or upgrades their tables first, see {@link upgrade}.
 *
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<
  Payouts,
  InvalidInput | DatabaseFailed | NewerTables,
  ClientConfig | HttpClient | SqlClient | Engine | WorkflowEngine
> => Layer.scoped(Payouts, internal.make(options))
