import {
  type BaseError,
  ContractFunctionRevertedError,
  createWalletClient,
  InsufficientFundsError,
  InvalidParamsRpcError,
  MethodNotFoundRpcError,
  NonceTooLowError,
  parseEther,
  parseEventLogs,
  type Transport
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { abi, args, bytecode, spendAbi, spendBytecode } from "./contract.js"
import { receiptOf } from "./facts.js"
import * as Viem from "./viem.js"
import { open, type World } from "./world.js"

let world: World
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

/** Finds an error of a class among an error and its causes. */
const within = async <A extends Error>(
  call: Promise<unknown>,
  kind: abstract new(...parts: Array<never>) => A
): Promise<A> => {
  const error = await call.then(() => assert.fail("it was answered"), (rejected: BaseError) => rejected)
  const found = error.walk((one) => one instanceof kind)
  return found instanceof kind ? found : assert.fail(`${error.name} holds no ${kind.name}: ${error.message}`)
}

const ways: ReadonlyArray<readonly [name: string, transport: (world: World) => Transport]> = [
  ["its own transport", Viem.direct],
  ["the bridge", Viem.bridged]
]

describe.each(ways)("viem over %s", (name, transportOf) => {
  const open = async () => {
    const transport = transportOf(world)
    const { address, privateKey } = await world.funded(`viem over ${name}`)
    return {
      address,
      client: Viem.clientOf(transport),
      wallet: createWalletClient({ account: privateKeyToAccount(privateKey), chain: Viem.chain, transport })
    }
  }

  /** Waits, and compares what it reads with the chain. */
  const mined = async (client: ReturnType<typeof Viem.clientOf>, hash: `0x${string}`) => {
    const receipt = await client.waitForTransactionReceipt({ hash })
    const record = await world.record(hash)
    const logs = await world.run(world.chain.logsOf(record.hash))
    assert.deepStrictEqual(await Viem.readerOf(client).receipt(hash), receiptOf(record, logs, "eth"))
    return receipt
  }

  it("sends legacy, access list and fee market transactions that it fills in, signs and follows itself", async () => {
    const { address, client, wallet } = await open()
    const to = world.busiest.address
    const accessList = [{ address: world.tokens.ft.address, storageKeys: [] }]
    const value = parseEther("1.5")
    const sends = [
      ["legacy", () => wallet.sendTransaction({ to, value, type: "legacy" })],
      ["eip2930", () => wallet.sendTransaction({ to, value, type: "eip2930", accessList })],
      ["eip1559", () => wallet.sendTransaction({ to, value, type: "eip1559", accessList })]
    ] as const
    for (const [type, send] of sends) {
      const before = (await world.state(to)).balance
      const hash = await send()
      const receipt = await mined(client, hash)
      assert.deepInclude(receipt, { status: "success", type, from: address, to })
      assert.strictEqual((await world.state(to)).balance, before + value)
      assert.strictEqual((await client.getTransaction({ hash })).type, type)
    }
  })

  it("deploys a contract, writes to it, and reads it and its events", async () => {
    const { address, client, wallet } = await open()
    const deployed = await mined(client, await wallet.deployContract({ abi, bytecode, args }))
    const contract = { address: deployed.contractAddress ?? assert.fail("no contract"), abi }
    const minted = await mined(
      client,
      await wallet.writeContract({ ...contract, functionName: "mint", args: [address, 1000n] })
    )
    const to = world.busiest.address
    const { request, result } = await client.simulateContract({
      ...contract,
      account: wallet.account,
      functionName: "transfer",
      args: [to, 40n]
    })
    assert.isTrue(result)
    const sent = await mined(client, await wallet.writeContract(request))

    assert.deepStrictEqual(
      await Promise.all([
        client.readContract({ ...contract, functionName: "name" }),
        client.readContract({ ...contract, functionName: "symbol" }),
        client.readContract({ ...contract, functionName: "decimals" }),
        client.readContract({ ...contract, functionName: "totalSupply" }),
        client.readContract({ ...contract, functionName: "balanceOf", args: [address] }),
        client.readContract({
          ...contract,
          functionName: "balanceOf",
          args: [address],
          blockNumber: minted.blockNumber
        })
      ]),
      [...args, 1000n, 960n, 1000n]
    )
    const events = await client.getContractEvents({ ...contract, eventName: "Transfer", fromBlock: 0n })
    assert.deepStrictEqual(events.map(({ args }) => args.value), [1000n, 40n])
    assert.deepStrictEqual(
      parseEventLogs({ abi, logs: sent.logs }).map(({ args }) => ({ ...args, to: args.to.toLowerCase() })),
      [{ from: wallet.account.address, to, value: 40n }]
    )
  })

  it("decodes reasons, panics and errors of a contract's own", async () => {
    const { address, client, wallet } = await open()
    const account = wallet.account
    const contract = { address: world.tokens.ft.address, abi, account }
    const reverted = (call: Promise<unknown>) => within(call, ContractFunctionRevertedError)

    const tooMuch = await reverted(
      client.simulateContract({ ...contract, functionName: "transfer", args: [address, 1n] })
    )
    assert.strictEqual(tooMuch.reason, "KIP7: transfer amount exceeds balance")
    const overflow = await reverted(
      client.simulateContract({ ...contract, functionName: "mint", args: [address, 2n ** 256n - 1n] })
    )
    assert.strictEqual(overflow.reason, "Arithmetic operation resulted in underflow or overflow.")
    const estimated = await reverted(
      client.estimateContractGas({ ...contract, functionName: "transfer", args: [address, 1n] })
    )
    assert.strictEqual(estimated.reason, "KIP7: transfer amount exceeds balance")

    const deployed = await mined(client, await wallet.deployContract({ abi: spendAbi, bytecode: spendBytecode }))
    const custom = await reverted(client.readContract({
      address: deployed.contractAddress ?? assert.fail("no contract"),
      abi: spendAbi,
      functionName: "spend",
      args: [7n, account.address]
    }))
    assert.deepInclude(custom.data, { errorName: "NotEnough", args: [7n, account.address] })
  })

  it("follows a transaction that fails in its block", async () => {
    const { address, client, wallet } = await open()
    const hash = await wallet.writeContract({
      address: world.tokens.ft.address,
      abi,
      functionName: "transfer",
      args: [address, 1n],
      gas: 200_000n
    })
    assert.strictEqual((await mined(client, hash)).status, "reverted")
  })

  it("tells refusals apart as the library names them", async () => {
    const { client, wallet } = await open()
    const to = world.busiest.address
    assert.strictEqual(
      (await within(client.request({ method: "eth_teleport" as "eth_chainId" }), MethodNotFoundRpcError)).code,
      -32601
    )
    assert.strictEqual(
      (await within(
        client.request({ method: "eth_getBalance", params: ["0x12", "latest"] }),
        InvalidParamsRpcError
      )).code,
      -32602
    )
    await wallet.sendTransaction({ to, value: 1n })
    await within(wallet.sendTransaction({ to, value: 1n, nonce: 0, gas: 21_000n }), NonceTooLowError)
    await within(wallet.sendTransaction({ to, value: 10n ** 30n, gas: 21_000n }), InsufficientFundsError)
    const nowhere = `0x${"77".repeat(32)}` as const
    for (
      const [call, kind] of [
        [client.getBlock({ blockHash: nowhere }), "BlockNotFoundError"],
        [client.getTransaction({ hash: nowhere }), "TransactionNotFoundError"],
        [client.getTransactionReceipt({ hash: nowhere }), "TransactionReceiptNotFoundError"]
      ] as const
    ) {
      assert.strictEqual(await call.then(() => "", ({ name }: Error) => name), kind)
    }
  })

  it("watches blocks and events, though the node has no filters", async () => {
    const { address, client, wallet } = await open()
    const watched = { address: world.tokens.ft.address, abi, eventName: "Transfer" } as const
    const heights: Array<bigint> = []
    let stop = () => {}
    let isOver = false
    const seen = new Promise<ReadonlyArray<bigint | undefined>>((resolve, reject) => {
      stop = client.watchContractEvent({
        ...watched,
        onError: (error) => {
          isOver = true
          reject(error)
        },
        onLogs: (logs) => {
          isOver = true
          resolve(logs.map(({ args }) => args.value))
        }
      })
    })
    // Its first poll decides where it begins, and there is no sign of when that was: only later events are sure to be seen.
    const stopBlocks = client.watchBlockNumber({ emitOnBegin: true, onBlockNumber: (height) => heights.push(height) })
    while (!isOver) {
      await wallet.writeContract({ ...watched, functionName: "mint", args: [address, 12n] })
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    stop()
    stopBlocks()
    const values = await seen
    assert.isNotEmpty(values)
    assert.isTrue(values.every((value) => value === 12n))
    assert.isNotEmpty(heights)
  })
})
