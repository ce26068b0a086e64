/**
 * Reads a large collection page by page through the SDK while more tokens are minted between pages: each of the original
 * tokens must come exactly once. Every token is minted by a signed transaction. Prints one line of JSON, and exits with 1 if
 * a token was lost or repeated:
 *
 *     npx tsx drills/sandbox/paging.ts [tokens]
 */
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { SendRequest } from "../../packages/local-chain/src/SendRequest.js"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.js"
import * as TokenContract from "../../packages/sandbox/src/TokenContract.js"

const tokens = Number(process.argv[2] ?? 100_000)
const perBlock = 500

const drill = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const chain = chains.chain(1001)
  const from = chains.account("alice")
  const token = yield* TokenContract.deploy(chain, from, { kind: "nft", name: "Cats", symbol: "C" })
  const mint = (first: number, count: number) =>
    chain.sendBlock(Array.from({ length: count }, (_, i): SendRequest => ({
      kind: "execute",
      from,
      to: token.address,
      data: TokenContract.mintCall(token, { kind: "nft", to: from.address, tokenId: BigInt(first + i), uri: "u" })
    })))
  for (let first = 0; first < tokens; first += perBlock) yield* mint(first, Math.min(perBlock, tokens - first))

  const data = yield* TokenData.TokenData
  const times = new Map<bigint, number>()
  let inserted = 0
  let pages = 0
  yield* data.getNftsByContractAddress.pages({ contract: token.address, size: 1000 }).pipe(
    Stream.runForEach(({ items }) => {
      pages++
      for (const { tokenId } of items) times.set(tokenId, (times.get(tokenId) ?? 0) + 1)
      return mint(tokens + inserted++, 1)
    })
  )
  const lost = Array.from({ length: tokens }, (_, id) => BigInt(id)).filter((id) => !times.has(id)).length
  const repeated = [...times.values()].filter((count) => count > 1).length
  process.stdout.write(`${JSON.stringify({ drill: "paging", tokens, pages, inserted, lost, repeated })}\n`)
  if (lost > 0 || repeated > 0) process.exitCode = 1
})

const sandbox = Sandbox.layer({ seed: "paging drill", clock: { start: 1_600_000_000, step: 1 } })
const client = TokenData.layer().pipe(Layer.provide(Sandbox.clientConfig(1001)), Layer.provide(FetchHttpClient.layer))
await Effect.runPromise(Effect.provide(drill, Layer.provideMerge(client, sandbox)))
