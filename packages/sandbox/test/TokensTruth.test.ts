import { openLibsql } from "@effect-klaytn/store/Driver"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { calling, deploy } from "../../../drills/sandbox/tokenStories.js"
import { differences } from "../../../drills/sandbox/tokenTruth.js"
import * as Chains from "../src/Chains.js"
import * as Sandbox from "../src/Sandbox.js"
import * as TokenContract from "../src/TokenContract.js"
import { get, page } from "./support/wire.js"

const world = Effect.map(Sandbox.Sandbox, ({ chains }) => ({
  chain: chains.chain(1001),
  alice: chains.account("alice"),
  bob: chains.account("bob")
}))

const nobody: Hex = `0x${"00".repeat(20)}`

/** What the service tells of a contract of fungible tokens. */
const detail = (address: Hex) =>
  Effect.map(get(`/v2/contract/ft/${address}`), ({ text }): Record<string, unknown> => JSON.parse(text))

/** What it tells of the tokens of an owner. */
const held = (owner: Hex, contract: Hex) =>
  Effect.map(page(`/v2/account/${owner}/token?ca-filters=${contract}`), ({ items }) => items)

layer(Sandbox.layer({ seed: "truth" }), { excludeTestServices: true })("Token data", (it) => {
  it.effect("follows deposits and withdrawals of a wrapped coin, which log no transfer", () =>
    Effect.gen(function*() {
      const { alice, bob, chain } = yield* world
      const coin = yield* deploy(chain, alice, "WrappedKlay")
      const deposit = yield* chain.execute(calling(alice, coin, "deposit()", [], 70n))
      yield* chain.execute(calling(alice, coin, "transfer(address,uint256)", [bob.address, 30n]))
      yield* chain.execute(calling(bob, coin, "withdraw(uint256)", [20n]))
      assert.deepInclude((yield* held(alice.address, coin))[0], { balance: "0x28" })
      assert.deepInclude((yield* held(bob.address, coin))[0], { balance: "0xa" })
      assert.deepInclude(yield* detail(coin), { name: "Wrapped Klay", totalSupply: "0x32" })
      assert.strictEqual(yield* chain.holderCount(coin), 2)

      const second = yield* deploy(chain, alice, "WrappedKlay")
      const only = yield* chain.execute(calling(alice, second, "deposit()", [], 5n))
      assert.notStrictEqual(only.hash, deposit.hash)
      // No transfer of the token changed this: it is put down to the coin transfer of the deposit.
      assert.deepInclude((yield* held(alice.address, second))[0]?.["lastTransfer"], {
        transactionHash: only.hash,
        transferFrom: alice.address,
        transferTo: second
      })
    }))

  it.effect("follows a contract that wraps and unwraps for itself", () =>
    Effect.gen(function*() {
      const { alice, chain } = yield* world
      const coin = yield* deploy(chain, alice, "WrappedKlay")
      const router = yield* deploy(chain, alice, "WrapRouter", "(address)", [coin])
      yield* chain.execute(calling(alice, router, "hold()", [], 9n))
      assert.deepInclude((yield* held(router, coin))[0], { balance: "0x9" })
      yield* chain.execute(calling(alice, router, "drain()"))
      assert.deepStrictEqual(yield* held(router, coin), [])
      assert.strictEqual((yield* detail(coin))["totalSupply"], "0x0")
    }))

  it.effect("follows a fee on transfer that no log tells of, for the receiver, the collector and the supply", () =>
    Effect.gen(function*() {
      const { alice, bob, chain } = yield* world
      const collector: Hex = `0x${"cc".repeat(20)}`
      const fee = yield* deploy(chain, alice, "FeeToken", "(address)", [collector])
      yield* chain.execute(calling(alice, fee, "mint(address,uint256)", [alice.address, 1000n]))
      yield* chain.execute(calling(alice, fee, "transfer(address,uint256)", [bob.address, 100n]))
      const balances = yield* Effect.forEach(
        [alice.address, bob.address, collector],
        (owner) => chain.totalBalance(fee, owner)
      )
      assert.deepStrictEqual(balances, [900n, 90n, 5n])
      assert.deepInclude(yield* detail(fee), { totalSupply: "0x3e3" })
    }))

  it.effect("asks a proxy again for its name until it has one, also after blocks are taken back", () =>
    Effect.gen(function*() {
      const { alice, chain } = yield* world
      const implementation = yield* deploy(chain, alice, "LateToken")
      const proxy = yield* deploy(chain, alice, "LateProxy", "(address)", [implementation])
      const unnamed = yield* detail(proxy)
      assert.deepInclude(unnamed, { name: "", symbol: "", decimals: 0 })
      const snapshot = yield* chain.snapshot
      yield* chain.execute(calling(alice, proxy, "initialize(string,string,uint8)", ["Late", "LATE", 6n]))
      assert.deepInclude(yield* detail(proxy), { name: "Late", symbol: "LATE", decimals: 6 })
      yield* chain.revert(snapshot)
      assert.deepStrictEqual(yield* detail(proxy), unnamed)
    }))

  it.effect("takes a contract for what it logs first, whatever it promised, and back when that is taken back", () =>
    Effect.gen(function*() {
      const { alice, bob, chain } = yield* world
      const cats = yield* deploy(chain, alice, "LyingCats")
      assert.strictEqual((yield* get(`/v2/contract/ft/${cats}`)).status, 200)
      const snapshot = yield* chain.snapshot
      const told = "put(uint256,address,address,address,bool)"
      yield* chain.execute(calling(alice, cats, told, [1n, alice.address, nobody, bob.address, true]))
      assert.strictEqual((yield* get(`/v2/contract/ft/${cats}`)).status, 404)
      // Its log names bob.
      assert.deepInclude(JSON.parse((yield* get(`/v2/contract/nft/${cats}/token/0x1`)).text), {
        owner: alice.address,
        tokenUri: "cat://lie"
      })
      yield* chain.revert(snapshot)
      assert.strictEqual((yield* get(`/v2/contract/ft/${cats}`)).status, 200)
      assert.strictEqual((yield* get(`/v2/contract/nft/${cats}`)).status, 404)
    }))

  it.effect("believes a contract that has no owner for a token more than its log", () =>
    Effect.gen(function*() {
      const { alice, bob, chain } = yield* world
      const cats = yield* deploy(chain, alice, "LyingCats")
      const told = "put(uint256,address,address,address,bool)"
      yield* chain.execute(calling(alice, cats, told, [1n, alice.address, nobody, alice.address, true]))
      yield* chain.execute(calling(alice, cats, told, [1n, nobody, alice.address, bob.address, true]))
      assert.isTrue(Option.isNone(yield* chain.token(cats, 1n)))
      assert.strictEqual(yield* chain.holderCount(cats), 0)
      assert.strictEqual(yield* chain.contractSupply(cats), 0n)
    }))

  it.effect("follows several multi tokens of one holder that one block moves without a log", () =>
    Effect.gen(function*() {
      const { alice, bob, chain } = yield* world
      const items = yield* deploy(chain, alice, "LyingItems")
      const ids = [0n, 1n, 2n, 3n]
      for (const id of ids) {
        yield* chain.execute(
          calling(alice, items, "mint(address,uint256,uint256,uint256)", [alice.address, id, 9n, 9n])
        )
      }
      const moves = "quietMoves(address,address,uint256[],uint256)"
      const move = (moved: ReadonlyArray<bigint>) =>
        calling(alice, items, moves, [alice.address, bob.address, moved, 1n])
      yield* chain.sendBlock([move([3n, 1n]), move([2n, 0n])])
      for (const id of ids) {
        const [left, got] = yield* Effect.all([alice, bob].map(({ address }) => chain.holding(items, address, id)))
        assert.strictEqual(Option.getOrUndefined(left ?? Option.none())?.balance, 8n)
        assert.strictEqual(Option.getOrUndefined(got ?? Option.none())?.balance, 1n)
      }
    }))

  it.effect("follows multi tokens that come and go without a log: holders, supply and URI", () =>
    Effect.gen(function*() {
      const { alice, bob, chain } = yield* world
      const items = yield* deploy(chain, alice, "LyingItems")
      const token = Effect.map(
        chain.tokens({ contract: items, order: "tokenId", limit: 9 }),
        (all) => all.map(({ supply, tokenId, uri }) => [tokenId, supply, uri])
      )
      const quietly = (name: "quietMint" | "quietBurn", amount: bigint) =>
        chain.execute(calling(alice, items, `${name}(address,uint256,uint256)`, [bob.address, 7n, amount]))
      yield* quietly("quietMint", 5n)
      assert.deepStrictEqual(yield* token, [[7n, 5n, "item://{id}"]])
      assert.strictEqual(yield* chain.totalBalance(items, bob.address), 5n)
      yield* quietly("quietBurn", 2n)
      assert.deepStrictEqual(yield* token, [[7n, 3n, "item://{id}"]])
      yield* quietly("quietBurn", 3n)
      assert.strictEqual(yield* chain.holderCount(items), 0)
      assert.deepStrictEqual(yield* token, [[7n, 0n, "item://{id}"]])
    }))
})

