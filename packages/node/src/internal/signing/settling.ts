/** Finds out what became of a transaction: its receipt, or the block that gives its nonce to another one. */
import type { Address } from "@effect-klaytn/core/Address"
import * as Deadline from "@effect-klaytn/core/Deadline"
import type { Hash } from "@effect-klaytn/core/Hash"
import * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { accountMethods } from "../../AccountMethods.js"
import { KlaytnNode, type Service } from "../../KlaytnNode.js"
import * as Method from "../../Method.js"
import * as Receipt from "../../Receipt.js"
import { FailedInBlock, NotSent, type SendUnknown, Superseded } from "../../SignerError.js"
import { transactionMethods } from "../../TransactionMethods.js"
import type { ReadFailure } from "../errors/failure.js"
import * as schemas from "../records/schemas.js"
import * as nextBlock from "../streams/nextBlock.js"

/** A transaction to look for. Without a nonce, only its receipt can be found. */
export interface Submission {
  readonly from: Address
  readonly transactionHash: Hash
  readonly nonce?: bigint | undefined
  /** The hash of the sender's part, by which it is recognised if another fee payer signs it. */
  readonly senderTransactionHash?: Hash | undefined
  /** A block before which it is in none. */
  readonly since?: bigint | undefined
}

/** A transaction that was executed successfully. */
export interface Sent {
  readonly transactionHash: Hash
  readonly receipt: Receipt.Receipt
}

const toSent = (
  transactionHash: Hash,
  receipt: Receipt.Receipt
): Effect.Effect<Sent, FailedInBlock> =>
  Receipt.isSuccess(receipt)
    ? Effect.succeed({ transactionHash, receipt })
    : Effect.fail(
      new FailedInBlock({
        transactionHash,
        ...(receipt.blockNumber === undefined ? {} : { blockNumber: receipt.blockNumber }),
        ...(receipt.txError === undefined ? {} : { txError: receipt.txError })
      })
    )

/** The block in which the account's count rises above the nonce; at `low` the count is not above, at `high` it is. */
const blockBetween = Effect.fnUntraced(function*(
  isTaken: (height: bigint) => Effect.Effect<boolean, ReadFailure>,
  low: bigint,
  high: bigint
) {
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (yield* isTaken(middle)) high = middle
    else low = middle
  }
  return high
})

/**
 * The transaction in a block that took the nonce; none if the node does not show it. The block is searched from the newest one
 * backwards, in steps that double: most nodes have only the states of the last blocks. Block 0 uses no nonce, and neither does a
 * block before `since`, unless the caller was wrong about that.
 */
const holderOf = Effect.fnUntraced(
  function*(node: Service, { from, nonce, since = 0n }: Submission & { readonly nonce: bigint }) {
    const isTaken = (height: bigint) =>
      Effect.map(node.klay.getTransactionCount(from, height), (count) => count > nonce)
    const floor = since > 0n ? since - 1n : 0n
    let high = yield* node.klay.blockNumber()
    let low = high
    for (let step = 1n; true; step *= 2n) {
      const least = high > floor ? floor : 0n
      low = high - step > least ? high - step : least
      if (low === 0n || !(yield* isTaken(low))) break
      high = low
    }
    const height = yield* blockBetween(isTaken, low, high)
    const block = yield* node.klay.getFullBlockByNumber(height)
    const holder = block.transactions.find((one) => one.from === from && one.nonce === nonce)
    return holder === undefined ? undefined : { transaction: holder, blockNumber: height }
  }
)

/** One look: an outcome, or none if nothing is settled yet. */
const look = Effect.fnUntraced(
  function*(
    node: Service,
    submission: Submission
  ): Effect.fn.Return<Option.Option<Sent>, ReadFailure | FailedInBlock | Superseded> {
    const { from, nonce, transactionHash } = submission
    // Copies of a node may give these two: a count is no evidence, only the reason to look for the block that took the nonce. A receipt
    // beside a count that has not reached the nonce is of another copy, or is not so: the next look tells.
    const [count, found] = yield* node.runAll([
      Method.call(accountMethods.getTransactionCount, from, "latest"),
      Method.call(transactionMethods.getTransactionReceipt, transactionHash)
    ])
    const receipt = yield* found
    if (nonce !== undefined && (yield* count) <= nonce) return Option.none()
    if (Option.isSome(receipt)) return Option.some(yield* toSent(transactionHash, receipt.value))
    if (nonce === undefined) return Option.none()
    const holder = yield* holderOf(node, { ...submission, nonce })
    if (holder === undefined) return Option.none()
    const { blockNumber, transaction: { hash, senderTxHash } } = holder
    if (hash === transactionHash) return Option.none()
    const own = submission.senderTransactionHash
    if (own !== undefined) {
      // It may be this one with another fee payer.
      if (senderTxHash === undefined) return Option.none()
      if (senderTxHash === own) {
        const other = yield* node.klay.getTransactionReceipt(hash)
        return yield* Effect.transposeMapOption(other, (receipt) => toSent(hash, receipt))
      }
    }
    return yield* new Superseded({ from, nonce, transactionHash, by: hash, blockNumber })
  }
)

const Waiting = Schema.Struct({ within: schemas.TimeLimit, pollInterval: schemas.Pause })

/** How long to wait for a receipt, and how often to ask. */
export type Waiting = typeof Waiting.Type

/** The same as a caller gives them. */
export type Options = typeof Waiting.Encoded

const decode = Input.decode("node.send", Waiting)

/** How a send waits. Nothing is sent with options that are refused. */
export const waitingOf = (from: Address, options: Options = {}): Effect.Effect<Waiting, NotSent> =>
  Effect.mapError(decode(options), (reason) => new NotSent({ from, reason }))

export type Settled = SendUnknown | Superseded | FailedInBlock

/** Looks until there is an outcome or the time is over. A look that fails is repeated like one that finds nothing. */
export const follow = Effect.fnUntraced(
  function*(
    submission: Submission,
    { pollInterval, within }: Waiting,
    unknown: SendUnknown
  ): Effect.fn.Return<Sent, Settled, KlaytnNode> {
    const node = yield* KlaytnNode
    const clock = yield* Effect.clock
    const { expiresAt } = yield* Deadline.start(within)
    while (true) {
      const found = yield* look(node, submission).pipe(
        Effect.catchAll((error): Effect.Effect<Option.Option<Sent>, FailedInBlock | Superseded> =>
          error._tag === "FailedInBlock" || error._tag === "Superseded" ? Effect.fail(error) : Effect.succeedNone
        )
      )
      if (Option.isSome(found)) return found.value
      const left = expiresAt - Deadline.now(clock)
      if (left <= 0) return yield* unknown
      yield* Effect.raceFirst(nextBlock.wait(pollInterval), Effect.sleep(left))
    }
  }
)

/** One look, for a submission that was refused or not answered. */
export const once: Waiting = { within: Duration.zero, pollInterval: Duration.zero }

export const reconcile = Effect.fnUntraced(
  function*(unknown: SendUnknown, options: Options = {}): Effect.fn.Return<Sent, InvalidInput | Settled, KlaytnNode> {
    const waiting = yield* decode(options)
    const { transactionHash } = unknown
    return transactionHash === undefined
      ? yield* unknown
      : yield* follow({ ...unknown, transactionHash }, waiting, unknown)
  }
)
