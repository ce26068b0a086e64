/**
 * The facts by which a look-up finds a send. Store them before you send: a later program can then find the outcome of the
 * send, even if this one dies.
 *
 * **Details**
 *
 * 1. Make a plan, have `Wallet.prepare` make its record, and store that as JSON.
 * 2. Execute the record. The outcome, if it comes, settles it.
 * 3. After a restart, read the record and give it to `TransactionLookup.reconcile`. Only if that proves that nothing was
 *    sent, and nothing can be sent any more, may another send replace it; see `SendOutcome.SendVerdict`.
 *
 * The error `SendUnknown` contains the same record, as `send`, with the transaction hash if the service named one.
 *
 * **Gotchas**
 *
 * A plan with a nonce above 0 is a record by itself: `{ plan }`. Without a nonce, or with 0, the service chooses the
 * nonce, and the send is recognised by its content alone: it needs `nonces`, and a memo of its own if another program
 * may pay the same amount to the same account.
 *
 * **Example** (a send that can be settled by a later program)
 *
 * ```ts
 * import * as SendRecord from "@effect-klaytn/wallet/SendRecord"
 * import type { SendPlan } from "@effect-klaytn/wallet/SendPlan"
 * import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
 * import * as Wallet from "@effect-klaytn/wallet/Wallet"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * declare const store: (text: string) => Effect.Effect<void>
 *
 * const Stored = Schema.parseJson(SendRecord.SendRecord)
 *
 * export const pay = (plan: SendPlan) =>
 *   Effect.gen(function*() {
 *     const wallet = yield* Wallet.Wallet
 *     const record = yield* wallet.prepare(plan)
 *     yield* store(yield* Schema.encode(Stored)(record))
 *     return yield* wallet.execute(record)
 *   })
 *
 * export const settle = (stored: string) => Effect.flatMap(Schema.decode(Stored)(stored), TransactionLookup.reconcile)
 * ```
 */
import { Hash } from "@effect-klaytn/core/Hash"
import * as Schema from "effect/Schema"
import { SendPlan } from "./SendPlan.js"

/**
 * The account's next nonce before a send: `next` as of the latest block, `afterWaiting` after everything that waits.
 *
 * @category schemas
 */
export const AccountNonces = Schema.Struct({ next: Schema.NonNegativeInt, afterWaiting: Schema.NonNegativeInt })
  .annotations({ identifier: "AccountNonces" })

/**
 * The account's next nonce before a send.
 *
 * @category models
 */
export type AccountNonces = typeof AccountNonces.Type

/**
 * What a look-up needs to know about a send. `nonces` is absent if the plan names a nonce above 0, and `hash` unless the
 * service named it or the bytes have one; when a fee payer signs a raw transaction again, its hash changes. `startedAt`
 * is when the record was made, as Unix time in milliseconds. A record without a `version` has version 1; a record of a newer
 * version is refused.
 *
 * @category schemas
 */
export const SendRecord = Schema.Struct({
  version: Schema.optional(Schema.Literal(1)),
  plan: SendPlan,
  nonces: Schema.optional(AccountNonces),
  hash: Schema.optional(Hash),
  startedAt: Schema.optional(Schema.Number)
}).annotations({ identifier: "SendRecord" })

/**
 * What a look-up needs to know about a send.
 *
 * @category models
 */
export type SendRecord = typeof SendRecord.Type
