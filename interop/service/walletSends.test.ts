import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as TokenContract from "../../packages/sandbox/src/TokenContract.js"
import { refusal } from "./caver.js"
import type { CaverResult } from "./caverWallet.js"
import { gasPrice, klay, open, type WalletWorld } from "./walletWorld.js"

let world: WalletWorld
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

/** What was sent, held against the bytes of the answer, the chain, and the client's receipt. */
const sent = async (result: CaverResult, from: string, type: string, feePayer?: string): Promise<bigint> => {
  const { feePayers, hash, senders, type: decoded } = world.proven(result)
  const sender = from.toLowerCase()
  assert.strictEqual(decoded, type)
  assert.deepEqual([result.from, result.status], [sender, "Submitted"])
  assert.strictEqual(hash, result.transactionHash)
  assert.deepEqual(senders, [sender])
  assert.deepEqual(feePayers, feePayer === undefined ? [] : [feePayer.toLowerCase()])
  const record = await world.transaction(result.transactionHash)
  assert.deepEqual([record.from, record.status, record.typeInt], [sender, 1, result.typeInt])
  assert.strictEqual(Number(record.nonce), result.nonce)
  assert.strictEqual(record.feePayer, feePayer?.toLowerCase())
  const receipt = await world.wallet.getTransaction(result.transactionHash)
  assert.deepEqual(
    [receipt.status, receipt.from, receipt.transactionHash, receipt.typeInt, BigInt(receipt.gasUsed) * gasPrice],
    ["Committed", sender, hash, result.typeInt, record.fee]
  )
  return record.fee
}

const told = async (call: Promise<unknown>): Promise<readonly [number, string]> => {
  const { code, message } = await refusal(call)
  return [code, message]
}

const value = 1_500_000_000_000_000_000n

/** A transfer of 1.5 KLAY as the client takes it. */
const payment = (from: string, to: string, more: object = {}) => ({
  from,
  to,
  value: `0x${value.toString(16)}`,
  submit: true,
  ...more
})

