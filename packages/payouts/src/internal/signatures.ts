/** Transactions of accounts with several signers, which the service keeps until enough of them have signed. */
import type * as Hash from "@effect-klaytn/core/Hash"
import * as Multisig from "@effect-klaytn/wallet/Multisig"
import type { PendingTransaction } from "@effect-klaytn/wallet/MultisigApi"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Stream from "effect/Stream"
import type { Content } from "../Payout.js"
import type { Context } from "./context.js"

/** Lists what waits for signatures. A service that does not list it has no such accounts. */
export const make = Effect.map(
  Multisig.make({ policy: SpendPolicy.unlimited }),
  ({ getPendingTransactions }): Context["waitingOf"] => (address) =>
    Stream.runCollect(getPendingTransactions.items({ address })).pipe(
      Effect.map(Chunk.toReadonlyArray),
      Effect.catchAll(({ message }) =>
        Effect.as(Effect.logDebug(`what waits for signatures of ${address} is not listed: ${message}`), [])
      )
    )
)

const inputOf = ({ request }: Content): string =>
  request._tag === "Value" ? `0x${Encoding.encodeHex(request.memo ?? "")}` : request.input.toLowerCase()

const isOf = (content: Content, { txData: { from, input, to, value } }: PendingTransaction): boolean => {
  const { request } = content
  return from === request.from && to === request.to && (value ?? 0n) === (request.value ?? 0n) &&
    (input === undefined || input.toLowerCase() === inputOf(content))
}

/** The ID of the payment with a nonce, if the service keeps it already: an answer that said so may have been lost. */
export const ofPayment = (
  { waitingOf }: Context,
  content: Content,
  nonce: number
): Effect.Effect<Hash.Hash | undefined> =>
  Effect.map(
    waitingOf(content.request.from),
    (all) => all.find((one) => one.txData.nonce === nonce && isOf(content, one))?.transactionId
  )

/** Whether the service keeps anything of an account with a nonce that moves nothing, so that another copy would only be one more. */
export const hasOther = (
  { waitingOf }: Context,
  { request: { from } }: Content,
  nonce: number
): Effect.Effect<boolean> =>
  Effect.map(
    waitingOf(from),
    (all) =>
      all.some(({ txData: { nonce: its, to, value } }) =>
        its === nonce && (value ?? 0n) === 0n && (to ?? from) === from
      )
  )
