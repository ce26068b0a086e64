/** The extensions of ethers, viem and web3 by the chain's makers: what they sign has its effect on the sandbox's chain. */
import * as viem from "@kaiachain/viem-ext"
import { createRequire } from "node:module"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { result } from "./anvil.js"
import { open, type World } from "./world.js"

// Their modules for `import` need a bundler.
const require = createRequire(import.meta.url)
const ethers = require("@kaiachain/ethers-ext/v6")
const { Web3 } = require("@kaiachain/web3js-ext")
const { AccountKeyType, getCompressedPublicKey, getPublicKeyFromPrivate, KlaytnTxFactory, TxType } = require(
  "@kaiachain/js-ext-core"
)

type Hex = `0x${string}`

/** An address, and a key that signs for it; the address need not be that of the key. */
interface Signer {
  readonly address: Hex
  readonly key: Hex
}

/** A transaction with the fields that its type needs. The library fills in the others. */
type Fields = Readonly<Record<string, unknown>>

interface Library {
  /** Signs a transaction, or bytes that others have signed before. */
  readonly sign: (transaction: Fields | string, signer: Signer) => Promise<string>
  readonly pay: (raw: string, payer: Signer) => Promise<string>
  readonly send: (raw: string) => Promise<unknown>
}

let world: World
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

const ethersLibrary = (): Library => {
  // Its provider takes no options, and keeps answers for 250 ms: a new one for each call does not know an old nonce.
  const provider = () => new ethers.JsonRpcProvider(world.url)
  const wallet = ({ address, key }: Signer) => new ethers.Wallet(address, key, provider())
  return {
    sign: async (transaction, signer) =>
      wallet(signer).signTransaction(
        typeof transaction === "string" ? transaction : await wallet(signer).populateTransaction(transaction)
      ),
    pay: (raw, payer) => wallet(payer).signTransactionAsFeePayer(raw),
    send: (raw) => provider().send("kaia_sendRawTransaction", [raw])
  }
}

const viemLibrary = (): Library => {
  const client = ({ address, key }: Signer) =>
    viem.createWalletClient({
      chain: viem.kairos,
      transport: viem.http(world.url),
      account: viem.kaiaAccount(address, key)
    })
  return {
    sign: async (transaction, signer) => {
      if (typeof transaction === "string") return client(signer).signTransaction(transaction)
      const prepared = await client(signer).prepareTransactionRequest(transaction as never)
      // It puts an estimate without the type in place of the gas limit, which is too little for a creation.
      return client(signer).signTransaction({ ...prepared, gasLimit: transaction["gasLimit"] } as never)
    },
    pay: (raw, payer) => client(payer).signTransactionAsFeePayer(raw),
    send: (raw) => result(world.url, "kaia_sendRawTransaction", raw)
  }
}

const web3Library = (): Library => {
  const { eth } = new Web3(world.url)
  return {
    sign: async (transaction, { key }) => (await eth.accounts.signTransaction(transaction, key)).rawTransaction,
    pay: async (raw, { address, key }) => {
      // It takes the payer for the address of the key, unless the transaction names another one.
      const fields = { ...KlaytnTxFactory.fromRLP(raw).toObject(), feePayer: address }
      return (await eth.accounts.signTransactionAsFeePayer(fields, key)).rawTransaction
    },
    send: (raw) =>
      new Promise((resolve, reject) => {
        void eth.sendSignedTransaction(raw).on("transactionHash", resolve).on("error", reject).catch(reject)
      })
  }
}

let made = 0
const freshKey = (): Hex => `0x${(0xabc000 + ++made).toString(16).padStart(64, "0")}`
const publicKeyOf = (key: Hex): string => getCompressedPublicKey(getPublicKeyFromPrivate(key))
const addressOf = (key: Hex): Hex => new ethers.Wallet(key).address.toLowerCase()

const coin = 10n ** 18n
const quantity = (value: bigint): Hex => `0x${value.toString(16)}`
const ask = (method: string, ...params: ReadonlyArray<unknown>) => result(world.url, method, ...params)
const balanceOf = async (address: Hex): Promise<bigint> =>
  BigInt(String(await ask("kaia_getBalance", address, "latest")))

