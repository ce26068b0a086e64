/** What is stored of a send, and what the chain shows, as `SendLife` judges it. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CustodyFailure } from "../../CustodyError.js"
import type { Attempt, SendRecord, View } from "../../SendLife.js"
import type { Patience } from "../../SendRefusal.js"
import type { SendStore, StoredSend } from "../../SendStore.js"
import type { NamedCaller } from "../../WalletCaller.js"
import type { RemoteChain } from "../../WalletChain.js"

/** What a repair of sends needs. */
export interface Parts {
  readonly chain: RemoteChain
  readonly store: SendStore
  /** Whether the wallet is frozen. Default: it never is. */
  readonly isFrozen?: Effect.Effect<boolean, CustodyFailure> | undefined
  /**
   * What the name of a send's caller stands for now. The sends of a revoked caller are cancelled, also if the name was added again. Those
   * of an unknown one go on, within the wallet's own bound of prices: they were within the limits of their caller when they were signed.
   * Default: no caller is looked for.
   */
  readonly callerNamed?: ((name: string) => Effect.Effect<NamedCaller, CustodyFailure>) | undefined
  /** How long a refusal that does not pass is borne before the nonce is cancelled. Default: 2 minutes. */
  readonly cancelAfter?: Duration.DurationInput | undefined
}

/** How long a text that is in no table is borne at least, in seconds. */
const unknownAfter = 600

export const patienceOf = ({ cancelAfter = "2 minutes" }: Pick<Parts, "cancelAfter">): Patience => {
  const lasting = Math.ceil(Duration.toSeconds(cancelAfter))
  return { lasting, unknown: Math.max(lasting, unknownAfter) }
}

const attemptOf = ({ attempts, cancels, hash, price, refusal, updatedAt }: StoredSend): Attempt => ({
  hash,
  price,
  attempts,
  updatedAt,
  isOfGlobalPayer: cancels === "global",
  refusal
})

/** What is known of a send without asking anybody. */
export type Known = Pick<SendRecord, "canSign" | "gap" | "isRevoked" | "limitPrice">

/** The record of the open rows of a nonce. */
export const recordOf = (rows: ReadonlyArray<StoredSend>, known: Known): SendRecord => {
  const payments = rows.filter(({ cancels }) => cancels === "none").toSorted((one, other) =>
    one.attempt - other.attempt
  )
  return {
    payments: payments.map(attemptOf),
    cancels: rows.filter(({ cancels }) => cancels !== "none").map(attemptOf),
    canRaise: payments.every(({ isRaisable }) => isRaisable),
    leasedUntil: Math.max(0, ...rows.map(({ leasedUntil }) => leasedUntil)),
    ...known
  }
}

/** What the chain shows now. */
export const viewOf = ({ chain, isFrozen = Effect.succeed(false) }: Parts): Effect.Effect<View, CustodyFailure> =>
  Effect.all({ prices: chain.prices, isFrozen }).pipe(
    Effect.map(({ isFrozen, prices }) => ({ ...prices, isFrozen }))
  )
