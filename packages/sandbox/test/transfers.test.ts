import { encodeCall } from "@effect-klaytn/indexer/Abi"
import type { TransferRecord } from "@effect-klaytn/indexer/TransferRecord"
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import { fromBytes } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Chains from "../src/Chains.js"
import * as TokenContract from "../src/TokenContract.js"

const klay = 10n ** 18n
const nobody = "0x0000000000000000000000000000000000000000"
const options = { clock: { start: 1_600_000_000, step: 10 }, seed: "transfer tests" } as const
const [alice, bob, carol] = [
  DevAccount.derive(options.seed, "alice"),
  DevAccount.derive(options.seed, "bob"),
  DevAccount.derive(options.seed, "carol")
] as const

const withChain = Effect.gen(function*() {
  const chain = (yield* Chains.make(options)).chain(8217)
  yield* chain.fund(alice.address, 1000n * klay)
  yield* chain.fund(bob.address, 1000n * klay)
  return chain
})

const brief = (record: TransferRecord) => `${record.kind} ${record.from.slice(0, 6)} ${record.to.slice(0, 6)}`
const short = (address: string) => address.slice(0, 6)

/** Creation code of a contract with the given code. */
const contractOf = (code: string) => {
  const length = (code.length / 2).toString(16).padStart(4, "0")
  return `0x61${length}80600a3d393df3${code}` as const
}

