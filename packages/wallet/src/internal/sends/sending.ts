/** Every send takes this path: plan, policy, call, and what its answer means. */
import * as Address from "@effect-klaytn/core/Address"
import * as Chain from "@effect-klaytn/core/Chain"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import type { FeePayer } from "../../FeeDelegation.js"
import * as SendOutcome from "../../SendOutcome.js"
import type { SendPlan } from "../../SendPlan.js"
import { SendRecord } from "../../SendRecord.js"
import type * as SpendPolicy from "../../SpendPolicy.js"
import type { TransactionRequest } from "../../TransactionRequest.js"
import type { TransactionResult } from "../../TransactionResult.js"
import * as clients from "../client/client.js"
import type * as fields from "../contract/fields.js"
import * as plans from "../plans/plan.js"
import * as routes from "../plans/routes.js"
import * as intents from "../plans/transactionIntent.js"
import * as lookups from "./lookup.js"
import * as reconciling from "./reconcile.js"
import * as refusals from "./refusals.js"

/** What a client of the wallet can be given. */
export interface Options {
  /**
   * What may be spent: rules, or a policy made with `SpendPolicy.make`, which can be shared. Without one, everything is
   * allowed on testnet and nothing on mainnet.
   */
  readonly policy?: SpendPolicy.Service | SpendPolicy.Rules | undefined
  /** Looks up what became of a transaction. Defaults to the service and its node. */
  readonly lookup?: lookups.Lookup | undefined
  /**
   * Whether the service knows `Idempotency-Key`, as a gateway of your own does. Each send then has a random key, so a call whose
   * answer was lost is repeated, and is not done twice. Default: false, as the hosted service was never seen to know it.
   */
  readonly idempotencyKeys?: boolean | undefined
}

export const makeContext = Effect.fnUntraced(function*({ idempotencyKeys = false, lookup, policy }: Options) {
  const client = yield* clients.make(policy)
  const endpoint = client.settings.endpoints.wallet
  return {
    client,
    /** The host of the wallet. A plan names it, so that the plan can't be executed elsewhere. */
    host: endpoint === undefined ? "" : Endpoints.host(endpoint),
    lookup: lookup ?? (yield* lookups.make(client)),
    claims: new reconciling.Claims(),
    /** The key of the next call; undefined if the service knows none. */
    nextKey: () => idempotencyKeys ? crypto.randomUUID() : undefined,
    /** Whether it was logged that another account pays than the plan names. */
    isWarned: yield* Ref.make(false)
  }
})

/** What the sends of one client share. */
export type WalletContext = Effect.Effect.Success<ReturnType<typeof makeContext>>

const unsent = (reason: SendOutcome.NotSent["reason"]) => refusals.notSent(reason, "unsent")

/** The successful outcome that an answer shows, if it names a transaction. */
const submission = (payer: FeePayer, result: TransactionResult): Option.Option<SendOutcome.Submission> => {
  const { from, nonce, rlp, transactionHash, transactionId } = result
  const reported = { from, nonce, paidBy: SendOutcome.paidBy(payer, result), result }
  if (transactionHash !== undefined) {
    return Option.some({ _tag: "Sent", transactionHash, ...reported, found: undefined })
  }
  if (transactionId !== undefined) return Option.some({ _tag: "Pending", transactionId, ...reported })
  return rlp === undefined ? Option.none() : Option.some({ _tag: "SignedOnly", rlp, ...reported })
}

/**
 * The nonces of the account before a send. Without them, a send with an unknown outcome can't be found again. A call that
 * fails, or has no answer in 3 seconds, is made again up to twice, since the retry policy does not repeat every failure:
 * with the default policy that is 24 requests at most.
 */
const accountNonces = ({ lookup }: WalletContext, address: Address.Address | undefined) =>
  Effect.suspend(() => {
    if (address === undefined) return new SendOutcome.LookupFailed({ problem: "the sender is not known" })
    const nextNonce = (at: "latest" | "pending") =>
      lookup.nextNonce(address, at).pipe(
        Deadline.withDeadline("3 seconds"),
        Effect.retry({ times: 2, while: ({ cause }) => cause !== undefined })
      )
    return Effect.all({ next: nextNonce("latest"), afterWaiting: nextNonce("pending") }, { concurrency: 2 })
  })

/** The record of a send that is yet to be made. */
const recordOf = Effect.fnUntraced(function*(context: WalletContext, { intent, plan }: plans.Verified) {
  const nonces = intent.isKeyed ? undefined : yield* accountNonces(context, intent.from)
  return { plan, nonces, hash: intents.hashToFind(intent), startedAt: yield* Clock.currentTimeMillis }
})

const payerName = (payer: FeePayer): string => {
  if (payer._tag === "UserFeePayer") return Address.checksum(payer.address)
  return payer._tag === "SenderPays" ? "the sender" : "the service's global fee payer"
}

