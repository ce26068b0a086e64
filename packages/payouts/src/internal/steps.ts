/** The steps of a payout: what is done in each state, and the event that follows. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import type * as Hash from "@effect-klaytn/core/Hash"
import { type FoundTransaction, LookupFailed, type SendVerdict } from "@effect-klaytn/wallet/SendOutcome"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import type { Content } from "../Payout.js"
import * as PayoutState from "../PayoutState.js"
import { eventOf, eventOfVerdict, isFrozen, isUnsettled, type Unsettled } from "./answers.js"
import * as arrivals from "./arrivals.js"
import * as books from "./books.js"
import * as clocks from "./clock.js"
import type { Attempt, Context } from "./context.js"
import { alertOnce, apply, approvalOf, backoff, planOf, publish, spendOf, withRouting } from "./context.js"
import { fillGaps, openAccount } from "./housekeeping.js"
import * as leaving from "./leaving.js"
import * as receivers from "./receivers.js"
import * as signatures from "./signatures.js"
import type { Stored } from "./store.js"
import * as telemetry from "./telemetry.js"

/** The names of the steps, and of the activities that run them. */
export const Verb = Schema.Literal("reserve", "send", "settle", "end")

export type Verb = typeof Verb.Type

/** What a state asks for next. */
const verbOf = (state: PayoutState.PayoutState): Verb => {
  if (isUnsettled(state)) return "settle"
  if (state._tag === "Reserved") return "send"
  return PayoutState.isUnbegun(state) ? "reserve" : "end"
}

/** Whether a person has approved a payout, before its first attempt or since. */
const isApproved = (context: Context, { key, state }: Stored): Effect.Effect<boolean> =>
  state._tag === "Planned"
    ? Effect.succeed(state.approved)
    : Effect.map(context.store.history(key), Arr.some(({ event }) => event._tag === "Approved"))

/**
 * The call that a payout is made by, if it is one, and what it may spend: allowed by the policy as it is made, and paid to a receiver that
 * can take it.
 */
const allowed = (context: Context, content: Content) =>
  Effect.gen(function*() {
    const spend = yield* spendOf(context, content)
    yield* context.policy.authorise(spend)
    const call = yield* books.untilAnswered("the receiver", content.request.from)(receivers.read(context, content))
    if (call === undefined) return { call, spend }
    const called = yield* spendOf(context, content, call)
    yield* context.policy.authorise(called)
    return { call, spend: called }
  })

/** Asks for the approval of a payout that needs one. Its first attempt may have been made under limits that asked for none. */
const askApproval = (context: Context, { key, state }: Stored, problem: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (state._tag !== "Planned") {
      const unapproved =
        `nobody has approved it, and ${problem}; its attempt with another nonce was made under other limits`
      yield* apply(context, key, { _tag: "NotAllowed", reason: "NotApproved", problem: unapproved })
      return
    }
    const waiting = yield* apply(context, key, { _tag: "ApprovalNeeded", problem })
    if (Either.isRight(waiting)) yield* telemetry.alert(waiting.right, `it waits for approval: ${problem}`)
  })

/**
 * Consults the policy, asks for approval if it is needed, and reserves a nonce and the spend; all of that under the limits of the
 * payout, or not at all.
 */
const reserve = (context: Context, payout: Stored): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { content, key, state } = payout
    const { from } = content.request
    if (leaving.isOthers(context, payout)) return yield* leaving.leave(context, payout)
    const checked = yield* Effect.either(allowed(context, content))
    if (Either.isLeft(checked)) {
      const { _tag: reason, message: problem } = checked.left
      yield* apply(context, key, { _tag: "NotAllowed", reason, problem })
      return
    }
    const { call, spend } = checked.right
    const problem = approvalOf(context, spend)
    if (problem !== undefined && !(yield* isApproved(context, payout))) {
      return yield* askApproval(context, payout, problem)
    }
    if (state._tag === "Superseded" || !context.synced.has(from)) {
      yield* books.sync(context, content.chain, from)
    }
    while (true) {
      const made = yield* context.store.reserve(key, spend, call)
      switch (made._tag) {
        case "Changed":
          return yield* publish(context, made.payout, made.event)
        case "Stale":
          return
        case "NoBook":
          yield* books.sync(context, content.chain, from)
          break
        case "Fresh":
          if (!(yield* openAccount(context, payout, from))) return
      }
    }
  })