/** A new account with ten coins. */
const funded = async (): Promise<Signer> => {
  const key = freshKey()
  const address = addressOf(key)
  await ask("anvil_setBalance", address, quantity(10n * coin))
  return { address, key }
}

interface Receipt extends Fields {
  readonly effectiveGasPrice: string
  readonly gasUsed: string
  readonly status: string
}

const receiptOf = async (hash: unknown): Promise<Receipt> => await ask("kaia_getTransactionReceipt", hash) as Receipt

/** The receipt of what was sent, which must have succeeded, and its fee. */
const sent = async (library: Library, raw: string) => {
  const receipt = await receiptOf(await library.send(raw))
  assert.strictEqual(receipt.status, "0x1")
  return { receipt, fee: BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) }
}

const refused = async (promise: Promise<unknown>): Promise<string> => {
  const failure = await promise.then(() => undefined, (cause: unknown) => cause)
  return failure instanceof Error
    ? JSON.stringify(failure, Object.getOwnPropertyNames(failure))
    : assert.fail("it was sent")
}

const accountKeyOf = async (address: Hex): Promise<unknown> => ask("kaia_getAccountKey", address, "latest")

const publicKeyForm = (key: Hex) => ({ type: AccountKeyType.Public, key: publicKeyOf(key) })

const weightedForm = (keys: ReadonlyArray<Hex>) => ({
  type: AccountKeyType.WeightedMultiSig,
  threshold: 2,
  keys: keys.map((key) => ({ weight: 1, key: publicKeyOf(key) }))
})

const transferOf = (from: Signer, fields: Fields = {}): Fields => ({
  type: TxType.ValueTransfer,
  from: from.address,
  to: addressOf(freshKey()),
  value: 5n,
  gasLimit: 400_000,
  ...fields
})

/** Gives an account another key. */
const update = async (library: Library, account: Signer, key: unknown) =>
  sent(
    library,
    await library.sign({ type: TxType.AccountUpdate, from: account.address, key, gasLimit: 400_000 }, account)
  )

/** Creates a contract whose only code is STOP: PUSH1 0 PUSH1 0 MSTORE8, PUSH1 1 PUSH1 0 RETURN. */
const creation = "0x600060005360016000f3"

const libraries: ReadonlyArray<readonly [name: string, make: () => Library]> = [
  ["ethers-ext", ethersLibrary],
  ["viem-ext", viemLibrary],
  ["web3js-ext", web3Library]
]

