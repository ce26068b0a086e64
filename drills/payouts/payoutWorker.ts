/**
 * One process of the drill: works on payouts, and does what its parent asks for, a line of JSON each. With a mistake, it
 * does what must not be done.
 */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { createInterface } from "node:readline"
import { PayoutWithHistory } from "../../packages/payouts/src/Payout.js"
import * as Payouts from "../../packages/payouts/src/Payouts.js"
import type { Ask, Job, Line } from "./payoutPlace.js"
import { transferInput } from "./payoutTokens.js"

// Written by the parent.
const job = JSON.parse(process.env["PAYOUTS_DRILL_JOB"] ?? "{}") as Job

const tell = (line: Line): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

/** Forgets to lock the rows that it reads. */
const withoutLocks = (sql: SqlClient.SqlClient): SqlClient.SqlClient =>
  new Proxy(sql, {
    apply: (target, self, args: Array<unknown>) => {
      const [text] = args
      return Array.isArray(text) && text[0] === "FOR UPDATE" ? target`` : Reflect.apply(target, self, args)
    },
    get: (target, name, receiver) =>
      name === "withoutTransforms"
        ? () => withoutLocks(target.withoutTransforms())
        : Reflect.get(target, name, receiver)
  })

/** Sends again, with whatever nonce comes, when it does not know whether it has sent. */
const resending = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transform(client, (answer, request) => {
    const isSend = request.method === "POST" && request.url.endsWith("/v2/tx/value")
    if (!isSend || request.body._tag !== "Uint8Array") return answer
    // The body of a send of the wallet.
    const { nonce: _, ...body } = JSON.parse(new TextDecoder().decode(request.body.body)) as Record<string, unknown>
    const again = client.execute(HttpClientRequest.bodyUnsafeJson(request, body))
    return answer.pipe(
      Effect.timeoutOption(job.patience * 0.8),
      Effect.orElseSucceed(Option.none),
      Effect.flatMap((response) =>
        Option.isSome(response) && response.value.status === 200 ? Effect.succeed(response.value) : again
      )
    )
  })

/** What an application's own client may do: it repeats requests whatever they are. */
const repeating = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.retryTransient(client, { times: 2 })

const changed = (change: (client: HttpClient.HttpClient) => HttpClient.HttpClient) =>
  Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, change)).pipe(
    Layer.provide(FetchHttpClient.layer)
  )

const client = job.mistake === "resend"
  ? changed(resending)
  : job.repeats === true
  ? changed(repeating)
  : FetchHttpClient.layer

const database = Database.layerConfig(Config.succeed(Redacted.make(job.database)))

const sql = job.mistake === "lock"
  ? Layer.effect(SqlClient.SqlClient, Effect.map(SqlClient.SqlClient, withoutLocks)).pipe(Layer.provide(database))
  : database

const window = job.window ?? { max: String(10n ** 24n), millis: 86_400_000 }

const engine = { pollInterval: "200 millis", lockExpiration: job.lockExpiration } as const

/** What it may spend. */
const limitsOf = ({ limits, mistake, paysTokens }: Job): Pick<Payouts.Options, "policy" | "approveAbove"> => {
  if (limits === "none") return {}
  if (limits === undefined) {
    const max = BigInt(window.max) * (mistake === "window" ? 2n : 1n)
    return {
      policy: {
        window: { max, maxFees: 10n ** 27n, duration: window.millis },
        ...(paysTokens === true && { opaque: "allow" })
      }
    }
  }
  return {
    policy: { maxPerTransaction: BigInt(limits.each), window: { max: BigInt(limits.day), duration: "24 hours" } },
    approveAbove: BigInt(limits.approveAbove)
  }
}

const Live = Payouts.layer({
  ...limitsOf(job),
  confirmInterval: "300 millis",
  stuckAfter: "10 seconds",
  concurrency: 16
}).pipe(
  Layer.provide(job.runs ? Engine.layerRunner(engine) : Engine.layerClient(engine)),
  Layer.provide(sql),
  Layer.provide(
    ClientConfig.layer({
      chain: 1001,
      credentials: Effect.suspend(() =>
        Credentials.fromPair({
          accessKeyId: job.accessKeyId,
          secretAccessKey: Redacted.make(job.secretAccessKey)
        })
      ),
      endpoints: { wallet: job.url, node: job.url },
      attemptTimeout: job.patience,
      deadline: job.patience * 6,
      retry: RetryPolicy.make({ attempts: 3, baseDelay: "20 millis", maxDelay: "100 millis" })
    })
  ),
  Layer.provide(client)
)

