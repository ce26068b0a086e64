/** The clients' figures of `bench:guard`, one after the other in one process. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { configOf } from "../config.js"
import { decodings } from "../decodings.js"
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
/** Does some work that many times. */
const times = (count: number, work: Effect.Effect<number, unknown>) => () =>
  runtime.runPromise(Effect.reduce(Array.from({ length: count }), 0, (done) => Effect.map(work, (more) => done + more)))

await measure("decoding", () => decodings.reduce((done, { sdk }) => done + sdk(), 0))
await measure("pages of 1,000", times(1, streamed(history, account, 1000)))
await measure("pages of 100", times(1, streamed(history, account, 100)))
const found = Effect.map(history.getTransfersByTxHash({ transactionHash }), (transfers) => transfers.length)
await measure("single calls", times(1, oneByOne(found)))
await measure("batches", times(2, together(callers, ({ address }) => node.eth.getBalance(address))))
await measure("list reads", times(2, inList(node)))
await runtime.dispose()
