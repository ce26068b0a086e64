/** The service: stores payouts, starts their workflows on the engine, and reports what became of them. */
import * as Address from "@effect-klaytn/core/Address"
import { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import * as Input from "@effect-klaytn/core/Input"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import { Engine } from "@effect-klaytn/engine/Engine"
import type { SendPlan } from "@effect-klaytn/wallet/SendPlan"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Transactions from "@effect-klaytn/wallet/Transactions"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Activity from "@effect/workflow/Activity"
import * as Workflow from "@effect/workflow/Workflow"
import { WorkflowEngine } from "@effect/workflow/WorkflowEngine"
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Change, Payout } from "../Payout.js"
import { Content } from "../Payout.js"
import { DatabaseFailed, type Difference, KeyConflict, NoSuchPayout, NotPossible } from "../PayoutError.js"
import type { Health, ListInput, Options, Page, PayInput, Service } from "../Payouts.js"
import * as PayoutState from "../PayoutState.js"
import type { Limits } from "./spendWindow.js"
import * as steps from "./steps.js"
import * as stores from "./store.js"
import * as telemetry from "./telemetry.js"

/** Works on one payout until it has ended or waits for approval; an approval begins the next run. */
const Work = Workflow.make({
  name: "effect-klaytn/Payout",
  payload: { key: Schema.String, run: Schema.NonNegativeInt },
  idempotencyKey: ({ key, run }) => JSON.stringify([key, run])
})

const Verb = Schema.Literal("reserve", "send", "settle", "end")

/** One activity per step. Each reads the row first: what it does follows from that, not from its name. */
const workflow = (context: steps.Context) =>
  Work.toLayer(Effect.fnUntraced(function*({ key }) {
    let verb: steps.Verb = "reserve"
    for (let turn = 1; verb !== "end"; turn++) {
      verb = yield* Activity.make({ name: `${turn} ${verb}`, success: Verb, execute: steps.work(context, key) })
    }
  }))

const Key = Schema.String.pipe(
  Schema.filter((key) => key.length > 0 && key.length <= 200 && !/\p{C}/u.test(key), {
    message: () => "a key has 1 to 200 characters, and none that can't be seen"
  })
)

const readKey = Input.decode("payouts.pay", Key)

const readList = Input.decode(
  "payouts.list",
  Schema.Struct({
    states: Schema.optional(Schema.Array(PayoutState.Tag)),
    from: Schema.optional(Address.FromInput),
    size: Schema.optionalWith(Schema.Int.pipe(Schema.between(1, 1000)), { default: () => 100 }),
    cursor: Schema.optional(
      Schema.String.pipe(Schema.pattern(/^\d+ /, { message: () => "a cursor is that of the page before" }))
    )
  })
)

const readOptions = Input.decode(
  "payouts.layer",
  Schema.Struct({
    approveAbove: Schema.optional(Schema.BigIntFromSelf.pipe(Schema.nonNegativeBigInt())),
    concurrency: Schema.optionalWith(Schema.Int.pipe(Schema.positive()), { default: () => 32 }),
    confirmInterval: Schema.optionalWith(Schema.DurationFromSelf, { default: () => Duration.seconds(1) }),
    stuckAfter: Schema.optionalWith(Schema.DurationFromSelf, { default: () => Duration.minutes(1) }),
    pollInterval: Schema.optionalWith(Schema.DurationFromSelf, { default: () => Duration.millis(500) })
  })
)

const reason = ({ cause, message }: SqlError): string =>
  cause instanceof Error ? `${message}: ${cause.message}` : message

const orFailed = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError> | DatabaseFailed, R> =>
  Effect.catchIf(
    stores.sqlDefects(effect),
    stores.isSqlError,
    (error) => new DatabaseFailed({ problem: reason(error) })
  )

const encodeContent = Schema.encodeSync(Content)

/** The leaves of a value, by path. */
const leaves = (value: unknown, path = ""): ReadonlyArray<readonly [string, string]> => {
  if (value === undefined) return []
  if (typeof value !== "object" || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([name, part]) => leaves(part, path === "" ? name : `${path}.${name}`))
}

const differencesOf = (stored: Content, asked: Content): ReadonlyArray<Difference> => {
  const left = new Map(leaves(encodeContent(stored)))
  const right = new Map(leaves(encodeContent(asked)))
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((field) => left.get(field) !== right.get(field))
    .map((field) => ({ field, stored: left.get(field), asked: right.get(field) }))
}

