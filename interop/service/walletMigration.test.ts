import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { refusal } from "./caver.js"
import type { Moving } from "./caverWallet.js"
import { klay, open, type WalletWorld } from "./walletWorld.js"

let world: WalletWorld
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

const lower = (text: string): string => text.toLowerCase()

/** An account of a node of one's own: with coin, and a key that the wallet has never seen. */
const single = async (): Promise<Moving & { readonly key: string }> => {
  const { address, key } = world.caver.keyringContainer.keyring.generate()
  await world.fund(address)
  return { address, key: key.privateKey }
}

const pairs = (count: number) => Array.from({ length: count }, () => world.caver.keyringContainer.keyring.generate())

/** The same with other keys than its first one: as the client itself updates it, over the node. */
const rekeyed = async (key: Moving["key"], account: (address: string) => object): Promise<Moving> => {
  const { caver } = world
  const first = await single()
  const update = await caver.transaction.accountUpdate.create({
    from: first.address,
    account: account(first.address),
    gas: 500_000
  }).sign(caver.keyringContainer.keyring.create(first.address, first.key))
  await caver.rpc.klay.sendRawTransaction(update.getRLPEncoding())
  return { address: first.address, key }
}

/** A payment that is signed with the keys the account had before. */
const withOldKey = async ({ address, key }: Moving, to: string): Promise<unknown> => {
  const { caver } = world
  const signed = await caver.transaction.valueTransfer.create({ from: address, to, value: "0x1", gas: 200_000 })
    .sign(caver.keyringContainer.keyring.create(address, key))
  return caver.rpc.klay.sendRawTransaction(signed.getRLPEncoding())
}

const payment = (from: string, to: string) => ({ from, to, value: `0x${klay.toString(16)}`, submit: true })

/** The wallet spends with the new key, and the old one opens nothing any more. */
const isMoved = async (moved: Moving): Promise<void> => {
  const { balance, caver, wallet } = world
  const to = (await wallet.createAccount()).address
  const { publicKey } = await wallet.getAccount(moved.address)
  const spent = await wallet.requestValueTransfer(payment(moved.address, to))
  const proof = world.proven(spent)
  assert.strictEqual(proof.hash, spent.transactionHash)
  const { items: [owner] } = await wallet.getAccountListByPublicKey(publicKey)
  assert.strictEqual(lower(owner?.address ?? ""), lower(moved.address))
  assert.deepEqual(proof.senders, [lower(caver.utils.publicKeyToAddress(`0x${publicKey.slice(4)}`))])
  assert.notDeepEqual(proof.senders, [lower(moved.address)])
  assert.strictEqual(await balance(to), klay)
  const old = await withOldKey(moved, to).then(() => "sent", (error: Error) => error.message)
  assert.match(old, /invalid sender: invalid account key/)
  assert.strictEqual(await balance(to), klay)
}

describe("moving accounts in by caver-js-ext-kas", () => {
  it("moves accounts with one key, which the service pays for; they spend with the new key only", async () => {
    const { balance, wallet } = world
    const accounts = [await single(), await single(), await single()]
    // An old key that works: it is the migration that ends it.
    const [first] = accounts
    assert(first !== undefined)
    await withOldKey(first, accounts[1]?.address ?? "")
    const before = await Promise.all(accounts.map(({ address }) => balance(address)))
    const payer = await balance(world.globalFeePayer)
    assert.deepEqual({ ...(await wallet.migrateAccounts(accounts)) }, { status: "ok" })
    assert.deepEqual(await Promise.all(accounts.map(({ address }) => balance(address))), before)
    assert.isTrue(await balance(world.globalFeePayer) < payer)
    const { items } = await wallet.getAccountList()
    assert.deepEqual(
      items.map(({ address }) => lower(address)),
      accounts.map(({ address }) => lower(address)).reverse()
    )
    for (const account of accounts) await isMoved(account)
  })

  it("moves an account with several keys, and one with a key for each role", async () => {
    const { caver, wallet } = world
    const several = pairs(3)
    const multisig = await rekeyed(
      several.map(({ key }) => key.privateKey),
      (address) =>
        caver.account.createWithAccountKeyWeightedMultiSig(
          address,
          several.map((pair) => pair.getPublicKey()),
          { threshold: 2, weights: [1, 1, 1] }
        )
    )
    const roles = [pairs(1), pairs(2), pairs(1)]
    const roleBased = await rekeyed(
      roles.map((role) => role.map(({ key }) => key.privateKey)),
      (address) =>
        caver.account.createWithAccountKeyRoleBased(
          address,
          roles.map((role) => role.map((pair) => pair.getPublicKey())),
          [{}, { threshold: 2, weights: [1, 1] }, {}]
        )
    )
    assert.strictEqual((await caver.rpc.klay.getAccountKey(multisig.address)).keyType, 4)
    assert.strictEqual((await caver.rpc.klay.getAccountKey(roleBased.address)).keyType, 5)
    assert.deepEqual({ ...(await wallet.migrateAccounts([multisig, roleBased])) }, { status: "ok" })
    for (const account of [multisig, roleBased]) {
      assert.strictEqual((await caver.rpc.klay.getAccountKey(account.address)).keyType, 2)
      await isMoved(account)
    }
  })

  it("tells of each account that was not moved, and moves the others", async () => {
    const { caver, wallet } = world
    const [good, other] = [await single(), await single()]
    const thief = { address: other.address, key: caver.keyringContainer.keyring.generate().key.privateKey }
    const some = await wallet.migrateAccounts([good, thief])
    assert.strictEqual(some.status, "partially failed")
    assert.deepEqual(Object.entries(some.failures ?? {}).map(([address, why]) => [lower(address), why]), [[
      lower(other.address),
      "failed to send a raw transaction to klaytn node; -32000::invalid sender: invalid account key"
    ]])
    await isMoved(good)
    assert.strictEqual((await wallet.migrateAccounts([thief])).status, "all failed")
    assert.strictEqual((await refusal(wallet.getAccount(other.address))).code, 1061010)
    assert.deepEqual({ ...(await wallet.migrateAccounts([other])) }, { status: "ok" })
    await isMoved(other)
  })

  it("reads the history of an account that was moved in, before and after", async () => {
    const { caver, wallet } = world
    const account = await single()
    const to = (await wallet.createAccount()).address
    await withOldKey(account, to)
    await wallet.migrateAccounts([account])
    const { transactionHash } = await wallet.requestValueTransfer(payment(account.address, to))
    await world.indexed()
    const { items } = await caver.kas.tokenHistory.getTransferHistoryByAccount(account.address, { kind: "klay" })
    const sent = items.flatMap((one) => one.transferType === "klay" && one.to === lower(to) ? [one] : [])
    assert.deepEqual(sent.map(({ value }) => BigInt(value)), [klay, 1n])
    assert.strictEqual(sent[0]?.transactionHash, transactionHash)
  })
})
