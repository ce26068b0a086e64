/**
 * Looks transactions up on the chain: the next nonce of an account, and which transaction took a nonce.
 *
 * **Details**
 *
 * Sends use it to resolve unclear outcomes, and `NonceSource` uses it to learn the next nonce of an account. The {@link
 * layer} of this module uses the service: the wallet for transactions by hash (`GET /v2/tx/{hash}`, beyond the
 * document), and its node for everything else (`klay_blockNumber`, `klay_getTransactionCount`,
 * `klay_getBlockByNumber`), which needs the base address `node`. `Wallet` makes its own if none is provided.
 *
 * There is no index from sender and nonce to a transaction: the look-up searches backwards from the newest block for
 * the one that raised the account's transaction count. Nodes forget old states, so look soon. One look-up makes at most
 * 50 requests, not counting failed ones that the retry policy repeats: about one for each doubling of the distance to
 * the latest block, and half as many before that. A look-up that would need more fails.
 */
import type { Address } from "@effect-klaytn/core/Address"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Input from "@effect-klaytn/core/Input"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as internal from "./internal/sends/lookup.js"
import * as reconciling from "./internal/sends/reconcile.js"
import type { Sent } from "./SendOutcome.js"
import type { SendRecord } from "./SendRecord.js"
import { type FoundTransaction, LookupFailed, type SendVerdict } from "./TransactionResult.js"

/**
 * The look-ups.
 *
 * @category models
 */
export interface Service extends internal.Lookup {}

/**
 * The look-ups as a service. Replace it with an index of your own if you have one.
 *
 * @category services
 */
export class TransactionLookup extends Context.Tag("@effect-klaytn/wallet/TransactionLookup")<
  TransactionLookup,
  Service
>() {}

/**
 * Finds out what became of a send, using only its record, which may come from an earlier program: one that was stored
 * before the send, or the `send` of a `SendUnknown`. For a plan with a nonce above 0, `{ plan }` is enough. It changes
 * nothing and can be run again.
 *
 * **Details**
 *
 * `reconcile` of a `SendUnknown` knows more: it excludes transactions that belong to other sends of the same client.
 * Use this function only if the client that made the send no longer exists.
 *
 * **Example** (a send from an earlier program)
 *
 * ```ts
 * import { SendRecord } from "@effect-klaytn/wallet/SendRecord"
 * import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 *
 * export const settle = (kept: string) =>
 *   Effect.flatMap(Schema.decode(Schema.parseJson(SendRecord))(kept), TransactionLookup.reconcile)
 * ```
 *
 * @category combinators
 */
export const reconcile = (send: SendRecord): Effect.Effect<SendVerdict, LookupFailed, TransactionLookup> =>
  Effect.flatMap(TransactionLookup, (lookup) => reconciling.reconcile(lookup, reconciling.pendingOf(send)))

/**
 * How many transactions of an account a node counts: `mined` in blocks, and `next` with those that wait, so that `next` is the nonce
 * after all of them.
 *
 * @category models
 */
export interface Counts {
  readonly mined: number
  readonly next: number
}

/** More transactions of one account than this, that the caller does not know of, wait at no node. */
const mostWaiting = 1000

/** How often a node is asked for a count that nothing explains. One call after the other: those of a balancer reach several nodes. */
const asks = 3

/** The wait before a count is asked for again that is more than {@link mostWaiting} above what is known: a balancer may stay with a node. */
const pause = Duration.seconds(2)

const countOnce = (lookup: Service, address: Address): Effect.Effect<Counts, LookupFailed> =>
  Effect.all({ mined: lookup.nextNonce(address, "latest"), next: lookup.nextNonce(address, "pending") })

/**
 * Counts the transactions of an account, for a nonce that is above all of them.
 *
 * **Details**
 *
 * A count is evidence, and one node of many may be wrong once. If it counts more than `known`, the nonce after those that the caller
 * knows of, in blocks or with those that wait, it is asked three times in all, and the lowest counts are returned: an honest node never
 * counts fewer the next time. If the caller knows of some and the node counts more than 1000 beyond them, two seconds pass before each. Fails
 * if they still say that more than 1000 unknown transactions wait.
 *
 * @category combinators
 */
export const count = (
  lookup: Service,
  address: Address,
  known = 0
): Effect.Effect<Counts, LookupFailed> =>
  Effect.gen(function*() {
    const first = yield* countOnce(lookup, address)
    let { mined, next } = first
    if (next < mined || Math.max(mined, next) > known) {
      for (let asked = 1; asked < asks; asked++) {
        if (known > 0 && Math.max(mined, next) > known + mostWaiting) yield* Effect.sleep(pause)
        const again = yield* countOnce(lookup, address)
        mined = Math.min(mined, again.mined)
        next = Math.min(next, again.next)
      }
    }
    if (next > Math.max(mined, known) + mostWaiting) {
      return yield* new LookupFailed({
        problem:
          `the node says that ${next} is the next nonce of ${address}, and that ${mined} of its transactions are in blocks: ` +
          `more than ${mostWaiting} of one account wait at no node, so this is not believed`
      })
    }
    return { mined, next: Math.max(mined, next) }
  })

