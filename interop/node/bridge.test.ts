/** What the SDK's client adds below other libraries: batching, retries and the credential. */
import { BaseError, LimitExceededRpcError, ProviderDisconnectedError, UnauthorizedProviderError } from "viem"
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

/** Failures before the node is reached: the provider's code, and the library's name for it. */
const failures = [
  ["a credential that is not accepted", { status: 401, code: 1010009 }, 4100, UnauthorizedProviderError],
  ["a service that stays away", { status: 503 }, 4900, ProviderDisconnectedError],
  ["too many calls", { status: 429, retryAfter: "0" }, -32005, LimitExceededRpcError]
] as const

describe("a failure below the bridge", () => {
  it.each(failures)("%s: arrives as viem names it, and with its code in ethers", async (_, answer, code, kind) => {
    await world.run(world.control.addFault({ times: 100, action: { kind: "answer", ...answer } }))
    const refused = (call: Promise<unknown>) => call.then(() => assert.fail("it was answered"), (error: Error) => error)
    const viem = await refused(Viem.clientOf(Viem.bridged(world)).getBlockNumber())
    const ethers = await refused(Ethers.bridged(world).send("eth_blockNumber", []))
    await world.run(world.control.clearFaults)
    assert.instanceOf(viem, BaseError)
    assert.instanceOf(viem.walk((error) => error instanceof kind), kind)
    assert.deepInclude((ethers as Error & { readonly error: object }).error, { code })
    for (const { message } of [viem, ethers]) {
      assert.notInclude(message, world.node.url)
      assert.notInclude(message, world.node.headers.authorization)
    }
  })
})
