import { encodeArguments, topicOf } from "@effect-klaytn/indexer/Abi"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Sandbox from "../src/Sandbox.js"
import { get, page } from "./support/wire.js"

/** Creation code of a contract with the given code. */
const contractOf = (code: string) => {
  const length = (code.length / 2).toString(16).padStart(4, "0")
  return `0x61${length}80600a3d393df3${code}` as const
}

/** A number of 32 bytes, pushed. */
const push = (value: string | bigint): string =>
  `7f${(typeof value === "bigint" ? value.toString(16) : value.replace("0x", "")).padStart(64, "0")}`

const alice = `0x${"a1".repeat(20)}`
const bob = `0x${"b0".repeat(20)}`
const zero = `0x${"00".repeat(20)}`
const transfer = topicOf("Transfer(address,address,uint256)")
const single = topicOf("TransferSingle(address,address,address,uint256,uint256)")

const nft = (from: string, to: string, id: bigint): string =>
  `${push(id)}${push(to)}${push(from)}${push(transfer)}60006000a4`

const mt = (from: string, to: string, id: bigint, value: bigint): string =>
  `${push(id)}600052${push(value)}602052${push(to)}${push(from)}${push(from)}${push(single)}60406000a4`

/** With call data (a question) it goes to `answer`; without, it writes the logs. */
const contract = (logs: string, answer: string): string => {
  const jump = (4 + 1 + logs.length / 2 + 1).toString(16).padStart(4, "0")
  return contractOf(`3661${jump}57${logs}005b${answer}`)
}

const loop = (logs: string) => {
  const jump = (4 + 1 + logs.length / 2 + 1).toString(16).padStart(4, "0")
  return contract(logs, `61${jump}56`)
}

/** Answers every question with the same bytes. */
const says = (logs: string, bytes: string) => {
  const words = bytes.match(/.{1,64}/g) ?? []
  const stores = words.map((word, index) =>
    `7f${word.padEnd(64, "0")}61${(index * 32).toString(16).padStart(4, "0")}52`
  )
  return contract(logs, `${stores.join("")}61${(words.length * 32).toString(16).padStart(4, "0")}6000f3`)
}

const text = (value: string) => Buffer.from(encodeArguments("(string)", [value])).toString("hex")

const run = (code: string) =>
  Effect.gen(function*() {
    const { chains } = yield* Sandbox.Sandbox
    const chain = chains.chain(1001)
    const from = chains.account("alice")
    const { contractAddress } = yield* chain.execute({ kind: "deploy", from, code: `0x${code.slice(2)}` })
    assert(contractAddress !== undefined)
    yield* chain.execute({ kind: "execute", from, to: contractAddress, data: "0x", gas: 20_000_000n })
    return contractAddress
  })

const token = (address: Hex, id: string) =>
  Effect.map(get(`/v2/contract/nft/${address}/token/${id}`), ({ text }) => JSON.parse(text))

