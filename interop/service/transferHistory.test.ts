import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { ReadError } from "../../packages/core/src/ServiceError.js"
import type { Transfer } from "../../packages/history/src/Transfer.js"
import type { TransferRecord } from "../../packages/indexer/src/TransferRecord.js"
import { type Options, type Page, refusal, tokenHistory } from "./caver.js"
import { type Fact, ofCaver, ofChain, ofSdk } from "./facts.js"
import { open, type World } from "./world.js"

let world: World
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

/** All pages of the service's own client, by the cursors it reads. */
const pages = async (search: (options: Options) => Promise<Page>, options: Options): Promise<ReadonlyArray<Page>> => {
  const read: Array<Page> = []
  for (let cursor: string | undefined = undefined; read.length < 1000;) {
    const page: Page = await search(cursor === undefined ? options : { ...options, cursor })
    read.push(page)
    if (page.cursor === "") return read
    cursor = page.cursor
  }
  throw new Error("the pages do not end")
}

const facts = (read: ReadonlyArray<Page>): ReadonlyArray<Fact> => read.flatMap(({ items }) => items.map(ofCaver))

const sdk = async (stream: Stream.Stream<Transfer, Error>): Promise<ReadonlyArray<Fact>> =>
  Chunk.toReadonlyArray(await world.run(Stream.runCollect(stream))).map(ofSdk)

/** What the chain holds of it, and the coin that came with a token that is in it. */
const chain = (
  isFound: (one: TransferRecord) => boolean,
  comesAlong: (coin: TransferRecord & { readonly kind: "coin" }) => boolean
): ReadonlyArray<Fact> => {
  const tokens = world.everything.filter((one) => one.kind !== "coin" && isFound(one))
  const hashes = new Set(tokens.map(({ transaction }) => transaction.transactionHash))
  return world.everything
    .filter((one) =>
      isFound(one) || (one.kind === "coin" && hashes.has(one.transaction.transactionHash) && comesAlong(one))
    )
    .map(ofChain)
}

const isOfAccount = (one: TransferRecord): boolean => one.from === world.account || one.to === world.account

const byAccount = (options: Options) =>
  pages((asked) => world.caver.getTransferHistoryByAccount(world.account, asked), options)