/**
 * What became of a transaction that was accepted.
 *
 * - `Executed`: it is in a block; `transaction.state` says whether it succeeded.
 * - `Superseded`: another transaction took its nonce, so this one will never be executed.
 * - `Stuck`: it is in no block after `within`; `waited` is in milliseconds. `nextNonce` is the account's next nonce in
 *   blocks: if it is below `nonce`, the transaction waits for the nonces between, see `NonceSource.fillGaps`; if it is
 *   `nonce`, the transaction is next, and the node has lost or refused it (`transaction` is what the service
 *   still shows of it). To give it up, cancel its nonce; nothing is cancelled by itself.
 *
 * @category models
 */
export type Confirmation = Data.TaggedEnum<{
  Executed: { readonly transaction: FoundTransaction }
  Superseded: { readonly transaction: FoundTransaction }
  Stuck: {
    readonly nonce: number
    readonly nextNonce: number
    readonly waited: number
    readonly transaction: FoundTransaction | undefined
  }
}>

/**
 * Constructors, `$is` and `$match` of {@link Confirmation}.
 *
 * @category constructors
 */
export const Confirmation = Data.taggedEnum<Confirmation>()

/** Where the transaction is now. */
type Seen =
  | Exclude<Confirmation, { readonly _tag: "Stuck" }>
  | { readonly _tag: "Waits"; readonly transaction: FoundTransaction | undefined }

type Accepted = Pick<Sent, "transactionHash" | "from" | "nonce">

/** By its hash if the service shows it in a block, or else by its nonce. */
const look = Effect.fnUntraced(
  function*(lookup: Service, { from, nonce, transactionHash }: Accepted): Effect.fn.Return<Seen, LookupFailed> {
    const own = Option.getOrUndefined(
      yield* Effect.orElseSucceed(lookup.byHash(transactionHash), Option.none<FoundTransaction>)
    )
    if (own !== undefined && own.state !== "waiting") return { _tag: "Executed", transaction: own }
    const taken = Option.getOrUndefined(yield* lookup.byNonce(from, nonce))
    if (taken === undefined) return { _tag: "Waits", transaction: own }
    return { _tag: taken.transactionHash === transactionHash ? "Executed" : "Superseded", transaction: taken }
  }
)

const isPause = (interval: Duration.Duration): boolean =>
  Duration.isFinite(interval) && Duration.greaterThan(interval, Duration.zero)

const readWaiting = Input.decode(
  "wallet.confirm",
  Schema.Struct({
    within: Input.duration("expected a duration such as \"1 minute\""),
    pollInterval: Schema.optionalWith(
      Input.duration("expected a finite duration above 0, such as \"1 second\"", isPause),
      { default: () => Duration.seconds(1) }
    )
  })
)

/**
 * Waits until an accepted transaction is in a block, or reports that it is not after `within`. Looks every second by
 * default. Fails if the last look-up fails, and as `InvalidInput` for a `within` that is not a duration, and a
 * `pollInterval` that is not a finite one above 0.
 *
 * @category combinators
 */
export const confirm = (
  sent: Accepted,
  options: { readonly within: Duration.DurationInput; readonly pollInterval?: Duration.DurationInput | undefined }
): Effect.Effect<Confirmation, InvalidInput | LookupFailed, TransactionLookup> =>
  Effect.gen(function*() {
    const waiting = yield* readWaiting(options)
    const within = Duration.toMillis(waiting.within)
    const lookup = yield* TransactionLookup
    const clock = yield* Effect.clock
    const startedAt = Deadline.now(clock)
    while (true) {
      const seen = yield* Effect.either(look(lookup, sent))
      if (Either.isRight(seen) && seen.right._tag !== "Waits") return seen.right
      const waited = Deadline.now(clock) - startedAt
      if (waited >= within) {
        const { transaction } = yield* seen
        const nextNonce = yield* lookup.nextNonce(sent.from)
        return { _tag: "Stuck", nonce: sent.nonce, nextNonce, waited, transaction }
      }
      yield* Effect.sleep(Math.min(Duration.toMillis(waiting.pollInterval), within - waited))
    }
  })

/**
 * Makes look-ups that ask the service. Fails with `InvalidInput` if the configuration has no base address for `wallet`;
 * without one for `node`, only transactions by hash can be found.
 *
 * @category constructors
 */
export const make = (): ServiceClient.Make<Service> => Effect.flatMap(ServiceClient.make("wallet"), internal.make)

/**
 * Provides look-ups that ask the service as a layer. Each call creates a layer with its own client.
 *
 * @category layers
 */
export const layer = ServiceClient.layer(TransactionLookup, make)

/**
 * Provides look-ups that ask the service as a layer, configured from the environment; see `ClientConfig.layerConfig`
 * for the variables. Each call creates a layer with its own client.
 *
 * @category layers
 */
export const layerConfig = ServiceClient.layerConfig(TransactionLookup, "wallet", make)
