import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { BlockSource, SourceBlock } from "@effect-klaytn/indexer/BlockSource"
import { catchUp } from "@effect-klaytn/indexer/CatchUp"
import type { DataChain } from "@effect-klaytn/indexer/DataChain"
import * as NodeSource from "@effect-klaytn/indexer/NodeSource"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { namesOf, operations, readBoth } from "../../../drills/sandbox/dataPages.js"
import { calling, deploy, type Running, stories } from "../../../drills/sandbox/tokenStories.js"
import type { Chain } from "../src/Chain.js"
import * as Generator from "../src/Generator.js"
import { Random } from "../src/internal/Random.js"
import { openStore } from "../src/internal/store/Store.js"
import * as Sandbox from "../src/Sandbox.js"
import { serve } from "./support/dataPages.js"
import * as nodeWorld from "./support/nodeWorld.js"
import { control } from "./support/wire.js"

const seed = "foreign chain"
/**
 * The sandbox's chain, served twice: as it is, and from a second store that has executed nothing and knows the chain over
 * JSON-RPC alone.
 */
const twice = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const database = yield* Effect.acquireRelease(
    Effect.sync(() => openStore(":memory:")),
    (opened) => Effect.sync(() => opened.close())
  )
  const store = database.chain(1001).index
  const reads = store.reader
  const { url } = yield* Sandbox.Sandbox
  const source = yield* ServiceClient.make("node").pipe(
    Effect.provide(OwnNode.layer({ chain: 1001, url: `${url}/rpc/1001` })),
    Effect.provide(FetchHttpClient.layer),
    Effect.flatMap(NodeSource.make)
  )
  const foreign: DataChain = {
    ...reads,
    chainId: 1001,
    // The clock is fixed: the time is that of the newest block.
    now: Effect.orDie(Effect.map(reads.head, ({ timestamp }) => timestamp))
  }
  return {
    chain: chains.chain(1001),
    account: chains.account,
    store,
    reads,
    source,
    catchUp: catchUp(store, source),
    executed: yield* serve(chains.chain(1001)),
    foreign: yield* serve(foreign)
  }
})

type Twice = Effect.Effect.Success<typeof twice>

/** Reads every page of both, which must be equal byte for byte, and gives the operations of which there were any. */
const compare = ({ chain, executed, foreign }: Twice) =>
  Effect.gen(function*() {
    const { served } = yield* readBoth(yield* namesOf(chain), [executed, foreign], (path, [one, two]) => {
      assert.deepStrictEqual([path, two.status, two.text], [path, one.status, one.text])
    })
    return served
  })

const addPreset = ({ store }: Twice, accounts: ReadonlyArray<Hex>, contracts: ReadonlyArray<Hex>) =>
  Effect.gen(function*() {
    yield* control("POST", "/chains/1001/presets", { name: "p", accounts, contracts })
    yield* store.addPreset({ name: "p", accounts, contracts })
  })

/** Random operations on contracts of all kinds, six in a block. */
const operate = (chain: Chain, running: ReadonlyArray<Running>, name: string) =>
  Effect.gen(function*() {
    const random = new Random(name)
    for (let done = 0; done < rounds; done++) {
      for (const story of running) {
        yield* chain.sendBlock(Array.from({ length: 6 }, () => story.next(random, done)))
      }
    }
  })

/** Blocks of operations for each contract. */
const rounds = 2

/** Without the contracts that change balances for others without a log: see the test below. */
const logging = stories.filter(({ name }) => !["fee on transfer", "lying token", "lying multi tokens"].includes(name))

