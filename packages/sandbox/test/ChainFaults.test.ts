import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { BlockStore } from "../../indexer/src/internal/sqlite/BlockStore.js"
import { TransferStore } from "../../indexer/src/internal/sqlite/TransferStore.js"
import { JournalState } from "../../local-chain/src/internal/JournalState.js"
import type { Chain } from "../src/Chain.js"
import * as Chains from "../src/Chains.js"
import { DriverConnection } from "../src/internal/store/sqlClient.js"
import * as Sandbox from "../src/Sandbox.js"

const Health = Schema.Struct({
  status: Schema.String,
  message: Schema.optional(Schema.String),
  chains: Schema.Array(Schema.Struct({ stuck: Schema.optional(Schema.Struct({ attempts: Schema.Number })) }))
})

const healthOf = (url: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/_sandbox/health`)
    return { status: response.status, body: Schema.decodeUnknownSync(Health)(await response.json()) }
  })

const klay = 10n ** 18n
const options = { seed: "fault tests", accounts: [{ name: "alice", balance: 1000n * klay }] } as const
const alice = DevAccount.derive(options.seed, "alice")
const bob = DevAccount.derive(options.seed, "bob")
const carol = DevAccount.derive(options.seed, "carol")

/** Replaces a method for the time of a scope; gives a switch that says whether the replacement is in force. */
const replaced = <A extends object, K extends keyof A & string>(
  target: A,
  method: K,
  replacement: (original: A[K]) => A[K]
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const original = target[method]
      target[method] = replacement(original)
      return () => void (target[method] = original)
    }),
    (restore) => Effect.sync(restore)
  )

/** A legacy transaction, signed. */
const legacy = (
  chain: Chain,
  nonce: bigint,
  fields: { readonly to?: Hex; readonly input?: Hex; readonly gas?: bigint }
) => {
  const made = Transaction.make({
    type: "LegacyTransaction",
    nonce,
    gasPrice: 2n * chain.unitPrice,
    gas: fields.gas ?? 1_000_000n,
    ...(fields.to !== undefined && { to: fields.to }),
    value: 0n,
    input: fields.input ?? "0x"
  })
  assert(made.ok)
  const signed = Transaction.signAsSender(made.value, {
    chainId: chain.chainId,
    privateKey: DevAccount.revealPrivateKey(alice)
  })
  assert(signed.ok)
  const raw = Transaction.encode(signed.value)
  assert(raw.ok)
  return raw.value
}

const receipt = (chain: Chain, hash: Hex) => Effect.map(chain.transaction(hash), Option.getOrThrow)

describe("a fault in one transaction", () => {
  for (const mining of ["manual", { every: "500 millis" }] as const) {
    it.scoped(`a call of the blob precompile stops no block (${typeof mining === "string" ? mining : "interval"})`, () =>
      Effect.gen(function*() {
        const chain = (yield* Chains.make({ ...options, mining })).chain(1001)
        const next = mining === "manual" ? Effect.asVoid(chain.mine()) : TestClock.adjust("500 millis")
        const first = yield* chain.submitRaw(legacy(chain, 0n, { input: "0x5f5f60c05f5f600a61fffff100" }))
        yield* next
        assert.strictEqual((yield* receipt(chain, first)).status, 1)
        const second = yield* chain.submitRaw(legacy(chain, 1n, { to: bob.address }))
        yield* next
        assert.strictEqual((yield* receipt(chain, second)).status, 1)
      }))
  }

  it.scoped("is a failed receipt that took all gas and the fee, and changes nothing else", () =>
    Effect.gen(function*() {
      // Nothing that the chain knows of breaks the EVM any more: something that breaks it is put in.
      yield* replaced(JournalState.prototype, "putStorage", () => () => Promise.reject(new TypeError("broken")))
      const chain = (yield* Chains.make({ ...options, mining: "manual" })).chain(1001)
      const before = Option.getOrThrow(yield* chain.account(alice.address))
      // Creates an account by sending it one peb, then writes a slot.
      const input: Hex = `0x5f5f5f5f600173${bob.address.slice(2)}61fffff1600160015500`
      const hash = yield* chain.submitRaw(legacy(chain, 0n, { input }))
      const [block] = yield* chain.mine()
      assert.strictEqual(block?.transactionCount, 1)
      const record = yield* receipt(chain, hash)
      assert.deepInclude(record, { status: 0, txError: 2, gasUsed: 1_000_000n, contractAddress: undefined })
      const after = Option.getOrThrow(yield* chain.account(alice.address))
      assert.deepInclude(after, { nonce: 1n, balance: before.balance - record.fee })
      assert.isTrue(Option.isNone(yield* chain.account(bob.address)))
      assert.strictEqual((yield* chain.call({ to: bob.address })).txError, undefined)
      assert.deepStrictEqual(yield* chain.dropped, [])
    }))

  it.scoped("takes the transaction out of the pool with the reason where not even a failed receipt can be made", () =>
    Effect.gen(function*() {
      const chain = (yield* Chains.make({ ...options, mining: "manual" })).chain(1001)
      const first = yield* chain.submitRaw(legacy(chain, 0n, { to: bob.address }))
      const culprit = yield* chain.submitRaw(legacy(chain, 1n, { to: carol.address }))
      const last = yield* chain.submitRaw(legacy(chain, 2n, { to: bob.address }))
      yield* Effect.scoped(Effect.gen(function*() {
        // What only the store finds out, such as a key that is there already.
        yield* replaced(BlockStore.prototype, "apply", (apply) =>
          function(this: BlockStore, executed) {
            if ([...executed.transactions].some(({ hash }) => hash === culprit)) {
              throw new Error("UNIQUE constraint failed")
            }
            return apply.call(this, executed)
          })
        const counts: Array<number> = []
        while ((yield* chain.pending).length > 1) {
          for (const { transactionCount } of yield* chain.mine()) counts.push(transactionCount)
        }
        assert.deepStrictEqual(counts, [1, 0])
      }))
      assert.strictEqual((yield* receipt(chain, first)).status, 1)
      const [dropped] = yield* chain.dropped
      assert.strictEqual(dropped?.hash, culprit)
      assert.include(dropped?.reason ?? "", "UNIQUE constraint failed")
      // The one behind it waits for its nonce.
      assert.deepStrictEqual(yield* chain.pending, [last])
      yield* chain.submitRaw(legacy(chain, 1n, { to: bob.address }))
      yield* chain.mine()
      assert.strictEqual((yield* receipt(chain, last)).status, 1)
      assert.isTrue(Option.isNone(yield* chain.stuck))
    }))

  it.scoped("tells whoever sends with automatic mining that the transaction can't be in a block", () =>
    Effect.gen(function*() {
      const chain = (yield* Chains.make(options)).chain(1001)
      yield* replaced(BlockStore.prototype, "apply", (apply) =>
        function(this: BlockStore, executed) {
          if ([...executed.transactions].length > 0) throw new Error("too large")
          return apply.call(this, executed)
        })
      const failure = yield* Effect.flip(chain.submitRaw(legacy(chain, 0n, { to: bob.address })))
      assert.deepInclude(failure, { _tag: "TransactionRejected", reason: "Unexecutable" })
      assert.deepStrictEqual(yield* chain.pending, [])
    }))
})

describe("what waits in the pool", () => {
  it.scoped("leaves it with a reason when another transaction takes its nonce, or its account has another key", () =>
    Effect.gen(function*() {
      const chain = (yield* Chains.make({ ...options, mining: "manual" })).chain(1001)
      const overtaken = yield* chain.submitRaw(legacy(chain, 0n, { to: bob.address }))
      const { number } = yield* chain.sendBlock([{ kind: "transfer", from: alice, to: bob.address, value: 1n }])
      const [mined] = yield* chain.transactions({ block: number, limit: 1 })
      assert.deepStrictEqual(yield* chain.pending, [])
      const update = yield* chain.send({
        kind: "updateKey",
        from: alice,
        key: { type: "AccountKeyPublic", publicKey: carol.publicKey }
      })
      const withOldKey = yield* chain.send({ kind: "transfer", from: alice, to: bob.address, value: 1n })
      yield* chain.mine()
      assert.strictEqual((yield* receipt(chain, update)).status, 1)
      assert.isTrue(Option.isNone(yield* chain.transaction(withOldKey)))
      const dropped = yield* chain.dropped
      assert.deepStrictEqual(dropped.map(({ hash }) => hash), [overtaken, withOldKey])
      assert(mined !== undefined)
      assert.deepInclude(dropped[0], { reason: `transaction ${mined.hash} has its nonce 0`, replacedBy: mined.hash })
      assert.include(dropped[1]?.reason ?? "", "sender")
    }))

  it.scoped("is spread over blocks when it has no room in one", () =>
    Effect.gen(function*() {
      const chain = (yield* Chains.make({ ...options, mining: "manual" })).chain(1001)
      // Uses all of its gas.
      for (let nonce = 0n; nonce < 6n; nonce++) {
        yield* chain.submitRaw(legacy(chain, nonce, { input: "0xfe", gas: 25_000_000n }))
      }
      const blocks = yield* chain.mine(2)
      assert.deepStrictEqual(blocks.map(({ transactionCount }) => transactionCount), [4, 2])
      assert.deepStrictEqual(yield* chain.pending, [])
    }))
})

describe("a database that fails", () => {
  it.scoped("shows in the health of the sandbox until blocks can be built again, and loses nothing that waits", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox.make({ mining: "manual", seed: options.seed })
      const chain = sandbox.chains.chain(1001)
      const health = healthOf(sandbox.url)
      assert.strictEqual((yield* health).status, 200)
      const hash = yield* chain.send({
        kind: "transfer",
        from: sandbox.chains.account("alice"),
        to: bob.address,
        value: 1n
      })
      yield* Effect.scoped(Effect.gen(function*() {
        yield* replaced(BlockStore.prototype, "apply", () => () => {
          throw new Error("disk is full")
        })
        yield* Effect.flip(chain.mine())
        yield* Effect.flip(chain.mine())
        const { body, status } = yield* health
        assert.strictEqual(status, 503)
        assert.deepInclude(body, {
          status: "stuck",
          message: "chain 1001 can't build blocks: the database failed at build: disk is full"
        })
        assert.strictEqual(body.chains[1]?.stuck?.attempts, 2)
      }))
      assert.deepStrictEqual(yield* chain.pending, [hash])
      yield* chain.mine()
      assert.strictEqual((yield* receipt(chain, hash)).status, 1)
      assert.strictEqual((yield* health).status, 200)
    }))

  it.scoped("shows in the health of the sandbox for each service that can't answer any more", () =>
    Effect.gen(function*() {
      const { control, url } = yield* Sandbox.make({ seed: options.seed })
      const health = healthOf(url)
      assert.strictEqual((yield* health).status, 200)
      yield* control.addFault({ action: { kind: "answer", status: 503 } })
      assert.strictEqual((yield* health).status, 200, "a fault is for the program under test")
      assert.deepStrictEqual(yield* control.requests(), [])
      yield* Effect.scoped(Effect.gen(function*() {
        const broken = () => () => {
          throw new Error("disk I/O error")
        }
        yield* replaced(TransferStore.prototype, "search", broken)
        yield* replaced(DriverConnection.prototype, "execute", broken)
        const { body, status } = yield* health
        assert.strictEqual(status, 503)
        assert.deepInclude(body, {
          status: "down",
          message: "history answered a read with HTTP 500; wallet answered a read with HTTP 500; " +
            "resource answered a read with HTTP 500"
        })
      }))
      assert.strictEqual((yield* health).status, 200)
    }))

  it.scoped("shows in the health of the sandbox also when its customer has no credential left", () =>
    Effect.gen(function*() {
      const { accessKeyId, control, url } = yield* Sandbox.make({ seed: options.seed })
      yield* control.deleteCredential(accessKeyId)
      assert.strictEqual((yield* healthOf(url)).status, 200)
    }))
})

describe("a long execution", () => {
  it.scopedLive("lets the process answer others while it runs, and uses the gas that it did", () =>
    Effect.gen(function*() {
      const chain = (yield* Chains.make(options)).chain(1001)
      let others = 0
      const timer = setInterval(() => others++, 1)
      const result = yield* chain.call({ data: "0x5b5f56", gas: 3_000_000n })
      clearInterval(timer)
      assert.deepInclude(result, { txError: 7, gasUsed: 3_000_000n })
      assert.isAbove(others, 1)
      // One loop of a counter from three to none.
      const counted = yield* chain.call({ data: "0x60035b6001900380600257" })
      assert.strictEqual(counted.gasUsed, 3n + 3n * (1n + 3n + 3n + 3n + 3n + 3n + 10n))
    }))
})

describe("mining at intervals", () => {
  it.scoped("builds a block every so often, empty ones too", () =>
    Effect.gen(function*() {
      const chain = (yield* Chains.make({ ...options, mining: { every: "500 millis" } })).chain(1001)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* chain.head).number, 4)
    }))
})
