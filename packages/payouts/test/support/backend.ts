/** A payments backend in this process: the payouts on a database, against a sandbox. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Database from "@effect-klaytn/engine/Database"
import * as Engine from "@effect-klaytn/engine/Engine"
import type { ChainId } from "@effect-klaytn/sandbox/Chain"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import type { DatabaseError } from "@effect-klaytn/store/DatabaseError"
import * as FeeDelegation from "@effect-klaytn/wallet/FeeDelegation"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Payouts from "../../src/Payouts.js"

export const klay = 10n ** 18n
export const receiver = "0xdddddddddddddddddddddddddddddddddddddddd"
export const aside = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"

const quick: Payouts.Options = {
  confirmInterval: "20 millis",
  pollInterval: "20 millis",
  stuckAfter: "1 minute",
  confirmations: 0
}

const http = (of: ChainId, client: Layer.Layer<HttpClient.HttpClient>, style: FeePayerStyle | undefined) =>
  Layer.provideMerge(
    Layer.map(
      Sandbox.clientConfig(of, {
        retry: RetryPolicy.make({ attempts: 2, baseDelay: "1 millis" }),
        attemptTimeout: "20 seconds"
      }),
      (context) => {
        const settings = Context.get(context, ClientConfig.ClientConfig)
        const feePayerStyle = style ?? settings.feePayerStyle
        return Context.make(ClientConfig.ClientConfig, { ...settings, feePayerStyle })
      }
    ),
    client
  )

/** Where a process keeps its payouts, and what it reaches the service with. */
interface Place {
  readonly database: Layer.Layer<SqlClient.SqlClient, DatabaseError | ConfigError>
  /** Whether it works on payouts. By default it does. */
  readonly runs?: boolean
  readonly of?: ChainId
  readonly client?: Layer.Layer<HttpClient.HttpClient>
  readonly style?: FeePayerStyle | undefined
}

/** One process: payouts on an engine, configured for a fee payer style, or for that of the sandbox. */
export const processAt = (
  options: Payouts.Options,
  { client = FetchHttpClient.layer, database, of = 1001, runs = true, style }: Place
) =>
  Payouts.layer({ ...quick, ...options }).pipe(
    Layer.provideMerge(
      runs
        ? Engine.layerRunner({ pollInterval: "20 millis", shutdownTimeout: "100 millis" })
        : Engine.layerClient({ pollInterval: "20 millis" })
    ),
    Layer.provideMerge(database),
    Layer.provideMerge(http(of, client, style))
  )

/** One process that works on payouts in a file. */
export const process = (
  options: Payouts.Options = {},
  file = ":memory:",
  of: ChainId = 1001,
  client: Layer.Layer<HttpClient.HttpClient> = FetchHttpClient.layer,
  style?: FeePayerStyle
) => processAt(options, { database: Database.layerSqlite({ file }), of, client, style })

/** A client that sends every request that changes something twice, and returns the second answer. */
export const twice: Layer.Layer<HttpClient.HttpClient> = Layer.map(
  FetchHttpClient.layer,
  (context) =>
    Context.add(
      context,
      HttpClient.HttpClient,
      HttpClient.transform(Context.get(context, HttpClient.HttpClient), (response, request) =>
        request.method === "GET" || !request.url.includes("/v2/") ? response : Effect.zipRight(response, response))
    )
)

/** A client of a service whose node's answers to a method are changed; `change` gets the parameters and the result. */
export const changing = (
  method: string,
  change: (params: ReadonlyArray<unknown>, result: unknown) => unknown
): Layer.Layer<HttpClient.HttpClient> =>
  Layer.map(FetchHttpClient.layer, (context) =>
    Context.add(
      context,
      HttpClient.HttpClient,
      HttpClient.transform(Context.get(context, HttpClient.HttpClient), (response, request) => {
        const { body } = request
        const text = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
        if (!text.includes(`"${method}"`)) return response
        const { params }: { params: ReadonlyArray<unknown> } = JSON.parse(text)
        return Effect.map(Effect.flatMap(response, ({ text }) => text), (answer) => {
          const { result, ...rest }: { result: unknown } = JSON.parse(answer)
          return HttpClientResponse.fromWeb(request, Response.json({ ...rest, result: change(params, result) }))
        })
      })
    ))

/** A client that holds each payment back while a gate is closed. */
export const gated = (gate: Effect.Latch): Layer.Layer<HttpClient.HttpClient> =>
  Layer.map(
    FetchHttpClient.layer,
    (context) =>
      Context.add(
        context,
        HttpClient.HttpClient,
        HttpClient.mapRequestEffect(
          Context.get(context, HttpClient.HttpClient),
          (request) => Effect.as(request.url.endsWith("/v2/tx/value") ? gate.await : Effect.void, request)
        )
      )
  )

/** Makes a block of what waits, where blocks are made by hand. */
export const mine = Effect.flatMap(Sandbox.Sandbox, ({ chains }) => chains.chain(1001).mine())

/** The lines at a level, `ERROR` by default, of all fibers; `use` runs an effect with them. */
export const errorLines = (level: LogLevel.LogLevel = LogLevel.Error) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === level) lines.push(String(message))
  })
  return { lines, use: Effect.provide(Logger.replace(Logger.defaultLogger, logger)) }
}

/** Runs a test with a sandbox of its own. */
export const onSandbox = <A, E, R>(test: Effect.Effect<A, E, R>, options: Sandbox.Options = {}) =>
  Effect.provide(test, Sandbox.layer({ seed: "payouts", ...options }))

const chain = Effect.map(Sandbox.Sandbox, ({ chains }) => chains.chain(1001))

/** A client that knows nothing of the payouts. It waits long, as its first request meets a sandbox that is just starting. */
export const stranger = Effect.provide(
  Wallet.make(),
  Layer.provideMerge(
    Sandbox.clientConfig(1001, { attemptTimeout: "1 minute", deadline: "1 minute" }),
    FetchHttpClient.layer
  )
)

/** A funded account; `used` is how many transactions it has sent. */
export const account = (used = 1) =>
  Effect.gen(function*() {
    const wallet = yield* stranger
    const { address } = yield* wallet.createAccount
    yield* (yield* chain).fund(address, 1000n * klay)
    for (let i = 0; i < used; i++) {
      yield* wallet.sendValue({ from: address, to: aside, value: 1n, payer: FeeDelegation.service })
    }
    return address
  })

/** The transactions to the receiver, in the order of the chain. */
export const payments = Effect.gen(function*() {
  const on = yield* chain
  const { number: newest } = yield* on.head
  const all = []
  for (let block = 0; block <= newest; block++) {
    for (const { from, hash, nonce, status, to, value } of yield* on.transactionsOf(block)) {
      if (to === receiver) all.push({ block, from, hash, nonce: Number(nonce), status, value })
    }
  }
  return all
})

export const order = (key: string, from: string, value = 5n): Payouts.PayInput => ({
  key,
  from,
  to: receiver,
  value,
  payer: FeeDelegation.service
})

/** A place for a database file, gone with the scope. */
export const temporaryFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "payouts-test-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "work.db")
)

/** Reads again until it is so. */
export const until = <A, E, R>(read: Effect.Effect<A, E, R>, so: (value: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.repeat(Effect.zipLeft(read, Effect.sleep("10 millis")), { until: so })
