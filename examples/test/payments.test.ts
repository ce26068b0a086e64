import * as Amount from "@effect-klaytn/core/Amount"
import * as Database from "@effect-klaytn/engine/Database"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type * as Scope from "effect/Scope"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { PaymentsApi } from "../payments/Api.js"
import * as SandboxEnvironment from "../payments/SandboxEnvironment.js"
import * as Service from "../payments/Service.js"

const to = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"
const klay = (text: string) => Either.getOrThrow(Amount.fromKlay(text))

/** The service in this process, on a free port, with an `HttpClient` that leads to it. */
const service = (variables: Readonly<Record<string, string>>) =>
  Service.layer.pipe(
    Layer.provideMerge(NodeHttpServer.layerTest),
    Layer.provide(Logger.minimumLogLevel(LogLevel.None)),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables)))))
  )

const onSandbox = <A, E>(
  test: (
    variables: Effect.Effect.Success<typeof SandboxEnvironment.environment>
  ) => Effect.Effect<A, E, Sandbox.Sandbox | Scope.Scope>
) =>
  Effect.flatMap(SandboxEnvironment.environment, test).pipe(
    Effect.provide(Sandbox.layer({ seed: "payments", accounts: [] }))
  )

const clientOf = (token: string) =>
  HttpApiClient.make(PaymentsApi, { transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(token)) })

const shop = clientOf("local")
const approver = clientOf("local-approver")

const until = (key: string, state: string) =>
  Effect.flatMap(shop, ({ orders }) =>
    Effect.repeat(Effect.delay(orders.get({ path: { key } }), "20 millis"), {
      until: (order) => order.state === state || order.ended
    }))

/** What arrived at the receiver, by the blocks of the chain. */
const payments = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const chain = chains.chain(1001)
  const { number } = yield* chain.head
  const all: Array<string> = []
  for (let block = 0; block <= number; block++) {
    for (const transaction of yield* chain.transactionsOf(block)) {
      if (transaction.to === to) all.push(Amount.toKlay(transaction.value))
    }
  }
  return all.sort()
})

const file = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped()).pipe(
  Effect.map((folder) => `${folder}/payments.db`),
  Effect.provide(NodeFileSystem.layer)
)

