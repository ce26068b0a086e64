/** Every type of transaction, signed by one library, sent by another, and read by all of them. */
import * as Core from "@kaiachain/js-ext-core"
import { keccak256, SigningKey } from "ethers"
import { createRequire } from "node:module"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Hex } from "../../packages/transaction/src/Hex.js"
import * as TransactionType from "../../packages/transaction/src/TransactionType.js"
import { quantity } from "../transaction/random.js"
import { args, bytecode } from "./contract.js"
import * as Ethers from "./ethers.js"
import { receiptOf, transactionOf } from "./facts.js"
import * as Viem from "./viem.js"
import * as Web3rpc from "./web3rpc.js"
import { chainId, open, type World } from "./world.js"

let world: World
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

interface Signed {
  readonly sign: (keyring: object) => Promise<Signed>
  readonly signAsFeePayer: (keyring: object) => Promise<Signed>
  readonly getRLPEncoding: () => Hex
  readonly getTransactionHash: () => Hex
}

interface CaverJs {
  readonly transaction: Record<string, { readonly create: (fields: Record<string, unknown>) => Signed }>
  readonly account: { readonly create: (address: Hex, publicKey: Hex) => unknown }
  readonly wallet: { readonly keyring: { readonly create: (address: Hex, key: Hex) => object } }
}

// A CommonJS package whose own types leave most of this out.
const Caver: new() => CaverJs = createRequire(import.meta.url)("caver-js")
const caver = new Caver()

type Account = Awaited<ReturnType<World["funded"]>>

const memo: Hex = "0x68656c6c6f"

/** The fields of each type besides the sender, in the names of caver-js. */
const special = (type: TransactionType.TransactionType, from: Account): Record<string, unknown> => {
  const to = world.busiest.address
  if (type.includes("AccountUpdate")) return { account: caver.account.create(from.address, from.publicKey) }
  if (type.includes("Cancel")) return {}
  if (type.includes("ChainDataAnchoring")) return { input: "0xf8" }
  if (type.includes("SmartContractDeploy")) {
    return { input: `${bytecode}${encodedArgs}`, value: "0x0", humanReadable: false, codeFormat: "0x0" }
  }
  if (type.includes("SmartContractExecution")) {
    return { to: world.tokens.ft.address, value: "0x0", input: `0x40c10f19${word(from.address)}${word("0x2a")}` }
  }
  return { to, value: "0xde0b6b3a7640000", ...(type.includes("Memo") ? { input: memo } : {}) }
}

const word = (hex: string): string => hex.slice(2).padStart(64, "0")

const text = (value: string): string =>
  `${word(quantity(value.length))}${Buffer.from(value).toString("hex").padEnd(64, "0")}`

const encodedArgs = [word("0x60"), word("0xa0"), word(quantity(args[2])), text(args[0]), text(args[1])].join("")

const camel = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1)

/** Signed by caver-js, with its sender's next nonce. */
const signed = async (type: TransactionType.TransactionType, from: Account, payer: Account): Promise<Signed> => {
  const price = quantity(world.chain.unitPrice)
  const builder = caver.transaction[camel(type)] ?? assert.fail(`caver-js has no ${type}`)
  const theirs = builder.create({
    from: from.address,
    ...special(type, from),
    gas: quantity(2_000_000),
    nonce: quantity((await world.state(from.address)).nonce),
    chainId: quantity(chainId),
    ...(type === "EthereumDynamicFee"
      ? { maxFeePerGas: price, maxPriorityFeePerGas: "0x0", accessList: [] }
      : { gasPrice: price }),
    ...(type === "EthereumAccessList" ? { accessList: [] } : {}),
    ...(type.endsWith("WithRatio") ? { feeRatio: quantity(30) } : {})
  })
  await theirs.sign(caver.wallet.keyring.create(from.address, from.privateKey))
  if (TransactionType.isFeeDelegated(type)) {
    await theirs.signAsFeePayer(caver.wallet.keyring.create(payer.address, payer.privateKey))
  }
  return theirs
}

/** All clients and the chain itself agree on a transaction. */
const agreed = async (hash: string) => {
  const record = await world.record(hash)
  const logs = await world.run(world.chain.logsOf(record.hash))
  const readers = [
    ["eth", Viem.readerOf(Viem.clientOf(Viem.direct(world)))],
    ["eth", Viem.readerOf(Viem.clientOf(Viem.bridged(world)))],
    ["eth", Ethers.readerOf(Ethers.direct(world))],
    ["klay", Web3rpc.readerOf(Web3rpc.clientOf(world))]
  ] as const
  for (const [family, reader] of readers) {
    assert.deepStrictEqual(await reader.transaction(hash), transactionOf(record, family))
    assert.deepStrictEqual(await reader.receipt(hash), receiptOf(record, logs, family))
  }
  return record
}

