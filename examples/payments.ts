/**
 * A service that takes orders over HTTP and pays them, once each: it is started, asked, and stopped as in production. The
 * service itself is in `payments/`; its README says how to run it, and how to ask it with curl.
 */
import * as Amount from "@effect-klaytn/core/Amount"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import assert from "node:assert/strict"
import { fileURLToPath } from "node:url"
import * as Child from "./payments/Child.js"
import * as Client from "./payments/Client.js"

const local = fileURLToPath(new URL("payments/local.ts", import.meta.url))

const program = Effect.gen(function*() {
  const { child, url } = yield* Child.start(["--import", "tsx", local])
  console.log(`the service listens on ${url}`)
  const shop = yield* Client.make(url, "local")
  const approver = yield* Client.make(url, "local-approver")
  const until = (key: string, state: string) =>
    Effect.repeat(Effect.delay(shop.orders.get({ path: { key } }), "100 millis"), {
      until: (order) => order.state === state || order.ended
    })
  const to = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"

  // Asked for three times, as by a caller whose connection breaks: one order, one payment.
  const order = { key: "order-4711", to, amount: yield* Amount.fromKlay("1.5") }
  yield* Effect.repeatN(shop.orders.place({ payload: order }), 2)
  const paid = yield* until("order-4711", "Executed")
  console.log(`order-4711: ${paid.state}, ${paid.transactionHash} in block ${paid.block}`)
  assert.equal(paid.state, "Executed")

  const other = yield* Effect.flip(shop.orders.place({ payload: { ...order, amount: yield* Amount.fromKlay("2") } }))
  assert(other._tag === "KeyTaken")
  console.log(`the same key with another amount: ${other._tag}, ${other.differences[0]?.field}`)

  yield* shop.orders.place({ payload: { key: "order-4712", to, amount: yield* Amount.fromKlay("60") } })
  const waits = yield* until("order-4712", "WaitingForApproval")
  console.log(`order-4712: ${waits.state}, ${waits.problem}`)
  assert.equal((yield* Effect.flip(shop.approvals.approve({ path: { key: "order-4712" } })))._tag, "Unauthorized")
  yield* approver.approvals.approve({ path: { key: "order-4712" } })
  assert.equal((yield* until("order-4712", "Executed")).state, "Executed")

  const { orders } = yield* shop.orders.list({ urlParams: {} })
  const { runners, unknown } = yield* shop.operations.health()
  assert.deepEqual([orders.map(({ key }) => key), runners, unknown], [["order-4712", "order-4711"], 1, 0])

  yield* child.kill("SIGTERM")
  assert.equal(yield* child.exitCode, 0)
  console.log("stopped by SIGTERM")
})

await program.pipe(
  Effect.scoped,
  Effect.provide(Layer.merge(NodeContext.layer, FetchHttpClient.layer)),
  Effect.runPromise
)