describe("the payments service", () => {
  it.scopedLive("pays an order once, however often it is placed", () =>
    onSandbox((variables) =>
      Effect.gen(function*() {
        const { orders } = yield* shop
        const payload = { key: "order-1", to, amount: klay("1.5"), memo: "apples" }
        const answers = yield* Effect.all(
          Array.from({ length: 5 }, () => orders.place({ payload, withResponse: true })),
          {
            concurrency: "unbounded"
          }
        )
        for (const [order, { status }] of answers) assert.deepStrictEqual([order.amount, status], ["1.5", 202])
        const paid = yield* until("order-1", "Executed")
        assert.deepStrictEqual([paid.state, paid.ended], ["Executed", true])
        assert.deepStrictEqual(paid.history.map(({ state }) => state), ["Reserved", "Sending", "Sent", "Executed"])
        assert.deepStrictEqual(yield* payments, ["1.5"])
        const again = yield* orders.place({ payload })
        assert.deepStrictEqual([again.state, again.block], ["Executed", paid.block])
      }).pipe(Effect.provide(service(variables)))
    ))

  it.scopedLive("answers each error with its status and its reason", () =>
    onSandbox((variables) =>
      Effect.gen(function*() {
        const client = yield* HttpClient.HttpClient
        const ask = (
          method: "GET" | "POST",
          path: string,
          { body, token = "local" }: { readonly body?: unknown; readonly token?: string } = {}
        ) =>
          Effect.flatMap(
            client.execute(
              HttpClientRequest.make(method)(path).pipe(
                HttpClientRequest.bearerToken(token),
                body === undefined ? (request) => request : HttpClientRequest.bodyUnsafeJson(body)
              )
            ),
            (response) => Effect.map(response.text, (text) => `${response.status} ${text}`)
          )
        const order = { key: "order-1", to, amount: "1" }
        assert.match(yield* ask("POST", "/orders", { body: order }), /^202 /)
        const cases = [
          [ask("POST", "/orders", { body: { ...order, amount: "2" } }), "409 ", "request.value"],
          [ask("POST", "/orders", { body: { ...order, key: "" } }), "400 ", "a key has 1 to 200 characters"],
          [ask("POST", "/orders", { body: { ...order, to: "0x12" } }), "400 ", "to"],
          [ask("POST", "/orders", { body: { ...order, amount: "-1" } }), "400 ", "amount"],
          [ask("POST", "/orders", { body: { ...order, amount: 1 } }), "400 ", "amount"],
          [ask("POST", "/orders", { body: order, token: "wrong" }), "401 ", "Unauthorized"],
          [ask("GET", "/orders/order-1", { token: "local-approver" }), "401 ", "Unauthorized"],
          [ask("GET", "/orders/none"), "404 ", "none"],
          [ask("GET", "/orders?size=0"), "400 ", "size"],
          [ask("GET", "/orders?state=Lost"), "400 ", "state"],
          [ask("POST", "/orders/none/approve", { token: "local-approver" }), "404 ", "none"],
          [ask("POST", "/orders/order-1/approve", { token: "local" }), "401 ", "Unauthorized"],
          [ask("POST", "/orders/order-1/approve", { token: "local-approver" }), "409 ", "InvalidTransition"]
        ] as const
        for (const [asked, status, reason] of cases) {
          const answer = yield* asked
          assert.isTrue(answer.startsWith(status) && answer.includes(reason), `${status} ${reason}: ${answer}`)
        }
        assert.match((yield* until("order-1", "Executed")).state, /Executed/)
        assert.deepStrictEqual(yield* payments, ["1"])
      }).pipe(Effect.provide(service(variables)))
    ))

  it.scopedLive("asks a person about what is large, and refuses what is beyond the limits", () =>
    onSandbox((variables) =>
      Effect.gen(function*() {
        const { operations, orders } = yield* shop
        const { approvals } = yield* approver
        for (const [key, amount] of [["yes", "60"], ["no", "61"], ["never", "101"]] as const) {
          yield* orders.place({ payload: { key, to, amount: klay(amount) } })
        }
        assert.strictEqual((yield* until("yes", "WaitingForApproval")).problem, "60 KLAY is more than 50 KLAY")
        yield* until("no", "WaitingForApproval")
        assert.strictEqual((yield* until("never", "Refused")).state, "Refused")
        const { open, runners, waitingForApproval } = yield* operations.health()
        assert.deepStrictEqual([open, runners, waitingForApproval], [{ WaitingForApproval: 2 }, 1, 2])
        assert.deepStrictEqual(yield* payments, [])
        yield* approvals.approve({ path: { key: "yes" } })
        assert.strictEqual((yield* approvals.cancel({ path: { key: "no" } })).state, "Cancelled")
        assert.strictEqual((yield* until("yes", "Executed")).state, "Executed")
        assert.deepStrictEqual(yield* payments, ["60"])
        const { cursor, orders: first } = yield* orders.list({ urlParams: { size: 2 } })
        const { orders: rest } = yield* orders.list({ urlParams: { size: 2, cursor } })
        assert.deepStrictEqual([...first, ...rest].map(({ key, state }) => `${key} ${state}`).sort(), [
          "never Refused",
          "no Cancelled",
          "yes Executed"
        ])
      }).pipe(Effect.provide(service(variables)))
    ))

  it.scopedLive("that is stopped leaves its orders to the next one", () =>
    onSandbox((variables) =>
      Effect.gen(function*() {
        const kept = { ...variables, KLAYTN_DATABASE_URL: `file:${yield* file}` }
        const keys = ["a", "b", "c", "d"]
        yield* Effect.gen(function*() {
          const { control } = yield* Sandbox.Sandbox
          const { orders } = yield* shop
          yield* control.addFault({ operation: "wallet.sendValue", times: 2, action: { kind: "drop", when: "after" } })
          yield* Effect.forEach(keys, (key) => orders.place({ payload: { key, to, amount: klay("1") } }))
        }).pipe(Effect.provide(service(kept)))
        const ends = yield* Effect.forEach(keys, (key) => until(key, "Executed")).pipe(Effect.provide(service(kept)))
        assert.deepStrictEqual(ends.map(({ state }) => state), keys.map(() => "Executed"))
        assert.deepStrictEqual(yield* payments, keys.map(() => "1"))
      })
    ))

  it.scopedLive("says that it can't be reached while its database is broken, and not why", () =>
    onSandbox((variables) =>
      Effect.gen(function*() {
        const at = yield* file
        yield* Effect.gen(function*() {
          const { operations, orders } = yield* shop
          yield* operations.health()
          const sql = yield* SqlClient.SqlClient
          yield* sql`ALTER TABLE klaytn_payouts RENAME TO gone`
          const client = yield* HttpClient.HttpClient
          const { status, text } = yield* client.get("/health")
          assert.deepStrictEqual([status, yield* text], [503, `{"_tag":"Unavailable"}`])
          const error = yield* Effect.flip(orders.place({ payload: { key: "a", to, amount: klay("1") } }))
          assert.strictEqual(error._tag, "Unavailable")
          yield* sql`ALTER TABLE gone RENAME TO klaytn_payouts`
          yield* orders.place({ payload: { key: "a", to, amount: klay("1") } })
          assert.strictEqual((yield* until("a", "Executed")).state, "Executed")
        }).pipe(
          Effect.provide(service({ ...variables, KLAYTN_DATABASE_URL: `file:${at}` })),
          Effect.provide(Database.layerSqlite({ file: at }))
        )
      })
    ))

  it.scopedLive("names every variable that it misses, and no value", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        Effect.scoped(Layer.build(service({ KLAYTN_DATABASE_URL: "file::memory:", PAYMENTS_MAX: "a lot" })))
      )
      assert.include(String(error), "PAYMENTS_ACCOUNT")
      assert.include(String(error), "PAYMENTS_APPROVAL_TOKEN")
    }))
})

