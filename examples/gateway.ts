/** A gateway in front of a node: an account's history is exported from it, and the node is asked through it. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Exports from "@effect-klaytn/exports/Exports"
import * as FileSink from "@effect-klaytn/exports/FileSink"
import * as Plan from "@effect-klaytn/exports/Plan"
import * as CallerFile from "@effect-klaytn/gateway/CallerFile"
import * as Gateway from "@effect-klaytn/gateway/Gateway"
import * as Range from "@effect-klaytn/history/Range"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import assert from "node:assert/strict"

const program = Effect.gen(function*() {
  // The node is a sandbox here; for one of your own, give its address.
  const { chains, control, rpcUrl } = yield* Sandbox.Sandbox
  const alice = chains.account("alice").address
  const bob = chains.account("bob").address
  yield* control.chain(1001).transfer({ from: "alice", to: "bob", amount: 15n })

  const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
  const database = `${directory}/index.db`
  const gateway = yield* Gateway.make({ node: { url: rpcUrl(1001) ?? "" }, database, maxLag: 0 })
  yield* Effect.repeat(Effect.delay(gateway.status, "50 millis"), { until: ({ isReady }) => isReady })

  // A credential for a program: `klaytn gateway callers add export --db index.db` does the same.
  const callers = yield* CallerFile.open(CallerFile.beside(database))
  const caller = yield* callers.add("export")
  const Config = ClientConfig.layer({
    chain: 1001,
    credentials: Effect.suspend(() => Credentials.fromPair(caller)),
    endpoints: { history: gateway.url, node: gateway.url }
  })
  const Clients = Layer.mergeAll(TransferHistory.layer(), KlaytnNode.layer()).pipe(Layer.provide(Config))

  yield* Effect.gen(function*() {
    const plan = yield* Plan.make({ accounts: [bob], range: yield* Range.blocks({ from: 0, to: 100 }) })
    const sink = yield* FileSink.make({ directory: `${directory}/history` })
    yield* Exports.run({ plan, sink })
    const { rows } = yield* Exports.manifest(sink)
    const node = yield* KlaytnNode.KlaytnNode
    const nonce = yield* node.klay.getTransactionCount(alice)
    console.log(`${rows} transfer of bob, nonce ${nonce} of alice`)
    assert.deepEqual([rows, nonce], [1, 1n])
  }).pipe(Effect.provide(Clients))
})

await Effect.runPromise(
  program.pipe(
    Effect.scoped,
    Effect.provide([NodeContext.layer, FetchHttpClient.layer, Sandbox.layer({ seed: "gateway example" })])
  )
)
