/**
 * A list of 10,000 balances. The SDK and one peer are measured in a process of their own: the clients share code of Effect
 * and of Node, which the compiler makes slower with each further client that runs through it.
 */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createPublicClient, type Hex, http } from "viem"
import { byHand } from "./byHand.js"
import { compare, runsOf, type Side } from "./Comparison.js"
import { configOf } from "./config.js"
import { listPeers } from "./listPeers.js"
import { OnFetch } from "./node.js"
import * as Others from "./Others.js"
import { limit } from "./Ready.js"
import { Server } from "./Server.js"
import { undici } from "./undici.js"
import { accounts, atOnce, inList, perRequest } from "./work.js"

const listsOf = (size: number) =>
  Array.from({ length: accounts.length / size }, (_, i) => accounts.slice(i * size, (i + 1) * size))

/** The lists that all are read in, by hand. */
const byHandIn = (lists: ReadonlyArray<ReadonlyArray<Hex>>, { balancesOf }: ReturnType<typeof byHand>): Side =>
  Effect.promise(async () => {
    const balances: Array<ReadonlyArray<bigint>> = []
    let next = 0
    const worker = async (): Promise<void> => {
      for (let at = next++; at < lists.length; at = next++) balances[at] = await balancesOf(lists[at] ?? [])
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    return balances.flat().length
  })

const allAtOnce = (getBalance: (address: Hex) => Promise<bigint>): Side =>
  Effect.promise(async () => (await Promise.all(accounts.map(getBalance))).length)

/** The process was started without the name of a peer. */
class NoPeer extends Data.TaggedError("NoPeer")<{ readonly message: string }> {}

/** One peer's way to read the list. */
const sideOf = (name: string) =>
  Effect.gen(function*() {
    const server = yield* Server
    const { endpoint, headers } = byHand(server)
    switch (name) {
      case "sdk on fetch":
        return inList(yield* OnFetch)
      case "sdk, a fiber each": {
        const sdk = yield* KlaytnNode.KlaytnNode
        const each = Effect.forEach(accounts, (account) => sdk.eth.getBalance(account), { concurrency: "unbounded" })
        return Effect.map(each, (balances) => balances.length)
      }
      case "viem": {
        const transport = http(endpoint, { fetchOptions: { headers }, batch: { batchSize: perRequest, wait: 0 } })
        const viem = createPublicClient({ transport })
        return allAtOnce((address) => viem.getBalance({ address }))
      }
      case "ethers": {
        const ethers = yield* Effect.acquireRelease(
          Effect.sync(() => Others.ethers(server, perRequest)),
          (one) => Effect.sync(() => one.destroy())
        )
        return allAtOnce((address) => ethers.getBalance(address))
      }
      case "fetch":
        return byHandIn(listsOf(perRequest), byHand(server))
      default:
        return yield* new NoPeer({ message: `lists are measured with --peer= and one of ${listPeers.join(", ")}` })
    }
  })

/** The node that takes fewer calls a request than the client first sends, beside a program that knows how many. */
const limited = Effect.gen(function*() {
  const server = yield* Server
  const own = { ...server, url: server.limitedUrl }
  const client = yield* Layer.build(undici)
  const node = KlaytnNode.make().pipe(
    Effect.provideServiceEffect(ClientConfig.ClientConfig, configOf(own)),
    Effect.provide(client)
  )
  yield* compare({
    figure: `10,000 balances in one list, from a node that takes ${limit} calls a request`,
    amount: accounts.length,
    runs: runsOf(20),
    heapRuns: runsOf(9),
    sdk: inList(yield* node),
    peers: { fetch: byHandIn(listsOf(limit), byHand(own)) }
  })
})

const program = Effect.gen(function*() {
  const { balancesOf } = byHand(yield* Server)
  // The first time, the sandbox itself answers, which may take longer than a client waits.
  for (const list of listsOf(perRequest)) yield* Effect.promise(() => balancesOf(list))
  if (process.argv.includes("--limited")) return yield* limited
  const peer = process.argv.find((word) => word.startsWith("--peer="))?.slice("--peer=".length) ?? ""
  const side = yield* sideOf(peer)
  yield* compare({
    figure: "10,000 balances in one list, 1,000 in a request",
    amount: accounts.length,
    runs: runsOf(20),
    heapRuns: runsOf(9),
    sdk: inList(yield* KlaytnNode.KlaytnNode),
    peers: { [peer]: side }
  })
})

export const listsOfCalls = Effect.scoped(program)