const inputOf = ({ from, key, to, token, value }: Ask): Payouts.PayInput => {
  const common = { key, payer: FeeDelegation.service }
  return token === undefined
    ? { ...common, from, to, value: BigInt(value) }
    : { ...common, request: { _tag: "Execute", from, to: token, input: transferInput(to, value) } }
}

/** Adopts what an older version stored, and returns the keys. */
const adoptAll = (payouts: Payouts.Service) =>
  Effect.gen(function*() {
    const { items } = yield* payouts.list({ states: ["Planned", "WaitingForApproval", "Superseded"], size: 1000 })
    const old = items.filter(({ limits }) => limits === null)
    // One that an older process has begun meanwhile needs no limits.
    return yield* Effect.forEach(old, ({ key }) => Effect.as(Effect.either(payouts.adopt(key)), key))
  })

/** All payouts, without their histories. */
const listAll = (payouts: Payouts.Service) =>
  Effect.gen(function*() {
    const all: Array<unknown> = []
    let cursor: string | undefined
    do {
      const page = yield* payouts.list({ size: 1000, cursor })
      all.push(...page.items.map(({ key, state, version }) => ({ key, state, version })))
      cursor = Option.getOrUndefined(page.cursor)
    } while (cursor !== undefined)
    return all
  })

const encode = Schema.encodeSync(PayoutWithHistory)

const done = (payouts: Payouts.Service, ask: Ask) =>
  Effect.gen(function*() {
    if (ask.verb === "get") return { payout: encode(yield* payouts.get(ask.key)) }
    if (ask.verb === "list") return { payout: yield* listAll(payouts) }
    if (ask.verb === "adopt") return { payout: yield* adoptAll(payouts) }
    if (ask.verb === "cancel") return { state: (yield* payouts.cancel(ask.key)).state }
    const { state } = yield* (ask.verb === "pay" ? payouts.pay : payouts.submit)(inputOf(ask))
    return { state }
  })

const answer = (payouts: Payouts.Service, ask: Ask): Effect.Effect<void> =>
  Effect.matchEffect(done(payouts, ask), {
    onSuccess: (told) => Effect.sync(() => tell({ id: ask.id, ...told })),
    onFailure: (error) => {
      if (error._tag === "DatabaseFailed") return Effect.delay(answer(payouts, ask), "200 millis")
      if (job.mistake === "second" && error._tag === "KeyConflict") {
        return answer(payouts, { ...ask, key: `${ask.key} again` })
      }
      return Effect.sync(() => tell({ id: ask.id, error: error._tag, problem: error.message }))
    }
  }).pipe(
    Effect.catchAllDefect((defect) => Effect.sync(() => tell({ id: ask.id, error: "Defect", problem: String(defect) })))
  )

/** What it logs, for the parent. */
const logger = Logger.make(({ annotations, cause, logLevel, message }) => {
  const about = Option.getOrUndefined(HashMap.get(annotations, "payout.key"))
  const text = [message, Cause.isEmpty(cause) ? "" : Cause.pretty(cause)].flat().filter((one) => one !== "").join(" ")
  tell({ level: logLevel._tag, text, ...(typeof about === "string" ? { about } : {}) })
})

await Effect.runPromise(
  Effect.gen(function*() {
    const payouts = yield* Payouts.Payouts
    const runFork = Runtime.runFork(yield* Effect.runtime<never>())
    createInterface({ input: process.stdin })
      // Written by the parent.
      .on("line", (line) => runFork(answer(payouts, JSON.parse(line) as Ask)))
      // The parent is gone.
      .on("close", () => process.exit(1))
    tell({ ready: true })
    return yield* Effect.never
  }).pipe(
    Effect.provide(Live),
    Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
    Logger.withMinimumLogLevel(LogLevel.Warning)
  )
)