/** How long a payout leaves a frozen wallet in peace. */
const untilAskedAgain = "2 minutes"

/** A name of a payment for the service: the same whatever database the payment is kept in. Cancellations have no name. */
const nameOf = (key: string, { chain, request: { from } }: Content, number: number): string =>
  createHash("sha256").update(JSON.stringify(["payout", key, from, chain, number])).digest("hex")

/** The nonces of the attempts of a payout of which a final block has ruled out that they can be executed. */
const ruledOut = (context: Context, key: string): Effect.Effect<ReadonlySet<number>> =>
  Effect.map(
    context.store.history(key),
    (history) => new Set(history.flatMap(({ state }) => state._tag === "Superseded" ? [state.nonce] : []))
  )

/**
 * Sends the payment of an attempt under the first of its names that is not used up. A service that knows names pays once for each. It
 * answers a name that it knows with the transaction that it has made for it: a name is used up if that can't be executed, by the blocks
 * that this payout has seen. A request that did not arrive uses up nothing, and the payment may have been made under its name before.
 */
const sendNamed = (context: Context, { content, key }: Stored, state: Unsettled) =>
  Effect.gen(function*() {
    const plan = yield* planOf(context, content, state)
    const dead = state.attempt === 1 ? new Set() : yield* ruledOut(context, key)
    const under = (number: number): ReturnType<Context["transactions"]["execute"]> =>
      Effect.catchTag(
        context.transactions.execute(plan, undefined, nameOf(key, content, number)),
        "SendUnknown",
        (error) =>
          number <= dead.size && error.answered !== undefined && dead.has(error.answered) ? under(number + 1) : error
      )
    return yield* under(1)
  })

/**
 * Stores the intent, sends, and stores the answer. The intent waits for its turn too: when the process dies, only as many
 * payouts are in doubt as were under way.
 */
const send = (context: Context, payout: Stored): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { content, key, state: before } = payout
    if (before._tag === "Reserved" && before.sends > 0) {
      const { attempt, closing, nonce, sends } = before
      const transactionId = closing === undefined
        ? yield* signatures.ofPayment(context, content, nonce)
        : yield* signatures.ofCancellation(context, content, nonce)
      if (transactionId !== undefined) {
        yield* apply(context, key, { _tag: "SignaturesMissing", attempt, send: sends, transactionId })
        return
      }
    }
    const begun = yield* apply(context, key, { _tag: "SendBegun" })
    if (Either.isLeft(begun) || begun.right.state._tag !== "Sending") return
    const { state } = begun.right
    const { payer, request: { from } } = content
    const sent = state.closing === undefined
      ? sendNamed(context, payout, state)
      : context.transactions.send({ request: { _tag: "Cancel", from, nonce: state.nonce }, payer })
    const outcome = yield* Effect.either(signatures.sending(context, from)(withRouting(content)(sent)))
    yield* apply(context, key, eventOf(state, outcome))
    return Either.isLeft(outcome) && outcome.left._tag === "NotSent" && isFrozen(outcome.left)
      ? outcome.left.message
      : undefined
  }).pipe(
    context.permits.withPermits(1),
    // A frozen wallet signs nothing, however often it is asked.
    Effect.flatMap((why) =>
      typeof why === "string"
        ? Effect.zipRight(
          Effect.logWarning(`payout ${payout.key} waits, and the wallet is asked again in ${untilAskedAgain}: ${why}`),
          Effect.sleep(untilAskedAgain)
        )
        : Effect.void
    )
  )

/** Looks the payment of an attempt up. If a block holds it, the verdict says whether it succeeded. */
export const reconcile = (context: Context, content: Content, attempt: Attempt, hash: Hash.Hash | undefined) =>
  Effect.gen(function*() {
    const plan = yield* planOf(context, content, attempt)
    const verdict = yield* TransactionLookup.reconcile({ plan, hash }).pipe(
      Effect.provideService(TransactionLookup.TransactionLookup, context.lookup)
    )
    if (verdict._tag !== "Executed") return verdict
    const { block, from, state } = verdict.transaction
    if (state !== "executed" && block !== undefined) return verdict
    // The verdict does not say whether the transaction succeeded.
    const whole = yield* context.lookup.byNonce(from, verdict.transaction.nonce)
    return { ...verdict, transaction: Option.getOrElse(whole, () => verdict.transaction) }
  })