/** A collector of OTLP: what is posted to each path. */
const collector = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly posted: Array<string>; readonly close: () => void }>((resume) => {
    const posted: Array<string> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString()
      }).on("end", () => {
        if (request.url === "/v1/traces") posted.push(body)
        response.writeHead(200).end("{}")
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, posted, close: () => void server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly links: ReadonlyArray<{ readonly spanId: string }>
}

interface Traces {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
  }>
}

describe("the traces of the payments service", () => {
  it.scopedLive("lead from the request to each step of the payment, and hold no secret", () =>
    onSandbox((variables) =>
      Effect.gen(function*() {
        const { posted, url } = yield* collector
        yield* Effect.gen(function*() {
          const { orders } = yield* shop
          yield* orders.place({ payload: { key: "order-1", to, amount: klay("1") } })
          yield* until("order-1", "Executed")
        }).pipe(Effect.provide(service({ ...variables, OTEL_EXPORTER_OTLP_ENDPOINT: url })))
        const spans = posted.flatMap((body) => {
          const { resourceSpans }: Traces = JSON.parse(body)
          return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        })
        const submit = spans.find(({ name }) => name === "payouts.submit")
        const request = spans.find(({ spanId }) => spanId === submit?.parentSpanId)
        assert.strictEqual(request?.name, "http.server POST")
        const steps = spans.filter(({ links }) => links.some(({ spanId }) => spanId === submit?.spanId))
        assert.deepStrictEqual(steps.map(({ name }) => name), ["payouts.reserve", "payouts.send", "payouts.settle"])
        for (const secret of [variables.KLAYTN_SECRET_ACCESS_KEY, "Bearer", variables.PAYMENTS_APPROVAL_TOKEN]) {
          assert.notInclude(posted.join("\n"), secret)
        }
      })
    ))
})
