/** The one way of a transaction: plan, policy, call, and what its answer means. */
import type * as Address from "@effect-klaytn/core/Address"
import * as Chain from "@effect-klaytn/core/Chain"
import * as Deadline from "@effect-klaytn/core/Deadline"
import type { Hash } from "@effect-klaytn/core/Hash"
import * as Hashes from "@effect-klaytn/core/Hash"
import type * as Operations from "@effect-klaytn/core/Operations"
import { InvalidInput, type ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Result from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { FoundTransaction, LookupFailed } from "../FoundTransaction.js"
import { NonceTaken, NotSent, PlanChanged, SendUnknown, type Sent, type Submission } from "../SendOutcome.js"
import type { Contents, SendPlan } from "../SendPlan.js"
import type * as SpendPolicy from "../SpendPolicy.js"
import type * as TransactionLookup from "../TransactionLookup.js"
import type { TransactionResult } from "../TransactionResult.js"
import * as WalletCode from "../WalletCode.js"
import type { Claims } from "./claims.js"
import * as FindOut from "./findOut.js"
import * as plans from "./plan.js"
import * as policies from "./policies.js"
import * as routes from "./routes.js"
import * as subject from "./subject.js"
import * as verdicts from "./verdicts.js"

export interface Parts {
  readonly client: Operations.Operations
  readonly host: string
  readonly lookup: TransactionLookup.Service
  readonly policy: SpendPolicy.Service
  readonly claims: Claims
}

export type Failure = NotSent | SendUnknown

const notSent = (reason: NotSent["reason"]) => Effect.fail(new NotSent({ reason }))

const invalid = (operation: string, path: string, problem: string): InvalidInput =>
  new InvalidInput({ operation, retrySafe: true, attempts: [], path: [path], problem })

/** The hash of a raw transaction that is complete. */
const hashOf = (rlp: string): Hash | undefined => {
  const hash = Result.flatMap(Transaction.decode(`0x${rlp.slice(2)}`), Transaction.hash)
  return hash.ok ? Option.getOrUndefined(Option.getRight(Hashes.make(hash.value))) : undefined
}

/** Fills in a plan; what can't stand on the wire is refused here. */
export const plan = (
  parts: Parts,
  operation: string,
  given: Omit<Contents, "chain" | "host">
): Effect.Effect<SendPlan, InvalidInput> =>
  Effect.gen(function*() {
    const contents: Contents = { ...given, chain: parts.client.settings.chain, host: parts.host }
    const { feeRatio, nonce, payer, request, way } = contents
    if (way === "field" && payer._tag === "SenderPays") {
      return yield* invalid(
        operation,
        "payer",
        "the document has no way for the sender to pay; use FeeDelegation.withWay(\"paths\")"
      )
    }
    if (feeRatio !== undefined && (way === "field" || payer._tag === "SenderPays")) {
      return yield* invalid(operation, "feeRatio", "a fee can be shared with a fee payer only, on the separate paths")
    }
    if (request._tag === "Legacy" && payer._tag !== "SenderPays") {
      return yield* invalid(operation, "payer", "the legacy form has no fee payer: only the sender can pay")
    }
    if ((request._tag === "Rlp" || request._tag === "Cancel") && nonce !== undefined) {
      return yield* invalid(operation, "nonce", "the request names its nonce itself")
    }
    if (request._tag === "Rlp" && contents.gasLimit !== undefined) {
      return yield* invalid(operation, "gasLimit", "the bytes name their gas limit themselves")
    }
    if (request._tag === "Cancel" && request.nonce === 0) {
      return yield* invalid(
        operation,
        "nonce",
        "the service reads nonce 0 as none: name the transaction by its transactionHash"
      )
    }
    if (request._tag === "Rlp" && subject.isOfAnotherChain(request.rlp, contents.chain)) {
      return yield* invalid(operation, "rlp", `it was signed for another chain than ${Chain.label(contents.chain)}`)
    }
    if (!Option.match(subject.nonceOf(contents), { onNone: () => true, onSome: Number.isSafeInteger })) {
      return yield* invalid(operation, "rlp", "its nonce is beyond any that an account can reach")
    }
    if (Option.isNone(routes.call(parts.client, contents))) {
      return yield* invalid(operation, "accountKey", "the service has no form for this account key")
    }
    return plans.make(contents)
  })

const sent = (found: Sent["found"] & {}): Sent => ({
  _tag: "Sent",
  transactionHash: found.transactionHash,
  from: found.from,
  nonce: found.nonce,
  feePayer: found.feePayer,
  result: undefined,
  found
})

/** The good end that an answer tells, if it tells one. */
const submission = (result: TransactionResult): Option.Option<Submission> => {
  const { feePayer, from, nonce, rlp, transactionHash, transactionId } = result
  if (transactionHash !== undefined) {
    return Option.some({ _tag: "Sent", transactionHash, from, nonce, feePayer, result, found: undefined })
  }
  if (transactionId !== undefined) return Option.some({ _tag: "Pending", transactionId, from, nonce, result })
  return rlp === undefined ? Option.none() : Option.some({ _tag: "SignedOnly", rlp, from, nonce, feePayer, result })
}

/**
 * Whether a refusal leaves open what became of the send: it does not say what the service's node did, or follows an attempt
 * that may have been answered so.
 */
const isUncertain = (error: ServiceError): boolean =>
  error.attempts.slice(0, -1).some(({ status }) => status !== undefined) ||
  ("code" in error && error.code === WalletCode.codes.nodeRefused && WalletCode.nodeMessage(error) === undefined)

const namedHash = (error: ServiceError): Hash | undefined =>
  "serviceMessage" in error
    ? Option.getOrUndefined(
      Option.flatMap(Option.fromNullable(WalletCode.namedHash(error)), (text) => Option.getRight(Hashes.make(text)))
    )
    : undefined

const saysTaken = (error: ServiceError): boolean => "code" in error && WalletCode.saysTaken(error)

/**
 * Where the account stands, without which a send that ends unknown can't be found again: each of the two questions is worth
 * asking three times where no answer could be had in 3 seconds or read, which the retry policy does not always repeat. With
 * the default policy that is 24 requests at most, and it is not worth waiting longer for.
 */
const standingOf = (
  parts: Parts,
  address: Address.Address | undefined
): Effect.Effect<FindOut.Standing | undefined> =>
  Effect.suspend(() => {
    if (address === undefined) return Effect.succeed(undefined)
    const ask = (at: "latest" | "pending") =>
      parts.lookup.nextNonce(address, at).pipe(
        Deadline.withDeadline("3 seconds"),
        Effect.retry({ times: 2, while: ({ cause }) => cause !== undefined })
      )
    return Effect.all({ next: ask("latest"), afterWaiting: ask("pending") }, { concurrency: 2 }).pipe(
      Effect.orElseSucceed(() => undefined)
    )
  })

const carryOut = (
  parts: Parts,
  operation: string,
  contents: Contents
): Effect.Effect<Submission, Failure> =>
  Effect.gen(function*() {
    const keyed = subject.isKeyed(contents)
    const nonce = keyed ? Option.getOrUndefined(subject.nonceOf(contents)) : undefined
    const address = subject.fromOf(contents)
    const named = address === undefined || nonce === undefined ? undefined : { address, nonce }
    const route = routes.call(parts.client, contents)
    if (Option.isNone(route)) return yield* notSent(invalid(operation, "request", "nothing on the wire stands for it"))
    const standing = keyed ? undefined : yield* standingOf(parts, address)
    const ownHash = contents.request._tag === "Rlp" ? hashOf(contents.request.rlp) : undefined
    const startedAt = yield* Clock.currentTimeMillis
    const owner = { subject: contents, nonce }
    const question = (hash: Hash | undefined): FindOut.Question => ({
      owner,
      standing,
      hash: hash ?? ownHash,
      claims: parts.claims
    })
    const unknown = (reason: string, cause: ServiceError | LookupFailed | undefined, hash?: Hash): SendUnknown =>
      verdicts.attach(
        new SendUnknown({
          operation,
          chain: contents.chain,
          address,
          nonce: Option.getOrUndefined(subject.nonceOf(contents)),
          nonceAtLeast: standing?.next,
          nonceAfterWaiting: standing?.afterWaiting,
          hash: hash ?? ownHash,
          request: contents.request,
          startedAt,
          reason,
          retrySafe: keyed,
          cause
        }),
        FindOut.findOut(parts.lookup, question(hash))
      )

    /** After an attempt that nobody knows the end of, the nonce is taken: by this very send, or by another? */
    const lookedUp = (error: ServiceError): Effect.Effect<Submission, Failure> =>
      FindOut.findOut(parts.lookup, question(namedHash(error))).pipe(
        Effect.mapError((failed) => unknown("the nonce is taken, and by what could not be looked up", failed)),
        Effect.flatMap((verdict): Effect.Effect<Submission, Failure> =>
          verdict._tag === "Executed" || verdict._tag === "Waiting"
            ? Effect.succeed(sent(verdict.transaction))
            : verdict._tag === "Superseded"
            ? notSent(
              new NonceTaken({
                nonce: verdict.transaction.nonce,
                by: verdict.transaction,
                content: subject.compare(contents, verdict.transaction),
                refusal: error
              })
            )
            : Effect.fail(
              unknown("the nonce is taken, says the service, and no block shows it yet", error, namedHash(error))
            )
        )
      )

    /**
     * The nonce is taken, and no attempt of this send can have done it: what has it was there before, however much it
     * looks like this one. Bytes that are signed already are known by their hash, whoever sent them.
     */
    const refused = (error: NotSent["reason"] & ServiceError): Effect.Effect<Submission, Failure> =>
      Effect.gen(function*() {
        if (ownHash !== undefined) {
          const same = yield* Effect.orElseSucceed(parts.lookup.byHash(ownHash), Option.none)
          if (Option.isSome(same)) return sent(same.value)
        }
        const by = named === undefined
          ? Option.none<FoundTransaction>()
          : yield* Effect.orElseSucceed(parts.lookup.byNonce(named.address, named.nonce), Option.none)
        return yield* notSent(
          Option.match(by, {
            onNone: () => error,
            onSome: (by) =>
              new NonceTaken({ nonce: by.nonce, by, content: subject.compare(contents, by), refusal: error })
          })
        )
      })

    const failed = (error: ServiceError): Effect.Effect<Submission, Failure> => {
      if (error._tag === "OutcomeUnknown") {
        return keyed && saysTaken(error) ? lookedUp(error) : Effect.fail(unknown(error.reason, error, namedHash(error)))
      }
      if (isUncertain(error)) return Effect.fail(unknown("the answer does not say what became of it", error))
      return saysTaken(error) ? refused(error) : notSent(error)
    }

    const judged = (told: TransactionResult): Effect.Effect<Submission, Failure> => {
      const misfit = subject.misfit(contents, told) ??
        (ownHash !== undefined && told.transactionHash !== undefined && told.transactionHash !== ownHash
          ? "another hash"
          : !keyed && standing !== undefined && told.nonce < standing.next
          ? "a nonce that was taken before"
          : undefined)
      if (misfit !== undefined) {
        return Effect.fail(unknown(`the answer does not fit what was asked: it is about ${misfit}`, undefined))
      }
      const end = submission(told)
      if (Option.isNone(end)) return Effect.fail(unknown("the answer names no transaction", undefined))
      if (contents.submit && end.value._tag === "SignedOnly") {
        return Effect.fail(unknown(
          "the answer shows a signed transaction and does not say that it was sent",
          undefined,
          hashOf(end.value.rlp)
        ))
      }
      return end.value._tag === "Sent" && !parts.claims.claim(end.value.from, end.value.nonce, owner)
        ? Effect.fail(
          unknown("the answer does not fit what was asked: it is about what another send did", undefined)
        )
        : Effect.succeed(end.value)
    }

    const made = Effect.matchEffect(route.value, { onFailure: failed, onSuccess: judged })
    if (named === undefined) return yield* made
    // While nobody knows whether this send has its nonce, an equal one does not take it for its own.
    parts.claims.name(named.address, named.nonce, owner)
    const forget = Effect.sync(() => parts.claims.forget(named.address, named.nonce, owner))
    return yield* Effect.tapBoth(made, {
      onFailure: (failure) => failure._tag === "NotSent" ? forget : Effect.void,
      onSuccess: (end) => {
        if (end._tag === "Sent") parts.claims.claim(end.from, end.nonce, owner)
        return forget
      }
    })
  })

/** Carries out a plan, once the policy has agreed. */
export const execute = (
  parts: Parts,
  operation: string,
  plan: SendPlan,
  approved?: string
): Effect.Effect<Submission, Failure> =>
  Effect.gen(function*() {
    const verified = plans.verified(plan)
    if (Option.isNone(verified)) {
      return yield* notSent(new PlanChanged({ problem: "the plan was changed after it was made; make a new one" }))
    }
    const contents = verified.value
    if (approved !== undefined && approved !== plan.digest) {
      return yield* notSent(new PlanChanged({ problem: "the plan is not the one that was approved" }))
    }
    const { chain } = parts.client.settings
    if (contents.chain !== chain || contents.host !== parts.host) {
      return yield* notSent(
        new PlanChanged({
          problem: `the plan was made for ${Chain.label(contents.chain)} at ${contents.host}, and this client is of ` +
            `${Chain.label(chain)} at ${parts.host}`
        })
      )
    }
    return yield* policies.guarded(
      parts.policy,
      { chain: contents.chain, operation, from: subject.fromOf(contents), ...subject.movesOf(contents) },
      carryOut(parts, operation, contents)
    ).pipe(Effect.catchTag("SpendRefused", notSent))
  })
