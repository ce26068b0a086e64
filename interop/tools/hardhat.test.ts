/** Hardhat 2 with hardhat-ethers and network-helpers, in this process, on the sandbox. */
import type {} from "@nomicfoundation/hardhat-ethers"
import type { HardhatEthersSigner } from "@nomicfoundation/hardhat-ethers/signers.js"
import type * as Helpers from "@nomicfoundation/hardhat-network-helpers"
import type { HardhatRuntimeEnvironment } from "hardhat/types/index.js"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { args, bytecode, signatures } from "../node/contract.js"
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

describe("hardhat-ethers", () => {
  let signers: ReadonlyArray<HardhatEthersSigner>
  beforeEach(async () => {
    signers = await hre.ethers.getSigners()
  })
  const signer = (index: number) => signers[index] ?? assert.fail("no signer")
  const deploy = async () => {
    const factory = new hre.ethers.ContractFactory([...signatures], bytecode, signer(0))
    const contract = await factory.deploy(...args)
    await contract.waitForDeployment()
    return hre.ethers.getContractAt([...signatures], await contract.getAddress(), signer(0))
  }

  it("knows the accounts of the sandbox", () => {
    assert.deepStrictEqual(
      signers.map(({ address }) => address.toLowerCase()),
      world.accounts.map(({ address }) => address)
    )
  })

  it("sends coin, and waits for it", async () => {
    const before = await hre.ethers.provider.getBalance(nobody)
    const sent = await signer(0).sendTransaction({ to: nobody, value: 5n })
    assert.strictEqual((await sent.wait())?.status, 1)
    assert.strictEqual(await hre.ethers.provider.getBalance(nobody), before + 5n)
  })

  it("deploys a contract, writes, reads and finds events", async () => {
    const contract = await deploy()
    const minted = await (await contract.getFunction("mint")(signer(0).address, 1000n)).wait()
    await (await contract.getFunction("transfer")(nobody, 40n)).wait()
    const balanceOf = contract.getFunction("balanceOf")
    assert.strictEqual(await balanceOf(nobody), 40n)
    assert.strictEqual(await balanceOf(nobody, { blockTag: minted?.blockNumber ?? "earliest" }), 0n)
    const events = await contract.queryFilter(contract.getEvent("Transfer")(signer(0).address, null))
    assert.deepStrictEqual(events.map((event) => "args" in event ? event.args["value"] : undefined), [40n])
  })

  it("says why a call reverts", async () => {
    const contract = await deploy()
    const message = await contract.getFunction("transfer")(nobody, 1n).then(
      () => assert.fail("it was sent"),
      (error: Error) => error.message
    )
    assert.include(message, "KIP7: transfer amount exceeds balance")
  })

  it("signs messages, typed data and nothing for strangers", async () => {
    const { ethers } = hre
    const signature = await signer(1).signMessage("hello")
    assert.strictEqual(ethers.verifyMessage("hello", signature), signer(1).address)
    const types = { Mail: [{ name: "text", type: "string" }, { name: "amount", type: "uint256" }] }
    const mail = { text: "hello", amount: 10n ** 20n }
    const typed = await signer(1).signTypedData({ name: "Shop" }, types, mail)
    assert.strictEqual(ethers.verifyTypedData({ name: "Shop" }, types, mail, typed), signer(1).address)
  })

  it("impersonates through getImpersonatedSigner", async () => {
    await helpers.setBalance(whale, 10n ** 20n)
    const impersonated = await hre.ethers.getImpersonatedSigner(whale)
    const sent = await impersonated.sendTransaction({ to: nobody, value: 1n })
    assert.strictEqual((await sent.wait())?.from.toLowerCase(), whale)
  })

  it("runs a script's provider calls", async () => {
    assert.strictEqual(await hre.network.provider.send("eth_chainId"), "0x3e9")
    const block = await hre.network.provider.send("eth_getBlockByNumber", ["latest", false])
    assert.match(block.hash, /^0x[0-9a-f]{64}$/)
  })
})

describe("network-helpers", () => {
  it("mine blocks, one, many and up to a height", async () => {
    const height = await helpers.time.latestBlock()
    await helpers.mine()
    await helpers.mine(3, { interval: 12 })
    assert.strictEqual(await helpers.time.latestBlock(), height + 4)
    await helpers.mineUpTo(height + 10)
    assert.strictEqual(await helpers.time.latestBlock(), height + 10)
  })

  it("move time", async () => {
    const now = await helpers.time.latest()
    await helpers.time.increase(3600)
    assert.isAtLeast(await helpers.time.latest(), now + 3600)
    await helpers.time.increaseTo(now + 10_000)
    assert.strictEqual(await helpers.time.latest(), now + 10_000)
    await helpers.time.setNextBlockTimestamp(now + 20_000)
    await helpers.mine()
    assert.strictEqual(await helpers.time.latest(), now + 20_000)
  })

  it("set balance, nonce, code and storage", async () => {
    const { provider } = hre.ethers
    await helpers.setBalance(whale, 77n)
    assert.strictEqual(await provider.getBalance(whale), 77n)
    await helpers.setNonce(whale, 50)
    assert.strictEqual(await provider.getTransactionCount(whale), 50)
    await helpers.setCode(whale, "0x5f545f5260205ff3")
    await helpers.setStorageAt(whale, 0, 42)
    assert.strictEqual(BigInt(await provider.call({ to: whale })), 42n)
    assert.strictEqual(BigInt(await helpers.getStorageAt(whale, 0)), 42n)
  })

  it("impersonate an account, and stop", async () => {
    await helpers.setBalance(nobody, 10n ** 20n)
    await helpers.impersonateAccount(nobody)
    const send = { from: nobody, to: whale, value: "0x0" }
    assert.match(await hre.network.provider.send("eth_sendTransaction", [send]), /^0x/)
    await helpers.stopImpersonatingAccount(nobody)
    const refused = await hre.network.provider.send("eth_sendTransaction", [send]).catch((error: Error) => error)
    assert.instanceOf(refused, Error)
  })

  it("take snapshots, restore them, and load fixtures", async () => {
    const snapshot = await helpers.takeSnapshot()
    const height = await helpers.time.latestBlock()
    await helpers.mine(2)
    await snapshot.restore()
    assert.strictEqual(await helpers.time.latestBlock(), height)
    let runs = 0
    const fixture = async () => {
      runs++
      await helpers.mine(5)
      return { height: await helpers.time.latestBlock() }
    }
    const first = await helpers.loadFixture(fixture)
    await helpers.mine(3)
    const second = await helpers.loadFixture(fixture)
    assert.deepStrictEqual([runs, first, second], [1, { height: height + 5 }, { height: height + 5 }])
    assert.strictEqual(await helpers.time.latestBlock(), height + 5)
  })

  it("drop a transaction", async () => {
    const { provider } = hre.network
    await provider.send("evm_setAutomine", [false])
    const [from] = await provider.send("eth_accounts")
    const hash = await provider.send("eth_sendTransaction", [{ from, to: nobody, value: "0x1", gas: "0xc350" }])
    await helpers.dropTransaction(hash)
    await helpers.mine()
    assert.isNull(await provider.send("eth_getTransactionReceipt", [hash]))
    await provider.send("evm_setAutomine", [true])
  })

  it("reset the chain", async () => {
    await helpers.reset()
    assert.strictEqual(await helpers.time.latestBlock(), 0)
  })
})
