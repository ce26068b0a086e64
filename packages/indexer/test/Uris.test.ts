import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { encodeCall, topicOf } from "../src/Abi.js"
import { catchUp } from "../src/CatchUp.js"
import { bob, FakeNode, type Log, quantity, token } from "./support/fakeNode.js"
import { stores } from "./support/stores.js"

const word = (n: bigint | number) => n.toString(16).padStart(64, "0")
const text = (value: string) => {
  const bytes = Buffer.from(value).toString("hex")
  return `0x${word(32)}${word(bytes.length / 2)}${bytes.padEnd(Math.ceil(bytes.length / 64) * 64, "0")}`
}
const selector = (signature: string): string => `0x${Buffer.from(encodeCall(signature)).toString("hex", 0, 4)}`
const highest = 2n ** 256n - 1n

const minted = (id: number): Log => ({
  address: token,
  topics: [topicOf("Transfer(address,address,uint256)"), `0x${word(0)}`, `0x${word(BigInt(bob))}`, `0x${word(id)}`],
  data: "0x"
})
const revealed = (from: bigint, to: bigint): Log => ({
  address: token,
  topics: [topicOf("BatchMetadataUpdate(uint256,uint256)")],
  data: `0x${word(from)}${word(to)}`
})

/** A collection whose tokens are minted in block 1 and get other URIs in block 2, with a log there. */
const collection = (count: number, log: Log): FakeNode => {
  const node = new FakeNode(2)
  node.logsOf = (height) => height === 1 ? Array.from({ length: count }, (_, index) => minted(index + 1)) : [log]
  node.fault = ({ method, params: [call, state] }) => {
    if (!method.endsWith("_call")) return undefined
    const { data } = call as { readonly data: Hex }
    const answers: Readonly<Record<string, () => string>> = {
      "tokenURI(uint256)": () =>
        text(
          state === node.hashOf(2) || state === quantity(2)
            ? `ipfs://revealed/${BigInt(`0x${data.slice(10)}`)}`
            : "ipfs://hidden"
        ),
      "ownerOf(uint256)": () => `0x${word(BigInt(bob))}`,
      "supportsInterface(bytes4)": () => `0x${word(data.includes("80ac58cd") ? 1 : 0)}`
    }
    const found = Object.entries(answers).find(([signature]) => data.startsWith(selector(signature)))
    return found === undefined ? undefined : { result: found[1]() }
  }
  return node
}

describe.each(stores)("the URIs of a collection on %s", (_, open) => {
  const urisOf = (count: number, log: Log) =>
    Effect.gen(function*() {
      const index = yield* open()
      yield* catchUp(index, yield* collection(count, log).source({ namespace: "eth" }))
      assert.isTrue(yield* index.reader.isSettled)
      return yield* Effect.forEach(
        Array.from({ length: count }, (_, id) => BigInt(id + 1)),
        (id) => Effect.map(index.reader.token(token, id), (found) => Option.getOrThrow(found).uri)
      )
    })

  it.scoped("are asked again for all that its contract reveals at once", () =>
    Effect.gen(function*() {
      const all = Array.from({ length: 3 }, (_, index) => `ipfs://revealed/${index + 1}`)
      assert.deepStrictEqual(yield* urisOf(3, revealed(0n, highest)), all)
      assert.deepStrictEqual(yield* urisOf(3, revealed(2n, 2n)), [
        "ipfs://hidden",
        "ipfs://revealed/2",
        "ipfs://hidden"
      ])
      assert.deepStrictEqual(yield* urisOf(3, revealed(4n, highest)), Array(3).fill("ipfs://hidden"))
      assert.deepStrictEqual(yield* urisOf(3, revealed(3n, 1n)), Array(3).fill("ipfs://hidden"))
    }))

  it.scoped("are asked again for one that its contract names", () =>
    Effect.gen(function*() {
      const named = (signature: string, topics: ReadonlyArray<Hex>, data: Hex): Log => ({
        address: token,
        topics: [topicOf(signature), ...topics],
        data
      })
      const one = ["ipfs://hidden", "ipfs://revealed/2", "ipfs://hidden"]
      const hidden = Array(3).fill("ipfs://hidden")
      assert.deepStrictEqual(yield* urisOf(3, named("MetadataUpdate(uint256)", [], `0x${word(2)}`)), one)
      assert.deepStrictEqual(yield* urisOf(3, named("MetadataUpdate(uint256)", [], "0x")), hidden)
      assert.deepStrictEqual(yield* urisOf(3, named("URI(string,uint256)", [`0x${word(2)}`], "0x")), one)
      assert.deepStrictEqual(
        yield* urisOf(3, named("BatchMetadataUpdate(uint256,uint256)", [], `0x${word(1)}`)),
        hidden
      )
    }))

  it.scoped("are asked again by a process that was started since", () =>
    Effect.gen(function*() {
      const index = yield* open()
      const node = collection(3, revealed(0n, highest))
      node.height = 1
      yield* catchUp(index, yield* node.source({ namespace: "eth" }))
      node.height = 2
      const again = yield* index.open()
      yield* catchUp(again, yield* node.source({ namespace: "eth" }))
      assert.strictEqual(Option.getOrThrow(yield* again.reader.token(token, 2n)).uri, "ipfs://revealed/2")
    }))

  it.scoped("are asked in parts where they are many", () =>
    Effect.gen(function*() {
      const [index, node] = [yield* open(), collection(230, revealed(1n, highest))]
      let withBlock = 0
      yield* catchUp(index, yield* node.source({ namespace: "eth" }), {
        onBlock: ({ number }) =>
          Effect.sync(() => {
            if (number !== 2) return
            const asked = node.requests.flat().filter(({ method, params: [call, state] }) =>
              method === "eth_call" && state !== node.hashOf(1) &&
              Object(call).data.startsWith(selector("tokenURI(uint256)"))
            )
            withBlock = asked.length
          })
      })
      assert.isAtMost(withBlock, 200)
      const uris = yield* urisOf(230, revealed(1n, highest))
      assert.deepStrictEqual(uris.filter((uri, index) => uri !== `ipfs://revealed/${index + 1}`), [])
    }))
})

describe("the name and the symbol of a token", () => {
  const described = (name: string, symbol: string) =>
    Effect.gen(function*() {
      const node = new FakeNode(1)
      node.fault = ({ method, params: [call] }) => {
        const { data = "" } = Object(call)
        if (!method.endsWith("_call")) return undefined
        if (data.startsWith(selector("name()"))) return { result: name }
        if (data.startsWith(selector("symbol()"))) return { result: symbol }
        return data.startsWith(selector("decimals()")) ? { result: `0x${word(18)}` } : undefined
      }
      const [[, open] = assert.fail("no store")] = stores
      const index = yield* open()
      yield* catchUp(index, yield* node.source({ namespace: "eth" }))
      const contract = Option.getOrThrow(yield* index.reader.contract(token))
      return [contract.name, contract.symbol]
    })

  it.scoped("may be 32 bytes", () =>
    Effect.gen(function*() {
      const bytes = (value: string) => `0x${Buffer.from(value).toString("hex").padEnd(64, "0")}`
      assert.deepStrictEqual(yield* described(bytes("Maker"), bytes("MKR")), ["Maker", "MKR"])
      assert.deepStrictEqual(yield* described(bytes("x".repeat(32)), text("MKR")), ["x".repeat(32), "MKR"])
      // A number, and bytes with a gap, are no text.
      assert.deepStrictEqual(yield* described(`0x${word(32)}`, `0x61006200${"0".repeat(56)}`), [undefined, undefined])
    }))
})
