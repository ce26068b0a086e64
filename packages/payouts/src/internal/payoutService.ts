/** The service: stores payouts, starts their workflows on the engine, and reports what became of them. */
import { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import * as Sanitize from "@effect-klaytn/core/Sanitize"
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import { Engine } from "@effect-klaytn/engine/Engine"
import * as DatabaseFault from "@effect-klaytn/store/DatabaseFault"
import * as DatabaseLog from "@effect-klaytn/store/DatabaseLog"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import type { WindowLimits } from "@effect-klaytn/wallet/SpendPolicy"
import * as TransactionLookup from "@effect-klaytn/wallet/TransactionLookup"
import * as Transactions from "@effect-klaytn/wallet/Transactions"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import type { HttpClient } from "@effect/platform/HttpClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Activity from "@effect/workflow/Activity"
import * as Workflow from "@effect/workflow/Workflow"
import { WorkflowEngine } from "@effect/workflow/WorkflowEngine"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { DatabaseFailed } from "../PayoutError.js"
import type { ListInput, Options, Page, PayInput, Service } from "../Payouts.js"
import * as PayoutState from "../PayoutState.js"
import * as accountNonces from "./accountNonces.js"
import * as changes from "./changes.js"
import * as contents from "./contents.js"
import { approvalOf, type Context, spendOf } from "./context.js"
import { orFailed, untilStored } from "./databaseErrors.js"
import * as healths from "./health.js"
import * as inputs from "./inputs.js"
import * as leaving from "./leaving.js"
import * as limits from "./limitRows.js"
import * as nodes from "./node.js"
import * as operating from "./operating.js"
import * as receivers from "./receivers.js"
import * as chains from "./report/chainView.js"
import * as reports from "./report/report.js"
import * as senders from "./senders.js"
import * as signatures from "./signatures.js"
import * as steps from "./steps.js"
import * as stores from "./store.js"
import * as telemetry from "./telemetry.js"
import * as waits from "./waiting.js"

type Store = stores.Store<DatabaseFailed>

/** Works on one payout until it is final or waits for approval. An approval begins the next run, and so does a defect. */
const Work = Workflow.make({
  name: "effect-klaytn/Payout",
  payload: { key: Schema.String, run: Schema.NonNegativeInt },
  idempotencyKey: ({ key, run }) => JSON.stringify([key, run])
})

/** Starts the workflow of a run; starting it again changes nothing. Returns its ID. */
const start = (engine: WorkflowEngine["Type"], key: string, run: number): Effect.Effect<string> =>
  Work.execute({ key, run }, { discard: true }).pipe(Effect.provideService(WorkflowEngine, engine))

const describe = (defect: unknown): string =>
  defect instanceof Error ? `${defect.name}: ${Sanitize.describe(defect.message)}` : Sanitize.describe(defect)

/** Does a step of a run. One that fails with a defect ends the run, and begins the next one. */
const step = (context: Context, engine: WorkflowEngine["Type"], key: string, run: number): Effect.Effect<steps.Verb> =>
  steps.work(context, key).pipe(
    ServiceTime.observed(context.serviceTime),
    Effect.catchAllDefect((defect) =>
      steps.endRun(context, key, run, describe(defect)).pipe(
        Effect.zipRight(start(engine, key, run + 1)),
        Effect.as("end" as const)
      )
    )
  )

/**
 * One activity does all steps, and each step reads the row first: the engine stores two rows of a run, however often its steps are
 * repeated. A run of an older version has an activity per step, and the one that was not stored yet goes on from there.
 */
const workflow = (context: Context, engine: WorkflowEngine["Type"]) =>
  Work.toLayer(Effect.fnUntraced(function*({ key, run }) {
    let verb: steps.Verb = "reserve"
    for (let turn = 1; verb !== "end"; turn++) {
      verb = yield* Activity.make({
        name: `${turn} ${verb}`,
        success: steps.Verb,
        execute: Effect.repeat(step(context, engine, key, run), { until: (verb) => verb === "end" })
      })
    }
  }))

/** The clients of the wallet. They have no policy: payouts consult it once for each payout, not for each send. */
const makeClients = ({ lookup: own, policy: rules }: Pick<Options, "lookup" | "policy">) =>
  Effect.gen(function*() {
    const lookup = own ?? (yield* TransactionLookup.make())
    const clients = { policy: SpendPolicy.unlimited, lookup }
    let window: WindowLimits | undefined
    const policy = rules === undefined ? SpendPolicy.defaultPolicy : yield* SpendPolicy.make(rules, (limits) => {
      // It is counted in the database, when a nonce is reserved.
      window = limits
      return () => Effect.succeed(Effect.void)
    })
    return {
      lookup,
      wallet: yield* Wallet.make(clients),
      transactions: yield* Transactions.make(clients),
      policy,
      window,
      waitingOf: yield* signatures.make,
      // Without the address of a node, what a receiver is can't be read.
      node: yield* Effect.option(nodes.make)
    }
  })

/** What the engine has of a run is kept for this long: a run that ended says nothing that the payout does not. */
const keptFor = Duration.minutes(10)

/** How often processes record on which payouts they work. */
const touchInterval = Duration.seconds(15)

/** A payout on which no process worked for this long is started again. */
const idleAfter = Duration.seconds(45)

/** Starts payouts on which no process works. One whose run has ended although the payout is not final gets another run. */
const sweep = (context: Context, store: Store, engine: WorkflowEngine["Type"]) =>
  Effect.gen(function*() {
    const idle = yield* store.findIdle(idleAfter)
    yield* Effect.forEach(idle, (payout) =>
      Effect.gen(function*() {
        const { key, run } = payout
        if (leaving.isOthers(context, payout)) return yield* leaving.leave(context, payout)
        const id = yield* start(engine, key, run)
        const result = yield* Work.poll(id).pipe(Effect.provideService(WorkflowEngine, engine))
        if (result?._tag !== "Complete") return
        // A process that took it up outside of the engine has died. Another one with its limits does that now.
        if (PayoutState.isUnbegun(payout.state)) return yield* store.leaveAgain(payout)
        yield* steps.endRun(context, key, run, "its workflow ended before the payout was final")
        yield* start(engine, key, run + 1)
      }), { discard: true })
  })

/** How often payouts that processes with other limits left to this one are looked for, in poll intervals. */
const takeEvery = 10

/** Works on the payouts that processes with other limits left to this one. The engine would give them to those again. */
const takeUp = (context: Context, store: Store, engine: WorkflowEngine["Type"]) =>
  Effect.flatMap(
    store.takeLeft(context.chain),
    (left) =>
      Effect.forEach(left, ({ key, run }) =>
        step(context, engine, key, run).pipe(
          Effect.repeat({ until: (verb) => verb === "end" }),
          Effect.unless(() => context.working.has(key)),
          Effect.forkScoped
        ), { discard: true })
  )

const every = <E, R>(interval: Duration.DurationInput, what: string, effect: Effect.Effect<void, E, R>) =>
  effect.pipe(
    Effect.catchAllCause((cause) => {
      const fault = DatabaseFault.of(Cause.squash(cause))
      const failed = `payouts: ${what} failed; trying again`
      return fault.kind === "Statement"
        ? Effect.logWarning(failed, cause)
        : DatabaseLog.waiting(`${failed}: ${DatabaseFault.describe(fault)}`)
    }),
    Effect.repeat(Schedule.spaced(interval)),
    Effect.forkScoped
  )

export const make = (options: Options) =>
  Effect.gen(function*() {
    const { concurrency, pollInterval, ...bounds } = yield* inputs.readOptions(Struct.omit(options, "lookup", "policy"))
    const { forget, namespace, runs, untilDatabaseAnswers } = yield* Engine
    const engine = yield* WorkflowEngine
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const { window, ...clients } = yield* makeClients(options)
    const own = yield* limits.of(options)
    const serviceTime = ServiceTime.agreed()
    const operations = yield* orFailed(stores.make(sql, namespace, window, own, serviceTime))
    const store = stores.failing<DatabaseFailed>(operations, orFailed)
    const waiting = waits.make(store)
    const context: Context = {
      ...clients,
      store: stores.failing<never>(operations, untilStored(untilDatabaseAnswers)),
      ...bounds,
      codes: yield* receivers.remembering(clients.node),
      holders: yield* senders.remembering,
      limits: own,
      permits: yield* Effect.makeSemaphore(concurrency),
      preparing: yield* Effect.makeSemaphore(concurrency),
      chain: (yield* ClientConfig).chain,
      alerted: new Set(),
      synced: new Set(),
      working: new Set(),
      found: new Map(),
      serviceTime,
      shared: new Map(),
      onChange: waiting.notify
    }
    yield* Layer.build(workflow(context, engine)).pipe(Effect.provideService(WorkflowEngine, engine))
    const touch = Effect.suspend(() => store.touch(context.working))
    const health = healths.read(store, bounds.stuckAfter)
    // Callers don't wait for a database that has to be repaired.
    const poll = Effect.tapError(waiting.poll, (error) => error.kind === "Passing" ? Effect.void : waiting.fail(error))
    yield* every(pollInterval, "polling for payouts that are final", poll)
    yield* every(touchInterval, "recording which payouts are worked on", touch)
    yield* every(idleAfter, "looking for payouts on which no process works", sweep(context, store, engine))
    yield* every("15 seconds", "reading the health", health)
    if (runs) {
      yield* every("1 minute", "forgetting runs that have ended", forget(Work.name, keptFor))
      yield* every(
        Duration.times(pollInterval, takeEvery),
        "looking for payouts with the limits of this process",
        takeUp(context, store, engine)
      )
    }
    const network = yield* Effect.context<ClientConfig | HttpClient>()
    const report = (day: string) =>
      Effect.flatMap(nodes.make, (node) => {
        const view = chains.make(node, context.lookup)
        return reports.make({ store, chain: context.chain, view }, day)
      }).pipe(Effect.provide(network))
    return { ...serviceOf(context, engine, store, waiting, pollInterval), report, health }
  })

const serviceOf = (
  context: Context,
  engine: WorkflowEngine["Type"],
  store: Store,
  waiting: ReturnType<typeof waits.make>,
  pollInterval: Duration.Duration
): Omit<Service, "health" | "report"> => {
  const { policy } = context

  const accept = (input: PayInput) =>
    Effect.gen(function*() {
      const { content, key } = yield* contents.read(context, input)
      yield* Effect.annotateCurrentSpan("payout.key", key)
      yield* contents.distinct(store.find, key)
      const stored = yield* store.insert(key, content, yield* telemetry.currentTrace)
      const { payout } = stored
      if (!stored.isNew) yield* contents.compare(key, payout.content, content)
      if (!PayoutState.isFinal(payout.state)) yield* start(engine, key, payout.run)
      return payout
    }).pipe(Effect.withSpan("payouts.submit", { captureStackTrace: false }))

  const find = (key: string) => operating.find(store, key)

  const operations = operating.make(context, store, (key, run) => start(engine, key, run))

  return {
    ...accountNonces.make(context, store),
    submit: (input) => Effect.map(accept(input), stores.toPayout),
    pay: (input) => Effect.flatMap(accept(input), waiting.untilFinal),
    check: (input) =>
      Effect.gen(function*() {
        const { content, key } = yield* contents.read(context, input)
        yield* contents.distinct(store.find, key)
        const stored = Option.map(yield* store.find(key), stores.toPayout)
        let spend = yield* spendOf(context, content)
        if (Option.isSome(stored)) yield* contents.compare(key, stored.value.content, content)
        else {
          yield* policy.authorise(spend)
          yield* senders.check(context, content, "request" in input)
          const call = yield* receivers.check(context, content, "request" in input)
          spend = yield* spendOf(context, content, call)
          yield* policy.authorise(spend)
        }
        return { content, spend, stored, needsApproval: approvalOf(context, spend) !== undefined }
      }),
    wait: (key) => Effect.flatMap(find(key), waiting.untilFinal),
    get: (key) =>
      Effect.gen(function*() {
        const payout = yield* find(key)
        return { ...stores.toPayout(payout), history: yield* store.history(key) }
      }),
    ownLimits: context.limits.id,
    limits: (id) => store.limitsOf(id),
    list: (input: ListInput = {}) => list(store, input),
    changes: (key) =>
      key === undefined ? changes.fromNow(store, pollInterval) : changes.ofOne(store, key, pollInterval),
    feed: (input = {}) => changes.feed(store, input, pollInterval),
    lastCursor: Effect.suspend(() => Effect.map(store.lastChange(), String)),
    cursor: (reader) => Effect.flatMap(inputs.readReader(reader), (name) => store.cursor(name)),
    storeCursor: (reader, cursor) =>
      Effect.flatMap(
        Effect.all([inputs.readReader(reader), inputs.readChangeCursor(cursor)]),
        ([name, at]) => store.advanceCursor(name, at)
      ),
    ...operations,
    reconcile: (key) =>
      Effect.gen(function*() {
        const payout = yield* find(key)
        yield* steps.look(context, payout)
        return stores.toPayout(yield* find(key))
      })
  }
}

const list = (store: Store, input: ListInput) =>
  Effect.gen(function*() {
    const filter = yield* inputs.readList(input)
    const items = (yield* store.list(filter)).map(stores.toPayout)
    const last = Option.filter(Arr.last(items), () => items.length === filter.size)
    return { items, cursor: Option.map(last, inputs.writeListCursor) } satisfies Page
  })
