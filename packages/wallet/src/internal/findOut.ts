/** Searches the chain for a send with an unknown outcome. */
import type { Address } from "@effect-klaytn/core/Address"
import type { Hash } from "@effect-klaytn/core/Hash"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type FoundTransaction, LookupFailed } from "../FoundTransaction.js"
import { type SendUnknown, SendVerdict } from "../SendOutcome.js"
import type * as TransactionLookup from "../TransactionLookup.js"
import { type Claims, make as makeClaims, type Owner } from "./claims.js"
import * as subject from "./subject.js"

/** The fields of an unknown send that identify it. */
type Asked = Pick<
  SendUnknown,
  "request" | "chain" | "nonce" | "nonceAtLeast" | "nonceAfterWaiting" | "hash" | "retrySafe"
>

/** The next nonce of an account: as of the latest block, and after everything that waits. */
export interface Standing {
  readonly next: number
  readonly afterWaiting: number
}

export interface Question {
  /** The send that is asked about. */
  readonly owner: Owner
  /** The account's next nonce before the send, if the service chose the nonce. */
  readonly standing: Standing | undefined
  /** The hash that the service named. */
  readonly hash: Hash | undefined
  /** What the sends of this client were told of. */
  readonly claims: Claims
}

/** The most transactions to search for one with the same content. */
const most = 16

const ofNonce = (
  lookup: TransactionLookup.Service,
  { claims, hash, owner }: Question,
  address: Address,
  nonce: number
): Effect.Effect<SendVerdict, LookupFailed> =>
  Effect.gen(function*() {
    const named = hash === undefined
      ? Option.none<FoundTransaction>()
      : Option.filter(
        yield* Effect.orElseSucceed(lookup.byHash(hash), Option.none),
        (found) =>
          found.nonce === nonce && subject.compare(owner.subject, found) === "same" &&
          !claims.isOfAnother(address, nonce, owner)
      )
    if (Option.isSome(named)) {
      return named.value.state === "waiting"
        ? SendVerdict.Waiting({ transaction: named.value })
        : SendVerdict.Executed({ transaction: named.value, certainty: "nonce" })
    }
    const taken = yield* lookup.byNonce(address, nonce)
    if (Option.isNone(taken)) {
      return SendVerdict.NotExecuted({
        nextNonce: yield* Effect.orElseSucceed(lookup.nextNonce(address), () => undefined)
      })
    }
    const transaction = taken.value
    if (claims.isOfAnother(address, nonce, owner)) return SendVerdict.Superseded({ transaction })
    switch (subject.compare(owner.subject, transaction)) {
      case "same":
        return SendVerdict.Executed({ transaction, certainty: "nonce" })
      case "different":
        return SendVerdict.Superseded({ transaction })
      case "unclear":
        return SendVerdict.Ambiguous({
          transactions: [transaction],
          why: "the nonce is taken, and it can't be told whether by this transaction"
        })
    }
  })

/** The failure for a node that lags behind what the service reported: a transaction that it does not show may exist. */
const behind = (next: number, highest: number): LookupFailed =>
  new LookupFailed({
    problem: `the node is behind: it has seen ${next} transactions of the account, and nonce ${highest} was sent`
  })

const ofContent = (
  lookup: TransactionLookup.Service,
  { claims, owner }: Question,
  address: Address,
  { afterWaiting, next: from }: Standing
): Effect.Effect<SendVerdict, LookupFailed> =>
  Effect.gen(function*() {
    const next = yield* lookup.nextNonce(address)
    const unclaimed = Array.from({ length: Math.min(next - from, 10 * most) }, (_, index) => from + index)
      .filter((nonce) => !claims.isOfAnother(address, nonce, owner))
    if (next - from > 10 * most || unclaimed.length > most) {
      return SendVerdict.Ambiguous({ transactions: [], why: `the account has sent ${next - from} transactions since` })
    }
    const found = unclaimed.length === 0 ? [] : yield* lookup.byNonces(address, unclaimed)
    if (found.length < unclaimed.length) {
      return yield* new LookupFailed({
        problem: `the node is behind itself: it has counted ${next} transactions of the account, and shows ` +
          `${found.length} of the ${unclaimed.length} that are looked for`
      })
    }
    const compared = found.map((transaction) => ({ transaction, how: subject.compare(owner.subject, transaction) }))
    const same = compared.flatMap(({ how, transaction }) =>
      how === "same" && !claims.isNamedByAnother(transaction, owner) ? [transaction] : []
    )
    const unclear = compared.flatMap(({ how, transaction }) => how === "unclear" ? [transaction] : [])
    if (unclear.length > 0) {
      return SendVerdict.Ambiguous({
        transactions: [...same, ...unclear],
        why: "it can't be told whether these transactions are the one"
      })
    }
    const [transaction, ...others] = same
    if (transaction === undefined) {
      const highest = claims.highest(address)
      return highest >= next ? yield* behind(next, highest) : SendVerdict.NotExecuted({ nextNonce: next })
    }
    if (others.length > 0) {
      return SendVerdict.Ambiguous({ transactions: same, why: "several transactions of the account look the same" })
    }
    if (transaction.nonce < afterWaiting) {
      return SendVerdict.Ambiguous({
        transactions: same,
        why: "the one that looks the same was waiting before the send"
      })
    }
    return claims.claim(address, transaction.nonce, owner)
      ? SendVerdict.Executed({ transaction, certainty: "content" })
      : SendVerdict.NotExecuted({ nextNonce: next })
  })

export const findOut = (
  lookup: TransactionLookup.Service,
  question: Question
): Effect.Effect<SendVerdict, LookupFailed> => {
  const { owner, standing } = question
  const address = subject.fromOf(owner.subject)
  if (address === undefined) {
    return Effect.succeed(SendVerdict.Ambiguous({ transactions: [], why: "the sender is not known" }))
  }
  if (owner.nonce !== undefined) return ofNonce(lookup, question, address, owner.nonce)
  return standing === undefined
    ? Effect.succeed(SendVerdict.Ambiguous({
      transactions: [],
      why: "the service chose the nonce, and where the account stood before is not known: " +
        "configure the node's address, or name a nonce"
    }))
    : ofContent(lookup, question, address, standing)
}

/** The question for an error, which may come from an earlier program. */
export const questionOf = (error: Asked): Question => {
  const { chain, hash, nonce, nonceAfterWaiting, nonceAtLeast, request, retrySafe } = error
  return {
    owner: { subject: { request, chain, nonce }, nonce: retrySafe ? nonce : undefined },
    standing: nonceAtLeast === undefined ? undefined : {
      next: nonceAtLeast,
      afterWaiting: nonceAfterWaiting ?? nonceAtLeast
    },
    hash,
    claims: makeClaims()
  }
}
