/** The figures of `bench:guard` that call the service, one after the other in one process. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { configOf } from "../config.js"
import { callersOf, inList, oneByOne, streamed, together } from "../work.js"
import { measure } from "./measured.js"
import { server } from "./server.js"

const { account, transactionHash } = server
const callers = callersOf(server)
const runtime = ManagedRuntime.make(
  Layer.mergeAll(TransferHistory.layer(), KlaytnNode.layer()).pipe(
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.provide(Layer.effect(ClientConfig.ClientConfig, configOf(server)))
  )
)
const history = await runtime.runPromise(TransferHistory.TransferHistory)
const node = await runtime.runPromise(KlaytnNode.KlaytnNode)
const run = (work: Effect.Effect<number, unknown>) => () => runtime.runPromise(work)

// V8 compiles what reads a page during the first thousands of records.
const warm = { warmUps: 3 }
await measure("pages of 1,000", run(streamed(history, account, 1000, 10_000)), warm)
await measure("pages of 100", run(streamed(history, account, 100, 5_000)), warm)
const found = Effect.map(history.getTransfersByTxHash({ transactionHash }), (transfers) => transfers.length)
await measure("single calls", run(oneByOne(found, 40)), warm)
await measure("batches", run(together(callers, 5, ({ address }) => node.eth.getBalance(address))), warm)
await measure("list reads", run(inList(node, 6_000)), warm)
await runtime.dispose()
