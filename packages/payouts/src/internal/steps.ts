/** The steps of a payout: what is done in each state, and the event that follows. */
import type * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import type * as Chain from "@effect-klaytn/core/Chain"
import * as Krn from "@effect-klaytn/core/Krn"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Pool from "@effect-klaytn/wallet/Pool"
import type { FoundTransaction, NotSent, SendUnknown, Submission } from "@effect-klaytn/wallet/SendOutcome"
import { LookupFailed } from "@effect-klaytn/wallet/SendOutcome"
import type { SendPlan } from "@effect-klaytn/wallet/SendPlan"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import type { TransactionRequestInput } from "@effect-klaytn/wallet/TransactionRequest"
import type * as Transactions from "@effect-klaytn/wallet/Transactions"
import type * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as WalletCode from "@effect-klaytn/wallet/WalletCode"
import type { SqlError } from "@effect/sql/SqlError"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { Content } from "../Payout.js"
import * as PayoutState from "../PayoutState.js"
import type { Limits } from "./spendWindow.js"
import { isSqlError, type Store, type Stored } from "./store.js"
import * as telemetry from "./telemetry.js"

/** What the steps work with. */
export interface Context {
  readonly store: Store
  readonly wallet: Wallet.Service
  readonly transactions: Transactions.Service
  readonly lookup: TransactionLookup.Service
  readonly policy: SpendPolicy.Service
  readonly limits: Limits | undefined
  readonly approveAbove: bigint | undefined
  readonly confirmInterval: Duration.Duration
  readonly stuckAfter: Duration.Duration
  /** Bounds the requests that are under way. */
  readonly permits: Effect.Semaphore
  /** The chain of this process's client. */
  readonly chain: Chain.Chain
  /** The attempts, by key and number, for which this process has logged an alert. */
  readonly alerted: Set<string>
  /** The accounts whose nonces this process has compared with the chain. */
  readonly synced: Set<string>
  /** Called with every change that this process makes. */
  readonly onChange: (payout: Stored) => Effect.Effect<void>
}

/** The names of the steps, and of the activities that run them. */
export type Verb = "reserve" | "send" | "settle" | "end"

/** What a state asks for next. */
const verbOf = (state: PayoutState.PayoutState): Verb => {
  switch (state._tag) {
    case "Planned":
    case "Superseded":
      return "reserve"
    case "Reserved":
      return "send"
    case "Sending":
    case "Unknown":
    case "Sent":
      return "settle"
    default:
      return "end"
  }
}

/** The mark of a payout, which identifies its transaction where no nonce can be named. */
const markOf = (key: string): string => bytesToHex(sha256(utf8ToBytes(key))).slice(0, 24)

/** The request of an attempt. The first of an account carries a mark: in its memo, or behind the data of a call. */
const requestOf = (key: string, { request }: Content, isFirst: boolean): Content["request"] => {
  if (!isFirst) return request
  const mark = markOf(key)
  if (request._tag === "Value") {
    return { ...request, memo: request.memo === undefined ? `payout ${mark}` : `${request.memo} (payout ${mark})` }
  }
  // Contracts don't read behind their arguments. Hex behind hex data is hex data, which the type of a template can't say.
  return { ...request, input: `${request.input}${mark}` as typeof request.input }
}

/** Runs an effect with the pools that were current when the payout was asked for. */
const withRouting = ({ pool }: Content) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const [own, payers] = (pool?.split(",") ?? []).map((text) => Option.getRight(Krn.make(text)))
  return effect.pipe(
    Effect.provideService(Pool.CurrentPool, own ?? Option.none()),
    Effect.provideService(Pool.CurrentFeePayerPool, payers ?? Option.none())
  )
}

/** Prepares the transaction of a content, with the client of its kind. */
export const planOf = (
  { transactions, wallet }: Pick<Context, "transactions" | "wallet">,
  request: TransactionRequestInput,
  rest: Omit<Wallet.SendValueInput, "from" | "to" | "value" | "memo">
): Effect.Effect<SendPlan, InvalidInput> => {
  if (request._tag !== "Value") return transactions.plan({ ...rest, request })
  const { from, memo, to, value } = request
  return wallet.plan({ ...rest, from, to, value, ...(memo === undefined ? {} : { memo }) })
}

/** Waits for a database or a node that does not answer. */
const pauses = Schedule.exponential("100 millis").pipe(
  Schedule.modifyDelay((_, delay) => Duration.min(delay, "5 seconds")),
  Schedule.jittered
)

/** Retries until the database answers: the state must be written before anything else happens. */
const untilStored = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError>, R> =>
  effect.pipe(
    Effect.retry({
      while: isSqlError,
      schedule: pauses.pipe(Schedule.tapInput((error: E | SqlError) =>
        Effect.logWarning("the database of the payouts does not answer; trying again").pipe(
          Effect.annotateLogs("error", String(error))
        )
      ))
    }),
    // The retries above never end with one.
    Effect.catchIf(isSqlError, Effect.die)
  )