describe("transfers", () => {
  it.scoped("are read from KIP-7 logs, with the contract's own name, symbol and decimals", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const apples = yield* TokenContract.deploy(chain, alice, {
        kind: "ft",
        name: "Apple",
        symbol: "APL",
        decimals: 2
      })
      yield* TokenContract.mint(chain, bob, apples, { kind: "ft", to: alice.address, amount: 1000n })
      const sent = yield* TokenContract.transfer(chain, alice, apples, { kind: "ft", to: bob.address, amount: 350n })
      const [token, coin] = yield* chain.transfersOf(sent.hash)
      assert(token?.kind === "ft" && coin?.kind === "coin")
      assert.strictEqual(token.value, 350n)
      assert.deepStrictEqual(token.contract, { address: apples.address, name: "Apple", symbol: "APL", decimals: 2 })
      assert.strictEqual(coin.value, 0n)
      assert.strictEqual(coin.to, apples.address)
      assert.isBelow(coin.id, token.id)
      const holding = Option.getOrThrow(yield* chain.holding(apples.address, alice.address))
      assert.strictEqual(holding.balance, 650n)
      const contract = Option.getOrThrow(yield* chain.contract(apples.address))
      assert.strictEqual(contract.standard, "KIP-7")
    }))

  it.scoped("are read from KIP-17 logs and keep owner, owner before and holdings", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const cats = yield* TokenContract.deploy(chain, alice, { kind: "nft", name: "Cats", symbol: "CAT" })
      for (const tokenId of [7n, 16n]) {
        yield* TokenContract.mint(chain, bob, cats, { kind: "nft", to: alice.address, tokenId, uri: `cat ${tokenId}` })
      }
      const sent = yield* TokenContract.transfer(chain, alice, cats, { kind: "nft", to: bob.address, tokenId: 7n })
      const [token] = yield* chain.transfersOf(sent.hash)
      assert(token?.kind === "nft" && token.tokenId === 7n)
      const record = Option.getOrThrow(yield* chain.token(cats.address, 7n))
      assert.strictEqual(record.owner, bob.address)
      assert.strictEqual(record.previousOwner, alice.address)
      assert.strictEqual(record.transactionHash, sent.hash)
      assert.isBelow(record.createdAt, record.updatedAt)
      const untouched = Option.getOrThrow(yield* chain.token(cats.address, 16n))
      assert.strictEqual(untouched.previousOwner, nobody)
      const newest = yield* chain.tokens({ contract: cats.address, order: "newest", limit: 10 })
      assert.deepStrictEqual(newest.map(({ tokenId }) => tokenId), [7n, 16n])
      const alices = yield* chain.tokens({ contract: cats.address, owner: alice.address, order: "newest", limit: 10 })
      assert.deepStrictEqual(alices.map(({ tokenId }) => tokenId), [16n])
      assert.strictEqual(Option.getOrThrow(yield* chain.contract(cats.address)).standard, "KIP-17")
    }))

  it.scoped("are read from KIP-37 logs, single and batch, and keep supply and balances", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const items = yield* TokenContract.deploy(chain, alice, { kind: "mt", uri: "ipfs://{id}" })
      for (const tokenId of [2n, 16n]) {
        yield* TokenContract.mint(chain, bob, items, { kind: "mt", to: alice.address, tokenId, amount: 10n })
      }
      const batch = yield* TokenContract.transfer(chain, alice, items, {
        kind: "mt",
        to: bob.address,
        ids: [2n, 16n],
        amounts: [3n, 10n]
      })
      const [token] = yield* chain.transfersOf(batch.hash)
      assert(token?.kind === "mt")
      assert.deepStrictEqual([token.ids, token.values, token.operator], [[2n, 16n], [3n, 10n], alice.address])
      const byId = yield* chain.tokens({ contract: items.address, order: "tokenId", limit: 10 })
      assert.deepStrictEqual(byId.map(({ supply, tokenId }) => [tokenId, supply]), [[16n, 10n], [2n, 10n]])
      const holdings = yield* chain.holdings({ contracts: [items.address], owner: bob.address, limit: 10 })
      assert.deepStrictEqual(holdings.map(({ balance, tokenId }) => [tokenId, balance]), [[16n, 10n], [2n, 3n]])
      assert.strictEqual(yield* chain.totalBalance(items.address, alice.address), 7n)
      assert.isTrue(Option.isNone(yield* chain.holding(items.address, alice.address, 16n)))
      assert.strictEqual(Option.getOrThrow(yield* chain.contract(items.address)).standard, "KIP-37")
    }))

  it.scoped("of the published presets are minted by their deployer alone", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const minter = "deployer" as const
      const ft = yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "A", symbol: "A", minter })
      const nft = yield* TokenContract.deploy(chain, alice, {
        kind: "nft",
        name: "B",
        symbol: "B",
        baseUri: "u/",
        minter
      })
      const mt = yield* TokenContract.deploy(chain, alice, { kind: "mt", uri: "u", minter })
      yield* TokenContract.mint(chain, alice, ft, { kind: "ft", to: bob.address, amount: 5n })
      yield* TokenContract.mint(chain, alice, nft, { kind: "nft", to: bob.address, tokenId: 0n })
      yield* TokenContract.mint(chain, alice, mt, { kind: "mt", to: bob.address, tokenId: 1n, amount: 4n, create: "v" })
      yield* TokenContract.mint(chain, alice, mt, { kind: "mt", to: bob.address, tokenId: 1n, amount: 6n })
      const refused = yield* Effect.flip(
        TokenContract.mint(chain, bob, ft, { kind: "ft", to: bob.address, amount: 5n })
      )
      assert.isTrue(refused._tag === "ExecutionFailed" && refused.txError === 0x9)
      const found = yield* chain.transfers({ accounts: [bob.address], kinds: ["ft", "nft", "mt"], limit: 10 })
      assert.deepStrictEqual(found.map(({ kind }) => kind), ["mt", "nft", "ft"])
    }))

  it.scoped("are found by address, kind, contract, side, value, block, time and cursor", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const apples = yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "Apple", symbol: "APL" })
      const pears = yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "Pear", symbol: "PER" })
      for (const token of [apples, pears]) {
        yield* TokenContract.mint(chain, bob, token, { kind: "ft", to: alice.address, amount: 1000n })
        yield* TokenContract.transfer(chain, alice, token, { kind: "ft", to: carol.address, amount: 1n })
      }
      const last = yield* chain.execute({ kind: "transfer", from: alice, to: carol.address, value: 9n })
      const all = yield* chain.transfers({ accounts: [alice.address], limit: 100 })
      assert.isTrue(all.every(({ from, to }) => from === alice.address || to === alice.address))
      assert.deepStrictEqual(all.map(({ id }) => id), all.map(({ id }) => id).toSorted((a, b) => b - a))
      const [a, b, c, n] = [alice.address, bob.address, carol.address, nobody].map(short)
      const found = (query: Partial<Parameters<typeof chain.transfers>[0]>) =>
        Effect.map(
          chain.transfers({ accounts: [alice.address], limit: 100, ...query }),
          (records) => records.map(brief)
        )
      assert.deepStrictEqual(yield* found({ kinds: ["ft"] }), [
        `ft ${a} ${c}`,
        `ft ${n} ${a}`,
        `ft ${a} ${c}`,
        `ft ${n} ${a}`
      ])
      assert.deepStrictEqual(yield* found({ contractFilter: pears.address }), [`ft ${a} ${c}`, `ft ${n} ${a}`])
      assert.deepStrictEqual(yield* found({ contractFilter: pears.address, kinds: ["nft"] }), [])
      assert.deepStrictEqual(yield* found({ kinds: ["ft"], side: "to" }), [`ft ${n} ${a}`, `ft ${n} ${a}`])
      assert.deepStrictEqual(yield* found({ kinds: ["coin"], excludeZeroCoin: true, side: "from" }), [`coin ${a} ${c}`])
      assert.deepStrictEqual(yield* found({ blocks: { from: last.blockNumber, to: last.blockNumber } }), [
        `coin ${a} ${c}`
      ])
      const seconds = { from: last.timestamp - 5, to: last.timestamp + 5 }
      assert.deepStrictEqual(yield* found({ seconds }), [`coin ${a} ${c}`])
      assert.deepStrictEqual(yield* found({ seconds: { from: last.timestamp + 1, to: last.timestamp + 2 } }), [])
      const pages: Array<TransferRecord> = []
      for (let before: number | undefined;; before = pages.at(-1)?.id) {
        const page = yield* chain.transfers({
          accounts: [alice.address],
          limit: 3,
          ...(before !== undefined && { before })
        })
        if (page.length === 0) break
        pages.push(...page)
      }
      assert.deepStrictEqual(pages, all)
      const union = yield* chain.transfers({ accounts: [bob.address], contracts: [pears.address], limit: 100 })
      assert.deepStrictEqual(
        union.filter(({ kind }) => kind === "ft").map(brief),
        [`ft ${a} ${c}`, `ft ${n} ${a}`]
      )
      assert.isTrue(union.some((record) => brief(record).startsWith(`coin ${b}`)))
    }))

  it.scoped("of a failed transaction are its native record with status 0, and its fee is gone", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const apples = yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "Apple", symbol: "APL" })
      const before = Option.getOrThrow(yield* chain.account(alice.address)).balance
      const failed = yield* Effect.flip(
        TokenContract.transfer(chain, alice, apples, { kind: "ft", to: bob.address, amount: 1n })
      )
      assert.isTrue(failed._tag === "ExecutionFailed" && failed.txError === 0x9)
      const record = Option.getOrThrow(yield* chain.transactionAt((yield* chain.head).number, 0))
      assert.strictEqual(record.status, 0)
      assert.strictEqual(before - Option.getOrThrow(yield* chain.account(alice.address)).balance, record.fee)
      const transfers = yield* chain.transfersOf(record.hash)
      assert.deepStrictEqual(transfers.map(({ kind, transaction }) => [kind, transaction.status]), [["coin", 0]])
    }))

  it.scoped("survive contracts that loop, revert, answer nonsense or log what is no transfer", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const topic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
      // With call data (a question) it loops for ever; without, it logs a transfer of 5 from 1 to 2.
      const loops = yield* chain.execute({
        kind: "deploy",
        from: alice,
        code: contractOf(`36603457600560005260026001${`7f${topic}`}60206000a3005b603456`)
      })
      // Logs the topic of a transfer with three topics, but no data.
      const wrong = yield* chain.execute({
        kind: "deploy",
        from: alice,
        code: contractOf(`60026001${`7f${topic}`}60006000a300`)
      })
      for (const { contractAddress } of [loops, wrong]) {
        assert.isDefined(contractAddress)
        const record = yield* chain.execute({ kind: "execute", from: alice, to: contractAddress, data: "0x" })
        assert.strictEqual(record.logCount, 1)
      }
      const [token] = yield* chain.transfers({ contracts: [loops.contractAddress ?? "0x"], limit: 10 })
      assert(token?.kind === "ft" && token.value === 5n && token.contract.name === undefined)
      assert.deepStrictEqual(yield* chain.transfers({ contracts: [wrong.contractAddress ?? "0x"], limit: 10 }), [])
    }))

  it.scoped("stop a transaction that loops with the node's computation limit", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const deployed = yield* chain.execute({ kind: "deploy", from: alice, code: contractOf("5b600056") })
      assert.isDefined(deployed.contractAddress)
      const gas = 40_000_000n
      const failed = yield* Effect.flip(
        chain.execute({ kind: "execute", from: alice, to: deployed.contractAddress, data: "0x", gas })
      )
      assert.isTrue(failed._tag === "ExecutionFailed" && failed.txError === 0xa)
    }))

  it.scoped("come back as they were when a snapshot is reverted", () =>
    Effect.gen(function*() {
      const chain = yield* withChain
      const cats = yield* TokenContract.deploy(chain, alice, { kind: "nft", name: "Cats", symbol: "CAT" })
      yield* TokenContract.mint(chain, bob, cats, { kind: "nft", to: alice.address, tokenId: 1n })
      const look = Effect.all([
        chain.token(cats.address, 1n),
        chain.holdings({ contracts: [cats.address], limit: 10 }),
        chain.contracts({ limit: 10 }),
        chain.call({ to: cats.address, data: fromBytes(encodeCall("ownerOf(uint256)", [1n])) })
      ])
      const before = yield* look
      const snapshot = yield* chain.snapshot
      yield* TokenContract.transfer(chain, alice, cats, { kind: "nft", to: bob.address, tokenId: 1n })
      yield* TokenContract.mint(chain, bob, cats, { kind: "nft", to: alice.address, tokenId: 2n })
      yield* TokenContract.deploy(chain, alice, { kind: "ft", name: "Other", symbol: "O" })
      assert.notDeepEqual(yield* look, before)
      const block = (yield* chain.head).number - 3
      const past = yield* chain.call({ to: cats.address, data: fromBytes(encodeCall("ownerOf(uint256)", [1n])), block })
      assert.deepStrictEqual(past, before[3])
      yield* chain.revert(snapshot)
      assert.deepStrictEqual(yield* look, before)
    }))
})
