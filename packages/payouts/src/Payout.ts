/**
 * A payout as it is stored: its contents, its state, and its history.
 */
import { Chain } from "@effect-klaytn/core/Chain"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import { StoredRequest } from "@effect-klaytn/wallet/TransactionRequest"
import * as Schema from "effect/Schema"
import { PayoutEvent, PayoutState } from "./PayoutState.js"

const [Value, , , Execute] = StoredRequest.members

/**
 * What is paid: everything that determines the transaction, apart from its nonce.
 *
 * **Details**
 *
 * `request` is a `Value` or an `Execute` of the wallet's `TransactionRequest`. `pool` is the one that was current when
 * the payout was asked for.
 *
 * @category schemas
 */
export const Content = Schema.Struct({
  chain: Chain,
  request: Schema.Union(Value, Execute),
  payer: FeeDelegation.FeePayer,
  pool: Schema.optional(Schema.String),
  gasLimit: Schema.optional(Schema.Int),
  feeRatio: Schema.optional(Schema.Int)
}).annotations({ identifier: "Content" })

/**
 * What is paid.
 *
 * @category models
 */
export type Content = typeof Content.Type

/**
 * A payout. Times are Unix time in milliseconds; `version` counts the changes of its state. `limits` is the ID of the `Limits` under
 * which it was stored, which a process must have to begin it; a payout of an older version has none.
 *
 * @category schemas
 */
export const Payout = Schema.Struct({
  key: Schema.String,
  content: Content,
  state: PayoutState,
  version: Schema.NonNegativeInt,
  createdAt: Schema.Number,
  updatedAt: Schema.Number,
  limits: Schema.NullOr(Schema.String)
}).annotations({ identifier: "Payout" })

/**
 * A payout.
 *
 * @category models
 */
export type Payout = typeof Payout.Type

/**
 * One change: what happened to a payout, and its state after that.
 *
 * @category schemas
 */
export const Change = Schema.Struct({
  key: Schema.String,
  version: Schema.NonNegativeInt,
  at: Schema.Number,
  event: PayoutEvent,
  state: PayoutState
}).annotations({ identifier: "Change" })

/**
 * One change.
 *
 * @category models
 */
export type Change = typeof Change.Type

/**
 * A change in the feed of all payouts. `cursor` is its place in the feed, after which a reader continues.
 *
 * @category schemas
 */
export const RecordedChange = Schema.Struct({ ...Change.fields, cursor: Schema.String }).annotations({
  identifier: "RecordedChange"
})

/**
 * A change in the feed of all payouts.
 *
 * @category models
 */
export type RecordedChange = typeof RecordedChange.Type

/**
 * A payout with all of its changes, oldest first: every attempt, with its nonce and its outcome.
 *
 * @category schemas
 */
export const PayoutWithHistory = Schema.Struct({ ...Payout.fields, history: Schema.Array(Change) }).annotations({
  identifier: "PayoutWithHistory"
})

/**
 * A payout with all of its changes.
 *
 * @category models
 */
export type PayoutWithHistory = typeof PayoutWithHistory.Type