const apply = (
  context: Context,
  key: string,
  event: PayoutState.PayoutEvent
): Effect.Effect<Either.Either<Stored, string>> =>
  untilStored(context.store.apply(key, event)).pipe(
    Effect.tap(Either.match({
      onLeft: (reason) => Effect.logDebug(`payout ${key}: ${reason}`),
      onRight: (payout) => publish(context, payout, event)
    }))
  )

/** Reports a stored change to operators, and to callers that wait in this process. */
const publish = (context: Context, payout: Stored, event: PayoutState.PayoutEvent): Effect.Effect<void> =>
  Effect.zipRight(telemetry.recordChange(payout, event), context.onChange(payout))

/** The account that pays, which every request of a payout names. */
const senderOf = ({ request }: Content): Effect.Effect<Address.Address> =>
  request.from === undefined ? Effect.dieMessage("a payout names its account") : Effect.succeed(request.from)

/** Reads the account's next nonce from the chain, and stores it. */
const syncNonces = (context: Context, { chain }: Content, from: Address.Address): Effect.Effect<void> =>
  context.lookup.nextNonce(from, "pending").pipe(
    context.permits.withPermits(1),
    Effect.retry(pauses),
    Effect.orDie,
    Effect.flatMap((next) => untilStored(context.store.advance(chain, from, next))),
    Effect.tap(() => Effect.sync(() => context.synced.add(from)))
  )

/** Consults the policy, asks for approval if it is needed, and reserves a nonce and the spend. */
const reserve = (context: Context, payout: Stored): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { content, key, state } = payout
    const from = yield* senderOf(content)
    const spend = yield* spendOf(context, content)
    const allowed = yield* Effect.either(context.policy.authorise(spend))
    if (Either.isLeft(allowed)) {
      const { _tag: reason, message: problem } = allowed.left
      yield* apply(context, key, { _tag: "PolicyRefused", reason, problem })
      return
    }
    const { approveAbove } = context
    if (state._tag === "Planned" && !state.approved && approveAbove !== undefined && spend.value > approveAbove) {
      const problem = `${Amount.format(spend.value)} is more than ${Amount.format(approveAbove)}`
      const waiting = yield* apply(context, key, { _tag: "ApprovalNeeded", problem })
      if (Either.isRight(waiting)) yield* telemetry.alert(waiting.right, `it waits for approval: ${problem}`)
      return
    }
    if (state._tag === "Superseded" || !context.synced.has(from)) yield* syncNonces(context, content, from)
    let waited = 0
    while (true) {
      const made = yield* untilStored(context.store.reserve(key, spend, context.limits))
      switch (made._tag) {
        case "Changed":
          return yield* publish(context, made.payout, made.event)
        case "Stale":
          return
        case "NoBook":
          yield* syncNonces(context, content, from)
          break
        case "FirstIsOpen":
          if (waited++ === 0) yield* Effect.logInfo(`payout ${key} waits for the first transaction of its account`)
          yield* Effect.sleep(context.confirmInterval)
      }
    }
  })

const spendOf = ({ transactions, wallet }: Context, content: Content) =>
  planOf({ transactions, wallet }, content.request, restOf(content)).pipe(
    withRouting(content),
    // It was planned before it was stored.
    Effect.orDie,
    Effect.map(SpendPolicy.ofPlan)
  )

const restOf = ({ feeRatio, gasLimit, payer }: Content) => ({ payer, gasLimit, feeRatio })

/** The transaction of an attempt. Nonce 0 is not named: the service reads it as "choose one". */
const planOfAttempt = (
  context: Context,
  key: string,
  content: Content,
  { first, nonce }: { readonly first: boolean; readonly nonce: number }
) =>
  planOf(context, requestOf(key, content, first), { ...restOf(content), nonce: nonce === 0 ? undefined : nonce }).pipe(
    withRouting(content),
    // It was planned before it was stored.
    Effect.orDie
  )

/** Whether the same send may succeed later: nothing was sent, and nobody said no to the payment itself. */
const isPassing = ({ reason }: NotSent): boolean =>
  "category" in reason && reason.category !== "caller" && reason.category !== "refused"

