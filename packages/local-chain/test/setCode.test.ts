import * as Authorization from "@effect-klaytn/transaction/Authorization"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { parseTransaction } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as DevAccount from "../src/DevAccount.js"
import { openChain } from "./support/openChain.js"

const seed = "set code"
const alice = DevAccount.derive(seed, "alice")
const bob = DevAccount.derive(seed, "bob")
const carol = DevAccount.derive(seed, "carol")
const klay = 10n ** 18n
const none: Hex = `0x${"00".repeat(20)}`

/** Writes 7 to slot 0 and reverts if there is data. */
const counter: Hex = "0x600d8060093d393df360075f5536600957005b5f5ffd"

const keyOf = DevAccount.revealPrivateKey

const world = (hardfork: "cancun" | "osaka" = "osaka") =>
  Effect.gen(function*() {
    const { chain, storage } = yield* openChain({ clock: { start: 1_600_000_000, step: 1 }, hardfork })
    yield* chain.fund(alice.address, 1000n * klay)
    const { contractAddress = "0x" } = yield* chain.execute({ kind: "deploy", from: alice, code: counter })
    return { chain, storage, contract: contractAddress }
  })

const authorize = (
  signer: DevAccount.DevAccount,
  fields: Partial<Authorization.Authorization> & { readonly address: Hex }
) => {
  const signed = Authorization.sign({ chainId: 1001n, nonce: 0n, ...fields }, { privateKey: keyOf(signer) })
  return signed.ok ? signed.value : assert.fail(signed.error.message)
}

type World = Effect.Effect.Success<ReturnType<typeof world>>

type Authorizations = ReadonlyArray<ReturnType<typeof authorize>>

interface More {
  readonly to?: Hex
  readonly input?: Hex
  readonly gas?: bigint
}

const submit = ({ chain }: Pick<World, "chain">, authorizationList: Authorizations, more: More = {}) =>
  Effect.gen(function*() {
    const made = Transaction.make({
      type: "EthereumSetCode",
      chainId: 1001,
      nonce: yield* chain.pendingNonce(alice.address),
      maxPriorityFeePerGas: 0n,
      maxFeePerGas: chain.unitPrice,
      gas: 500_000n,
      to: bob.address,
      value: 0n,
      input: "0x",
      accessList: [],
      authorizationList,
      ...more
    })
    const signed = made.ok
      ? Transaction.signAsSender(made.value, { chainId: 1001, privateKey: keyOf(alice) })
      : assert.fail(made.error.message)
    return yield* chain.submit(signed.ok ? signed.value : assert.fail(signed.error.message))
  })

const send = (world: World, authorizationList: Authorizations, more?: More) =>
  Effect.flatMap(
    submit(world, authorizationList, more),
    (hash) => Effect.fromNullable(world.storage.transactionByHash(hash))
  )

const account = ({ chain }: Pick<World, "chain">, { address }: DevAccount.DevAccount) =>
  Effect.map(chain.account(address), Option.getOrUndefined)

