import { Contract, ContractFactory, JsonRpcProvider, verifyMessage, WebSocketProvider } from "ethers"
import { afterAll, assert, beforeAll, it } from "vitest"
import { args, bytecode, signatures } from "../node/contract.js"
import { open, type World } from "./world.js"

let world: World
const nobody = "0x8888888888888888888888888888888888888888"
const providers: Array<JsonRpcProvider | WebSocketProvider> = []

beforeAll(async () => {
  world = await open()
})
afterAll(async () => {
  for (const provider of providers) await provider.destroy()
  await world.close()
})

const overHttp = () => {
  const provider = new JsonRpcProvider(world.url, undefined, { polling: false, cacheTimeout: -1 })
  provider.pollingInterval = 20
  providers.push(provider)
  return provider
}

const overSocket = () => {
  const provider = new WebSocketProvider(world.url.replace("http", "ws"))
  providers.push(provider)
  return provider
}

const deploy = async (provider: JsonRpcProvider) => {
  const factory = new ContractFactory([...signatures], bytecode, await provider.getSigner(0))
  const deployed = await factory.deploy(...args)
  await deployed.waitForDeployment()
  return new Contract(await deployed.getAddress(), [...signatures], await provider.getSigner(0))
}

/** Ends all listeners, and waits until the node has heard of it. */
const quiet = async (provider: JsonRpcProvider | WebSocketProvider) => {
  await provider.removeAllListeners()
  await provider.send("eth_chainId", [])
}

const named = (contract: Contract, name: string) => contract.getFunction(name)

it("ethers sends and signs with the accounts of the sandbox", async () => {
  const provider = overHttp()
  const signer = await provider.getSigner(0)
  assert.strictEqual(signer.address.toLowerCase(), world.accounts[0]?.address)
  const before = await provider.getBalance(nobody)
  const sent = await signer.sendTransaction({ to: nobody, value: 5n })
  assert.strictEqual((await sent.wait())?.status, 1)
  assert.strictEqual(await provider.getBalance(nobody), before + 5n)
  assert.strictEqual(verifyMessage("hello", await signer.signMessage("hello")), signer.address)
})

it("ethers deploys, writes, reads, and says why a call fails", async () => {
  const contract = await deploy(overHttp())
  await (await named(contract, "mint")(nobody, 7n)).wait()
  assert.strictEqual(await named(contract, "balanceOf")(nobody), 7n)
  const reason = await named(contract, "transfer")(nobody, 1n)
    .then(() => assert.fail("it was sent"), (error: { reason?: string }) => error.reason)
  assert.strictEqual(reason, "KIP7: transfer amount exceeds balance")
})

it.each([["polled filters", overHttp], ["a WebSocket", overSocket]] as const)(
  "ethers hears of blocks and events over %s",
  async (_, open) => {
    const provider = open()
    const contract = await deploy(overHttp())
    const listening = new Contract(await contract.getAddress(), [...signatures], provider)
    const heights: Array<number> = []
    const values: Array<bigint> = []
    await provider.on("block", (height: number) => heights.push(height))
    await listening.on("Transfer", (_from: string, _to: string, value: bigint) => values.push(value))
    for (let sent = 0; values.length < 2 || heights.length < 2; sent++) {
      assert.isBelow(sent, 100)
      await named(contract, "mint")(nobody, 9n)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.isTrue(values.every((value) => value === 9n))
    await listening.removeAllListeners()
    await quiet(provider)
  }
)

it("ethers hears of pending transactions by a filter", async () => {
  const provider = overHttp()
  const hashes: Array<string> = []
  const sent: Array<string> = []
  await provider.on("pending", (hash: string) => hashes.push(hash))
  const signer = await provider.getSigner(1)
  while (hashes.length === 0) {
    assert.isBelow(sent.length, 100)
    sent.push((await signer.sendTransaction({ to: nobody, value: 1n })).hash)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.isTrue(hashes.every((hash) => sent.includes(hash)))
  await quiet(provider)
})