const toContent = ({ chain, feeRatio, gasLimit, payer, pool, request }: Payable): Content => ({
  chain,
  request,
  payer,
  ...(pool === undefined ? {} : { pool }),
  ...(gasLimit === undefined ? {} : { gasLimit }),
  ...(feeRatio === undefined ? {} : { feeRatio })
})

/** The public part of a stored payout. */
const toPayout = ({ content, createdAt, key, state, updatedAt, version }: stores.Stored): Payout => ({
  key,
  content,
  state,
  version,
  createdAt,
  updatedAt
})

const cursorOf = ({ createdAt, key }: Payout): string => `${createdAt} ${key}`

type Payable = SendPlan & { readonly request: Content["request"] }

const isPayable = (plan: SendPlan): plan is Payable => plan.request._tag === "Value" || plan.request._tag === "Execute"

/** How many keys one query names. */
const chunk = 500

/** A payout without a change for this long is started again, in case its process died before it could. */
const idleAfter = Duration.seconds(30)

/** Transactions that take longer than this may be missed by the stream of all changes. */
const overlap = Duration.minutes(1)

export const make = (options: Options) =>
  Effect.gen(function*() {
    const { lookup: ownLookup, policy: rules, ...numbers } = options
    const duration = (input: Duration.DurationInput | undefined) =>
      input === undefined ? undefined : Option.getOrUndefined(Duration.decodeUnknown(input))
    const { approveAbove, concurrency, confirmInterval, pollInterval, stuckAfter } = yield* readOptions({
      ...numbers,
      confirmInterval: duration(numbers.confirmInterval),
      stuckAfter: duration(numbers.stuckAfter),
      pollInterval: duration(numbers.pollInterval)
    })
    const { namespace } = yield* Engine
    const { chain } = yield* ClientConfig
    const engine = yield* WorkflowEngine
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const store = yield* orFailed(stores.make(sql, namespace))
    const lookup = ownLookup ?? (yield* TransactionLookup.make())
    // The policy is consulted here, once for each payout and not for each send.
    const clients = { policy: SpendPolicy.unlimited, lookup }
    const wallet = yield* Wallet.make(clients)
    const transactions = yield* Transactions.make(clients)
    const { window, ...perPayment } = rules ?? {}
    const policy = rules === undefined ? SpendPolicy.defaultPolicy : yield* SpendPolicy.make(perPayment)
    // Also checks the window.
    if (rules !== undefined) yield* SpendPolicy.make(rules)
    const limits: Limits | undefined = window === undefined
      ? undefined
      : { max: window.max, maxFees: window.maxFees, millis: Duration.toMillis(window.duration) }
    const permits = yield* Effect.makeSemaphore(concurrency)

    /** The callers in this process that wait for the end of a payout. */
    const waiting = new Map<string, Deferred.Deferred<Payout>>()
    const notifyWaiting = (payout: stores.Stored) =>
      Effect.suspend(() => {
        const wait = waiting.get(payout.key)
        if (wait === undefined || !PayoutState.isEnd(payout.state)) return Effect.void
        waiting.delete(payout.key)
        return Effect.asVoid(Deferred.succeed(wait, toPayout(payout)))
      })

    const context: steps.Context = {
      store,
      wallet,
      transactions,
      lookup,
      policy,
      limits,
      approveAbove,
      confirmInterval,
      stuckAfter,
      permits,
      chain,
      alerted: new Set(),
      synced: new Set(),
      onChange: notifyWaiting
    }
    yield* Layer.build(workflow(context)).pipe(Effect.provideService(WorkflowEngine, engine))

    /** Starts the workflow of a payout; starting it again changes nothing. */
    const start = (key: string, run: number) =>
      Work.execute({ key, run }, { discard: true }).pipe(Effect.provideService(WorkflowEngine, engine))

    const planOf = (input: PayInput) => {
      const { feeRatio, gasLimit, key: _, payer, ...what } = input
      const request = "request" in what ? what.request : { _tag: "Value" as const, ...what }
      return steps.planOf({ transactions, wallet }, request, { payer, gasLimit, feeRatio })
    }

    /** A key and a plan that may be stored. */
    const readInput = (input: PayInput) =>
      Effect.gen(function*() {
        const key = yield* readKey(input.key)
        const plan = yield* planOf(input)
        if (!isPayable(plan)) {
          return yield* InvalidInput.at("payouts.pay", ["request"], "a payout is a Value or an Execute request")
        }
        return { key, plan, content: toContent(plan), from: plan.request.from }
      })

    /** Fails if the payout that is stored under the key has another content. */
    const compare = (key: string, stored: Content, asked: Content): Effect.Effect<void, KeyConflict> => {
      const differences = differencesOf(stored, asked)
      return differences.length > 0 ? new KeyConflict({ key, differences }) : Effect.void
    }

    const accept = (input: PayInput) =>
      Effect.gen(function*() {
        const { content, from, key } = yield* readInput(input)
        const stored = yield* orFailed(store.insert(key, content, from, yield* telemetry.currentTrace))
        const { payout } = stored
        if (!stored.isNew) yield* compare(key, payout.content, content)
        if (!PayoutState.isEnd(payout.state)) yield* start(key, payout.run)
        return payout
      }).pipe(Effect.withSpan("payouts.submit", { attributes: { "payout.key": input.key }, captureStackTrace: false }))

    const find = (key: string) =>
      Effect.gen(function*() {
        const payout = yield* orFailed(store.find(key))
        return Option.isSome(payout) ? payout.value : yield* new NoSuchPayout({ key })
      })

    const awaitEnd = (payout: stores.Stored): Effect.Effect<Payout> =>
      Effect.suspend(() => {
        if (PayoutState.isEnd(payout.state)) return Effect.succeed(toPayout(payout))
        const wait = waiting.get(payout.key) ?? Deferred.unsafeMake<Payout>(FiberId.none)
        waiting.set(payout.key, wait)
        return Deferred.await(wait)
      })

    /** Notifies of payouts that other processes ended. */
    const poll = Effect.suspend(() =>
      Effect.forEach(
        Arr.chunksOf([...waiting.keys()], chunk),
        (keys) => Effect.flatMap(store.findEnded(keys), Effect.forEach(notifyWaiting, { discard: true })),
        { discard: true }
      )
    )

    /** Starts payouts that nobody works on. */
    const sweep = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const left = yield* store.findIdle(now - Duration.toMillis(idleAfter))
      yield* Effect.forEach(left, ({ key, run }) => start(key, run), { discard: true })
    })

    const health: Effect.Effect<Health, DatabaseFailed> = Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const open = yield* orFailed(store.countOpen)
      const spent = limits === undefined ? Option.none() : Option.some(yield* orFailed(store.spent(limits)))
      const stuck = yield* orFailed(store.countStuck(now - Duration.toMillis(stuckAfter)))
      const counts: Partial<Record<PayoutState.Tag, number>> = Object.fromEntries(
        open.map(({ count, tag }) => [tag, count])
      )
      const oldestOf = (...tags: ReadonlyArray<string>) => {
        const since = open.filter(({ tag }) => tags.includes(tag)).map(({ since }) => since)
        return since.length === 0 ? Option.none() : Option.some(Duration.millis(Math.max(0, now - Math.min(...since))))
      }
      const working = open.map(({ tag }) => tag).filter((tag) => tag !== "WaitingForApproval")
      const current: Health = {
        open: counts,
        unknown: (counts.Sending ?? 0) + (counts.Unknown ?? 0),
        oldestUnknown: oldestOf("Sending", "Unknown"),
        waitingForApproval: counts.WaitingForApproval ?? 0,
        stuck,
        oldest: oldestOf(...working),
        left: limits === undefined ? Option.none() : Option.map(spent, ({ fee, value }) => ({
          value: limits.max - value,
          fee: limits.maxFees === undefined ? undefined : limits.maxFees - fee
        })),
        spent
      }
      yield* telemetry.setGauges(current)
      return current
    })

    const every = <E>(interval: Duration.DurationInput, what: string, effect: Effect.Effect<void, E>) =>
      effect.pipe(
        Effect.catchAllCause((cause) => Effect.logWarning(`payouts: ${what} failed; trying again`, cause)),
        Effect.repeat(Schedule.spaced(interval)),
        Effect.forkScoped
      )
    yield* every(pollInterval, "polling for ended payouts", orFailed(poll))
    yield* every(idleAfter, "looking for idle payouts", orFailed(sweep))
    yield* every("15 seconds", "reading the health", health)

    const changesOf = (key: string): Stream.Stream<Change, DatabaseFailed> =>
      Stream.paginateChunkEffect(
        0,
        Effect.fnUntraced(function*(seen: number) {
          const history = yield* orFailed(store.history(key))
          const fresh = history.filter(({ version }) => version > seen)
          const last = fresh.at(-1)
          if (last === undefined) yield* Effect.sleep(pollInterval)
          const isOver = last !== undefined && PayoutState.isEnd(last.state)
          return [Chunk.unsafeFromArray(fresh), isOver ? Option.none() : Option.some(last?.version ?? seen)] as const
        })
      )

    /** A number is assigned when a transaction begins, so a lower one may be committed later: the last minute is read again. */
    const allChanges: Stream.Stream<Change, DatabaseFailed> = Stream.unwrap(Effect.gen(function*() {
      const lastSettled = Clock.currentTimeMillis.pipe(
        Effect.flatMap((now) => store.lastBefore(now - Duration.toMillis(overlap))),
        orFailed
      )
      const seen = new Set<number>()
      const begin = yield* lastSettled
      const read = Effect.gen(function*() {
        const fresh: Array<Change> = []
        const from = Math.max(begin, yield* lastSettled)
        for (let at = from;;) {
          const page = yield* orFailed(store.changesAfter(at, chunk))
          for (const { change, seq } of page) {
            if (!seen.has(seq)) fresh.push(change)
            seen.add(seq)
            at = seq
          }
          if (page.length < chunk) break
        }
        for (const seq of seen) if (seq <= from) seen.delete(seq)
        return fresh
      })
      // Earlier changes are not emitted.
      yield* read
      return Stream.repeatEffectWithSchedule(read, Schedule.spaced(pollInterval)).pipe(Stream.flattenIterables)
    }))

    const change = (key: string, event: PayoutState.PayoutEvent) =>
      Effect.gen(function*() {
        const before = yield* find(key)
        const after = yield* orFailed(store.apply(key, event))
        if (Either.isLeft(after)) {
          return yield* new NotPossible({ key, state: before.state._tag, problem: after.left })
        }
        yield* telemetry.recordChange(after.right, event)
        yield* notifyWaiting(after.right)
        if (!PayoutState.isEnd(after.right.state)) yield* start(key, after.right.run)
        return toPayout(after.right)
      })

    const service: Service = {
      submit: (input) => Effect.map(accept(input), toPayout),
      pay: (input) => Effect.flatMap(accept(input), awaitEnd),
      check: (input) =>
        Effect.gen(function*() {
          const { content, key, plan } = yield* readInput(input)
          const stored = Option.map(yield* orFailed(store.find(key)), toPayout)
          if (Option.isSome(stored)) yield* compare(key, stored.value.content, content)
          const spend = SpendPolicy.ofPlan(plan)
          if (Option.isNone(stored)) yield* policy.authorise(spend)
          return { content, spend, stored, needsApproval: approveAbove !== undefined && spend.value > approveAbove }
        }),
      wait: (key) => Effect.flatMap(find(key), awaitEnd),
      get: (key) =>
        Effect.gen(function*() {
          const payout = yield* find(key)
          return { ...toPayout(payout), history: yield* orFailed(store.history(key)) }
        }),
      list: (input: ListInput = {}) =>
        Effect.gen(function*() {
          const { cursor, from, size, states } = yield* readList(input)
          const after = cursor === undefined ? undefined : {
            createdAt: Number(cursor.slice(0, cursor.indexOf(" "))),
            key: cursor.slice(cursor.indexOf(" ") + 1)
          }
          const items = (yield* orFailed(store.list({ states, from, size, after }))).map(toPayout)
          const last = items.length < size ? undefined : items.at(-1)
          return { items, cursor: Option.map(Option.fromNullable(last), cursorOf) } satisfies Page
        }),
      changes: (key) => key === undefined ? allChanges : changesOf(key),
      approve: (key) => change(key, { _tag: "Approved" }),
      giveUp: (key) => change(key, { _tag: "Stopped", problem: "given up by a person" }),
      reconcile: (key) =>
        Effect.gen(function*() {
          const payout = yield* find(key)
          yield* steps.look(context, payout)
          return toPayout(yield* find(key))
        }),
      health
    }
    return service
  })
