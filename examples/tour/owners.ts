/** A collection is minted and streamed, and a table of its owners is read while a token changes hands. */
import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as TokenContract from "@effect-klaytn/sandbox/TokenContract"
import * as OwnerChanges from "@effect-klaytn/tokens/OwnerChanges"
import * as OwnerSnapshot from "@effect-klaytn/tokens/OwnerSnapshot"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Market } from "./Market.js"
import { Narrator } from "./Narrator.js"
import type { Step } from "./Step.js"

/** The market's day left the testnet chain hours ahead of the clock; a snapshot uses the current time. */
const chainId = 8217

const tokenIds = Array.from({ length: 12 }, (_, i) => BigInt(i + 1))

const word = (value: bigint): string => value.toString(16).padStart(64, "0")

/** `ownerOf` of every token of the collection, as the EVM executes it. */
const readOwners = (collection: TokenContract.TokenContract) =>
  Effect.gen(function*() {
    const { chains } = yield* Sandbox.Sandbox
    const chain = chains.chain(chainId)
    return yield* Effect.forEach(tokenIds, (tokenId) =>
      Effect.map(
        chain.call({ to: collection.address, data: `0x6352211e${word(tokenId)}` }),
        ({ data }) => `#${tokenId} 0x${data.slice(-40)}`
      ))
  })

/** One line for each token, in order. */
const lines = (list: Iterable<{ readonly tokenId: bigint; readonly owner: string }>): ReadonlyArray<string> =>
  [...list].toSorted((a, b) => Number(a.tokenId - b.tokenId)).map(({ owner, tokenId }) => `#${tokenId} ${owner}`)

const run = Effect.gen(function*() {
  const { alice, bob } = yield* Market
  const { chains } = yield* Sandbox.Sandbox
  const tokens = yield* TokenData.TokenData
  const { expect, progress, say } = yield* Narrator
  const chain = chains.chain(chainId)

  yield* chain.fund(alice.address, 10n ** 19n)
  const collection = yield* TokenContract.deploy(chain, alice, { kind: "nft", name: "Stall", symbol: "STALL" })
  for (const tokenId of tokenIds) {
    yield* progress(`minting ${tokenId} of ${tokenIds.length}`)
    yield* TokenContract.mint(chain, alice, collection, {
      kind: "nft",
      to: tokenId % 3n === 0n ? bob.address : alice.address,
      tokenId,
      uri: `ipfs://stall/${tokenId}`
    })
  }
  const give = (tokenId: bigint) =>
    TokenContract.transfer(chain, alice, collection, { kind: "nft", to: bob.address, tokenId })
  yield* give(5n)

  const contract = collection.address
  const listed = yield* Stream.runCollect(tokens.getNftsByContractAddress.items({ contract, size: 5 }))
  yield* expect(
    "a stream over three pages gives the owners that the contract gives",
    lines(listed),
    yield* readOwners(collection)
  )
  const fifth = yield* tokens.getNftById({ contract, tokenId: 5n })
  yield* say(`${fifth.tokenUri}: before it was ${fifth.previousOwner === alice.address ? "alice" : "somebody else"}'s`)
  yield* expect("a token that changed hands tells whose it was", [fifth.previousOwner, fifth.owner], [
    alice.address,
    bob.address
  ])

  const verdicts: Array<OwnerSnapshot.Verdict> = []
  let given = false
  const table = yield* OwnerSnapshot.snapshotNftOwners({
    contract,
    changes: OwnerChanges.fromUpdateTimes,
    readings: 3,
    slack: "1 second"
  }).pipe(
    Stream.tap((element) => {
      if (element._tag !== "Owner") return Effect.sync(() => verdicts.push(element))
      if (given) return progress(`reading ${element.reading}`)
      given = true
      return give(7n)
    }),
    OwnerSnapshot.collect
  )
  for (const verdict of verdicts) {
    const moved = verdict._tag === "Changed" ? `, ${verdict.tokens.length} tokens moved` : ""
    yield* say(`reading ${verdict.reading}: ${verdict._tag}${moved}`)
  }
  const [first] = verdicts
  yield* expect(
    "a token moves while the table is read, and the verdict names it",
    first?._tag === "Changed" && first.tokens.includes(7n),
    true
  )
  yield* expect("a later reading is unchanged", table.verdict?._tag, "Unchanged")
  yield* expect("and its table is the contract's", lines(table.owners), yield* readOwners(collection))
})

export const owners: Step = {
  title: "All owners of a collection, and whether the table can be trusted",
  run: Effect.provide(
    run,
    TokenData.layer().pipe(Layer.provide(Sandbox.clientConfig(chainId)), Layer.provide(FetchHttpClient.layer))
  )
}