layer(Sandbox.layer({ seed, clock: { start: 1_600_000_000, step: 1 } }), { excludeTestServices: true })(
  "A chain that is executed elsewhere",
  (it) => {
    it.scoped(
      "is served byte for byte as where it is executed, also after blocks were taken back",
      () =>
        Effect.gen(function*() {
          const other = yield* twice
          const { account, chain } = other
          const people = ["alice", "bob", "carol"].map(account)
          yield* nodeWorld.make
          const { accounts, tokens } = yield* Generator.generate(chain, { seed, transfers: 30, accounts: 2 })
          const running = yield* Effect.forEach(logging, ({ begin }) => begin(chain, people, rounds))
          yield* operate(chain, running, "before")
          const before = yield* chain.head
          assert.deepStrictEqual(yield* other.catchUp, { reverted: 0, indexed: before.number + 1 })

          // Presets and labels belong to the service, not to the chain: both are told of them.
          const [busiest] = accounts
          assert(busiest !== undefined)
          yield* addPreset(other, [busiest.address], [tokens.mt.address])
          yield* addPreset(other, [people[0]?.address ?? "0x"], [tokens.nft.address, tokens.ft.address])
          yield* control("PUT", `/chains/1001/labels/${tokens.ft.address}`, { status: "failed" })
          const labelled = Option.getOrThrow(yield* chain.contract(tokens.ft.address))
          yield* other.store.setLabel(labelled.address, "failed", labelled.label.updatedAt)

          const all = operations.map(({ name }) => name).sort()
          assert.deepStrictEqual(yield* compare(other), all)

          // Taken back, without anything new.
          const { body: { snapshot } } = yield* control("POST", "/chains/1001/snapshots")
          yield* operate(chain, running, "taken back")
          const highest = yield* chain.head
          yield* other.catchUp
          yield* control("POST", `/chains/1001/snapshots/${snapshot}/revert`)
          assert.deepStrictEqual(yield* other.catchUp, { reverted: highest.number - before.number, indexed: 0 })
          assert.deepStrictEqual(yield* compare(other), all)

          // Taken back, and gone on differently, higher than it was.
          const again = yield* control("POST", "/chains/1001/snapshots")
          yield* operate(chain, running, "taken back, too")
          yield* other.catchUp
          const taken = yield* chain.head
          yield* control("POST", `/chains/1001/snapshots/${again.body.snapshot}/revert`)
          yield* operate(chain, running, "after")
          yield* operate(chain, running, "and after that")
          const after = yield* chain.head
          assert.isAbove(after.number, taken.number)
          assert.deepStrictEqual(yield* other.catchUp, {
            reverted: taken.number - before.number,
            indexed: after.number - before.number
          })
          assert.deepStrictEqual(yield* compare(other), all)
        }),
      240_000
    )

    it.scoped("does not show a balance that a contract changes for somebody whom no log or call names", () =>
      Effect.gen(function*() {
        const { account, catchUp, chain, reads } = yield* twice
        const [alice, bob] = [account("alice"), account("bob")]
        const collector: Hex = `0x${"cc".repeat(20)}`
        const token = yield* deploy(chain, alice, "FeeToken", "(address)", [collector])
        yield* chain.execute(calling(alice, token, "mint(address,uint256)", [alice.address, 1000n]))
        yield* chain.execute(calling(alice, token, "transfer(address,uint256)", [bob.address, 100n]))
        yield* catchUp
        const balances = (of: DataChain) =>
          Effect.forEach([alice.address, bob.address, collector], (owner) => of.totalBalance(token, owner))
        assert.deepStrictEqual(yield* balances(chain), [900n, 90n, 5n])
        // Which slots a transaction wrote is on no wire.
        assert.deepStrictEqual(yield* balances({ ...chain, ...reads }), [900n, 90n, 0n])
      }))

    it.scoped("goes on from the block that could not be read", () =>
      Effect.gen(function*() {
        const { chain, source, store } = yield* twice
        yield* chain.mine(3)
        const { number } = yield* chain.head
        const failing: BlockSource<NodeSource.Failure | "lost"> = {
          ...source,
          block: (height) => height === number - 1 ? Effect.fail("lost" as const) : source.block(height)
        }
        assert.strictEqual(yield* Effect.flip(catchUp(store, failing)), "lost")
        assert.strictEqual(store.rows.latestBlock()?.number, number - 2)
        assert.deepStrictEqual(yield* catchUp(store, source), { reverted: 0, indexed: 2 })
      }))

    it.scoped("is refused where its blocks do not fit", () =>
      Effect.gen(function*() {
        const { account, chain, source, store } = yield* twice
        yield* chain.fund(account("alice").address, 1n)
        const { number } = yield* chain.head
        const changed = (change: (block: SourceBlock<NodeSource.Failure>) => SourceBlock<NodeSource.Failure>) =>
          Effect.map(
            Effect.flip(catchUp(store, {
              ...source,
              block: (height) =>
                Effect.map(source.block(height), (block) => height === number && block ? change(block) : block)
            })),
            ({ message }) => message
          )
        const elsewhere: Hex = `0x${"11".repeat(32)}`
        assert.strictEqual(
          yield* changed((block) => ({ ...block, header: { ...block.header, parentHash: elsewhere } })),
          `block ${number} of the source: its parent is not the block before it`
        )
        assert.match(
          yield* changed((block) => ({
            ...block,
            transactions: block.transactions.map(({ receipt }) => ({ raw: "0x01", from: elsewhere, receipt }))
          })),
          new RegExp(`^block ${number} of the source: transaction 0 can't be read: `)
        )
        assert.strictEqual(store.rows.latestBlock()?.number, number - 1)
        assert.strictEqual(
          (yield* Effect.flip(catchUp(store, {
            ...source,
            // A block that follows the newest one of the index shows that the source has that one, too.
            block: () => Effect.succeed(undefined),
            headerHash: () => Effect.succeed(elsewhere)
          }))).message,
          "block 0 of the source: it is not the genesis block of the index"
        )
      }))
  }
)
