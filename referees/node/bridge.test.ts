/** What the SDK's client adds below other libraries: one request for many calls, repetition, and the credential. */
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import * as Ethers from "./ethers.js"
import type { Reader } from "./facts.js"
import * as Viem from "./viem.js"
import { chainId, open, type World } from "./world.js"

let world: World
beforeAll(async () => {
  world = await open()
})
beforeEach(() => world.run(world.control.clearRequests))
afterAll(() => world.close())

const requests = () => world.run(world.control.requests())

const libraries: ReadonlyArray<readonly [name: string, reader: () => Reader]> = [
  ["viem", () => Viem.readerOf(Viem.clientOf(Viem.bridged(world)))],
  ["ethers", () => Ethers.readerOf(Ethers.bridged(world))]
]

describe.each(libraries)("%s over the bridge", (_, make) => {
  it("asks once for everything that is asked at the same time", async () => {
    const reader = make()
    await Promise.all([
      reader.height(),
      reader.gasPrice(),
      ...world.accounts.map(({ address }) => reader.balance(address))
    ])
    const [request, ...more] = await requests()
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(request?.rpcMethods?.toSorted(), ["eth_blockNumber", "eth_gasPrice", "eth_getBalance"])
    assert.deepInclude(request, { operation: "node.exchange", chainId, status: 200 })
  })

  it("hears nothing of a service that is away for a moment", async () => {
    const reader = make()
    const { balance } = await world.state(world.busiest.address)
    await world.run(world.control.addFault({
      operation: "eth_getBalance",
      times: 2,
      action: { kind: "answer", status: 503 }
    }))
    assert.strictEqual(await reader.balance(world.busiest.address), balance)
    assert.deepStrictEqual((await requests()).map(({ status }) => status), [503, 503, 200])
  })
})
