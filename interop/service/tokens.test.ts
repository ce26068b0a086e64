import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Mt, MtToken, Nft } from "../../packages/tokens/src/Token.js"
import { type CaverMt, type CaverMtToken, type CaverNft, type CaverPage, type Options, refusal } from "./caver.js"
import { heldOf, nftsOf } from "./ledger.js"
import { open, type World } from "./world.js"

let world: World
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

/** All pages of a list, read with the service's own client. */
const all = async <A>(list: (options: Options) => Promise<CaverPage<A>>, size: number): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for (let cursor: string | undefined = undefined, pages = 0; pages < 1000; pages++) {
    const page: CaverPage<A> = await list({ size, ...(cursor === undefined ? {} : { cursor }) })
    assert.isAtMost(page.items.length, size)
    found.push(...page.items)
    if (page.cursor === "") return found
    cursor = page.cursor
  }
  throw new Error("the pages do not end")
}

const sdk = async <A>(stream: Stream.Stream<A, Error>): Promise<ReadonlyArray<A>> =>
  Chunk.toReadonlyArray(await world.run(Stream.runCollect(stream)))

/** A token in one form, whichever client read it. */
const nft = (one: Nft | CaverNft) => ({
  tokenId: BigInt(one.tokenId),
  owner: one.owner,
  previousOwner: one.previousOwner,
  tokenUri: one.tokenUri,
  transactionHash: one.transactionHash,
  createdAt: one.createdAt,
  updatedAt: one.updatedAt
})

const mt = (one: Mt | CaverMt) => ({
  tokenId: BigInt(one.tokenId),
  totalSupply: BigInt(one.totalSupply),
  tokenUri: one.tokenUri
})

const held = (one: MtToken | CaverMtToken) => ({
  ...mt(one),
  owner: one.owner,
  tokenAddress: one.tokenAddress,
  balance: BigInt(one.balance),
  transactionHash: one.transactionHash,
  transferFrom: one.transferFrom,
  transferTo: one.transferTo,
  updatedAt: one.updatedAt
})

const byText = (a: { readonly tokenId: bigint }, b: { readonly tokenId: bigint }): number =>
  `0x${a.tokenId.toString(16)}` < `0x${b.tokenId.toString(16)}` ? -1 : 1

describe("token data by caver-js-ext-kas", () => {
  it("lists the tokens of a collection as its transfers leave them and as the SDK reads them", async () => {
    const contract = world.tokens.nft.address
    const theirs = (await all((options) => world.caver.getNFTList(contract, options), 7)).map(nft)
    assert.isTrue(theirs.length > 14)
    assert.deepEqual(theirs, nftsOf(world.everything, contract))
    assert.deepEqual(theirs, (await sdk(world.tokenData.getNftsByContractAddress.items({ contract }))).map(nft))
  })

  it("lists the tokens of one owner, and reads one token", async () => {
    const { account: owner, tokens: { nft: { address: contract } } } = world
    const owned = nftsOf(world.everything, contract).filter((one) => one.owner === owner)
    assert.isTrue(owned.length > 3)
    const theirs = await all((options) => world.caver.getNFTListByOwner(contract, owner, options), 3)
    assert.deepEqual(theirs.map(nft), owned)
    const ours = await sdk(world.tokenData.getNftsByOwnerAddress.items({ contract, owner, size: 4 }))
    assert.deepEqual(ours.map(nft), owned)
    for (const { tokenId } of owned) {
      const one = nft(await world.caver.getNFT(contract, `0x${tokenId.toString(16)}`))
      assert.deepEqual(one, owned.find((other) => other.tokenId === tokenId))
      assert.deepEqual(one, nft(await world.run(world.tokenData.getNftById({ contract, tokenId }))))
    }
  })

  it("lists the multi tokens of a contract by the text of their IDs", async () => {
    const contract = world.tokens.mt.address
    const theirs = (await all((options) => world.caver.getMTList(contract, options), 5)).map(mt)
    const supplies = new Map<bigint, bigint>()
    for (const { balance, tokenId } of heldOf(world.everything, contract)) {
      supplies.set(tokenId, (supplies.get(tokenId) ?? 0n) + balance)
    }
    assert.isTrue(theirs.length > 5)
    assert.deepEqual(
      theirs.map(({ tokenId, totalSupply }) => ({ tokenId, totalSupply })),
      [...supplies].map(([tokenId, totalSupply]) => ({ tokenId, totalSupply })).toSorted(byText)
    )
    assert.deepEqual(theirs, (await sdk(world.tokenData.getMtsByContractAddress.items({ contract }))).map(mt))
  })

  it("lists who holds multi tokens, by owner and by token, with what they hold", async () => {
    const contract = world.tokens.mt.address
    const facts = heldOf(world.everything, contract)
    const fact = ({ balance, owner, tokenId }: { owner: string; tokenId: bigint; balance: bigint }) =>
      `${owner} ${tokenId} ${balance}`

    const owner = facts[0]?.owner ?? ""
    const owned = (await all((options) => world.caver.getMTListByOwner(contract, owner, options), 2)).map(held)
    assert.sameMembers(owned.map(fact), facts.filter((one) => one.owner === owner).map(fact))
    assert.deepEqual(
      owned,
      (await sdk(world.tokenData.getMtTokensByContractAddressAndOwnerAddress.items({ contract, owner }))).map(held)
    )
    const page = await world.caver.getMTListByOwner(contract, owner, { size: 1 })
    assert.strictEqual(BigInt(page.totalBalance), owned.reduce((sum, { balance }) => sum + balance, 0n))

    for (const tokenId of new Set(facts.map((one) => one.tokenId))) {
      const id = `0x${tokenId.toString(16)}`
      const theirs = (await all((options) => world.caver.getMTOwnerListByTokenId(contract, id, options), 3)).map(held)
      assert.sameMembers(theirs.map(fact), facts.filter((one) => one.tokenId === tokenId).map(fact))
      const ours = await sdk(world.tokenData.getMtTokensByContractAddressAndTokenId.items({ contract, tokenId }))
      assert.deepEqual(theirs, ours.map(held))
      const [first] = theirs
      assert(first !== undefined)
      assert.deepEqual(held(await world.caver.getMT(contract, first.owner, id)), first)
    }
  })

  it("is refused for a contract and for a token that nobody knows", async () => {
    const { account, caver, tokenData, tokens: { nft: { address: contract } } } = world
    const strange = await refusal(caver.getNFTList(account, {}))
    assert.strictEqual(strange.code, 1040400)
    const strangeToo = await world.run(Effect.flip(tokenData.getNftsByContractAddress({ contract: account })))
    assert(strangeToo._tag === "NotFound")
    assert.strictEqual(strangeToo.serviceMessage, strange.message)

    const missing = await refusal(caver.getNFT(contract, "0xffffff"))
    assert.strictEqual(missing.code, 1040400)
    const missingToo = await world.run(Effect.flip(tokenData.getNftById({ contract, tokenId: 0xffffffn })))
    assert(missingToo._tag === "NotFound")
    assert.strictEqual(missingToo.serviceMessage, missing.message)
  })
})