describe("The drill of tokens", () => {
  it("sees a fact that is missing, wrong, or there twice", () => {
    const truth = { holders: ["alice has 1", "bob has 2"], supply: ["3"] }
    assert.deepStrictEqual(differences(truth, truth), [])
    assert.deepStrictEqual(differences(truth, { holders: ["alice has 1"] }), ["holders: not told: bob has 2"])
    assert.deepStrictEqual(differences(truth, { supply: ["4"] }), ["supply: not told: 3", "supply: told: 4"])
    assert.deepStrictEqual(differences(truth, { supply: ["3", "3"] }), ["supply: told more than once"])
  })
})

describe("Sums and counts", () => {
  it.scoped("are made up for a file of an earlier version, also for blocks that are taken back there", () =>
    Effect.gen(function*() {
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "sums-test-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const database = join(directory, "chain.db")
      const options = { seed: "sums", database, accounts: [{ name: "alice", balance: 10n ** 24n }] }
      const bob: Hex = `0x${"b0".repeat(20)}`
      const items = yield* Effect.scoped(Effect.gen(function*() {
        const chains = yield* Chains.make(options)
        const alice = chains.account("alice")
        const chain = chains.chain(1001)
        const token = yield* TokenContract.deploy(chain, alice, { kind: "mt", uri: "u" })
        for (const [to, tokenId] of [[alice.address, 1n], [alice.address, 2n], [bob, 2n]] as const) {
          yield* TokenContract.mint(chain, alice, token, { kind: "mt", to, tokenId, amount: 5n })
        }
        return token.address
      }))
      const old = openLibsql(database)
      for (const c of [8217, 1001]) {
        old.exec(`DROP TABLE ownings_${c}; DELETE FROM ownership_undo_${c} WHERE token = '*';
          ALTER TABLE ownership_undo_${c} RENAME TO ledger_undo_${c};
          ALTER TABLE contracts_${c} DROP COLUMN supply; ALTER TABLE contracts_${c} DROP COLUMN holders;
          CREATE INDEX holdings_contract_${c} ON holdings_${c} (contract, owner, updated)`)
      }
      old.exec("PRAGMA user_version = 3")
      old.close()
      const chains = yield* Chains.make({ database })
      const chain = chains.chain(1001)
      const { address } = chains.account("alice")
      const sums = Effect.all([
        chain.contractSupply(items),
        chain.holderCount(items),
        chain.totalBalance(items, address),
        Effect.map(chain.contractHoldings({ owner: bob, limit: 5 }), (all) => all.map(({ balance }) => balance))
      ])
      assert.deepStrictEqual(yield* sums, [15n, 2, 10n, [5n]])
      yield* chain.reset
      assert.deepStrictEqual(yield* sums, [0n, 0, 0n, []])
    }))
})
