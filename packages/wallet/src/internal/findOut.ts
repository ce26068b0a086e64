/** What the chain says about a send whose outcome is not known. */
import type { Address } from "@effect-klaytn/core/Address"
import type { Hash } from "@effect-klaytn/core/Hash"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { FoundTransaction, LookupFailed } from "../FoundTransaction.js"
import { SendVerdict } from "../SendOutcome.js"
import type { Contents } from "../SendPlan.js"
import type * as TransactionLookup from "../TransactionLookup.js"
import * as subject from "./subject.js"

/** How far an account has come: the nonce behind the latest block, and that behind everything that waits. */
export interface Standing {
  readonly next: number
  readonly afterWaiting: number
}

export interface Question {
  readonly contents: Contents
  /** The nonce that the send is bound to; none if the service chose it. */
  readonly nonce: number | undefined
  /** Where the account stood before a send that the service chose the nonce for. */
  readonly standing: Standing | undefined
  /** The hash that the service named. */
  readonly hash: Hash | undefined
}

/** More transactions than this are not searched for one that looks the same. */
const most = 200

const ofNonce = (
  lookup: TransactionLookup.Service,
  { contents, hash }: Question,
  address: Address,
  nonce: number
): Effect.Effect<SendVerdict, LookupFailed> =>
  Effect.gen(function*() {
    const named = hash === undefined
      ? Option.none<FoundTransaction>()
      : Option.filter(
        yield* Effect.orElseSucceed(lookup.byHash(hash), Option.none),
        (found) => found.nonce === nonce && subject.compare(contents, found) === "same"
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
    switch (subject.compare(contents, transaction)) {
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

const ofContent = (
  lookup: TransactionLookup.Service,
  contents: Contents,
  address: Address,
  { afterWaiting, next: from }: Standing
): Effect.Effect<SendVerdict, LookupFailed> =>
  Effect.gen(function*() {
    const next = yield* lookup.nextNonce(address)
    if (next - from > most) {
      return SendVerdict.Ambiguous({ transactions: [], why: `the account has sent ${next - from} transactions since` })
    }
    const same: Array<FoundTransaction> = []
    const unclear: Array<FoundTransaction> = []
    for (let nonce = from; nonce < next; nonce++) {
      const found = yield* lookup.byNonce(address, nonce)
      if (Option.isNone(found)) continue
      const compared = subject.compare(contents, found.value)
      if (compared === "same") same.push(found.value)
      if (compared === "unclear") unclear.push(found.value)
    }
    if (unclear.length > 0) {
      return SendVerdict.Ambiguous({
        transactions: [...same, ...unclear],
        why: "it can't be told whether these transactions are the one"
      })
    }
    const [transaction, ...others] = same
    if (transaction === undefined) return SendVerdict.NotExecuted({ nextNonce: next })
    if (others.length > 0) {
      return SendVerdict.Ambiguous({ transactions: same, why: "several transactions of the account look the same" })
    }
    return transaction.nonce < afterWaiting
      ? SendVerdict.Ambiguous({ transactions: same, why: "the one that looks the same was waiting before the send" })
      : SendVerdict.Executed({ transaction, certainty: "content" })
  })

export const findOut = (
  lookup: TransactionLookup.Service,
  question: Question
): Effect.Effect<SendVerdict, LookupFailed> => {
  const address = subject.fromOf(question.contents)
  if (address === undefined) {
    return Effect.succeed(SendVerdict.Ambiguous({ transactions: [], why: "the sender is not known" }))
  }
  if (question.nonce !== undefined) return ofNonce(lookup, question, address, question.nonce)
  return question.standing === undefined
    ? Effect.succeed(SendVerdict.Ambiguous({
      transactions: [],
      why: "the service chose the nonce, and where the account stood before is not known: " +
        "configure the node's address, or name a nonce"
    }))
    : ofContent(lookup, question.contents, address, question.standing)
}