describe("web3rpc", () => {
  // caver-js does not have the type that sets code.
  for (const type of TransactionType.all.filter((each) => each !== "EthereumSetCode" && each !== "EthereumBlob")) {
    it(`sends a ${type} that caver-js signed; viem, ethers and web3rpc read the same of it`, async () => {
      const { klay } = Web3rpc.clientOf(world)
      const [from, payer] = [await world.funded(type), await world.funded("payer")]
      const theirs = await signed(type, from, payer)
      const hash = await klay<string>("sendRawTransaction", theirs.getRLPEncoding(), {})
      assert.strictEqual(hash, theirs.getTransactionHash())
      const record = await agreed(hash)
      assert.strictEqual(record.status, 1)
      assert.strictEqual(record.typeInt, TransactionType.typeInt(type))
      assert.strictEqual(record.feePayer, TransactionType.isFeeDelegated(type) ? payer.address : undefined)
      const receipt = await klay<Record<string, unknown>>("getTransactionReceipt", hash, {})
      assert.strictEqual(receipt["type"], TransactionType.wireName(type))
    })
  }

  it("sends a fee-delegated transfer that js-ext-core encoded and the keys of ethers signed", async () => {
    const { kaia } = Web3rpc.clientOf(world)
    const [from, payer] = [await world.funded("js-ext-core"), await world.funded("payer")]
    // Its types require fields that it fills in itself.
    const { KlaytnTxFactory } = Core as unknown as {
      readonly KlaytnTxFactory: {
        readonly fromObject: (fields: Record<string, unknown>) => {
          readonly addSenderSig: (signature: ReadonlyArray<Hex>) => void
          readonly addFeePayerSig: (signature: ReadonlyArray<Hex>) => void
          readonly sigRLP: () => Hex
          readonly sigFeePayerRLP: () => Hex
          readonly txHashRLP: () => Hex
        }
      }
    }
    const theirs = KlaytnTxFactory.fromObject({
      type: TransactionType.typeInt("FeeDelegatedValueTransferMemo"),
      chainId,
      from: from.address,
      feePayer: payer.address,
      to: world.busiest.address,
      value: 5n,
      input: memo,
      gasLimit: 200_000,
      gasPrice: world.chain.unitPrice,
      nonce: 0
    })
    const signature = (key: Hex, payload: Hex): ReadonlyArray<Hex> => {
      const { r, s, yParity } = new SigningKey(key).sign(keccak256(payload))
      return [quantity(yParity + 35 + 2 * chainId), r as Hex, s as Hex]
    }
    theirs.addSenderSig(signature(from.privateKey, theirs.sigRLP()))
    theirs.addFeePayerSig(signature(payer.privateKey, theirs.sigFeePayerRLP()))
    const hash = await kaia<string>("sendRawTransaction", theirs.txHashRLP(), {})
    assert.strictEqual(hash, keccak256(theirs.txHashRLP()))
    const record = await agreed(hash)
    assert.deepInclude(record, { status: 1, from: from.address, feePayer: payer.address, value: 5n })
  })

  it("is refused in the node's words: a revert with its data, an unknown method, a used nonce", async () => {
    const { klay } = Web3rpc.clientOf(world)
    const refusal = (call: Promise<unknown>): Promise<Web3rpc.Refused> =>
      call.then(() => assert.fail("it was answered"), (error: Web3rpc.Refused) => error)
    const input = `0xa9059cbb${word(world.busiest.address)}${word(`0x${"f".repeat(60)}`)}`
    const reverted = await refusal(klay("call", { to: world.tokens.ft.address, input }, "latest", {}))
    assert.strictEqual(reverted.code, 3)
    assert.include(reverted.message, "KIP7: transfer")
    assert.match(`${reverted.data}`, /^0x08c379a0/)
    assert.strictEqual((await refusal(klay("newBlockFilter", {}))).code, -32601)
    assert.strictEqual((await refusal(klay("getBalance", "0x12", "latest", {}))).code, -32602)
    const [from, payer] = [await world.funded("nonce"), await world.funded("payer")]
    const theirs = await signed("ValueTransfer", from, payer)
    await klay("sendRawTransaction", theirs.getRLPEncoding(), {})
    assert.deepInclude(await refusal(klay("sendRawTransaction", theirs.getRLPEncoding(), {})), { code: -32000 })
  })
})