/** The next nonce of the account, if the payment is in no block: the payment may wait behind a nonce that nothing uses. */
const nextNonceOf = ({ lookup }: Context, verdict: SendVerdict): Effect.Effect<number | undefined> =>
  verdict._tag === "Waiting"
    ? Effect.orElseSucceed(lookup.nextNonce(verdict.transaction.from), () => undefined)
    : Effect.succeed(verdict._tag === "NotExecuted" ? verdict.nextNonce : undefined)

/**
 * Whether the block of a transaction can't be moved any more: enough blocks are above it, or no other has come for long. A look-up that
 * knows no newest block has the time alone.
 */
export const isSettled = (
  { confirmations, found, lookup }: Pick<Context, "confirmations" | "found" | "lookup">,
  key: string,
  { block, transactionHash: hash }: FoundTransaction
) =>
  Effect.gen(function*() {
    if (confirmations === 0 || block === undefined) return true
    const read = Option.getOrUndefined(
      lookup.head === undefined ? Option.some(block) : yield* Effect.option(lookup.head)
    )
    if (read !== undefined && read >= block + confirmations) return true
    const now = Deadline.now(yield* Effect.clock)
    const kept = found.get(key)
    const before = kept?.hash === hash && kept.block === block ? kept : undefined
    // Where the newest block can't be read, more may have been made.
    const isQuiet = before !== undefined && read !== undefined && read <= before.head
    const since = isQuiet ? before.since : now
    found.set(key, { hash, block, head: Math.max(read ?? block, before?.head ?? block), since })
    return now - since >= confirmations * 1000
  })

/** Whether a closing payout whose cancellation was sent waits for a nonce that no block can have. */
const isBeyond = (
  context: Context,
  { content: { chain, request: { from } }, since }: Stored,
  state: Unsettled,
  next: number
) =>
  Effect.gen(function*() {
    const { closing, nonce } = state
    if (closing === undefined || state._tag !== "Unknown" && !closing.offered) return false
    const age = clocks.since(yield* context.store.now(), since)
    return age > Duration.toMillis(context.stuckAfter) &&
      (yield* books.isUnreachable(context, chain, from, next, nonce))
  })

/**
 * The event that the chain shows for an attempt, if there is one, the result of `nextNonceOf`, and whether a block that may still be
 * moved has a transaction with the nonce.
 */
const lookUp = (context: Context, payout: Stored, state: Unsettled) =>
  Effect.gen(function*() {
    const { content, key, updatedAt } = payout
    const hash = "transactionHash" in state ? state.transactionHash : undefined
    const verdict = yield* reconcile(context, content, state, hash)
    const isInBlock = verdict._tag === "Executed" || verdict._tag === "Superseded"
    if (isInBlock && !(yield* isSettled(context, key, verdict.transaction))) {
      return { event: undefined, next: undefined, isMovable: true }
    }
    const age = clocks.since(yield* context.store.now(), updatedAt)
    // What the wallet has cancelled is not made at another nonce.
    const told = verdict._tag === "Superseded" && state.closing === undefined && hash !== undefined
      ? yield* context.lookup.told?.(hash) ?? Effect.succeedNone
      : Option.none()
    const isLate = age >
      Duration.toMillis(state._tag === "WaitingForSignatures" ? context.signaturesWithin : context.stuckAfter)
    const next = yield* nextNonceOf(context, verdict)
    const event = next !== undefined && (yield* isBeyond(context, payout, state, next))
      ? { _tag: "DeclaredNotSent" as const, attempt: state.attempt, beyond: next }
      : eventOfVerdict(state, content.payer, verdict, { isLate, told: Option.getOrUndefined(told) })
    if (event?._tag !== "Found") return { event, next, isMovable: false }
    const found = yield* arrivals.seen(context, content, event)
    return { event: found, next, isMovable: found === undefined }
  }).pipe(context.permits.withPermits(1))

/** Fails for a payout of another chain: this process can't look it up. */
export const onItsChain = (context: Context, { content: { chain }, key }: Stored): Effect.Effect<void, LookupFailed> =>
  chain === context.chain ? Effect.void : new LookupFailed({ problem: `payout ${key} belongs to chain ${chain}` })

