import type { SendRequest } from "@effect-klaytn/local-chain/SendRequest"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Sandbox from "../src/Sandbox.js"
import * as TokenContract from "../src/TokenContract.js"

const sandbox = Sandbox.layer({ seed: "token client", clock: { start: 1_600_000_000, step: 1 } })
const client = TokenData.layer().pipe(Layer.provide(Sandbox.clientConfig(1001)), Layer.provide(FetchHttpClient.layer))

const deploy = (spec: TokenContract.TokenSpec) =>
  Effect.flatMap(
    Sandbox.Sandbox,
    ({ chains }) => TokenContract.deploy(chains.chain(1001), chains.account("alice"), spec)
  )

/** Mints tokens of these numbers, to alice unless said otherwise. */
const mint = (token: TokenContract.TokenContract, ids: ReadonlyArray<bigint>, name = "alice") =>
  Effect.gen(function*() {
    const { chains } = yield* Sandbox.Sandbox
    const from = chains.account("alice")
    const to = chains.account(name).address
    for (let start = 0; start < ids.length; start += 200) {
      yield* chains.chain(1001).sendBlock(
        ids.slice(start, start + 200).map((tokenId): SendRequest => ({
          kind: "execute",
          from,
          to: token.address,
          data: TokenContract.mintCall(
            token,
            token.kind === "mt" ? { kind: "mt", to, tokenId, amount: 2n } : { kind: "nft", to, tokenId, uri: "u" }
          )
        }))
      )
    }
  })

const numbers = (count: number, from = 0n) => Array.from({ length: count }, (_, i) => from + BigInt(i))

const sorted = (ids: ReadonlyArray<bigint>) => ids.toSorted((a, b) => (a < b ? -1 : 1))

layer(Layer.provideMerge(client, sandbox), { excludeTestServices: true })("A stream of tokens", (it) => {
  for (
    const [count, size] of [[0, 100], [1, 100], [99, 100], [100, 100], [101, 100], [1001, 1000]] as const
  ) {
    it.effect(
      `gives each of ${count} NFTs in pages of ${size} once while others are minted between them`,
      () =>
        Effect.gen(function*() {
          const data = yield* TokenData.TokenData
          const token = yield* deploy({ kind: "nft", name: "N", symbol: "N" })
          const owner = (yield* Sandbox.Sandbox).chains.account("alice").address
          yield* mint(token, numbers(count))
          const seen: Array<bigint> = []
          let extra = 10_000n
          yield* data.getNftsByContractAddress.pages({ contract: token.address, size }).pipe(
            Stream.runForEach(({ items }) => {
              seen.push(...items.map(({ tokenId }) => tokenId))
              return mint(token, [extra++])
            })
          )
          assert.deepStrictEqual(sorted(seen), numbers(count))
          const small = yield* Stream.runCollect(
            data.getNftsByOwnerAddress.items({ contract: token.address, owner, size: Math.ceil(size / 3) })
          )
          assert.strictEqual([...small].length, count + Number(extra - 10_000n))
        })
    )

    it.effect(
      `gives each of ${count} multi tokens in pages of ${size} once, in order, while others are minted between them`,
      () =>
        Effect.gen(function*() {
          const data = yield* TokenData.TokenData
          const token = yield* deploy({ kind: "mt", uri: "u" })
          yield* mint(token, numbers(count, 16n))
          const seen: Array<bigint> = []
          // Before all others in the order of their text, so that a list by number of records would repeat one.
          let extra = 0n
          yield* data.getMtsByContractAddress.pages({ contract: token.address, size }).pipe(
            Stream.runForEach(({ items }) => {
              seen.push(...items.map(({ tokenId }) => tokenId))
              return mint(token, [extra++])
            })
          )
          const texts = seen.map((id) => `0x${id.toString(16)}`)
          assert.deepStrictEqual(texts, texts.toSorted())
          assert.strictEqual(new Set(seen).size, seen.length)
          assert.deepStrictEqual(sorted(seen.filter((id) => id >= 16n)), numbers(count, 16n))
          const alice = (yield* Sandbox.Sandbox).chains.account("alice").address
          const held = yield* Stream.runCollect(
            data.getMtTokensByContractAddressAndOwnerAddress.items({
              contract: token.address,
              owner: alice,
              size: Math.ceil(size / 4)
            })
          )
          assert.strictEqual(new Set([...held].map(({ tokenId }) => tokenId)).size, count + Number(extra))
        })
    )
  }
})
