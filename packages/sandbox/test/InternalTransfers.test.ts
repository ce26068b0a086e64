import { encodeArguments, topicOf } from "@effect-klaytn/indexer/Abi"
import type { TransferRecord } from "@effect-klaytn/indexer/TransferRecord"
import type { SendRequest } from "@effect-klaytn/local-chain/SendRequest"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Chain } from "../src/Chain.js"
import * as Sandbox from "../src/Sandbox.js"
import { codes, type Move, moves, type Party, sendHalf } from "./support/coinMoves.js"
import { contractOf } from "./support/nodeWorld.js"
import { control, page } from "./support/wire.js"

/** Logs a transfer of 7 of its tokens to the address in the first word, and sends half of the value of its call there. */
const teller = `6007600052600035337f${topicOf("Transfer(address,address,uint256)").slice(2)}60206000a3${
  sendHalf("600035")
}00`

const shop: Hex = `0x${"5a".repeat(20)}`

/** A chain with the contracts of the moves, and who is who. */
const open = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const chain = chains.chain(1001)
  const alice = chains.account("alice")
  const names = new Map<Hex, Party>([[alice.address, "sender"], [shop, "shop"]])
  const addresses = new Map<Party, Hex>([["sender", alice.address], ["shop", shop]])
  for (const [name, code] of Object.entries(codes)) {
    const { contractAddress = "0x" } = yield* chain.execute({ kind: "deploy", from: alice, code: contractOf(code) })
    names.set(contractAddress, name as Party)
    addresses.set(name as Party, contractAddress)
  }
  const request = ({ data, to }: Move): SendRequest => {
    const word = (party: Party) => BigInt(addresses.get(party) ?? "0x0")
    const words = fromBytes(encodeArguments(`(${data.map(() => "uint256").join()})`, data.map(word)))
    return typeof to === "object"
      ? { kind: "deploy", from: alice, code: to.code, value: 10n }
      : { kind: "execute", from: alice, to: addresses.get(to) ?? "0x", data: words, value: 10n }
  }
  return { chain, alice, names, request }
})

/** The transfers of a transaction, its own first, with names in place of addresses. */
const moved = (transfers: ReadonlyArray<TransferRecord>, names: ReadonlyMap<Hex, Party>) =>
  transfers.toReversed().map((transfer): Move["moved"][number] => [
    names.get(transfer.from) ?? "created",
    names.get(transfer.to) ?? "created",
    transfer.kind === "coin" ? Number(transfer.value) : 0
  ])

const hashOf = (chain: Chain, request: SendRequest) =>
  Effect.gen(function*() {
    yield* chain.sendBlock([request])
    const { number } = yield* chain.head
    const [record] = yield* chain.transactionsOf(number)
    return record?.hash ?? "0x"
  })

const layerOf = (internalTransfers: boolean) =>
  Sandbox.layer({ seed: "coin", clock: { start: 1_600_000_000, step: 1 }, internalTransfers })

describe("The coin that contracts move", () => {
  it.scoped("is listed behind the transaction's own coin, in the order of execution", () =>
    Effect.gen(function*() {
      const { chain, names, request } = yield* open
      for (const move of moves) {
        const hash = yield* hashOf(chain, request(move))
        assert.deepStrictEqual([move.name, moved(yield* chain.transfersOf(hash), names)], [move.name, move.moved])
      }
    }).pipe(Effect.provide(layerOf(true))))

  it.scoped("is not listed unless that is asked for", () =>
    Effect.gen(function*() {
      const { chain, names, request } = yield* open
      for (const move of moves) {
        const hash = yield* hashOf(chain, request(move))
        assert.deepStrictEqual(moved(yield* chain.transfersOf(hash), names), move.moved.slice(0, 1))
      }
    }).pipe(Effect.provide(layerOf(false))))

  it.scoped("is on pages of any size once, and comes along with no token", () =>
    Effect.gen(function*() {
      const { chain, alice } = yield* open
      const { contractAddress = "0x" } = yield* chain.execute({ kind: "deploy", from: alice, code: contractOf(teller) })
      const data: Hex = `0x${shop.slice(2).padStart(64, "0")}`
      for (const value of [10n, 20n]) {
        yield* chain.execute({ kind: "execute", from: alice, to: contractAddress, data, value })
      }
      yield* control("POST", "/chains/1001/presets", { name: "account", accounts: [shop], contracts: [] })
      yield* control("POST", "/chains/1001/presets", { name: "contract", accounts: [], contracts: [contractAddress] })
      const list = (path: string) =>
        Effect.gen(function*() {
          const found: Array<string> = []
          let [cursor, isMore] = ["", true]
          while (isMore) {
            const { cursor: next = "", items } = yield* page(`${path}&cursor=${cursor}`)
            for (const { transferType, value } of items) found.push(`${String(transferType)} ${Number(value)}`)
            cursor = next
            isMore = next !== ""
          }
          return found
        })
      const expected = {
        "/v2/transfer?presets=1": ["ft 7", "klay 10", "klay 20", "ft 7", "klay 5", "klay 10"],
        "/v2/transfer?presets=2": ["ft 7", "klay 20", "ft 7", "klay 10"],
        [`/v2/transfer/account/${shop}?kind=klay`]: ["klay 10", "klay 5"],
        [`/v2/transfer/account/${shop}?kind=ft`]: ["ft 7", "ft 7"]
      }
      for (const [path, items] of Object.entries(expected)) {
        for (const size of [1, 2, 3, 100]) {
          assert.deepStrictEqual([path, size, yield* list(`${path}&size=${size}`)], [path, size, items])
        }
      }
    }).pipe(Effect.provide(layerOf(true))))
})
