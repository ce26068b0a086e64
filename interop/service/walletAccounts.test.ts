import * as Chunk from "effect/Chunk"
import * as Stream from "effect/Stream"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Account } from "../../packages/wallet/src/Account.js"
import { refusal } from "./caver.js"
import { bare, type CaverAccount } from "./caverWallet.js"
import { all, open, type WalletWorld } from "./walletWorld.js"

let world: WalletWorld
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

/** Code and message of a refused call. */
const told = async (call: Promise<unknown>): Promise<readonly [number, string]> => {
  const { code, message } = await refusal(call)
  return [code, message]
}

const krn = (type: string, name: string): string => `krn:1001:wallet:${world.customer}:${type}:${name}`

/** The SDK's addresses are in lower case. */
const fact = (one: CaverAccount | Account) => ({
  address: one.address.toLowerCase(),
  publicKey: one.publicKey,
  createdAt: one.createdAt,
  updatedAt: one.updatedAt
})

describe("accounts and keys by caver-js-ext-kas", () => {
  it("finds nothing in an empty wallet, and is told so by a code", async () => {
    const { wallet } = world
    assert.deepEqual(await told(wallet.getAccountList()), [1061010, "data don't exist"])
    assert.deepEqual(await told(wallet.getFeePayerList()), [1061010, "data don't exist"])
    assert.deepEqual(await told(wallet.getKeyListByKRN(krn("key-pool", "default"))), [1061010, "data don't exist"])
    assert.strictEqual((await wallet.getAccountCount()).count, 0)
  })

  it("makes accounts in two pools, and lists each of them once, newest first, over pages of every size", async () => {
    const { caver, sdk, wallet } = world
    const made: Array<CaverAccount> = []
    for (let i = 0; i < 7; i++) made.push(await wallet.createAccount())
    const shop = krn("account-pool", "shop")
    const inShop = await world.inPool(shop, async () => [await wallet.createAccount(), await wallet.createAccount()])

    for (const account of [...made, ...inShop]) {
      assert.strictEqual(caver.utils.publicKeyToAddress(bare(account.publicKey)), account.address)
      assert.strictEqual(account.keyId.slice(0, account.krn.length + 1), `${account.krn}:`)
      assert.strictEqual(account.createdAt, account.updatedAt)
    }
    for (const { krn } of inShop) assert.strictEqual(krn, shop)

    const newest = made.toReversed()
    for (const size of [1, 2, 3, 7, 100]) {
      assert.deepEqual((await all((options) => wallet.getAccountList(options), size)).map(fact), newest.map(fact))
    }
    const listed = await world.inPool(shop, () => all((options) => wallet.getAccountList(options), 1))
    assert.deepEqual(listed.map(fact), inShop.toReversed().map(fact))
    assert.deepEqual(
      Chunk.toReadonlyArray(await world.run(Stream.runCollect(sdk.getAccounts.items({ size: 3 })))).map(fact),
      newest.map(fact)
    )
    assert.strictEqual((await wallet.getAccountCount()).count, 9)
    assert.strictEqual((await wallet.getAccountCountByKRN()).count, 7)
  })

  it("lists what was made between two times", async () => {
    const { wallet } = world
    const first = await wallet.createAccount()
    await world.later()
    const second = await wallet.createAccount()
    const between = await wallet.getAccountList({ fromTimestamp: first.createdAt + 1, toTimestamp: second.createdAt })
    assert.deepEqual(between.items.map(fact), [fact(second)])
  })

  it("reads, disables, enables and deletes an account, and finds it by its key", async () => {
    const { wallet } = world
    const account = await wallet.createAccount()
    const { address, publicKey } = account
    assert.deepEqual(fact(await wallet.getAccount(address)), fact(account))
    const byKey = await wallet.getAccountListByPublicKey(publicKey)
    assert.deepEqual(byKey.items.map((one) => [one.address, one.chainId]), [[address, 1001]])

    const off = await wallet.disableAccount(address)
    assert.deepEqual([off.address, off.krn], [address, account.krn])
    const disabled = await wallet.getAccountList({ status: "disabled" })
    assert.deepEqual(disabled.items.map((one) => one.address), [address])
    const enabled = await all((options) => wallet.getAccountList(options), 4)
    assert.isFalse(enabled.some((one) => one.address === address))
    const whole = await all((options) => wallet.getAccountList({ ...options, status: "all" }), 4)
    assert.isTrue(whole.some((one) => one.address === address))
    assert.deepEqual(await told(wallet.disableAccount(address)), [
      1061510,
      "account has been already deleted or disabled"
    ])

    assert.strictEqual((await wallet.enableAccount(address)).address, address)
    assert.strictEqual((await told(wallet.enableAccount(address)))[0], 1061511)
    assert.deepEqual({ ...(await wallet.deleteAccount(address)) }, { status: "deleted" })
    assert.deepEqual(await told(wallet.getAccount(address)), [1061010, "data don't exist"])
    assert.strictEqual((await told(wallet.deleteAccount(address)))[0], 1061010)
  })

  it("makes fee payers, which can do nothing but pay fees unless they are left as they are", async () => {
    const { caver, wallet } = world
    const restricted = await wallet.createFeePayer()
    const free = await wallet.createFeePayer(true)
    assert.strictEqual(restricted.krn, krn("feepayer-pool", "default"))
    assert.deepEqual(
      (await all((options) => wallet.getFeePayerList(options), 1)).map(fact),
      [free, restricted].map(fact)
    )
    assert.deepEqual(fact(await wallet.getFeePayer(free.address)), fact(free))
    assert.strictEqual((await caver.rpc.klay.getAccountKey(restricted.address)).keyType, 5)
    assert.strictEqual((await wallet.deleteFeePayer(free.address)).status, "deleted")
    assert.deepEqual(await told(wallet.getFeePayer(free.address)), [1061010, "data don't exist"])
  })

  it("makes keys, lists them, and signs with one what its public key can be recovered from", async () => {
    const { caver, wallet } = world
    const { items: keys } = await wallet.createKeys(5)
    assert.strictEqual(new Set(keys.map(({ keyId }) => keyId)).size, 5)
    const pool = krn("key-pool", "default")
    const listed = await all((options) => wallet.getKeyListByKRN(pool, options), 2)
    assert.deepEqual(listed.map(({ keyId }) => keyId), keys.map(({ keyId }) => keyId).toReversed())
    const [first] = keys
    assert(first !== undefined)
    assert.deepEqual({ ...(await wallet.getKey(first.keyId)) }, { ...first })

    const data = `0x${"5a".repeat(32)}`
    const { signedData } = await wallet.signMessage(first.keyId, data)
    const signature = {
      r: signedData.slice(0, 66),
      s: `0x${signedData.slice(66, 130)}`,
      v: `0x${(Number(`0x${signedData.slice(130)}`) + 27).toString(16)}`
    }
    assert.strictEqual(caver.utils.recoverPublicKey(data, signature, true), bare(first.publicKey))

    assert.strictEqual((await told(wallet.signMessage(first.keyId, "0x5a")))[0], 1061615)
    assert.strictEqual((await told(wallet.createKeys(101)))[0], 1061615)
    assert.strictEqual((await wallet.deleteKey(first.keyId)).status, "deleted")
    assert.strictEqual((await told(wallet.getKey(first.keyId)))[0], 1061010)
  })
})