describe("sends by caver-js-ext-kas", () => {
  it("sends value plain and with a memo; the sender pays, the receiver has it", async () => {
    const { balance, wallet } = world
    const [alice, bob] = [await world.account(), await wallet.createAccount()]
    const plain = await wallet.requestValueTransfer(payment(alice.address, bob.address))
    const fee = await sent(plain, alice.address, "TxTypeValueTransfer")
    assert.strictEqual(await balance(bob.address), value)
    assert.strictEqual(await balance(alice.address), 100n * klay - value - fee)

    const memo = await wallet.requestValueTransfer(payment(alice.address, bob.address, { memo: "rent for May" }))
    await sent(memo, alice.address, "TxTypeValueTransferMemo")
    assert.strictEqual(memo.input, `0x${Buffer.from("rent for May").toString("hex")}`)
    assert.strictEqual(memo.nonce, plain.nonce + 1)
    assert.strictEqual(await balance(bob.address), 2n * value)
    const legacy = await wallet.requestLegacyTransaction(payment(alice.address, bob.address))
    await sent(legacy, alice.address, "TxTypeLegacyTransaction")
    assert.strictEqual(await balance(bob.address), 3n * value)
  })

  it("sends value that the global fee payer pays the fee of, in whole and in part", async () => {
    const { balance, wallet } = world
    const [alice, bob] = [await world.account(), await wallet.createAccount()]
    const payer = world.globalFeePayer
    const before = await balance(payer)
    const whole = await wallet.requestFDValueTransferPaidByGlobalFeePayer(payment(alice.address, bob.address))
    const fee = await sent(whole, alice.address, "TxTypeFeeDelegatedValueTransfer", payer)
    assert.strictEqual(await balance(alice.address), 100n * klay - value)
    assert.strictEqual(await balance(payer), before - fee)

    const part = await wallet.requestFDValueTransferPaidByGlobalFeePayer(
      payment(alice.address, bob.address, { feeRatio: 30, memo: "70 of 100 are mine" })
    )
    const shared = await sent(part, alice.address, "TxTypeFeeDelegatedValueTransferMemoWithRatio", payer)
    assert.strictEqual(part.feeRatio, 30)
    assert.strictEqual(await balance(payer), before - fee - shared * 30n / 100n)
  })

  it("sends value that a user's fee payer pays the fee of", async () => {
    const { balance, fund, wallet } = world
    const [alice, bob] = [await world.account(), await wallet.createAccount()]
    for (const withoutAccountUpdate of [true, false]) {
      const payer = await wallet.createFeePayer(withoutAccountUpdate)
      await fund(payer.address)
      const result = await wallet.requestFDValueTransferPaidByUser(
        payment(alice.address, bob.address, { feePayer: payer.address })
      )
      const fee = await sent(result, alice.address, "TxTypeFeeDelegatedValueTransfer", payer.address)
      assert.strictEqual(await balance(payer.address), 100n * klay - fee)
    }
    assert.strictEqual(await balance(alice.address), 100n * klay - 2n * value)
    const stranger = await told(
      wallet.requestFDValueTransferPaidByUser(payment(alice.address, bob.address, { feePayer: bob.address }))
    )
    assert.strictEqual(stranger[0], 1061905)
  })

  it("deploys a contract, calls it, and reads it, whoever pays", async () => {
    const { balance, fund, wallet } = world
    const alice = await world.account()
    const global = world.globalFeePayer
    const user = await wallet.createFeePayer(true)
    await fund(user.address)
    const input = TokenContract.creationCode({ kind: "ft", name: "Apple", symbol: "APL", decimals: 2 })
    const gas = 5_000_000
    const deploy = { from: alice.address, input, gas, submit: true }
    const plain = await wallet.requestSmartContractDeploy(deploy)
    await sent(plain, alice.address, "TxTypeSmartContractDeploy")
    const byGlobal = await wallet.requestFDSmartContractDeployPaidByGlobalFeePayer(deploy)
    await sent(byGlobal, alice.address, "TxTypeFeeDelegatedSmartContractDeploy", global)
    const byUser = await wallet.requestFDSmartContractDeployPaidByUser({ ...deploy, feePayer: user.address })
    await sent(byUser, alice.address, "TxTypeFeeDelegatedSmartContractDeploy", user.address)

    const { contractAddress: apples = "" } = await wallet.getTransaction(plain.transactionHash)
    const bob = (await wallet.createAccount()).address.toLowerCase()
    const word = (one: string | bigint) => BigInt(one).toString(16).padStart(64, "0")
    const mint = {
      from: alice.address,
      to: apples,
      input: `0x40c10f19${word(bob)}${word(500n)}`,
      gas: 500_000,
      submit: true
    }
    await sent(await wallet.requestSmartContractExecution(mint), alice.address, "TxTypeSmartContractExecution")
    const before = await balance(alice.address)
    await sent(
      await wallet.requestFDSmartContractExecutionPaidByGlobalFeePayer(mint),
      alice.address,
      "TxTypeFeeDelegatedSmartContractExecution",
      global
    )
    await sent(
      await wallet.requestFDSmartContractExecutionPaidByUser({ ...mint, feePayer: user.address, feeRatio: 99 }),
      alice.address,
      "TxTypeFeeDelegatedSmartContractExecutionWithRatio",
      user.address
    )
    assert.isBelow(Number(before - await balance(alice.address)), Number(klay) / 1000)
    const { result } = await wallet.callContract(apples, "balanceOf", [{ type: "address", value: bob }])
    assert.strictEqual(BigInt(result), 1500n)
  })

  it("signs without sending, and cancels what was signed", async () => {
    const { balance, wallet } = world
    const [alice, bob] = [await world.account(), await wallet.createAccount()]
    const signed = await wallet.requestValueTransfer(payment(alice.address, bob.address, { submit: false }))
    assert.deepEqual([signed.status, signed.transactionHash], [undefined, undefined])
    assert.deepEqual(world.proven(signed).senders, [alice.address.toLowerCase()])
    assert.strictEqual(await balance(bob.address), 0n)
    const kept = await wallet.requestRawTransaction({ rlp: signed.rlp, submit: true })
    await sent(kept, alice.address, "TxTypeValueTransfer")
    assert.strictEqual(kept.transactionHash, world.proven(signed).hash)
    assert.strictEqual(await balance(bob.address), value)

    const next = await wallet.requestValueTransfer(payment(alice.address, bob.address, { submit: false }))
    const { nonce } = next
    const cancelled = await wallet.requestCancel({ from: alice.address, nonce, submit: true })
    await sent(cancelled, alice.address, "TxTypeCancel")
    const [code, message] = await told(wallet.requestRawTransaction({ rlp: next.rlp, submit: true }))
    assert.strictEqual(code, 1065001)
    assert.match(message, /nonce/)
    assert.strictEqual(await balance(bob.address), value)
    const free = await wallet.requestFDCancelPaidByGlobalFeePayer({
      from: alice.address,
      nonce: nonce + 1,
      submit: true
    })
    await sent(
      free,
      alice.address,
      "TxTypeFeeDelegatedCancel",
      world.globalFeePayer
    )
  })

  it("takes what the client built itself, unsigned or signed by a key of its own, and has another pay", async () => {
    const { balance, caver, fund, wallet } = world
    const [alice, bob] = [await world.account(), await wallet.createAccount()]
    const global = world.globalFeePayer
    const built = (from: string) =>
      caver.transaction.feeDelegatedValueTransfer.create({
        from,
        to: bob.address,
        value: `0x${value.toString(16)}`,
        gas: "0xf4240",
        gasPrice: `0x${gasPrice.toString(16)}`,
        nonce: "0x0",
        chainId: "0x3e9"
      })
    const unsigned = await wallet.requestFDRawTransactionPaidByGlobalFeePayer({
      rlp: built(alice.address).getRLPEncoding(),
      submit: true
    })
    await sent(unsigned, alice.address, "TxTypeFeeDelegatedValueTransfer", global)

    // Not an account of the wallet: only the fee is another's to pay.
    const own = caver.keyringContainer.keyring.generate()
    await fund(own.address)
    const user = await wallet.createFeePayer()
    await fund(user.address)
    const signed = await built(own.address).sign(own)
    const result = await wallet.requestFDRawTransactionPaidByUser({
      rlp: signed.getRLPEncoding(),
      feePayer: user.address,
      submit: true
    })
    await sent(result, own.address, "TxTypeFeeDelegatedValueTransfer", user.address)
    assert.strictEqual(await balance(own.address), 100n * klay - value)
    assert.strictEqual(await balance(bob.address), 2n * value)
    const basic = await told(wallet.requestRawTransaction({ rlp: signed.getRLPEncoding(), submit: true }))
    assert.strictEqual(basic[0], 1061921)
  })

  it("anchors data, whoever pays", async () => {
    const { wallet } = world
    const alice = await world.account()
    const anchor = { from: alice.address, input: "0xf8a9", submit: true }
    const plain = await wallet.requestChainDataAnchoring(anchor)
    await sent(plain, alice.address, "TxTypeChainDataAnchoring")
    assert.strictEqual(plain.input, anchor.input)
    const byGlobal = await wallet.requestFDChainDataAnchoringPaidByGlobalFeePayer(anchor)
    const payer = world.globalFeePayer
    await sent(byGlobal, alice.address, "TxTypeFeeDelegatedChainDataAnchoring", payer)
    assert.strictEqual(byGlobal.nonce, plain.nonce + 1)
  })

  it("reads in the history what it sent", async () => {
    const { caver, wallet } = world
    const [alice, bob] = [await world.account(), await wallet.createAccount()]
    const hashes: Array<string> = []
    for (const send of [wallet.requestValueTransfer, wallet.requestFDValueTransferPaidByGlobalFeePayer]) {
      hashes.push((await send.call(wallet, payment(alice.address, bob.address))).transactionHash)
    }
    await world.indexed()
    const { items } = await caver.kas.tokenHistory.getTransferHistoryByAccount(bob.address, { kind: "klay" })
    assert.deepEqual(
      items.map((one) => one.transferType === "klay" ? [one.transactionHash, one.from, one.to, BigInt(one.value)] : []),
      hashes.toReversed().map((hash) => [hash, alice.address.toLowerCase(), bob.address.toLowerCase(), value])
    )
    assert.strictEqual(BigInt(await caver.rpc.klay.getBalance(bob.address)), 2n * value)
  })

  it("is refused for an unknown account, an account without coin, a disabled one, and a wrong receiver", async () => {
    const { caver, wallet } = world
    const [alice, poor] = [await world.account(), await wallet.createAccount()]
    const foreign = caver.keyringContainer.keyring.generate().address
    const unknown = await told(wallet.requestValueTransfer(payment(foreign, alice.address)))
    assert.strictEqual(unknown[0], 1065100)
    const short = await told(wallet.requestValueTransfer(payment(poor.address, alice.address)))
    assert.deepEqual(short, [
      1065001,
      "failed to send a raw transaction to klaytn node; -32000::insufficient funds of the sender for value "
    ])
    await wallet.disableAccount(alice.address)
    const disabled = await told(wallet.requestValueTransfer(payment(alice.address, poor.address)))
    assert.strictEqual(disabled[0], 1065100)
    await wallet.enableAccount(alice.address)
    await sent(
      await wallet.requestValueTransfer(payment(alice.address, poor.address)),
      alice.address,
      "TxTypeValueTransfer"
    )
    assert.deepEqual(await told(wallet.requestValueTransfer(payment(alice.address, ""))), [
      1061608,
      "cannot be empty or zero value; to"
    ])
    assert.deepEqual(await told(wallet.requestValueTransfer(payment(alice.address, "0x12"))), [
      1061609,
      "it just allow Klaytn address form; to"
    ])
    assert.strictEqual((await told(wallet.getTransaction(`0x${"ab".repeat(32)}`)))[0], 1065000)
  })
})