describe("A transaction that sets code", () => {
  it("is read and signed as viem reads and signs it", async () => {
    const signer = privateKeyToAccount(keyOf(bob))
    const theirs = await signer.signAuthorization({ chainId: 1001, nonce: 3, contractAddress: carol.address })
    const ours = authorize(bob, { address: carol.address, nonce: 3n })
    assert.deepInclude(theirs, {
      yParity: ours.yParity,
      r: `0x${ours.r.toString(16).padStart(64, "0")}`,
      s: `0x${ours.s.toString(16).padStart(64, "0")}`
    })
    const raw = await privateKeyToAccount(keyOf(alice)).signTransaction({
      type: "eip7702",
      chainId: 1001,
      nonce: 1,
      gas: 100_000n,
      maxFeePerGas: 25_000_000_000n,
      to: bob.address,
      authorizationList: [theirs]
    })
    const decoded = Transaction.decode(raw)
    assert(decoded.ok && decoded.value.type === "EthereumSetCode")
    assert.deepStrictEqual(decoded.value.authorizationList, [ours])
    const encoded = Transaction.encode(decoded.value, { form: "eth" })
    assert.strictEqual(encoded.ok && encoded.value, raw)
    assert.strictEqual(parseTransaction(raw as `0x04${string}`).authorizationList?.length, 1)
    const wrapped = Transaction.encode(decoded.value)
    assert.strictEqual(wrapped.ok && wrapped.value, `0x78${raw.slice(2)}`)
    const senders = Transaction.recoverSenders(decoded.value, { chainId: 1001 })
    assert.strictEqual(senders.ok && senders.value[0]?.address, alice.address)
  })

  it.scoped("lets an account run a contract's code, also if the call fails, until it takes that back", () =>
    Effect.gen(function*() {
      const it = yield* world()
      const { chain, contract } = it
      const set = yield* send(it, [authorize(bob, { address: contract })])
      assert.deepInclude(set, { status: 1, typeInt: 30724 })
      assert.strictEqual(yield* chain.code(bob.address), `0xef0100${contract.slice(2)}`)
      assert.strictEqual(BigInt(yield* chain.storageAt(bob.address, 0n)), 7n)
      assert.deepInclude(yield* account(it, bob), { nonce: 1n, isContract: false })
      assert.strictEqual(BigInt(yield* chain.storageAt(contract, 0n)), 0n)
      const failed = yield* send(it, [authorize(carol, { address: contract })], { to: carol.address, input: "0x01" })
      assert.deepInclude(failed, { status: 0, txError: 9 })
      assert.strictEqual(yield* chain.code(carol.address), `0xef0100${contract.slice(2)}`)
      yield* send(it, [authorize(bob, { address: none, nonce: 1n })])
      assert.strictEqual(yield* chain.code(bob.address), "0x")
    }))

  it.scoped("costs 25,000 gas for each authorization, and gives 12,500 back for an account that is there", () =>
    Effect.gen(function*() {
      const it = yield* world()
      yield* it.chain.fund(bob.address, 1n)
      const target = { to: `0x${"99".repeat(20)}` } as const
      const fresh = yield* send(it, [authorize(carol, { address: it.contract })], target)
      assert.strictEqual(fresh.gasUsed, 46_000n)
      const known = yield* send(it, [authorize(bob, { address: it.contract })], target)
      // What is given back is at most a fifth.
      assert.strictEqual(known.gasUsed, 46_000n - 46_000n / 5n)
      const estimate = yield* it.chain.estimateGas({
        from: alice.address,
        to: bob.address,
        authorizationList: [authorize(bob, { address: it.contract, nonce: 1n })]
      })
      const gas = estimate.kind === "enough" ? estimate.gas : assert.fail(estimate.kind)
      const again = yield* send(it, [authorize(bob, { address: it.contract, nonce: 1n })], { gas })
      assert.strictEqual(again.status, 1)
    }))

  it.scoped("passes over authorizations that do not hold", () =>
    Effect.gen(function*() {
      const it = yield* world()
      const key = { type: "AccountKeyPublic", publicKey: carol.publicKey } as const
      yield* it.chain.fund(carol.address, klay)
      yield* it.chain.execute({ kind: "updateKey", from: carol, key })
      const good = authorize(bob, { address: it.contract })
      for (
        const wrong of [
          authorize(bob, { address: it.contract, nonce: 1n }),
          authorize(bob, { address: it.contract, chainId: 8217n }),
          { ...good, s: 0n },
          { ...good, yParity: 2 },
          {
            ...good,
            s: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n - good.s,
            yParity: 1 - good.yParity
          },
          authorize(carol, { address: it.contract, nonce: 1n })
        ]
      ) {
        assert.strictEqual((yield* send(it, [wrong])).status, 1)
        assert.strictEqual(yield* it.chain.code(bob.address), "0x")
        assert.strictEqual(yield* it.chain.code(carol.address), "0x")
      }
      yield* send(it, [authorize(bob, { address: it.contract, chainId: 0n })])
      assert.strictEqual(yield* it.chain.code(bob.address), `0xef0100${it.contract.slice(2)}`)
      // The sender has raised its nonce by then.
      const nonce = (yield* it.chain.pendingNonce(alice.address)) + 1n
      yield* send(it, [authorize(alice, { address: it.contract, nonce })])
      assert.strictEqual(yield* it.chain.code(alice.address), `0xef0100${it.contract.slice(2)}`)
    }))

  it.scoped("is refused without authorizations and before Prague, and may be sent to nobody", () =>
    Effect.gen(function*() {
      const it = yield* world()
      yield* it.chain.fund(bob.address, klay)
      const one = authorize(bob, { address: it.contract })
      const refusals = [
        yield* Effect.flip(send(it, [])),
        yield* Effect.flip(send(it, [one], { gas: 45_999n })),
        yield* Effect.flip(send(yield* world("cancun"), [one]))
      ]
      assert.deepStrictEqual(refusals.map(({ message }) => message), [
        "set code tx must have at least one authorization tuple",
        "intrinsic gas too low",
        "transaction type not supported"
      ])
      assert.deepInclude(yield* send(it, [one], { to: none }), { status: 1, gasUsed: 36_800n })
    }))

  it.scoped("leaves an account that can't change its key or be sent a plain transfer while it has code", () =>
    Effect.gen(function*() {
      const it = yield* world()
      yield* it.chain.fund(bob.address, klay)
      yield* send(it, [authorize(bob, { address: it.contract })])
      const key = { type: "AccountKeyPublic", publicKey: carol.publicKey } as const
      const update = yield* Effect.flip(it.chain.send({ kind: "updateKey", from: bob, key }))
      assert.strictEqual(update.message, "sender must be an EOA without code")
      const transfer = { kind: "transfer", from: alice, to: bob.address, value: 1n } as const
      const refused = yield* Effect.flip(it.chain.send(transfer))
      assert.deepInclude(refused, { reason: "NotForContract", message: "recipient must be an EOA without code" })
      const executed = yield* it.chain.execute({ kind: "execute", from: alice, to: bob.address, data: "0x" })
      assert.strictEqual(executed.status, 1)
      // It still sends with its own key.
      yield* it.chain.execute({ kind: "transfer", from: bob, to: carol.address, value: 1n })
    }))

  it.scoped("lets one transaction of an account with code wait at a time", () =>
    Effect.gen(function*() {
      const it = yield* world()
      const { chain } = it
      yield* chain.fund(bob.address, klay)
      yield* chain.fund(carol.address, klay)
      yield* send(it, [authorize(bob, { address: it.contract })])
      yield* chain.setAutomine(false)
      const transfer = (from: DevAccount.DevAccount, nonce?: bigint) =>
        chain.send({ kind: "transfer", from, to: none, value: nonce ?? 0n, ...(nonce !== undefined && { nonce }) })
      const gap = "gapped-nonce tx from delegated accounts"
      assert.deepInclude(yield* Effect.flip(transfer(bob, 9n)), { reason: "DelegatedGap", message: gap })
      yield* transfer(bob)
      const limit = "in-flight transaction limit reached for delegated accounts"
      assert.deepInclude(yield* Effect.flip(transfer(bob)), { reason: "DelegatedLimit", message: limit })
      assert.deepInclude(yield* Effect.flip(transfer(bob, 9n)), { message: limit })
      // Of two with one nonce and price the first stays, as of any account.
      assert.deepInclude(yield* Effect.flip(transfer(bob, 1n)), { reason: "NonceTaken" })
      yield* transfer(carol)
      yield* transfer(carol)
      yield* chain.mine()
      yield* transfer(bob)
      yield* chain.mine()
      assert.deepStrictEqual((yield* account(it, bob))?.nonce, 3n)
      assert.deepStrictEqual((yield* account(it, carol))?.nonce, 2n)
    }))

  it.scoped("lets an account that is given code have one transaction, and none behind it", () =>
    Effect.gen(function*() {
      const it = yield* world()
      const { chain } = it
      yield* chain.fund(bob.address, klay)
      yield* chain.setAutomine(false)
      const transfer = chain.send({ kind: "transfer", from: bob, to: none, value: 1n })
      const setting = Effect.suspend(() => submit(it, [authorize(bob, { address: it.contract, nonce: 1n })]))
      yield* setting
      yield* transfer
      assert.deepInclude(yield* Effect.flip(transfer), { reason: "DelegatedLimit" })
      const replaced = yield* chain.pending
      yield* chain.send({ kind: "cancel", from: bob, nonce: 0n })
      assert.notDeepEqual(yield* chain.pending, replaced)
      // Another one that names the same account.
      yield* setting
      const snapshot = yield* chain.snapshot
      yield* chain.mine()
      yield* transfer
      // What waited when the snapshot was taken waits again.
      yield* chain.revert(snapshot)
      assert.deepInclude(yield* Effect.flip(transfer), { reason: "DelegatedLimit" })
      yield* chain.reset
      yield* chain.fund(bob.address, klay)
      yield* chain.fund(alice.address, klay)
      // One that was dropped holds nothing back.
      yield* chain.dropTransaction(yield* setting)
      yield* transfer
      yield* transfer
      const reserved = { reason: "AuthorityReserved", message: "authority already reserved" } as const
      assert.deepInclude(yield* Effect.flip(setting), reserved)
    }))
})
