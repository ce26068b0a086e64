/** Gives stored bytes to the node, and writes what its answer means. */
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type CustodyFailure, type NodeFailure, type TransactionRejected, WalletRefused } from "../../CustodyError.js"
import type { Noted } from "../../SendLife.js"
import * as SendRefusal from "../../SendRefusal.js"
import type { StoredSend } from "../../SendStore.js"
import { priceOf } from "../../TransactionFields.js"
import { type Origin, wasRevoked } from "../../WalletCaller.js"
import type { RemoteChain } from "../../WalletChain.js"
import type { Parts } from "./record.js"

/** Copies of the node that lag behind show a balance of before: two reads have to agree. */
const reads = 2

const hasLess = (chain: RemoteChain, address: Hex, amount: bigint): Effect.Effect<boolean, CustodyFailure> =>
  Effect.gen(function*() {
    for (let read = 0; read < reads; read++) {
      const state = yield* chain.account(address)
      if (Option.match(state, { onNone: () => 0n, onSome: ({ balance }) => balance }) >= amount) return false
    }
    return true
  })

/** What a transaction takes of whom, at most. */
const costsOf = (sender: Hex, transaction: Transaction.Transaction): ReadonlyArray<readonly [Hex, bigint]> => {
  const fee = transaction.gas * priceOf(transaction)
  const value = "value" in transaction ? transaction.value : 0n
  if (!Transaction.isFeeDelegatedTransaction(transaction) || transaction.feePayer === undefined) {
    return [[sender, value + fee]]
  }
  const paid = "feeRatio" in transaction ? fee * BigInt(transaction.feeRatio) / 100n : fee
  return [[sender, value + fee - paid], [transaction.feePayer, paid]]
}

/** Whether the sender or its fee payer has too little, as far as the node shows it. */
const isShort = (chain: RemoteChain, { account, raw }: StoredSend): Effect.Effect<boolean, CustodyFailure> => {
  const read = Transaction.decode(raw)
  if (!read.ok) return Effect.succeed(false)
  return Effect.exists(costsOf(account, read.value), ([address, amount]) => hasLess(chain, address, amount))
}

/** What an answer means that does not take the bytes. */
const meaningOf = (chain: RemoteChain, send: StoredSend, error: TransactionRejected | NodeFailure) => {
  if (error._tag === "NodeFailure" && error.text === undefined) {
    return Effect.succeed({ kind: SendRefusal.kindOfStatus(error.status), text: error.message })
  }
  const text = error._tag === "NodeFailure" ? error.text ?? error.message : error.message
  const kind = SendRefusal.kindOf(text)
  return kind !== "funds" ? Effect.succeed({ kind, text }) : isShort(chain, send).pipe(
    // What can't be read is no reason to cancel.
    Effect.orElseSucceed(() => false),
    Effect.map((short) => ({ kind: short ? "funds" as const : "passing" as const, text }))
  )
}

/** Whose request a payment is, and when it was first stored. */
export interface StoredOrigin extends Origin {
  readonly createdAt: number
}

/** Fails if the caller of a payment was revoked; undefined where nobody is asked. A cancellation leaves whatever became of the caller. */
const refuseRevoked = ({ callerNamed }: Pick<Parts, "callerNamed">, { cancels }: StoredSend, origin: StoredOrigin) =>
  cancels !== "none" || origin.caller === undefined || callerNamed === undefined
    ? undefined
    : Effect.flatMap(callerNamed(origin.caller), (found) =>
      wasRevoked(found, origin)
        ? new WalletRefused({ reason: "rights", message: "the caller of this send was revoked" })
        : Effect.void)

/**
 * Gives the bytes to the node, unless their caller was revoked. Whatever was known of the caller before may be too old: a process that
 * stood still, or was busy with others, may not have seen that its wallet was frozen, its caller revoked, and its wallet let go on.
 */
export const submit = (
  parts: Pick<Parts, "chain" | "callerNamed">,
  send: StoredSend,
  origin: StoredOrigin = send
): Effect.Effect<Hex, TransactionRejected | CustodyFailure> =>
  parts.chain.submitRaw(send.raw, refuseRevoked(parts, send, origin))

/** How the node answered. */
export type Answer = TransactionRejected | NodeFailure | undefined

const isOfNode = (error: TransactionRejected | CustodyFailure): error is TransactionRejected | NodeFailure =>
  error._tag === "TransactionRejected" || error._tag === "NodeFailure"

/**
 * Gives the bytes to the node and writes what came of it. `origin`: of the first attempt, unless that is these bytes. `noted`: why they
 * can't run at their price, whatever the node says. Gives the refusal; undefined if the node has taken them.
 */
export const give = (
  parts: Pick<Parts, "chain" | "callerNamed" | "store">,
  send: StoredSend,
  { noted, origin }: { readonly noted?: Noted | undefined; readonly origin?: StoredOrigin | undefined } = {}
): Effect.Effect<Answer, Exclude<CustodyFailure, NodeFailure>> =>
  Effect.gen(function*() {
    const { chain, store } = parts
    const answer = yield* submit(parts, send, origin).pipe(
      Effect.as<Answer>(undefined),
      Effect.catchIf(isOfNode, (error) => Effect.succeed<Answer>(error))
    )
    const told = answer && (yield* meaningOf(chain, send, answer))
    // The node says that the price is too low, and not why it is not raised.
    const meaning = told === undefined || told.kind === "price" ? noted ?? told : told
    const now = yield* UnixTime.now
    yield* store.given(send, meaning && SendRefusal.follow(send.refusal, meaning, now), now)
    return answer
  })
