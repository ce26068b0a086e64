import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as world from "./support/world.js"

interface Sent {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const callsOf = ({ body }: world.Seen): ReadonlyArray<Sent> => {
  // A request of JSON-RPC.
  const sent = JSON.parse(body) as Sent | ReadonlyArray<Sent>
  return "method" in sent ? [sent] : sent
}

const isLook = (seen: world.Seen): boolean => callsOf(seen).some(({ method }) => method === "eth_chainId")

describe("a gateway that has all blocks", () => {
  it.scopedLive(
    "asks its node once a look, and once more for a block without transactions",
    () =>
      Effect.gen(function*() {
        const { chains, url } = yield* world.sandbox
        const chain = chains.chain(world.chain)
        const proxy = yield* world.proxyOf(`${url}/rpc/${world.chain}`)
        const gateway = yield* world.open(proxy.url, { chain: world.chain })
        yield* world.ready(gateway)
        const looks = () => proxy.seen.filter(isLook).length
        const looksAgain = Effect.suspend(() => {
          const before = looks()
          return world.until(Effect.sync(() => looks() >= before + 3))
        })
        yield* looksAgain
        proxy.seen.splice(0)
        yield* looksAgain
        assert.deepStrictEqual(proxy.seen.filter((seen) => !isLook(seen)), [])
        proxy.seen.splice(0)
        const [block] = yield* chain.mine()
        yield* world.reached(gateway, block?.number ?? 0)
        yield* looksAgain
        const others = proxy.seen.filter((seen) => !isLook(seen)).map(callsOf)
        assert.deepStrictEqual(others.map((calls) => calls.map(({ method }) => method)), [[
          "kaia_blockNumber",
          "kaia_getBlockByNumber"
        ]])
        const asked = proxy.seen.flatMap(callsOf).filter(({ method }) => method === "kaia_getBlockByNumber")
        assert.isTrue(asked.every(({ params: [height] }) => Number(height) <= (block?.number ?? 0)))
      }),
    30_000
  )
})