/** Looks a payout up on the chain once, and stores what the chain shows. */
export const look = (context: Context, payout: Stored) =>
  Effect.gen(function*() {
    const { key, state } = payout
    yield* onItsChain(context, payout)
    if (!isUnsettled(state)) return { next: undefined, isMovable: false }
    const { event, ...seen } = yield* lookUp(context, payout, state)
    if (event !== undefined) yield* apply(context, key, event)
    return seen
  })

/** Asks the chain until it is known what became of the attempt. Nothing is sent here. */
const settle = (context: Context, { key, version }: Stored): Effect.Effect<void> =>
  Effect.gen(function*() {
    let isMovable = false
    for (let turn = 1;; turn++) {
      const payout = yield* context.store.get(key)
      // The payout was changed, so its next step is another one.
      if (payout.version !== version) return
      const { state } = payout
      if (!isUnsettled(state)) return
      // An accepted payment needs time to get into a block. A send without an answer is looked up at once, and after a pause
      // if it was repeated.
      if (isMovable) yield* Effect.sleep(context.confirmInterval)
      else if (state._tag === "Sent" || state._tag === "WaitingForSignatures" || turn > 1) {
        yield* Effect.sleep(backoff(context, turn))
      } else if (state.sends > 1) yield* Effect.sleep(backoff(context, state.sends))
      yield* look(context, payout).pipe(
        Effect.flatMap(({ next, ...seen }) => {
          isMovable = seen.isMovable
          return next !== undefined && next < state.nonce ? fillGaps(context, payout, next, state.nonce) : Effect.void
        }),
        Effect.catchAll((failed) => Effect.logWarning(`payout ${key} could not be looked up: ${failed.message}`))
      )
      yield* alertIfLate(context, yield* context.store.get(key))
    }
  })

const alertIfLate = (context: Context, payout: Stored): Effect.Effect<void> => {
  const problem = problemOf(payout.state)
  return problem === undefined ? Effect.void : alertOnce(context, payout, problem)
}

const problemOf = (state: PayoutState.PayoutState): string | undefined => {
  if (!("doubt" in state)) return undefined
  const { closing, nonce } = state
  if (closing !== undefined) {
    return `it is to end as ${closing.as} (${closing.problem}), and no block has a transaction with nonce ${nonce} yet`
  }
  switch (state._tag) {
    case "Sent":
      return `it was accepted, and is in no block yet: ${state.transactionHash}`
    case "WaitingForSignatures":
      return `it waits for the signatures of its account's signers: ${state.transactionId}`
    case "Sending":
    case "Unknown":
      return `it may have been sent with nonce ${nonce}, and the chain does not show it yet`
    case "Reserved":
      return state.doubt
        ? `it may have been sent with nonce ${nonce}, and no block shows it: it is sent again`
        : "no request of it was sent yet"
  }
}

/** Does what a payout needs now, and returns what it needs next. */
export const work = (context: Context, key: string): Effect.Effect<Verb> =>
  Effect.gen(function*() {
    context.working.add(key)
    const payout = yield* context.store.get(key)
    const verb = verbOf(payout.state)
    const { chain } = payout.content
    if (verb !== "end" && chain !== context.chain) {
      yield* telemetry.alert(
        payout,
        `skipped: it is on chain ${chain}, this process serves ${context.chain}`
      )
      // A process of that chain takes it over.
      return yield* Effect.never
    }
    const steps = { reserve, send, settle, end: () => Effect.void }
    yield* telemetry.inSpan(payout, verb)(steps[verb](context, payout))
    const after = yield* context.store.get(key)
    yield* alertIfLate(context, after)
    return leaving.isOthers(context, after) ? "end" : verbOf(after.state)
  }).pipe(Effect.ensuring(Effect.sync(() => {
    context.working.delete(key)
    context.found.delete(key)
  })))

/**
 * Ends a run whose step failed with a defect: an alert, a line in the history, and after a pause the next run. A workflow
 * stores its own death, so the same run could never go on.
 */
export const endRun = (context: Context, key: string, run: number, problem: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    yield* telemetry.alert(yield* context.store.get(key), `a step failed, and is tried again: ${problem}`)
    yield* Effect.sleep(backoff(context, run + 1))
    yield* apply(context, key, { _tag: "Faulted", run, problem })
  })
