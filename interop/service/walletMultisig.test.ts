import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { refusal } from "./caver.js"
import { all, klay, open, type WalletWorld } from "./walletWorld.js"

let world: WalletWorld
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

const lower = (text: string): string => text.toLowerCase()

/** An account that three others sign for, with weights 1, 2 and 3; 4 is enough. */
const shared = async () => {
  const { wallet } = world
  const account = await world.account()
  const signers = [await wallet.createAccount(), await wallet.createAccount(), await wallet.createAccount()]
  const weightedKeys = signers.map(({ publicKey }, i) => ({ weight: i + 1, publicKey }))
  const update = await wallet.updateToMultiSigAccount(account.address, { threshold: 4, weightedKeys })
  return { account, signers, update, weightedKeys }
}

const payment = (from: string, to: string, more: object = {}) => ({
  from,
  to,
  value: `0x${klay.toString(16)}`,
  submit: true,
  ...more
})

describe("multisig accounts and account updates by caver-js-ext-kas", () => {
  it("gives an account several keys, and finds them in the wallet and on the chain", async () => {
    const { caver, wallet } = world
    const { account, update, weightedKeys } = await shared()
    const plain = (keys: typeof weightedKeys | undefined) => keys?.map((key) => ({ ...key }))
    assert.deepEqual([update.threshold, plain(update.multiSigKeys?.slice())], [4, weightedKeys])
    const record = await world.transaction(update.transactionHash)
    assert.deepEqual([record.from, record.typeInt, record.status], [lower(account.address), 32, 1])
    const found = await wallet.getAccount(account.address)
    assert.deepEqual([found.threshold, plain(found.multiSigKeys?.slice())], [4, weightedKeys])
    assert.strictEqual((await caver.rpc.klay.getAccountKey(account.address)).keyType, 4)
    const again = await refusal(wallet.updateToMultiSigAccount(account.address, { threshold: 4, weightedKeys }))
    assert.strictEqual(again.code, 1061515)
  })

  it("sends a payment once enough have signed, and tells who has not", async () => {
    const { balance, wallet } = world
    const { account, signers } = await shared()
    const [one, two, three] = signers
    assert(one !== undefined && two !== undefined && three !== undefined)
    const to = await wallet.createAccount()
    const asked = await wallet.requestValueTransfer(payment(account.address, to.address))
    assert.deepEqual([asked.status, asked.rlp, asked.transactionHash], ["Pending", undefined, undefined])
    const id = asked.transactionId

    for (const address of [account, ...signers].map((each) => each.address)) {
      const { items: [found], cursor } = await wallet.getMultiSigTransactionList(address)
      assert.deepEqual([found?.transactionId, found?.threshold, cursor], [id, 4, ""])
    }

    const first = await wallet.signMultiSigTransction(one.address, id)
    assert.deepEqual([first.status, first.weight, first.signedWeight, first.reminders], [
      "Signed",
      1,
      1,
      [two.address, three.address]
    ])
    assert.strictEqual(await balance(to.address), 0n)
    // The third signs elsewhere and submits its signature.
    const signature = await wallet.signTransaction(three.address, id)
    const last = await wallet.appendSignatures(id, [{ ...signature }])
    assert.deepEqual([last.status, last.weight, last.signedWeight], ["Submitted", 3, 4])
    assert.strictEqual(await balance(to.address), klay)

    const { raw } = await world.transaction(last.transactionHash ?? "")
    const proof = world.proven({ rlp: raw })
    assert.strictEqual(proof.hash, last.transactionHash)
    assert.sameMembers([...proof.senders], [lower(one.address), lower(three.address)])
    const late = await refusal(wallet.signMultiSigTransction(two.address, id))
    assert.strictEqual(late.code, 1061914)
    assert.strictEqual((await refusal(wallet.getMultiSigTransactionList(account.address))).code, 1061010)
  })

  it("does so when the global fee payer or a user's pays; strangers cannot sign", async () => {
    const { balance, fund, wallet } = world
    const { account, signers } = await shared()
    const to = await wallet.createAccount()
    const user = await wallet.createFeePayer()
    await fund(user.address)
    const before = await balance(account.address)
    const asked = [
      await wallet.requestFDValueTransferPaidByGlobalFeePayer(payment(account.address, to.address)),
      await wallet.requestFDValueTransferPaidByUser(payment(account.address, to.address, { feePayer: user.address })),
      await wallet.requestFDValueTransferPaidByGlobalFeePayer(payment(account.address, to.address, { memo: "third" }))
    ].map(({ transactionId }) => transactionId)
    const listed = await all((options) => wallet.getMultiSigTransactionList(account.address, options), 2)
    assert.deepEqual(listed.map(({ transactionId }) => transactionId), asked.toReversed())

    const stranger = await refusal(wallet.signMultiSigTransction(to.address, asked[0] ?? ""))
    assert.deepEqual([stranger.code, stranger.message.endsWith(`; ${to.address}`)], [1061512, true])
    const payers: Array<string | undefined> = []
    for (const id of asked) {
      let hash: string | undefined
      for (const { address } of signers.slice(1)) {
        hash = (await wallet.signMultiSigTransction(address, id)).transactionHash
      }
      const { feePayer, raw } = await world.transaction(hash ?? "")
      assert.deepEqual(world.proven({ rlp: raw }).feePayers, [feePayer ?? "nobody"])
      payers.push(feePayer)
    }
    const global = world.globalFeePayer
    assert.deepEqual(payers, [global, lower(user.address), global])
    assert.strictEqual(before - await balance(account.address), 3n * klay)
    assert.strictEqual(await balance(to.address), 3n * klay)
  })

  it("gives accounts other keys: with a foreign one it can sign no more, with that of nobody it is disabled", async () => {
    const { caver, wallet } = world
    const payer = lower(world.globalFeePayer)
    const [lost, closed] = [await world.account(), await world.account()]
    const foreign = caver.keyringContainer.keyring.generate()
    const update = await wallet.requestAccountUpdate({
      from: lost.address,
      accountKey: { keyType: 2, key: foreign.getPublicKey() },
      submit: true
    })
    const proof = world.proven(update)
    assert.deepEqual([proof.type, proof.hash, proof.senders], [
      "TxTypeAccountUpdate",
      update.transactionHash,
      [lower(lost.address)]
    ])
    assert.strictEqual((await refusal(wallet.getAccount(lost.address))).code, 1065102)
    assert.strictEqual(
      (await refusal(wallet.requestValueTransfer(payment(lost.address, closed.address)))).code,
      1065100
    )
    const corrupted = await wallet.getAccountList({ status: "corrupted" })
    assert.deepEqual(corrupted.items.map(({ address }) => address), [lost.address])
    // The holder of the key can still use it.
    const spent = await caver.transaction.valueTransfer.create({
      from: lost.address,
      to: closed.address,
      value: "0x1",
      gas: 100_000
    }).sign(caver.keyringContainer.keyring.create(lost.address, foreign.key.privateKey))
    await caver.rpc.klay.sendRawTransaction(spent.getRLPEncoding())
    assert.strictEqual(await world.balance(closed.address), 100n * klay + 1n)

    const end = await wallet.requestFDAccountUpdatePaidByGlobalFeePayer({
      from: closed.address,
      accountKey: { keyType: 3 },
      submit: true
    })
    assert.deepEqual([world.proven(end).feePayers, end.feePayer], [[payer], payer])
    const disabled = await wallet.getAccountList({ status: "disabled" })
    assert.deepEqual(disabled.items.map(({ address }) => address), [closed.address])
    assert.strictEqual((await caver.rpc.klay.getAccountKey(closed.address)).keyType, 3)
  })
})