describe.each(libraries)("%s", (_, makeLibrary) => {
  let library: Library
  beforeAll(() => {
    library = makeLibrary()
  })

  it("moves value, also with a memo", async () => {
    const from = await funded()
    const transfer = transferOf(from)
    const to = transfer["to"] as Hex
    const plain = await sent(library, await library.sign(transfer, from))
    assert.strictEqual(await balanceOf(to), 5n)
    const { receipt } = await sent(
      library,
      await library.sign({ ...transfer, type: TxType.ValueTransferMemo, data: "0x6d656d6f" }, from)
    )
    assert.deepInclude(receipt, { type: "TxTypeValueTransferMemo", input: "0x6d656d6f" })
    assert.strictEqual(await balanceOf(to), 10n)
    assert.strictEqual(plain.receipt["type"], "TxTypeValueTransfer")
  })

  it("lets another account pay the fee, or a part of it", async () => {
    const [from, payer] = [await funded(), await funded()]
    const fields = transferOf(from, { type: TxType.FeeDelegatedValueTransfer })
    const whole = await sent(library, await library.pay(await library.sign(fields, from), payer))
    assert.strictEqual(await balanceOf(from.address), 10n * coin - 5n)
    assert.strictEqual(await balanceOf(payer.address), 10n * coin - whole.fee)
    assert.strictEqual(String(whole.receipt["feePayer"]).toLowerCase(), payer.address)
    const shared = { ...fields, type: TxType.FeeDelegatedValueTransferWithRatio, feeRatio: 30 }
    const { fee } = await sent(library, await library.pay(await library.sign(shared, from), payer))
    assert.strictEqual(await balanceOf(payer.address), 10n * coin - whole.fee - fee * 30n / 100n)
    assert.strictEqual(await balanceOf(from.address), 10n * coin - 10n - fee * 70n / 100n)
  })

  it("creates a contract and calls it", async () => {
    const from = await funded()
    const deploy = {
      type: TxType.SmartContractDeploy,
      from: from.address,
      to: "0x0000000000000000000000000000000000000000",
      value: 0n,
      data: creation,
      humanReadable: false,
      codeFormat: 0,
      gasLimit: 400_000
    }
    const { receipt: { contractAddress } } = await sent(library, await library.sign(deploy, from))
    assert.strictEqual(await ask("kaia_getCode", contractAddress, "latest"), "0x00")
    const execution = { type: TxType.SmartContractExecution, to: contractAddress, data: "0x01" }
    const { receipt } = await sent(library, await library.sign(transferOf(from, execution), from))
    assert.strictEqual(receipt["type"], "TxTypeSmartContractExecution")
    assert.strictEqual(await balanceOf(contractAddress as Hex), 5n)
  })

  it("gives an account another key, which then signs, and the old one no more", async () => {
    const account = await funded()
    const key = freshKey()
    await update(library, account, publicKeyForm(key))
    assert.deepInclude(await accountKeyOf(account.address) as object, { keyType: AccountKeyType.Public })
    const transfer = transferOf(account)
    assert.match(
      await refused(library.sign(transfer, account).then(library.send)),
      /invalid transaction v, r, s|invalid sender/
    )
    await sent(library, await library.sign(transfer, { ...account, key }))
    assert.strictEqual(await balanceOf(transfer["to"] as Hex), 5n)
  })

  it("gives an account weighted keys, of which enough sign one after the other", async () => {
    const account = await funded()
    const keys = [freshKey(), freshKey(), freshKey()] as const
    await update(library, account, weightedForm(keys))
    assert.deepInclude(await accountKeyOf(account.address) as object, { keyType: AccountKeyType.WeightedMultiSig })
    const transfer = transferOf(account)
    const once = await library.sign(transfer, { ...account, key: keys[2] })
    assert.match(await refused(library.send(once)), /invalid transaction v, r, s|invalid sender/)
    await sent(library, await library.sign(once, { ...account, key: keys[0] }))
    assert.strictEqual(await balanceOf(transfer["to"] as Hex), 5n)
  })

  it("gives an account keys by role: each signs for its role alone, also as the fee payer", async () => {
    const [account, other] = [await funded(), await funded()]
    const roles = [freshKey(), freshKey(), freshKey()] as const
    await update(library, account, { type: AccountKeyType.RoleBased, keys: roles.map(publicKeyForm) })
    assert.deepInclude(await accountKeyOf(account.address) as object, { keyType: AccountKeyType.RoleBased })
    const transfer = transferOf(account)
    assert.match(
      await refused(library.sign(transfer, { ...account, key: roles[1] }).then(library.send)),
      /invalid transaction v, r, s|invalid sender/
    )
    await sent(library, await library.sign(transfer, { ...account, key: roles[0] }))
    const delegated = transferOf(other, { type: TxType.FeeDelegatedValueTransfer })
    const before = await balanceOf(account.address)
    const { fee } = await sent(
      library,
      await library.pay(await library.sign(delegated, other), { ...account, key: roles[2] })
    )
    assert.strictEqual(await balanceOf(account.address), before - fee)
    const key = freshKey()
    await update(library, { ...account, key: roles[1] }, publicKeyForm(key))
    await sent(library, await library.sign(transferOf(account), { ...account, key }))
  })

  it("cancels a transaction that waits", async () => {
    const from = await funded()
    await ask("evm_setAutomine", false)
    const transfer = transferOf(from, { nonce: 0 })
    const waits = await ask("kaia_sendRawTransaction", await library.sign(transfer, from))
    const cancel = { type: TxType.Cancel, from: from.address, nonce: 0, gasLimit: 400_000 }
    const cancels = await ask("kaia_sendRawTransaction", await library.sign(cancel, from))
    await ask("evm_mine")
    await ask("evm_setAutomine", true)
    assert.deepInclude(await receiptOf(cancels), { type: "TxTypeCancel", status: "0x1" })
    assert.isNull(await ask("kaia_getTransactionReceipt", waits))
    assert.strictEqual(await balanceOf(transfer["to"] as Hex), 0n)
    assert.strictEqual(await ask("kaia_getTransactionCount", from.address, "latest"), "0x1")
  })
})