/** Warns, once for each client, if another account pays than the plan names. */
const warnOfPayer = ({ isWarned }: WalletContext, { payer }: SendPlan, { from, paidBy }: SendOutcome.Submission) => {
  if (paidBy._tag !== "Other") return Effect.void
  const pays = paidBy.address === from ? "the sender" : Address.checksum(paidBy.address)
  const warning = `${pays} pays the fee, and the plan names ${payerName(payer)}: check feePayerStyle of the ` +
    "configuration (KLAYTN_FEE_PAYER_STYLE); this is logged once for each client"
  return Effect.unlessEffect(Effect.logWarning(warning), Ref.getAndSet(isWarned, true))
}

/** Makes the failures of a send whose outcome is not known. */
const makeUnknown = (
  { claims, lookup }: WalletContext,
  operation: string,
  owner: reconciling.Owner,
  record: SendRecord
): refusals.Attempted["unknown"] =>
(reason, cause, hash, answered) => {
  const { intent } = owner
  const toFind = intents.hashToFind(intent, hash)
  const error = new SendOutcome.SendUnknown({
    operation,
    address: intent.from,
    nonce: intent.nonce,
    send: { ...record, hash: toFind },
    reason,
    retrySafe: intent.isKeyed,
    answered,
    cause: cause === undefined ? undefined : refusals.named(cause)
  })
  const send = { owner, nonces: record.nonces, hash: toFind, claims }
  reconciling.reconcilers.set(error, reconciling.reconcile(lookup, send))
  return error
}

/**
 * The answer to a named send is about a transaction of a lower nonce: the service knows the name, and has paid before. It is believed if
 * a block has just what was asked for. An answer that was mixed up on the way would be about a send of this time.
 */
const earlier = Effect.fnUntraced(function*(
  { claims, lookup, owner, plan: { payer } }: refusals.Attempted,
  { from, nonce, transactionHash }: TransactionResult,
  mismatch: (about: string) => Effect.Effect<never, SendOutcome.SendUnknown>
) {
  const found = transactionHash === undefined
    ? Option.none()
    : yield* Effect.orElseSucceed(lookup.byHash(transactionHash), Option.none)
  const isIt = Option.exists(
    found,
    (one) => one.nonce === nonce && one.block !== undefined && intents.compare(owner.intent, one) === "same"
  )
  if (
    transactionHash === undefined || Option.isNone(found) || !isIt || !claims.claim(from, nonce, owner, transactionHash)
  ) {
    return yield* mismatch("another nonce")
  }
  const paidBy = SendOutcome.paidBy(payer, found.value)
  const sent: SendOutcome.Submission = {
    _tag: "Sent",
    transactionHash,
    from,
    nonce,
    paidBy,
    result: undefined,
    found: found.value
  }
  return sent
})

/** What the answer to a send means. One that is about another transaction proves nothing. */
const readAnswer = (
  attempted: refusals.Attempted,
  answer: TransactionResult,
  isNamed: boolean
): Effect.Effect<SendOutcome.Submission, refusals.SendFailure> => {
  const { claims, nonces, owner, plan, unknown } = attempted
  // Of a send that the service knows by its name and that has ended, a look-up tells more.
  const named = isNamed && answer.outcome !== undefined ? answer.transactionHash : undefined
  const answered = isNamed ? intents.otherNonce(owner.intent, answer) : undefined
  const mismatch = (about: string) =>
    Effect.fail(unknown(`the answer does not match the request: it is about ${about}`, undefined, named, answered))
  if (isNamed && intents.isOfLowerNonce(owner.intent, answer)) return earlier(attempted, answer, mismatch)
  const about = intents.mismatch(owner.intent, answer) ??
    (nonces !== undefined && answer.nonce < nonces.next ? "a nonce that was taken before" : undefined)
  if (about !== undefined) return mismatch(about)
  const end = submission(plan.payer, answer)
  if (Option.isNone(end)) return Effect.fail(unknown("the answer names no transaction"))
  if (plan.submit && end.value._tag === "SignedOnly") {
    const signed = intents.readRaw(end.value.rlp, plan.chain)
    return Effect.fail(unknown(
      "the answer shows a signed transaction and does not say that it was sent",
      undefined,
      Either.isRight(signed) ? intents.hashOf(signed.right) : undefined
    ))
  }
  return end.value._tag === "Sent" &&
      !claims.claim(end.value.from, end.value.nonce, owner, end.value.transactionHash)
    ? mismatch("the transaction of another send")
    : Effect.succeed(end.value)
}

