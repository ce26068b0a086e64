/** Node calls: many concurrent callers sharing requests, and single calls one after the other. */
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createPublicClient, http } from "viem"
import { Bare } from "./Bare.js"
import { type Answer, byHand } from "./byHand.js"
import { compare, runsOf, type Side } from "./Comparison.js"
import * as Others from "./Others.js"
import { Server } from "./Server.js"
import { type Caller, callersOf, together } from "./work.js"

const calls = 200
const callsEach = 20

/** The same client on `fetch`, which the peers use. */
export class OnFetch extends Context.Tag("benchmarks/OnFetch")<OnFetch, KlaytnNode.Service>() {}

export const onFetch = Layer.effect(
  OnFetch,
  Effect.provide(KlaytnNode.make(), FetchHttpClient.layer)
)

const program = Effect.gen(function*() {
  const server = yield* Server
  const { balancesOf, endpoint, headers, post, request } = byHand(server)

  const sdk = yield* KlaytnNode.KlaytnNode
  const fetching = yield* OnFetch
  const bare = yield* Bare
  const transport = { fetchOptions: { headers } }
  const viem = createPublicClient({ transport: http(endpoint, { ...transport, batch: { batchSize: 100, wait: 0 } }) })
  const alone = createPublicClient({ transport: http(endpoint, transport) })

  const close = (one: { readonly destroy: () => void }) => Effect.sync(() => one.destroy())
  const ethers = yield* Effect.acquireRelease(Effect.sync(() => Others.ethers(server, 100)), close)
  const ethersAlone = yield* Effect.acquireRelease(Effect.sync(() => Others.ethers(server, 1)), close)

  const callers = callersOf(server)
  const amount = callers.length * callsEach
  const all = <E>(call: (caller: Caller) => Effect.Effect<unknown, E>): Side => together(callers, callsEach, call)
  const promised = (call: (caller: Caller) => Promise<unknown>): Side =>
    Effect.promise(async () => {
      let done = 0
      await Promise.all(callers.map(async (caller) => {
        for (let i = 0; i < callsEach; i++) {
          await call(caller)
          done++
        }
      }))
      return done
    })
  const inTurn = async (call: (i: number) => Promise<unknown>, times: number): Promise<number> => {
    let done = 0
    for (let i = 0; i < times; i++) {
      await call(i)
      done++
    }
    return done
  }

  yield* compare({
    figure: "balances, 100 callers at once, batched",
    amount,
    runs: runsOf(30),
    sdk: all(({ address }) => sdk.eth.getBalance(address)),
    peers: {
      "sdk on fetch": all(({ address }) => fetching.eth.getBalance(address)),
      "bare fibers": all(({ address }) => bare.getBalance(address)),
      viem: promised(({ address }) => viem.getBalance({ address })),
      ethers: promised(({ address }) => ethers.getBalance(address)),
      fetch: Effect.promise(async () =>
        await inTurn(
          () => balancesOf(callers.map(({ address }) => address)),
          callsEach
        ) * callers.length
      )
    }
  })

  yield* compare({
    figure: "receipts, 100 callers at once, batched",
    amount,
    runs: runsOf(10),
    sdk: all(({ hash }) => sdk.eth.getTransactionReceipt(hash)),
    peers: {
      "sdk on fetch": all(({ hash }) => fetching.eth.getTransactionReceipt(hash)),
      viem: promised(({ hash }) => viem.getTransactionReceipt({ hash })),
      ethers: promised(({ hash }) => ethers.getTransactionReceipt(hash)),
      fetch: Effect.promise(async () =>
        await inTurn(
          async () =>
            JSON.parse(
              await post(
                callers.map(({ hash }, i) => request({ method: "eth_getTransactionReceipt", params: [hash] }, i))
              )
            ),
          callsEach
        ) * callers.length
      )
    }
  })

  const address = callers[0]?.address ?? "0x"
  yield* compare({
    figure: "balance, single calls, one after the other",
    amount: calls,
    runs: runsOf(20),
    sdk: Effect.as(
      Effect.forEach(Array.from({ length: calls }), () => sdk.eth.getBalance(address), { discard: true }),
      calls
    ),
    peers: {
      "sdk on fetch": Effect.as(
        Effect.forEach(Array.from({ length: calls }), () => fetching.eth.getBalance(address), { discard: true }),
        calls
      ),
      viem: Effect.promise(() => inTurn(() => alone.getBalance({ address }), calls)),
      ethers: Effect.promise(() => inTurn(() => ethersAlone.getBalance(address), calls)),
      fetch: Effect.promise(() =>
        inTurn(async (i) => {
          const answer: Answer = JSON.parse(
            await post(request({ method: "eth_getBalance", params: [address, "latest"] }, i))
          )
          return BigInt(answer.result)
        }, calls)
      )
    }
  })
})

export const node = Effect.scoped(program)
