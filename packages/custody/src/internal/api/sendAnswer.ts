import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { Outcome } from "@effect-klaytn/wallet/TransactionResult"
import * as Predicate from "effect/Predicate"
import { isDead, type SendOutcome } from "../../SendOutcome.js"
import { wireTransactionResult, wireWaitsFor } from "./wire.js"

/** What became of a send, on the wire. */
export const wireOutcome = ({ hash, reason, since, stage, waitsFor }: SendOutcome): typeof Outcome.Encoded => ({
  stage,
  since,
  ...(hash !== undefined && { transactionHash: hash }),
  ...(reason !== undefined && { reason }),
  ...(waitsFor !== undefined && { waitsFor: wireWaitsFor(waitsFor) })
})

/** The word for a stage. What a block has is told by its receipt. */
export const statusOf = (outcome: SendOutcome): string =>
  isDead(outcome) ? "CommitError" : outcome.stage === "waiting" || outcome.stage === "mined" ? "Submitted" : "Pending"

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/**
 * The answer to a request that has sent a transaction, as it is true now: the stored one, word for word, as long as nothing else has
 * become of the transaction; or else with the hash, the bytes and the status of now, and the outcome.
 */
export const answerNow = (body: string, outcome: SendOutcome): string => {
  const stored = parsed(body)
  if (!Predicate.isReadonlyRecord(stored)) return body
  const { outcome: _, transactionHash, waitsFor: __, ...rest } = stored
  const status = statusOf(outcome)
  const { payment } = outcome
  if (typeof transactionHash !== "string") return body
  const isSame = transactionHash === payment.hash
  if (isSame && stored["status"] === status && status === "Submitted") return body
  const read = Transaction.decode(payment.raw)
  const shown = isSame || !read.ok ? {} : wireTransactionResult(read.value, outcome.account, {
    kind: "sent",
    rlp: payment.raw,
    hash: payment.hash
  })
  return JSON.stringify({
    ...rest,
    transactionHash,
    ...shown,
    status,
    ...(outcome.waitsFor !== undefined && { waitsFor: wireWaitsFor(outcome.waitsFor) }),
    ...(status !== "Submitted" || !isSame) && { outcome: wireOutcome(outcome) }
  })
}
