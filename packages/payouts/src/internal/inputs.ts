/** What callers pass to the payouts, and how it is read. */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Input from "@effect-klaytn/core/Input"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as PayoutState from "../PayoutState.js"

const duration = Input.duration("expected a finite duration such as \"10 seconds\"", Duration.isFinite)

export const options = {
  /** A payout that moves more than this, in peb, waits for `approve`, and so does every contract call, which may move anything. */
  approveAbove: Schema.optional(Schema.BigIntFromSelf.pipe(Schema.nonNegativeBigInt())),
  /** The most requests to the service that this process makes at once. 32 by default. */
  concurrency: Schema.optionalWith(Input.Count, { default: () => 32 }),
  /**
   * The first wait before a payout is looked up on the chain; 1.5 times as long after each look-up, at most 30 seconds. 1
   * second by default.
   */
  confirmInterval: Schema.optionalWith(duration, { default: () => Duration.seconds(1) }),
  /**
   * How long an attempt may be in doubt, refused or in no block before an error is logged, an accepted payment that the node
   * lost is sent again, and a nonce is filled whose transaction, of another program, the node lost. 1 minute by default.
   */
  stuckAfter: Schema.optionalWith(duration, { default: () => Duration.minutes(1) }),
  /**
   * How long signers of an account have, before a payment that waits for their signatures closes: a cancellation of its nonce is
   * sent, which they sign instead. 1 day by default.
   */
  signaturesWithin: Schema.optionalWith(duration, { default: () => Duration.days(1) }),
  /**
   * How many blocks have to be above the block of a transaction before it ends an attempt: what a reorganisation moves is looked for
   * again until then. On a chain that makes blocks only when there is something to do, a second each. 2 by default; blocks of Klaytn
   * are final at once, so 0 is enough for the hosted service.
   */
  confirmations: Schema.optionalWith(Schema.Int.pipe(Schema.between(0, 10_000)), { default: () => 2 }),
  /** How often the database is queried for changes by other processes. 500 milliseconds by default. */
  pollInterval: Schema.optionalWith(duration, { default: () => Duration.millis(500) })
}

export const readOptions = Input.decode("payouts.layer", Schema.Struct(options))

/** The last payout of a page. */
const ListCursor = Schema.parseJson(Schema.Struct({ createdAt: Schema.NonNegativeInt, key: Schema.String }))

export const list = {
  states: Schema.optional(Schema.Array(PayoutState.Tag)),
  /** The account that pays. */
  from: Schema.optional(Address.FromInput),
  /** 1 to 1000. */
  size: Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 1000)), { default: () => 100 }),
  /** The cursor of the page before. */
  cursor: Schema.optional(Input.oneOf(ListCursor, "expected the cursor of the page before"))
}

export const readList = Input.decode("payouts.list", Schema.Struct(list))

export const writeListCursor = Schema.encodeSync(ListCursor)

/** The place of a change. */
const ChangeCursor = Schema.String.pipe(
  Schema.pattern(/^\d{1,15}$/, { message: () => "it is no cursor of a change" })
)

export const feed = {
  /** The feed begins after the change with this cursor. */
  after: Schema.optional(ChangeCursor),
  /** End after the last change that is committed, instead of waiting for more. */
  ends: Schema.optionalWith(Schema.Boolean, { default: () => false })
}

export const readFeed = Input.decode("payouts.feed", Schema.Struct(feed))

export const readChangeCursor = Input.decode("payouts.storeCursor", ChangeCursor)

export const readReader = Input.decode(
  "payouts.cursor",
  Schema.String.pipe(Schema.pattern(/^[\w.-]{1,100}$/, {
    message: () => "a reader's name has 1 to 100 letters, digits, dots, dashes and underscores"
  }))
)

export const readResolution = Input.decode(
  "payouts.resolve",
  Schema.Union(
    Schema.TaggedStruct("NotSent", {}),
    Schema.TaggedStruct("Sent", { transactionHash: Hash.FromWire })
  )
)
