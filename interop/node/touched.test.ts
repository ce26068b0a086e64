/** Access lists and recovered signers as a node reports them, compared with what libraries do with them. */
import { Wallet } from "ethers"
import { createRequire } from "node:module"
import { createWalletClient, encodeFunctionData } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { abi } from "./contract.js"
import * as Viem from "./viem.js"
import * as Web3rpc from "./web3rpc.js"
import { open, type World } from "./world.js"

let world: World
beforeAll(async () => {
  world = await open()
})
afterAll(() => world.close())

describe.each([["its own transport", Viem.direct], ["the bridge", Viem.bridged]] as const)(
  "viem over %s",
  (name, transportOf) => {
    it("announces the access list that it is told, and pays the gas that it is told", async () => {
      const transport = transportOf(world)
      const client = Viem.clientOf(transport)
      const { privateKey } = await world.funded(`list over ${name}`)
      const account = privateKeyToAccount(privateKey)
      const wallet = createWalletClient({ account, chain: Viem.chain, transport })
      const token = world.tokens.ft.address
      const mint = encodeFunctionData({ abi, functionName: "mint", args: [account.address, 1_000n] })
      await client.waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to: token, data: mint }) })

      const data = encodeFunctionData({ abi, functionName: "transfer", args: [world.busiest.address, 400n] })
      const { accessList, gasUsed } = await client.createAccessList({ account, to: token, data })
      assert.deepStrictEqual(accessList.map(({ address }) => address), [token])
      assert.isAtLeast(accessList[0]?.storageKeys.length ?? 0, 2)
      const hash = await wallet.sendTransaction({ to: token, data, type: "eip2930", accessList: [...accessList] })
      const receipt = await client.waitForTransactionReceipt({ hash })
      assert.strictEqual(receipt.status, "success")
      // The answer leaves out what the list costs: one address and its slots.
      assert.strictEqual(receipt.gasUsed, gasUsed + 2_400n + 1_900n * BigInt(accessList[0]?.storageKeys.length ?? 0))
      assert.deepStrictEqual((await client.getTransaction({ hash })).accessList, accessList)

      const tooMuch = encodeFunctionData({ abi, functionName: "transfer", args: [world.busiest.address, 10n ** 30n] })
      const refused = await client.createAccessList({ account, to: token, data: tooMuch }).then(
        () => assert.fail("it was answered"),
        (error: Error) => error.message
      )
      assert.include(refused, "execution reverted")
    })
  }
)

interface Caver {
  readonly wallet: {
    readonly keyring: {
      readonly create: (address: string, key: string) => {
        readonly signMessage: (message: string, role: number) => { readonly signatures: ReadonlyArray<CaverSignature> }
      }
    }
  }
}

interface CaverSignature {
  readonly v: string
  readonly r: string
  readonly s: string
}

// A CommonJS package whose own types leave most of this out.
const CaverJs: new() => Caver = createRequire(import.meta.url)("caver-js")

describe("web3rpc", () => {
  it("is told who signed a message with caver-js, viem or ethers", async () => {
    const { kaia, klay } = Web3rpc.clientOf(world)
    const { address, privateKey } = await world.funded("message of three")
    const text = "apples and pears"
    const message = `0x${Buffer.from(text).toString("hex")}`
    const [{ r, s, v }] = new CaverJs().wallet.keyring.create(address, privateKey).signMessage(text, 0)
      .signatures as readonly [CaverSignature]
    const byCaver = `0x${[r, s, v].map((part) => part.slice(2)).join("")}`
    const byViem = await privateKeyToAccount(privateKey).signMessage({ message: text })
    const byEthers = await new Wallet(privateKey).signMessage(text)
    assert.strictEqual(byEthers, byViem)
    assert.notStrictEqual(byCaver, byViem)
    for (const group of [klay, kaia]) {
      for (const signature of [byCaver, byViem]) {
        assert.strictEqual(await group("recoverFromMessage", address, message, signature, {}), address)
      }
    }
  })
})
