import { type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { keyOf } from "../src/BlockKey.js"
import type { PreparedBlock } from "../src/IndexWriter.js"
import { asynchronous, onPostgres, type OwnershipStore, sqlite } from "./support/ownershipStores.js"

type Transfer = PreparedBlock["transactions"][number]["transfers"][number]
type Described = PreparedBlock["contracts"][number]

const address = (n: number): Hex => `0x${n.toString(16).padStart(40, "0")}`
const hash = (n: number): Hex => `0x${n.toString(16).padStart(64, "0")}`
const [coins, cats, items] = [address(0xc0), address(0xc1), address(0xc2)]
const people = [1, 2, 3, 4].map(address)
const [alice = zeroAddress, bob = zeroAddress] = people
const noAnswers: PreparedBlock["answers"] = { balances: [], owners: [], supplies: [], tokenSupplies: [] }

const described = (contract: Hex, kind: "ft" | "nft" | "mt"): Described => ({
  address: contract,
  kind,
  standard: kind === "ft" ? "KIP-7" : kind === "nft" ? "KIP-17" : "KIP-37",
  name: "Name",
  symbol: "SYM",
  decimals: undefined
})

/** A block of one transaction for each transfer. */
const blockOf = (
  number: number,
  transfers: ReadonlyArray<Transfer>,
  rest: Partial<Pick<PreparedBlock, "contracts" | "answers" | "uris" | "questions" | "asked">> = {}
): PreparedBlock => ({
  header: {
    number,
    hash: hash(number),
    parentHash: hash(number - 1),
    timestamp: 1_600_000_000 + number,
    gasUsed: 0n,
    logsBloom: "0x",
    stateRoot: hash(0),
    transactionsRoot: hash(0),
    receiptsRoot: hash(0),
    size: 0,
    transactionCount: transfers.length
  },
  transactions: transfers.map((transfer, index) => ({
    hash: hash(number * 1000 + index),
    senderTxHash: hash(number * 1000 + index),
    blockNumber: number,
    transactionIndex: index,
    timestamp: 1_600_000_000 + number,
    typeInt: 48,
    from: alice,
    to: coins,
    value: 0n,
    nonce: 0n,
    gas: 1n,
    gasPrice: 1n,
    gasUsed: 1n,
    cumulativeGasUsed: 1n,
    fee: 1n,
    feePayer: undefined,
    feeRatio: undefined,
    status: 1,
    txError: undefined,
    contractAddress: undefined,
    raw: new Uint8Array(1),
    carriesValue: false,
    logs: [],
    writes: [],
    logsBefore: 0,
    transfersBefore: index,
    transfers: [transfer]
  })),
  contracts: [],
  answers: noAnswers,
  uris: [],
  questions: [],
  asked: [],
  ...rest
})

/** Numbers that look random and are the same in every run. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor(state / 2 ** 32 * below)
  }
}

/** A block of transfers that may lie, of what contracts answer, and now and then of a contract that becomes another kind. */
const randomBlock = (number: number, random: (below: number) => number): PreparedBlock => {
  const somebody = (): Hex => random(5) === 0 ? zeroAddress : people[random(people.length)] ?? alice
  const tokenId = () => BigInt(random(4))
  const transfer = (): Transfer => {
    const parties = { from: somebody(), to: somebody() }
    const kind = random(3)
    if (kind === 0) return { kind: "ft", ...parties, contract: coins, value: BigInt(random(20)) }
    if (kind === 1) return { kind: "nft", ...parties, contract: cats, tokenId: tokenId() }
    const ids = [tokenId(), tokenId()]
    return { kind: "mt", ...parties, operator: alice, contract: items, ids, values: ids.map(() => BigInt(random(5))) }
  }
  const transfers = Array.from({ length: random(6) }, transfer)
  const [first, last] = [keyOf(number, 0), keyOf(number, Math.max(transfers.length - 1, 0))]
  const answers: PreparedBlock["answers"] = {
    balances: random(2) === 0
      ? []
      : [
        {
          contract: coins,
          owner: people[random(4)] ?? bob,
          tokenId: undefined,
          balance: BigInt(random(9)),
          transfer: last
        },
        {
          contract: items,
          owner: people[random(4)] ?? bob,
          tokenId: tokenId(),
          balance: BigInt(random(9)),
          transfer: first
        }
      ],
    owners: random(2) === 0
      ? []
      : [{
        contract: cats,
        tokenId: tokenId(),
        owner: random(4) === 0 ? undefined : people[random(4)],
        transfer: last
      }],
    supplies: random(3) === 0 ? [{ contract: coins, supply: BigInt(random(100)) }] : [],
    tokenSupplies: random(3) === 0
      ? [{ contract: items, tokenId: tokenId(), supply: BigInt(random(9)), transfer: first }]
      : []
  }
  const uris = random(3) === 0 ? [{ contract: cats, tokenId: tokenId(), uri: `ipfs://${number}` }] : []
  const contracts = number === 1
    ? [described(coins, "ft"), described(cats, "nft"), described(items, "mt")]
    : random(12) === 0
    ? [described(cats, random(2) === 0 ? "mt" : "nft")]
    : []
  const questionsAbout = () =>
    Array.from({ length: random(3) }, () => ({
      contract: items,
      owner: people[random(4)] ?? bob,
      token: `0x${random(3)}`,
      transfer: first,
      hasNewUri: random(2) === 0
    }))
  const [questions, asked] = [questionsAbout(), questionsAbout()]
  return blockOf(number, transfers, { answers, contracts, uris, questions, asked })
}

const story: ReadonlyArray<PreparedBlock> = [
  blockOf(1, [
    { kind: "ft", from: zeroAddress, to: alice, contract: coins, value: 10n },
    { kind: "nft", from: zeroAddress, to: alice, contract: cats, tokenId: 7n }
  ], { contracts: [described(coins, "ft"), described(cats, "nft")] }),
  blockOf(2, [
    { kind: "ft", from: alice, to: bob, contract: coins, value: 4n },
    // The log names a sender who never had it.
    { kind: "nft", from: people[2] ?? alice, to: bob, contract: cats, tokenId: 7n }
  ]),
  blockOf(3, [{ kind: "nft", from: bob, to: zeroAddress, contract: cats, tokenId: 7n }])
]

const linesOf = (store: OwnershipStore, table: string, part: string) =>
  Effect.map(store.dump, (lines) => lines.filter((line) => line.startsWith(table) && line.includes(part)))

/** What every database must do that keeps the rows. */
const suite = (name: string, open: Effect.Effect<OwnershipStore, never, Scope.Scope>) =>
  describe(`Ownership on ${name}`, () => {
    it.scopedLive("moves tokens, and keeps the sums of owners and contracts", () =>
      Effect.gen(function*() {
        const store = yield* open
        for (const block of story.slice(0, 2)) yield* store.add(block)
        const ofCoins = yield* linesOf(store, "ownings", coins)
        assert.deepStrictEqual(ofCoins.map((line) => /"balance","(\d+)n".*"tokens",(\d)/.exec(line)?.slice(1)), [
          ["4", "1"],
          ["6", "1"]
        ])
        const [coin = ""] = yield* linesOf(store, "contracts", coins)
        assert.match(coin, /"holders",2.*"supply","10n"/)
        const held = yield* linesOf(store, "holdings", cats)
        assert.strictEqual(held.length, 1)
        assert.include(held[0], bob)
      }))

    it.scopedLive("removes what is burnt", () =>
      Effect.gen(function*() {
        const store = yield* open
        for (const block of story) yield* store.add(block)
        assert.deepStrictEqual(yield* linesOf(store, "tokens", cats), [])
        assert.deepStrictEqual(yield* linesOf(store, "holdings", cats), [])
        const [cat = ""] = yield* linesOf(store, "contracts", cats)
        assert.match(cat, /"holders",0.*"supply","0n"/)
      }))

    it.scopedLive("removes tokens and holdings of a contract that turns out to be of another kind", () =>
      Effect.gen(function*() {
        const store = yield* open
        for (const block of story.slice(0, 2)) yield* store.add(block)
        yield* store.add(blockOf(3, [], { contracts: [described(cats, "mt")] }))
        assert.deepStrictEqual(yield* linesOf(store, "tokens", cats), [])
        assert.deepStrictEqual(yield* linesOf(store, "holdings", cats), [])
        assert.deepStrictEqual(yield* linesOf(store, "ownings", cats), [])
      }))

    it.scopedLive("reverts to exactly the rows of any block, also over contracts that changed their kind", () =>
      Effect.gen(function*() {
        const store = yield* open
        const random = randomOf(1)
        const dumps = [yield* store.dump]
        for (let number = 1; number <= 40; number++) {
          yield* store.add(randomBlock(number, random))
          dumps.push(yield* store.dump)
        }
        for (const height of [39, 30, 17, 3, 1, 0]) {
          yield* store.revert(height)
          assert.deepStrictEqual(yield* store.dump, dumps[height])
        }
      }))
  })

suite("SQLite", sqlite)
suite("an asynchronous store", asynchronous)
for (const open of onPostgres) suite("Postgres", open)

describe.each([["SQLite", sqlite] as const, ...onPostgres.map((store) => ["Postgres", store] as const)])(
  "the sum of an owner's holdings on %s",
  (_, open) => {
    it.scopedLive("is bounded, whatever a log says: no block stops the index", () =>
      Effect.gen(function*() {
        const store = yield* open
        const ids = Array.from({ length: 9 }, (_, id) => BigInt(id))
        const most = 2n ** 256n - 1n
        const mints = { kind: "mt", from: zeroAddress, to: bob, operator: alice, contract: items, ids } as const
        yield* store.add(
          blockOf(1, [{ ...mints, values: ids.map(() => most) }], { contracts: [described(items, "mt")] })
        )
        const dump = yield* store.dump
        assert.lengthOf(dump.filter((line) => line.startsWith("holdings ") && line.includes(`${most}n`)), 9)
        yield* store.add(blockOf(2, [{ ...mints, from: bob, to: alice, values: ids.map(() => most) }]))
        yield* store.revert(1)
        assert.deepStrictEqual(yield* store.dump, dump)
        assert.lengthOf(
          dump.filter((line) => line.startsWith("ownings ") && line.includes(`["balance","${most}n"]`)),
          1
        )
      }))
  }
)

describe("Ownership", () => {
  it.effect("is the same whether blocks are written together or one by one, and whether they are final", () =>
    Effect.gen(function*() {
      for (const seed of [1, 2, 3, 4, 5]) {
        const [one, other] = [yield* sqlite, yield* sqlite]
        const random = randomOf(seed)
        for (let height = 1; height < 60;) {
          const isFinal = height < 40
          const group = Array.from(
            { length: 1 + random(8) },
            () => ({ prepared: randomBlock(height++, random), isFinal })
          )
          for (const { prepared } of group) yield* one.add(prepared)
          yield* other.addAll(group)
          assert.deepStrictEqual(yield* other.dump, yield* one.dump, `seed ${seed}, before block ${height}`)
        }
        // The last group may have begun before block 40.
        yield* one.revert(50)
        yield* other.revert(50)
        assert.deepStrictEqual(yield* other.dump, yield* one.dump)
        assert.throws(() => Effect.runSync(other.revert(20)), /can't be reverted any more/)
      }
    }))

  it.effect("is the same on SQLite and on an asynchronous store after every block and revert", () =>
    Effect.gen(function*() {
      for (const seed of [1, 2, 3, 4, 5]) {
        const [one, other] = [yield* sqlite, yield* asynchronous]
        const random = randomOf(seed)
        let height = 0
        for (let step = 0; step < 60; step++) {
          if (step % 9 === 8) {
            height = Math.max(1, height - random(6))
            yield* one.revert(height)
            yield* other.revert(height)
          }
          const block = randomBlock(++height, random)
          yield* one.add(block)
          yield* other.add(block)
          assert.deepStrictEqual(yield* other.dump, yield* one.dump, `seed ${seed}, step ${step}`)
        }
        assert.isAbove((yield* one.dump).length, 5)
      }
    }))

  for (const open of onPostgres) {
    it.scopedLive("is the same on Postgres after every block, group of blocks and revert", () =>
      Effect.gen(function*() {
        for (const seed of [1, 2, 3]) {
          const [one, other] = [yield* sqlite, yield* open]
          const random = randomOf(seed)
          let height = 0
          for (let step = 0; step < 40; step++) {
            if (step % 9 === 8) {
              height = Math.max(1, height - random(6))
              yield* one.revert(height)
              yield* other.revert(height)
            }
            const group = Array.from({ length: 1 + random(3) }, () => ({ prepared: randomBlock(++height, random) }))
            yield* one.addAll(group)
            yield* other.addAll(group)
            assert.deepStrictEqual(yield* other.dump, yield* one.dump, `seed ${seed}, step ${step}`)
          }
          assert.isAbove((yield* one.dump).length, 5)
        }
      }))
  }
})