const told = async (call: Promise<unknown>): Promise<readonly [number, string]> => {
  const { code, message, requestId } = await refusal(call)
  assert.match(requestId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  return [code, message]
}

/** The same refusal as the SDK reads it. */
const asSdk = <A>(call: Effect.Effect<A, ReadError>): Promise<readonly [number, string]> =>
  world.run(Effect.map(Effect.flip(call), (error) => {
    if (!("code" in error && "serviceMessage" in error)) throw new Error(`no answer of the service: ${error._tag}`)
    return [error.code ?? 0, error.serviceMessage ?? ""] as const
  }))

describe("transfer history by caver-js-ext-kas", () => {
  it("reads every transfer of an account as the chain holds it and as the SDK reads it", async () => {
    const theirs = facts(await byAccount({ size: 1000 }))
    assert.deepEqual(new Set(theirs.map(({ kind }) => kind)), new Set(["coin", "ft", "nft", "mt"]))
    assert.isTrue(theirs.some(({ payer, ratio }) => payer !== "" && ratio === 0))
    assert.isTrue(theirs.some(({ payer, ratio }) => payer !== "" && ratio > 0))
    assert.deepEqual(theirs, chain(isOfAccount, isOfAccount))
    assert.deepEqual(theirs, await sdk(world.history.getTransfersByEoa.items({ address: world.account })))
  })

  it.each(["klay", "ft", "nft", "mt"] as const)("searches for %s", async (kind) => {
    const word = kind === "klay" ? "coin" : kind
    const theirs = facts(await byAccount({ kind: [kind], size: 1000 }))
    assert.isTrue(theirs.some((one) => one.kind === word))
    assert.deepEqual(theirs, chain((one) => one.kind === word && isOfAccount(one), isOfAccount))
    assert.deepEqual(
      theirs,
      await sdk(world.history.getTransfersByEoa.items({ address: world.account, kinds: [word], size: 1000 }))
    )
  })

  it("searches for several kinds at once", async () => {
    const theirs = facts(await byAccount({ kind: ["nft", "mt"], size: 1000 }))
    const isFound = (one: TransferRecord) => (one.kind === "nft" || one.kind === "mt") && isOfAccount(one)
    assert.deepEqual(theirs, chain(isFound, isOfAccount))
  })

  it("follows the cursor over pages of every size, and neither loses nor repeats a transfer", async () => {
    const whole = chain(isOfAccount, isOfAccount)
    for (const size of [1, 7, 50]) {
      const read = await byAccount({ size })
      assert.deepEqual(read.map(({ items }) => items.length).slice(0, -1), Array(read.length - 1).fill(size))
      assert.strictEqual(read.length, Math.ceil(whole.length / size))
      assert.deepEqual(facts(read), whole)
    }
  })

  it("goes on with a cursor that the SDK was given, and the SDK with one of its own", async () => {
    const whole = chain(isOfAccount, isOfAccount)
    const input = { address: world.account, size: 10 }
    const { cursor } = await world.run(world.history.getTransfersByEoa(input))
    const second = await world.caver.getTransferHistoryByAccount(world.account, {
      size: 10,
      cursor: Option.getOrThrow(cursor)
    })
    assert.deepEqual(facts([second]), whole.slice(10, 20))
    const third = await world.run(world.history.getTransfersByEoa({ ...input, cursor: second.cursor }))
    assert.deepEqual(third.items.map(ofSdk), whole.slice(20, 30))
  })

  it("searches one contract, one side, without coin of value 0, and a stretch of blocks", async () => {
    const { account, tokens: { ft } } = world
    const isFt = (one: TransferRecord) => one.kind === "ft" && one.contract.address === ft.address && isOfAccount(one)
    const none = () => false
    assert.deepEqual(facts(await byAccount({ caFilter: ft.address, size: 1000 })), chain(isFt, none))

    const isSent = ({ from }: TransferRecord) => from === account
    const sent = facts(await byAccount({ fromOnly: true, size: 1000 }))
    assert.deepEqual(sent, chain(isSent, isSent))
    assert.deepEqual(sent, await sdk(world.history.getTransfersByEoa.items({ address: account, only: "from" })))
    const isReceived = ({ to }: TransferRecord) => to === account
    assert.deepEqual(facts(await byAccount({ toOnly: true, size: 1000 })), chain(isReceived, isReceived))

    const isWorth = (one: TransferRecord) => isOfAccount(one) && !(one.kind === "coin" && one.value === 0n)
    assert.deepEqual(facts(await byAccount({ excludeZeroKlay: true, size: 1000 })), chain(isWorth, isWorth))

    const { number } = await world.run(world.chain.head)
    const [from, to] = [Math.floor(number / 3), Math.floor(number / 2)]
    const isInside = (one: TransferRecord) =>
      one.transaction.blockNumber >= from && one.transaction.blockNumber <= to && isOfAccount(one)
    const inside = facts(await byAccount({ range: `0x${from.toString(16)},0x${to.toString(16)}`, size: 1000 }))
    assert.isTrue(inside.length > 0)
    assert.deepEqual(inside, chain(isInside, isInside))
  })

  it("searches by preset", async () => {
    const { accounts, contracts, id } = world.preset
    const isFound = (one: TransferRecord) =>
      accounts.some((account) => account === one.from || account === one.to) ||
      (one.kind !== "coin" && contracts.includes(one.contract.address))
    const theirs = facts(await pages((options) => world.caver.getTransferHistory([id], options), { size: 60 }))
    assert.isTrue(theirs.length > 120)
    assert.deepEqual(theirs, chain(isFound, () => true))
    assert.deepEqual(theirs, await sdk(world.history.getTransfers.items({ presets: [id] })))
    const tokens = facts([await world.caver.getTransferHistory(id, { kind: "mt", size: 1000 })])
    assert.deepEqual(tokens, chain((one) => one.kind === "mt" && isFound(one), () => true))
  })

  it("reads the transfers of one transaction", async () => {
    for (const kind of ["coin", "ft", "nft", "mt"]) {
      const hash = world.everything.find((one) => one.kind === kind)?.transaction.transactionHash ?? ""
      const theirs = (await world.caver.getTransferHistoryByTxHash(hash)).items.map(ofCaver)
      assert.isTrue(theirs.some((one) => one.kind === kind))
      assert.sameDeepMembers([...theirs], [...chain((one) => one.transaction.transactionHash === hash, () => true)])
      const ours = await world.run(world.history.getTransfersByTxHash({ transactionHash: hash }))
      assert.deepEqual(theirs, ours.map(ofSdk))
    }
    assert.deepEqual([...(await world.caver.getTransferHistoryByTxHash(`0x${"ab".repeat(32)}`)).items], [])
  })

  it("is refused as the SDK is: code, message and request ID", async () => {
    const { account, caver, history } = world
    const unknown = await told(caver.getTransferHistory(404))
    assert.strictEqual(unknown[0], 1040400)
    assert.deepEqual(unknown, await asSdk(history.getTransfers({ presets: [404] })))

    const cursor = await told(caver.getTransferHistoryByAccount(account, { cursor: "made-up" }))
    assert.strictEqual(cursor[0], 1040010)
    assert.deepEqual(cursor, await asSdk(history.getTransfersByEoa({ address: account, cursor: "made-up" })))

    // The SDK refuses these two itself, before anything is sent.
    assert.strictEqual((await told(caver.getTransferHistoryByAccount("0x12")))[0], 1040020)
    assert.strictEqual((await told(caver.getTransferHistoryByTxHash("0x12")))[0], 1040020)

    const stranger = tokenHistory({ ...world.credential, secretAccessKey: "another" })
    assert.strictEqual((await told(stranger.getTransferHistoryByAccount(account)))[0], 1010009)
  })
})
