/** The payments service of the examples, killed after it has sent and before it knows, and started again. */
import * as Amount from "@effect-klaytn/core/Amount"
import * as Database from "@effect-klaytn/engine/Database"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as FileSystem from "@effect/platform/FileSystem"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { bundleProgram } from "../../scripts/bundleProgram.js"
import * as Child from "../payments/Child.js"
import * as Client from "../payments/Client.js"
import * as SandboxEnvironment from "../payments/SandboxEnvironment.js"
import { Narrator } from "./Narrator.js"
import type { Step } from "./Step.js"

const to = "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"

/** How often the receiver was paid by this account, by the blocks of the chain. */
const payments = (from: string) =>
  Effect.gen(function*() {
    const chain = (yield* Sandbox.Sandbox).chains.chain(1001)
    const { number } = yield* chain.head
    const found: Array<{ readonly hash: string; readonly block: number }> = []
    for (let block = number; block >= 0; block--) {
      for (const { from: sender, hash, to: receiver } of yield* chain.transactionsOf(block)) {
        if (sender === from && receiver === to) found.push({ hash, block })
      }
    }
    return found
  })

export const payout: Step = {
  title: "A payout that survives kill -9: sent, killed, started again, and paid once",
  run: Effect.gen(function*() {
    const { control } = yield* Sandbox.Sandbox
    const { expect, say } = yield* Narrator
    const folder = yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped())
    const file = `${folder}/payments.db`
    const variables = yield* SandboxEnvironment.environment
    const program = yield* Effect.promise(() => bundleProgram(new URL("../payments/main.ts", import.meta.url)))
    const service = Child.start([program], { ...variables, KLAYTN_DATABASE_URL: `file:${file}` })
    const payload = { key: "order-4711", to, amount: yield* Amount.fromKlay("1.5") }
    yield* control.clearRequests

    const first = yield* service
    yield* say(`the service is process ${first.child.pid}; order-4711 is placed`)
    const shop = yield* Client.make(first.url, variables.PAYMENTS_TOKEN)
    yield* shop.orders.place({ payload })
    // The transaction is in a block before the service has read that it was accepted.
    yield* Effect.repeat(Effect.zipRight(Effect.sleep("2 millis"), payments(variables.PAYMENTS_ACCOUNT)), {
      until: (found) => found.length > 0
    })
    yield* first.child.kill("SIGKILL")
    const state = yield* Effect.gen(function*() {
      const sql = yield* SqlClient
      const [row] = yield* sql<{ readonly tag: string }>`SELECT tag FROM klaytn_payouts`
      return row?.tag ?? "none"
    }).pipe(Effect.provide(Database.layerSqlite({ file })))
    yield* say(`killed with SIGKILL; what it has left says: ${state}`)
    yield* expect("it was sent, and its end is not known", ["Sending", "Sent"].includes(state), true)

    const second = yield* service
    const again = yield* Client.make(second.url, variables.PAYMENTS_TOKEN)
    const order = yield* Effect.repeat(Effect.delay(again.orders.get({ path: { key: payload.key } }), "20 millis"), {
      until: ({ ended }) => ended
    })
    yield* say(`process ${second.child.pid}: ${order.history.map(({ state }) => state).join(", ")}`)
    const found = yield* payments(variables.PAYMENTS_ACCOUNT)
    yield* expect("the next process finds the one payment that the chain has", [order.state, found], [
      "Executed",
      [{ hash: order.transactionHash, block: order.block }]
    ])
    yield* expect(
      "the wallet was asked to send once",
      (yield* control.requests({ operation: "wallet.sendValue" })).length,
      1
    )
    const asked = yield* again.orders.place({ payload })
    yield* expect("who asks again is told the same end", [asked.state, asked.transactionHash], [
      order.state,
      order.transactionHash
    ])
    yield* second.child.kill("SIGTERM")
    yield* expect("and SIGTERM ends it in order", Number(yield* second.child.exitCode), 0)
  }).pipe(
    Effect.scoped,
    Effect.provide([NodeContext.layer, FetchHttpClient.layer])
  )
}
