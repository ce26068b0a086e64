/** Hardhat 2 with hardhat-ethers and network-helpers, in this process, on the sandbox. */
import type {} from "@nomicfoundation/hardhat-ethers"
import type { HardhatEthersSigner } from "@nomicfoundation/hardhat-ethers/signers.js"
import type * as Helpers from "@nomicfoundation/hardhat-network-helpers"
import type { HardhatRuntimeEnvironment } from "hardhat/types/index.js"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe } from "vitest"
import { args, bytecode, signatures, spendBytecode, spendSignatures } from "../node/contract.js"
import { type Checks, referee } from "./referee.js"
import { refusal } from "./watching.js"
import { open, type World } from "./world.js"

const require = createRequire(import.meta.url)

let world: World
let folder: string
let hre: HardhatRuntimeEnvironment
let helpers: typeof Helpers

const nobody = "0x8888888888888888888888888888888888888888"
const whale = "0x7777777777777777777777777777777777777777"

beforeAll(async () => {
  world = await open()
  folder = mkdtempSync(join(tmpdir(), "hardhat-"))
  const plugin = JSON.stringify(require.resolve("@nomicfoundation/hardhat-ethers"))
  writeFileSync(
    join(folder, "hardhat.config.cjs"),
    `require(${plugin})\nmodule.exports = { solidity: "0.8.28", defaultNetwork: "sandbox", ` +
      `networks: { sandbox: { url: ${JSON.stringify(world.url)}, chainId: 1001 } } }\n`
  )
  writeFileSync(join(folder, "package.json"), "{ \"name\": \"hardhat-project\", \"private\": true }\n")
  process.env["HARDHAT_CONFIG"] = join(folder, "hardhat.config.cjs")
  process.env["HARDHAT_DISABLE_TELEMETRY_PROMPT"] = "true"
  hre = require("hardhat")
  helpers = require("@nomicfoundation/hardhat-network-helpers")
})
afterAll(async () => {
  delete process.env["HARDHAT_CONFIG"]
  delete process.env["HARDHAT_DISABLE_TELEMETRY_PROMPT"]
  rmSync(folder, { recursive: true })
  await world.close()
})

const signers = (): Promise<ReadonlyArray<HardhatEthersSigner>> => hre.ethers.getSigners()

const signer = async (index = 0) => (await signers())[index] ?? assert.fail("no signer")

const send = (method: string, ...params: ReadonlyArray<unknown>) => hre.network.provider.send(method, [...params])

const deploy = async () => {
  const factory = new hre.ethers.ContractFactory([...signatures], bytecode, await signer())
  const contract = await factory.deploy(...args)
  await contract.waitForDeployment()
  return hre.ethers.getContractAt([...signatures], await contract.getAddress(), await signer())
}

const deploySpend = async () => {
  const contract = await new hre.ethers.ContractFactory([...spendSignatures], spendBytecode, await signer()).deploy()
  await contract.waitForDeployment()
  return hre.ethers.getContractAt([...spendSignatures], await contract.getAddress(), await signer())
}

