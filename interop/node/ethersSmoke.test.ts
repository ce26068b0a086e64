import {
  Contract,
  ContractFactory,
  isError,
  type JsonRpcApiProvider,
  parseEther,
  type TransactionResponse,
  Wallet
} from "ethers"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { args, bytecode, signatures, spendBytecode, spendSignatures } from "./contract.js"
import * as Ethers from "./ethers.js"
import { receiptOf } from "./facts.js"
import { open, type World } from "./world.js"

let world: World
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

/** The error of a refused call. */
const refusal = (call: Promise<unknown>): Promise<Record<string, unknown>> =>
  call.then(() => assert.fail("it was answered"), (error: Record<string, unknown>) => error)

const ways: ReadonlyArray<readonly [name: string, provider: (world: World) => JsonRpcApiProvider]> = [
  ["its own provider", Ethers.direct],
  ["the bridge", Ethers.bridged]
]

describe.each(ways)("ethers over %s", (name, providerOf) => {
  const open = async () => {
    const provider = providerOf(world)
    const { privateKey } = await world.funded(`ethers over ${name}`)
    return { provider, wallet: new Wallet(privateKey, provider) }
  }

  /** Waits, and compares what it reads with the chain. */
  const mined = async (provider: JsonRpcApiProvider, { hash }: Pick<TransactionResponse, "hash">) => {
    const receipt = await provider.waitForTransaction(hash, 1, 10_000)
    const record = await world.record(hash)
    const logs = await world.run(world.chain.logsOf(record.hash))
    assert.deepStrictEqual(await Ethers.readerOf(provider).receipt(hash), receiptOf(record, logs, "eth"))
    return receipt ?? assert.fail("no receipt")
  }

  it("sends legacy, access list and fee market transactions that it fills in, signs and follows itself", async () => {
    const { provider, wallet } = await open()
    const to = world.busiest.address
    for (const type of [0, 1, 2]) {
      const before = (await world.state(to)).balance
      const accessList = [{ address: world.tokens.ft.address, storageKeys: [] }]
      const sent = await wallet.sendTransaction({
        to,
        value: parseEther("1.5"),
        type,
        ...(type === 0 ? {} : { accessList })
      })
      const receipt = await mined(provider, sent)
      assert.strictEqual(receipt.status, 1)
      assert.strictEqual(receipt.type, type)
      assert.strictEqual((await world.state(to)).balance, before + parseEther("1.5"))
      const read = await provider.getTransaction(sent.hash) ?? assert.fail("no transaction")
      // It verifies the signature over what it reads, so every signed field has come back.
      assert.strictEqual(read.from, wallet.address)
      assert.strictEqual(read.type, type)
      assert.strictEqual(read.signature.serialized, sent.signature.serialized)
    }
  })

  it("deploys a contract, writes to it, and reads it and its events", async () => {
    const { provider, wallet } = await open()
    const token = await new ContractFactory(signatures, bytecode, wallet).deploy(...args)
    await token.waitForDeployment()
    const contract = new Contract(await token.getAddress(), signatures, wallet)
    const minted = await mined(provider, await contract.getFunction("mint").send(wallet.address, 1000n))
    const transfer = contract.getFunction("transfer")
    assert.isTrue(await transfer.staticCall(world.busiest.address, 40n))
    const sent = await mined(provider, await transfer.send(world.busiest.address, 40n))
    const balanceOf = contract.getFunction("balanceOf")
    assert.deepStrictEqual(
      await Promise.all([
        contract.getFunction("name")(),
        contract.getFunction("symbol")(),
        contract.getFunction("decimals")(),
        contract.getFunction("totalSupply")(),
        balanceOf(wallet.address),
        balanceOf(wallet.address, { blockTag: minted.blockNumber })
      ]),
      [args[0], args[1], BigInt(args[2]), 1000n, 960n, 1000n]
    )
    const events = await contract.queryFilter("Transfer")
    assert.deepStrictEqual(events.map((event) => "args" in event ? event.args.getValue("value") : undefined), [
      1000n,
      40n
    ])
    const [log] = sent.logs
    assert.strictEqual(contract.interface.parseLog(log ?? assert.fail("no log"))?.args.getValue("value"), 40n)
  })

  it("decodes reasons, panics and errors of a contract's own", async () => {
    const { provider, wallet } = await open()
    const contract = new Contract(world.tokens.ft.address, signatures, wallet)
    const transfer = contract.getFunction("transfer")
    for (const call of [transfer.staticCall(wallet.address, 1n), transfer.estimateGas(wallet.address, 1n)]) {
      const error = await refusal(call)
      assert.isTrue(isError(error, "CALL_EXCEPTION"), `${error["code"]}`)
      assert.strictEqual(error["reason"], "KIP7: transfer amount exceeds balance")
    }
    const overflow = await refusal(contract.getFunction("mint").staticCall(wallet.address, 2n ** 256n - 1n))
    assert.deepInclude(overflow["revert"], { name: "Panic", signature: "Panic(uint256)" })
    assert.strictEqual(overflow["reason"], "Panic due to OVERFLOW(17)")

    const deployed = await new ContractFactory(spendSignatures, spendBytecode, wallet).deploy()
    await deployed.waitForDeployment()
    const spender = new Contract(await deployed.getAddress(), spendSignatures, provider)
    const { revert } = await refusal(spender.getFunction("spend")(7n, wallet.address)) as {
      readonly revert: { readonly name: string; readonly args: Iterable<unknown> }
    }
    assert.deepStrictEqual([revert.name, ...revert.args], ["NotEnough", 7n, wallet.address])
  })

  it("follows a transaction that fails in its block", async () => {
    const { provider, wallet } = await open()
    const transfer = new Contract(world.tokens.ft.address, signatures, wallet).getFunction("transfer")
    const sent = await transfer.send(wallet.address, 1n, { gasLimit: 200_000n })
    assert.strictEqual((await mined(provider, sent)).status, 0)
    const error = await refusal(sent.wait())
    assert.isTrue(isError(error, "CALL_EXCEPTION"), `${error["code"]}`)
  })

  it("tells refusals apart as the library names them", async () => {
    const { provider, wallet } = await open()
    const to = world.busiest.address
    const unknown = await refusal(provider.send("eth_teleport", []))
    assert.isTrue(isError(unknown, "UNSUPPORTED_OPERATION"), `${unknown["code"]}`)
    const invalid = await refusal(provider.send("eth_getBalance", ["0x12", "latest"]))
    assert.deepInclude(invalid["error"], { code: -32602 })
    await mined(provider, await wallet.sendTransaction({ to, value: 1n }))
    const used = await refusal(wallet.sendTransaction({ to, value: 1n, nonce: 0, gasLimit: 21_000n }))
    assert.isTrue(isError(used, "NONCE_EXPIRED"), `${used["code"]}`)
    const poor = await refusal(wallet.sendTransaction({ to, value: 10n ** 30n, gasLimit: 21_000n }))
    assert.isTrue(isError(poor, "INSUFFICIENT_FUNDS"), `${poor["code"]}`)
    const nowhere = `0x${"77".repeat(32)}`
    assert.deepStrictEqual(
      await Promise.all([
        provider.getBlock(nowhere),
        provider.getTransaction(nowhere),
        provider.getTransactionReceipt(nowhere)
      ]),
      [null, null, null]
    )
  })

  it("watches blocks and events, though the node has no filters", async () => {
    const { provider, wallet } = await open()
    const contract = new Contract(world.tokens.ft.address, signatures, wallet)
    const seen = new Promise((resolve) => {
      void contract.on("Transfer", (_, __, value) => resolve(value))
    })
    const block = new Promise<number>((resolve) => {
      void provider.once("block", resolve)
    })
    let isOver = false
    const both = Promise.all([seen, block]).finally(() => {
      isOver = true
    })
    // Its first poll decides where it begins, and there is no sign of when that was: only later events are sure to be seen.
    const heights: Array<number> = []
    while (!isOver) {
      const sent = await contract.getFunction("mint").send(wallet.address, 12n)
      heights.push((await mined(provider, sent)).blockNumber)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const [value, height] = await both
    assert.strictEqual(value, 12n)
    assert.include(heights, height)
    await contract.removeAllListeners()
  })
})