layer(Sandbox.layer({ seed: "hostile" }), { excludeTestServices: true })("A hostile contract", (it) => {
  it.effect("that loops, reverts or answers with nonsense has tokens with no URI, and holds up no block", () =>
    Effect.gen(function*() {
      const logs = nft(zero, alice, 1n)
      const nonsense = "ff".repeat(64)
      const hugeLength = `${"0".repeat(62)}20${"f".repeat(64)}`
      const codes = [
        loop(logs),
        contract(logs, "60006000fd"),
        contract(logs, "fe"),
        contract(logs, "00"),
        says(logs, nonsense),
        says(logs, hugeLength),
        // A megabyte of zeros: more than a question may cost.
        contract(logs, "620f42406000f3"),
        // 64 KiB of zeros: an empty text.
        contract(logs, "620100006000f3")
      ]
      for (const code of codes) {
        const address = yield* run(code)
        assert.deepInclude(yield* token(address, "0x1"), { owner: alice, previousOwner: zero, tokenUri: "" })
      }
    }))

  it.effect(
    "that loops for every one of its tokens is asked no longer than a transaction may take",
    () =>
      Effect.gen(function*() {
        const logs = Array.from({ length: 160 }, (_, id) => nft(zero, alice, BigInt(id))).join("")
        const address = yield* run(loop(logs))
        const { items } = yield* page(`/v2/contract/nft/${address}/token?size=1000`)
        assert.strictEqual(items.length, 160)
      })
  )

  it.effect("with strange texts gives them back as text", () =>
    Effect.gen(function*() {
      const logs = nft(zero, alice, 1n)
      const invalid = `${"0".repeat(62)}20${"0".repeat(62)}02${"fffe".padEnd(64, "0")}`
      assert.strictEqual((yield* token(yield* run(says(logs, invalid)), "0x1")).tokenUri, "\uFFFD\uFFFD")
      const strange = "</script>\"'; DROP TABLE tokens_1001; -- \u{1F600}\n"
      assert.strictEqual((yield* token(yield* run(says(logs, text(strange))), "0x1")).tokenUri, strange)
      const long = yield* run(says(logs, text("x".repeat(8193))))
      assert.strictEqual((yield* token(long, "0x1")).tokenUri, "")
      const nul = yield* get(`/v2/contract/nft/${yield* run(says(logs, text("a\0b")))}/token/0x1`)
      assert.strictEqual(nul.status, 200)
      assert.isString(JSON.parse(nul.text).tokenUri)
    }))

  it.effect("that moves an NFT from somebody who does not own it leaves it with one owner, the last", () =>
    Effect.gen(function*() {
      const logs = nft(zero, alice, 1n) + nft(zero, alice, 1n) + nft(bob, bob, 1n)
      const address = yield* run(contract(logs, "60006000fd"))
      assert.deepInclude(yield* token(address, "0x1"), { owner: bob, previousOwner: bob })
      const of = (owner: string) =>
        Effect.map(page(`/v2/account/${owner}/token?ca-filters=${address}`), ({ items }) => items)
      assert.strictEqual((yield* of(alice)).length, 0)
      assert.deepInclude((yield* of(bob))[0], { balance: "0x1" })
      assert.include((yield* get(`/v2/contract/nft/${address}/holder`)).text, "\"totalHolder\":1")
    }))

  it.effect("that says yes to every interface is still read by one rule, and logs of another kind change nothing", () =>
    Effect.gen(function*() {
      const yes = `${"0".repeat(63)}1`
      const address = yield* run(says(nft(zero, alice, 1n) + mt(zero, bob, 1n, 5n), yes))
      // It is asked who owns a token, and what it says counts more than its logs.
      assert.deepInclude(yield* token(address, "0x1"), { owner: `0x${"0".repeat(39)}1`, tokenUri: "" })
      assert.strictEqual((yield* get(`/v2/contract/mt/${address}/token`)).status, 404)
      assert.deepStrictEqual((yield* page(`/v2/account/${bob}/token?ca-filters=${address}`)).items, [])
    }))

  it.effect("that moves what nobody has, or mints beyond 2^256, stays within what a number can be", () =>
    Effect.gen(function*() {
      const most = 2n ** 256n - 1n
      const logs = mt(alice, bob, 1n, 5n) + mt(zero, bob, 2n, most) + mt(zero, bob, 2n, 9n) + mt(alice, bob, 3n, 0n)
      const address = yield* run(contract(logs, "60006000fd"))
      const held = (yield* page(`/v2/contract/mt/${address}/owner/${bob}`)).items
      assert.deepStrictEqual(held.map(({ balance, tokenId }) => [tokenId, balance]), [
        ["0x2", `0x${most.toString(16)}`],
        ["0x1", "0x5"]
      ])
      const issued = (yield* page(`/v2/contract/mt/${address}/token`)).items
      assert.deepStrictEqual(issued.map(({ tokenId }) => tokenId), ["0x1", "0x2"])
    }))

  it.effect("that burns takes its tokens off the lists, and the history of an NFT stays", () =>
    Effect.gen(function*() {
      const cats = yield* run(contract(nft(zero, alice, 1n) + nft(alice, zero, 1n), "00"))
      assert.strictEqual((yield* get(`/v2/contract/nft/${cats}/token/0x1`)).status, 404)
      assert.deepStrictEqual((yield* page(`/v2/contract/nft/${cats}/token`)).items, [])
      assert.strictEqual((yield* page(`/v2/contract/nft/${cats}/token/0x1/history`)).items.length, 2)
      const items = yield* run(contract(mt(zero, alice, 1n, 5n) + mt(alice, zero, 1n, 5n), "00"))
      assert.deepStrictEqual((yield* page(`/v2/contract/mt/${items}/token`)).items, [])
    }))
})