/** What the outcome of a send means for the payout. */
const eventOf = (
  { attempt, sends: send }: Extract<PayoutState.PayoutState, { readonly _tag: "Sending" }>,
  outcome: Either.Either<Submission, NotSent | SendUnknown>
): PayoutState.PayoutEvent => {
  const of = { attempt, send }
  if (Either.isRight(outcome)) {
    const { right } = outcome
    return right._tag === "Sent"
      ? { ...of, _tag: "Accepted", nonce: right.nonce, transactionHash: right.transactionHash }
      : { ...of, _tag: "Unclear", problem: `the service answered ${right._tag}` }
  }
  const { left } = outcome
  if (left._tag === "SendUnknown") {
    return { ...of, _tag: "Unclear", problem: left.reason, transactionHash: left.send.hash }
  }
  const { reason } = left
  if (reason._tag === "NonceTaken") return { ...of, _tag: "Taken", by: reason.by.transactionHash }
  if ("code" in reason && WalletCode.saysTaken(reason)) return { ...of, _tag: "Taken" }
  return { ...of, _tag: "Denied", final: !isPassing(left), reason: reason._tag, problem: reason.message }
}

/**
 * Stores the intent, sends, and stores the answer. The intent waits for its turn too: when the process dies, only as many
 * payouts are in doubt as were under way.
 */
const send = (context: Context, payout: Stored): Effect.Effect<void> =>
  Effect.flatMap(
    context.permits.withPermits(1)(sendOnce(context, payout)),
    (tries) => tries === 0 ? Effect.void : Effect.sleep(backoff(context, tries))
  )

/** After how many tries nobody said no to the payment itself: the service may be there again a little later. */
const sendOnce = (context: Context, { content, key }: Stored): Effect.Effect<number> =>
  Effect.gen(function*() {
    const begun = yield* apply(context, key, { _tag: "SendBegun" })
    if (Either.isLeft(begun) || begun.right.state._tag !== "Sending") return 0
    const { state } = begun.right
    const of = { attempt: state.attempt, send: state.sends }
    const from = yield* senderOf(content)
    if (state.stopped) {
      const cancelled = yield* Effect.either(
        context.transactions.send({
          request: { _tag: "Cancel", from, nonce: state.nonce },
          payer: content.payer
        }).pipe(withRouting(content))
      )
      const problem = Either.isRight(cancelled) ? "a cancellation was sent" : cancelled.left.message
      yield* apply(context, key, { ...of, _tag: "Unclear", problem })
      return 0
    }
    const plan = yield* planOfAttempt(context, key, content, state)
    const outcome = yield* Effect.either(
      (plan.request._tag === "Value" ? context.wallet : context.transactions).execute(plan).pipe(withRouting(content))
    )
    // The service chose another nonce than 0: the account has sent more than was known.
    if (state.first && Either.isRight(outcome) && outcome.right.nonce !== 0) context.synced.delete(from)
    const event = eventOf(state, outcome)
    yield* apply(context, key, event)
    return event._tag === "Denied" && !event.final ? state.sends : 0
  })

const longest = Duration.seconds(30)

const backoff = ({ confirmInterval }: Context, tries: number): Duration.Duration =>
  Duration.min(Duration.times(confirmInterval, 1.5 ** Math.min(Math.max(0, tries - 1), 20)), longest)

type Underway = Extract<PayoutState.PayoutState, { readonly _tag: "Sending" | "Unknown" | "Sent" }>

/** The event that the chain shows for an attempt, if there is one. */
const lookUp = (
  context: Context,
  { content, key, updatedAt }: Stored,
  state: Underway
): Effect.Effect<PayoutState.PayoutEvent | undefined, LookupFailed> =>
  Effect.gen(function*() {
    const { attempt, nonce } = state
    const known = state._tag === "Sending" ? undefined : state.transactionHash
    const first = nonce === 0
    const plan = yield* planOfAttempt(context, key, content, state)
    // The account had sent nothing, so whatever it has sent since then is looked at.
    const nonces = first ? { next: 0, afterWaiting: 0 } : undefined
    const verdict = yield* TransactionLookup.reconcile({ plan, nonces, hash: known }).pipe(
      Effect.provideService(TransactionLookup.TransactionLookup, context.lookup)
    )
    // Also under another hash than the one that was answered: the client repeats a request whose answer was lost, and the
    // service signs each of them anew.
    const found = (transaction: FoundTransaction): PayoutState.PayoutEvent | undefined => {
      const { block, state: what, transactionHash } = transaction
      if (block === undefined || (what !== "succeeded" && what !== "failed")) return undefined
      return {
        _tag: "Found",
        attempt,
        nonce: transaction.nonce,
        transactionHash,
        block,
        succeeded: what === "succeeded"
      }
    }
    switch (verdict._tag) {
      case "Executed": {
        const { transaction } = verdict
        const event = found(transaction)
        if (event !== undefined || transaction.state !== "executed") return event
        // A search by content does not say whether it succeeded.
        const whole = yield* context.lookup.byNonce(transaction.from, transaction.nonce)
        return Option.getOrUndefined(Option.flatMapNullable(whole, found))
      }
      case "Waiting":
        return state._tag === "Sent" && !state.stopped && known === verdict.transaction.transactionHash
          ? undefined
          : {
            _tag: "Seen",
            attempt,
            nonce: verdict.transaction.nonce,
            transactionHash: verdict.transaction.transactionHash
          }
      case "Superseded":
        return { _tag: "Overtaken", attempt, by: verdict.transaction.transactionHash }
      case "NotExecuted": {
        if (first) return undefined
        // An accepted transaction may take its time. Nodes also lose waiting ones: then it is sent again.
        const age = (yield* Clock.currentTimeMillis) - updatedAt
        return state._tag !== "Sent" || age > Duration.toMillis(context.stuckAfter)
          ? { _tag: "Absent", attempt }
          : undefined
      }
      case "Ambiguous":
        return undefined
    }
  })