const hardhatEthers: Checks = {
  getSigners: async () =>
    assert.deepStrictEqual(
      (await signers()).map(({ address }) => address.toLowerCase()),
      world.accounts.map(({ address }) => address)
    ),
  "sendTransaction, wait": async () => {
    const before = await hre.ethers.provider.getBalance(nobody)
    const sent = await (await signer()).sendTransaction({ to: nobody, value: 5n })
    assert.strictEqual((await sent.wait())?.status, 1)
    assert.strictEqual(await hre.ethers.provider.getBalance(nobody), before + 5n)
  },
  "ContractFactory.deploy, getContractAt": async () => {
    const contract = await deploy()
    assert.strictEqual(await contract.getFunction("symbol")(), args[1])
  },
  "write and read, also at an earlier block": async () => {
    const contract = await deploy()
    const minted = await (await contract.getFunction("mint")((await signer()).address, 1000n)).wait()
    await (await contract.getFunction("transfer")(nobody, 40n)).wait()
    const balanceOf = contract.getFunction("balanceOf")
    assert.strictEqual(await balanceOf(nobody), 40n)
    assert.strictEqual(await balanceOf(nobody, { blockTag: minted?.blockNumber ?? "earliest" }), 0n)
  },
  queryFilter: async () => {
    const contract = await deploy()
    await (await contract.getFunction("mint")((await signer()).address, 1000n)).wait()
    await (await contract.getFunction("transfer")(nobody, 40n)).wait()
    const events = await contract.queryFilter(contract.getEvent("Transfer")((await signer()).address, null))
    assert.deepStrictEqual(events.map((event) => "args" in event ? event.args["value"] : undefined), [40n])
  },
  "the reason of a revert": async () =>
    assert.include(
      await refusal((await deploy()).getFunction("transfer")(nobody, 1n)),
      "KIP7: transfer amount exceeds balance"
    ),
  "a custom error, decoded by hardhat-ethers": {
    why: "Hardhat decodes it for its own network only",
    check: async () => {
      const message = await refusal((await deploySpend()).getFunction("spend")(5n, nobody))
      assert.match(message, /reverted with custom error 'NotEnough\(5/)
    }
  },
  signMessage: async () => {
    const signature = await (await signer(1)).signMessage("hello")
    assert.strictEqual(hre.ethers.verifyMessage("hello", signature), (await signer(1)).address)
  },
  signTypedData: async () => {
    const types = { Mail: [{ name: "text", type: "string" }, { name: "amount", type: "uint256" }] }
    const mail = { text: "hello", amount: 10n ** 20n }
    const typed = await (await signer(1)).signTypedData({ name: "Shop" }, types, mail)
    assert.strictEqual(
      hre.ethers.verifyTypedData({ name: "Shop" }, types, mail, typed),
      (await signer(1)).address
    )
  },
  getImpersonatedSigner: async () => {
    await helpers.setBalance(whale, 10n ** 20n)
    const impersonated = await hre.ethers.getImpersonatedSigner(whale)
    const sent = await impersonated.sendTransaction({ to: nobody, value: 1n })
    assert.strictEqual((await sent.wait())?.from.toLowerCase(), whale)
  },
  "network.provider.send": async () => {
    assert.strictEqual(await send("eth_chainId"), "0x3e9")
    assert.match((await send("eth_getBlockByNumber", "latest", false)).hash, /^0x[0-9a-f]{64}$/)
  }
}

const networkHelpers: Checks = {
  "mine, time.latestBlock": async () => {
    const height = await helpers.time.latestBlock()
    await helpers.mine()
    await helpers.mine(3, { interval: 12 })
    assert.strictEqual(await helpers.time.latestBlock(), height + 4)
  },
  mineUpTo: async () => {
    const height = await helpers.time.latestBlock()
    await helpers.mineUpTo(height + 10)
    assert.strictEqual(await helpers.time.latestBlock(), height + 10)
  },
  "time.latest, time.increase": async () => {
    const now = await helpers.time.latest()
    await helpers.time.increase(3600)
    assert.isAtLeast(await helpers.time.latest(), now + 3600)
  },
  "time.increaseTo": async () => {
    const now = await helpers.time.latest()
    await helpers.time.increaseTo(now + 10_000)
    assert.strictEqual(await helpers.time.latest(), now + 10_000)
  },
  "time.setNextBlockTimestamp": async () => {
    const now = await helpers.time.latest()
    await helpers.time.setNextBlockTimestamp(now + 20_000)
    await helpers.mine()
    assert.strictEqual(await helpers.time.latest(), now + 20_000)
  },
  setBalance: async () => {
    await helpers.setBalance(whale, 77n)
    assert.strictEqual(await hre.ethers.provider.getBalance(whale), 77n)
  },
  setNonce: async () => {
    const nonce = 50 + await hre.ethers.provider.getTransactionCount(whale)
    await helpers.setNonce(whale, nonce)
    assert.strictEqual(await hre.ethers.provider.getTransactionCount(whale), nonce)
  },
  setCode: async () => {
    await helpers.setCode(nobody, "0x602a5f5260205ff3")
    assert.strictEqual(BigInt(await hre.ethers.provider.call({ to: nobody })), 42n)
    await helpers.setCode(nobody, "0x")
  },
  "setStorageAt, getStorageAt": async () => {
    await helpers.setStorageAt(whale, 0, 42)
    assert.strictEqual(BigInt(await helpers.getStorageAt(whale, 0)), 42n)
  },
  setCoinbase: async () => {
    await helpers.setCoinbase(whale)
    await helpers.mine()
    assert.strictEqual((await send("eth_getBlockByNumber", "latest", false)).miner, whale)
  },
  setPrevRandao: async () => {
    await helpers.setPrevRandao(7)
    await helpers.mine()
    assert.strictEqual(BigInt((await send("eth_getBlockByNumber", "latest", false)).mixHash), 7n)
  },
  setNextBlockBaseFeePerGas: async () => {
    await helpers.setNextBlockBaseFeePerGas(30_000_000_000n)
    await helpers.mine()
    assert.strictEqual(BigInt((await send("eth_getBlockByNumber", "latest", false)).baseFeePerGas), 30_000_000_000n)
  },
  setBlockGasLimit: async () => {
    await helpers.setBlockGasLimit(40_000_000)
    await helpers.mine()
    await helpers.setCode(nobody, "0x455f5260205ff3")
    assert.strictEqual(BigInt(await hre.ethers.provider.call({ to: nobody })), 40_000_000n)
    await helpers.setCode(nobody, "0x")
  },
  "impersonateAccount, stopImpersonatingAccount": async () => {
    await helpers.setBalance(nobody, 10n ** 20n)
    await helpers.impersonateAccount(nobody)
    const transaction = { from: nobody, to: whale, value: "0x0" }
    assert.match(await send("eth_sendTransaction", transaction), /^0x/)
    await helpers.stopImpersonatingAccount(nobody)
    await refusal(send("eth_sendTransaction", transaction))
  },
  "takeSnapshot, restore": async () => {
    const snapshot = await helpers.takeSnapshot()
    const height = await helpers.time.latestBlock()
    await helpers.mine(2)
    await snapshot.restore()
    assert.strictEqual(await helpers.time.latestBlock(), height)
  },
  loadFixture: async () => {
    let runs = 0
    const fixture = async () => {
      runs++
      await helpers.mine(5)
      return { height: await helpers.time.latestBlock() }
    }
    const first = await helpers.loadFixture(fixture)
    await helpers.mine(3)
    const second = await helpers.loadFixture(fixture)
    assert.deepStrictEqual([runs, first], [1, second])
    assert.strictEqual(await helpers.time.latestBlock(), first.height)
  },
  dropTransaction: async () => {
    await send("evm_setAutomine", false)
    const [from] = await send("eth_accounts")
    const hash = await send("eth_sendTransaction", { from, to: nobody, value: "0x1", gas: "0xc350" })
    await helpers.dropTransaction(hash)
    await helpers.mine()
    assert.isNull(await send("eth_getTransactionReceipt", hash))
    await send("evm_setAutomine", true)
  },
  reset: async () => {
    await helpers.reset()
    assert.strictEqual(await helpers.time.latestBlock(), 0)
  }
}

describe("Hardhat", () => {
  referee("Hardhat 2, hardhat-ethers, network-helpers", 25, { ...hardhatEthers, ...networkHelpers })
})