/** Makes the call of a plan and returns its outcome. */
const send = Effect.fnUntraced(function*(
  context: WalletContext,
  operation: string,
  { intent, plan }: plans.Verified,
  prepared: SendRecord,
  name?: string
) {
  const { claims, client, lookup } = context
  const { from: address, isKeyed } = intent
  const nonce = isKeyed ? intent.nonce : undefined
  const call = routes.call(client, plan, intent, { key: context.nextKey(), name })
  if (Option.isNone(call)) {
    return yield* unsent(InvalidInput.at(operation, ["request"], "the service has no request for it"))
  }
  const record = isKeyed || prepared.nonces === undefined
    ? yield* Effect.orElseSucceed(recordOf(context, { intent, plan }), (): SendRecord => ({ plan }))
    : prepared
  const owner = { intent, nonce }
  const unknown = makeUnknown(context, operation, owner, record)
  const attempted = { owner, nonces: record.nonces, claims, lookup, plan, unknown }
  const outcome = Effect.matchEffect(call.value, {
    onFailure: (error) => refusals.ofFailure(attempted, error),
    onSuccess: (answer) => readAnswer(attempted, answer, name !== undefined)
  }).pipe(Effect.tap((end) => warnOfPayer(context, plan, end)))
  if (address === undefined || nonce === undefined) return yield* outcome
  // Until it is known whether this send took its nonce, an identical send does not claim that nonce.
  claims.open(address, nonce, owner)
  const forget = Effect.sync(() => claims.close(address, nonce, owner))
  return yield* Effect.tapBoth(outcome, {
    onFailure: (failure) => failure._tag === "NotSent" ? forget : Effect.void,
    onSuccess: (end) => {
      if (end._tag === "Sent") claims.claim(end.from, end.nonce, owner, end.transactionHash)
      return forget
    }
  })
})

/** Verifies that this client may carry out a plan. */
const check = Effect.fnUntraced(function*({ client, host }: WalletContext, plan: SendPlan, approved?: string) {
  const changed = (problem: string) => new SendOutcome.PlanChanged({ problem })
  const verified = plans.verify(plan)
  if (Option.isNone(verified)) return yield* changed("the plan was changed after it was made; make a new one")
  if (approved !== undefined && approved !== plan.digest) {
    return yield* changed("the plan is not the one that was approved")
  }
  const made = verified.value.plan
  const { chain, feePayerStyle } = client.settings
  if (made.feePayerStyle !== feePayerStyle) {
    return yield* changed(
      `the plan was made for a service of the fee payer style ${made.feePayerStyle}, and this client is ` +
        `configured for ${feePayerStyle}`
    )
  }
  if (made.chain !== chain || made.host !== host) {
    return yield* changed(
      `the plan was made for ${Chain.label(made.chain)} at ${made.host}, and this client is for ` +
        `${Chain.label(chain)} at ${host}`
    )
  }
  return verified.value
})

const isRecord = (input: SendPlan | SendRecord): input is SendRecord => Predicate.hasProperty(input, "plan")

/** A copy of a record. A program may have read the record from storage without its schema. */
const readRecord = Schema.validateEither(SendRecord)

/** Carries out a plan, once the policy has agreed. */
const execute = Effect.fnUntraced(function*(
  context: WalletContext,
  operation: string,
  input: SendPlan | SendRecord,
  { approved, name }: { readonly approved?: string | undefined; readonly name?: string | undefined } = {}
) {
  const given = isRecord(input) ? input : { plan: input }
  const verified = yield* Effect.catchAll(check(context, given.plan, approved), unsent)
  const { intent, plan } = verified
  const record = yield* Effect.catchAll(
    readRecord({ ...given, plan }),
    () => unsent(new SendOutcome.PlanChanged({ problem: "the record of the send can't be read; prepare a new one" }))
  )
  const id = intent.isKeyed ? plan.digest : undefined
  const change = { from: intent.from, id, ...intents.movesOf(intent, plan.gasLimit) }
  return yield* send(context, operation, verified, record, name).pipe(
    context.client.guard(operation, change),
    Effect.catchTag("SpendRefused", unsent)
  )
})

/** The input of a send, after validation. */
type Send = Schema.Struct.Type<typeof fields.send> & { readonly request: TransactionRequest }

/** The functions of a service that sends: `read` turns an input into what a plan contains. */
export const make = <Input extends { readonly submit?: boolean | undefined }>(
  context: WalletContext,
  operation: string,
  read: (input: Input) => Effect.Effect<Send, InvalidInput>
) => {
  const { client, host } = context
  const { chain, feePayerStyle } = client.settings
  const plan = Effect.fnUntraced(function*(input: Input) {
    const { submit = true, ...wanted } = yield* read(input)
    const contents = { ...wanted, submit, chain, host, feePayerStyle }
    const pool = yield* routes.namesBothPools(contents) ? client.bothPools(operation) : client.accountPool(operation)
    return yield* plans.make(client, operation, { ...contents, pool })
  })
  // A cast, because `readAnswer` is where a plan that submits fails on an answer that is only signed.
  const send = ((input: Input) =>
    plan(input).pipe(
      Effect.mapError((reason) => new SendOutcome.NotSent({ reason, proof: "unsent" })),
      Effect.flatMap((plan) => execute(context, operation, plan))
    )) as SendOutcome.Sending<Input>
  return {
    plan,
    prepare: (plan: SendPlan) => Effect.flatMap(check(context, plan), (verified) => recordOf(context, verified)),
    execute: (plan: SendPlan | SendRecord, approved?: string, name?: string) =>
      execute(context, operation, plan, { approved, name }),
    send
  }
}