/** Asks the chain once. */
export const look = (context: Context, payout: Stored): Effect.Effect<void, LookupFailed> => {
  const { state } = payout
  if (payout.content.chain !== context.chain) {
    return new LookupFailed({ problem: `payout ${payout.key} belongs to chain ${payout.content.chain}` })
  }
  return state._tag !== "Sending" && state._tag !== "Unknown" && state._tag !== "Sent"
    ? Effect.void
    : lookUp(context, payout, state).pipe(
      context.permits.withPermits(1),
      Effect.flatMap((event) => event === undefined ? Effect.void : apply(context, payout.key, event))
    )
}

/** Asks the chain until it is known what became of the attempt. Nothing is sent here. */
const settle = (context: Context, { key, version }: Stored): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (let turn = 1;; turn++) {
      const payout = yield* find(context, key)
      // It was changed: the next step is another one.
      if (payout.version !== version) return
      const { state } = payout
      if (state._tag !== "Sending" && state._tag !== "Unknown" && state._tag !== "Sent") return
      // A block takes its time. A send without an answer is looked up at once, and later each time it is repeated.
      if (state._tag === "Sent" || turn > 1) yield* Effect.sleep(backoff(context, turn))
      else if (state.sends > 1) yield* Effect.sleep(backoff(context, state.sends))
      yield* look(context, payout).pipe(
        Effect.catchAll((failed) => Effect.logDebug(`payout ${key} could not be looked up: ${failed.message}`))
      )
      yield* alertIfLate(context, key)
    }
  })

/** Logs an alert for a payout that takes too long: once for each attempt, and again after a restart. */
const alertIfLate = (context: Context, key: string): Effect.Effect<void> =>
  Effect.gen(function*() {
    const payout = yield* find(context, key)
    const { since, state } = payout
    const problem = problemOf(state)
    const topic = `${key} ${"attempt" in state ? state.attempt : 0}`
    const age = (yield* Clock.currentTimeMillis) - since
    if (problem === undefined || context.alerted.has(topic) || age <= Duration.toMillis(context.stuckAfter)) return
    context.alerted.add(topic)
    yield* telemetry.alert(payout, problem)
  })

const problemOf = (state: PayoutState.PayoutState): string | undefined => {
  switch (state._tag) {
    case "Sent":
      return `it was accepted, and is in no block yet: ${state.transactionHash}`
    case "Sending":
    case "Unknown":
      return state.nonce === 0
        ? "it may have been sent as the account's first transaction, and no block shows it: nothing else is sent from there"
        : `it may have been sent with nonce ${state.nonce}, and the chain does not say yet`
    case "Reserved":
      return state.doubt
        ? `it may have been sent with nonce ${state.nonce}, and no block shows it: it is sent again`
        : "the service does not take it: it is sent again"
    default:
      return undefined
  }
}

const find = (context: Context, key: string): Effect.Effect<Stored> =>
  Effect.flatMap(
    untilStored(context.store.find(key)),
    Option.match({
      onNone: () => Effect.dieMessage(`payout ${key} is gone from the database`),
      onSome: Effect.succeed
    })
  )

/** Does what a payout needs now, and says what it needs next. */
export const work = (context: Context, key: string): Effect.Effect<Verb> =>
  Effect.gen(function*() {
    const payout = yield* find(context, key)
    const verb = verbOf(payout.state)
    const { chain } = payout.content
    if (verb !== "end" && chain !== context.chain) {
      yield* telemetry.alert(
        payout,
        `it belongs to chain ${chain}, and this process to ${context.chain}: nothing is done`
      )
      // Until a process of its chain takes it over.
      return yield* Effect.never
    }
    const steps = { reserve, send, settle, end: () => Effect.void }
    yield* telemetry.inSpan(payout, verb)(steps[verb](context, payout))
    const { state } = yield* find(context, key)
    if (!PayoutState.isEnd(state)) yield* alertIfLate(context, key)
    return verbOf(state)
  })
