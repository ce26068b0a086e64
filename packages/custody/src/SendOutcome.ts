/**
 * What became of a send, by what is stored of it: answered for every hash that it ever had, and for the key of its request.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "./CustodyError.js"
import type { RefusalKind } from "./SendRefusal.js"
import type { SendStore, StoredSend } from "./SendStore.js"

/**
 * How far a send is. The first five may still become any of the others.
 *
 * - `waiting`: the node has it, as far as is known, and no block does.
 * - `refused`: the node does not take it. It is sent again until that passes, or its nonce is cancelled.
 * - `limited`: its price is below the base fee, and the limits of its caller forbid a higher one, or the wallet can't sign all of it. It is
 *   signed again once the base fee has fallen, or the limits let it.
 * - `behind`: a transaction of the account with a lower nonce does not run, or there is none with the nonce before it.
 * - `cancelling`: a cancellation of its nonce is under way.
 * - `mined`: a block has it, maybe at a higher price and by another hash than at first.
 * - `cancelled`: a block has the cancellation of its nonce.
 * - `replaced`: a block has another transaction with its nonce.
 * - `given up`: the wallet can't cancel its nonce, and sends it no more.
 *
 * @category models
 */
export type Stage =
  | "waiting"
  | "refused"
  | "limited"
  | "behind"
  | "cancelling"
  | "mined"
  | "cancelled"
  | "replaced"
  | "given up"

/**
 * What became of a send so far.
 *
 * @category models
 */
export interface SendOutcome {
  readonly stage: Stage
  /** Unix seconds. */
  readonly since: number
  readonly account: Hex
  /** The hash that stands for the stage: of the newest attempt, of what a block has, or of the cancellation; undefined if unknown. */
  readonly hash: Hex | undefined
  /** The bytes of the payment, of the attempt that a block has or else of the newest one. */
  readonly payment: Pick<StoredSend, "hash" | "raw" | "senderHash">
  /** The node's last refusal, or why the nonce was cancelled. */
  readonly reason: string | undefined
  readonly waitsFor: { readonly hash: Hex; readonly nonce: bigint } | undefined
}

/**
 * Whether a send can't run any more.
 *
 * @category reading
 */
export const isDead = ({ stage }: Pick<SendOutcome, "stage">): boolean => stage === "cancelled" || stage === "replaced"

type Reading = Pick<SendStore, "byHash" | "live" | "openAt" | "ofRequest" | "stuckBefore">

/** The stages of sends that a node would take, or has taken, and that don't run. */
const stageOf: Partial<Record<RefusalKind, Stage>> = { limit: "limited", forbidden: "limited", gap: "behind" }

/** The outcome of a send of which no block has decided. */
const ofOpen = (store: Reading, row: StoredSend): Effect.Effect<SendOutcome, StoreFailure> =>
  Effect.gen(function*() {
    const { account, nonce } = row
    const rows = yield* store.openAt(account, nonce)
    const payment = rows.findLast(({ cancels }) => cancels === "none") ?? row
    const cancel = rows.findLast(({ cancels }) => cancels !== "none")
    const facts = { account, payment, waitsFor: undefined }
    if (cancel !== undefined && row.cancels === "none") {
      const { createdAt: since, hash, why: reason } = cancel
      return { ...facts, stage: "cancelling", since, hash, reason }
    }
    const front = cancel ?? payment
    const { createdAt, hash, refusal } = front
    if (refusal !== undefined) {
      const stage = stageOf[refusal.kind] ?? "refused"
      return { ...facts, stage, since: refusal.since, hash, reason: refusal.text }
    }
    const stuck = yield* store.stuckBefore(account, nonce)
    return stuck === undefined
      ? { ...facts, stage: "waiting", since: createdAt, hash, reason: undefined }
      : { ...facts, stage: "behind", since: createdAt, hash, reason: undefined, waitsFor: stuck }
  })

/**
 * The outcome of a stored send.
 *
 * @category reading
 */
export const ofSend = (store: Reading) => (row: StoredSend): Effect.Effect<SendOutcome, StoreFailure> =>
  Effect.gen(function*() {
    const { account, hash, nonce, state, updatedAt: since, why } = row
    const ended = { account, since, payment: row, reason: undefined, waitsFor: undefined }
    if (state === "open") return yield* ofOpen(store, row)
    if (state === "mined") return { ...ended, stage: "mined", hash }
    if (state === "refused") {
      const live = yield* store.live(account, nonce)
      if (live?.payment === row.payment && live.id !== row.id) return yield* ofSend(store)(live)
      return { ...ended, stage: "given up", hash, reason: why }
    }
    const winner = row.winner === undefined ? undefined : yield* store.byHash(row.winner)
    if (winner === undefined || winner.state !== "mined") return { ...ended, stage: "replaced", hash: row.winner }
    if (winner.payment === row.payment || winner.cancels !== "none" && row.cancels !== "none") {
      return { ...ended, stage: "mined", hash: winner.hash, payment: winner }
    }
    return winner.cancels === "none"
      ? { ...ended, stage: "replaced", hash: winner.hash }
      : { ...ended, stage: "cancelled", hash: winner.hash, reason: winner.why ?? "its nonce was cancelled" }
  })

/**
 * The outcome of the send that has, or had, a hash; undefined if the wallet has stored none.
 *
 * @category reading
 */
export const ofHash = (store: Reading) => (hash: Hex): Effect.Effect<SendOutcome | undefined, StoreFailure> =>
  Effect.flatMap(store.byHash(hash), (row) => row === undefined ? Effect.succeed(undefined) : ofSend(store)(row))

/**
 * The outcome of the newest send of a request with a key; undefined if it has made none.
 *
 * @category reading
 */
export const ofRequest = (store: Reading) => (request: string): Effect.Effect<SendOutcome | undefined, StoreFailure> =>
  Effect.flatMap(store.ofRequest(request), (row) => row === undefined ? Effect.succeed(undefined) : ofSend(store)(row))
