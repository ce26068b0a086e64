import * as ExecutedTransaction from "@effect-klaytn/transaction/ExecutedTransaction"
import type { EmittedLog } from "@effect-klaytn/transaction/ExecutedTransaction"
import { bytesOf, type Hex, lowerCase } from "@effect-klaytn/transaction/Hex"
import { assert, describe, it } from "@effect/vitest"
import * as Arr from "effect/Array"
import { topicOf } from "../src/Abi.js"
import type { ScopeFilter } from "../src/IndexScope.js"
import * as drafts from "../src/internal/postgres/drafts.js"
import { factKeysOf } from "../src/internal/tokens/factKeys.js"
import { keptOf } from "../src/internal/tokens/keptTransactions.js"
import { questionsOf } from "../src/internal/tokens/questions.js"
import { touchedIn } from "../src/internal/tokens/Reconciler.js"
import type { TokenBlock } from "../src/internal/tokens/tokenIndex.js"
import { touchUris } from "../src/internal/tokens/UriReader.js"
import type { TokenFacts } from "../src/TokenFacts.js"

const address = (digit: string): Hex => `0x${digit.repeat(40)}`
const word = (hex: string): Hex => `0x${hex.padStart(64, "0")}`
const party = (digit: string): Hex => word(digit.repeat(40))
const [alice, bob, spender] = [party("1"), party("2"), party("3")]
const hash = word("ab")

/** Contracts of each kind, and one that has none. */
const kinds = { a: "ft", b: "nft", c: "mt", d: undefined } as const
const contracts = new Map<Hex, (typeof kinds)[keyof typeof kinds]>(
  Object.entries(kinds).map(([digit, kind]) => [address(digit), kind])
)
const facts: TokenFacts = {
  kindOf: (contract) => contracts.get(contract),
  contract: () => undefined,
  hasMoved: () => true,
  hasToken: () => false,
  tokensIn: () => [],
  ownerOf: () => undefined
}

const topic = (signature: string): Hex => lowerCase(topicOf(signature))
const transfer = topic("Transfer(address,address,uint256)")

/** Logs of all shapes: transfers of each kind, those that only look like one, and others. */
const shapes: ReadonlyArray<Pick<EmittedLog, "topics"> & { readonly words: number }> = [
  { topics: [transfer, alice, bob], words: 1 },
  { topics: [transfer, word("f".repeat(64)), word("0")], words: 1 },
  { topics: [transfer, alice, spender], words: 2 },
  { topics: [transfer, alice, bob, word("7")], words: 0 },
  { topics: [transfer, alice], words: 1 },
  { topics: [topic("Approval(address,address,uint256)"), alice, spender], words: 1 },
  { topics: [topic("TransferSingle(address,address,address,uint256,uint256)"), spender, alice, bob], words: 2 },
  { topics: [topic("MetadataUpdate(uint256)")], words: 1 },
  { topics: [topic("URI(string,uint256)"), word("9")], words: 1 }
]

const everything: ScopeFilter = {
  firstBlock: 0,
  firstSecond: 0,
  isWhole: true,
  accounts: undefined,
  contracts: undefined,
  declaredCreation: () => undefined
}

/** A block of transactions to an address that is no token, each with these logs. */
const blockOf = (each: ReadonlyArray<ReadonlyArray<EmittedLog>>) => {
  const header = { number: 7, hash, parentHash: hash, timestamp: 1 }
  const executed = each.map((logs, index) =>
    ExecutedTransaction.fromFacts(
      {
        hash,
        senderTxHash: hash,
        typeInt: 0,
        from: address("4"),
        to: address("5"),
        value: 0n,
        nonce: 0n,
        gas: 1n,
        feePayer: undefined,
        feeRatio: undefined,
        carriesValue: false
      },
      new Uint8Array(0),
      { status: 1, txError: undefined, gasUsed: 1n, gasPrice: 1n, contractAddress: undefined, logs, writes: undefined },
      { block: header, index, gasBefore: 0n }
    )
  )
  const touched = [...contracts.keys(), address("5")]
  return { header, gasUsed: 1n, touched, transactions: keptOf(everything, executed) }
}

/** What the fold of a block looks up, and asks contracts about. */
const meaningOf = ({ touched, transactions }: Pick<TokenBlock, "touched" | "transactions">) => {
  const block = { contracts: [], tokenContracts: undefined, transactions }
  const all = touchedIn(facts, block)
  touchUris(facts, block, all)
  const { contracts, tokens } = factKeysOf(touched, transactions)
  return {
    questions: questionsOf(all, 0).map((one) => JSON.stringify(one)).sort(),
    contracts: Array.from(contracts, ([contract, shown]) => [contract, ...[...shown].sort()].join(" ")).sort(),
    tokens,
    transfers: transactions.map(({ transfers }) => transfers)
  }
}

describe("a draft", () => {
  it("means the same as its block, whatever the logs of contracts look like", () => {
    const logs = Arr.cartesianWith(
      shapes,
      [...contracts.keys()],
      ({ topics, words }, contract): EmittedLog => ({
        address: contract,
        topics,
        data: bytesOf(`0x${"8".repeat(64).repeat(words)}`)
      })
    )
    // Each log alone, and all of them in one block.
    for (const some of [...logs.map((log) => [log]), logs]) {
      const block = blockOf(some.map((log) => [log]))
      const [read] = drafts.decode(drafts.encode([block]))
      assert.deepStrictEqual(read && meaningOf(read), meaningOf(block))
    }
  })

  it("has no log that a transfer of a fungible token repeats", () => {
    const [moved, approved] = [shapes[0], shapes[5]].map((shape): EmittedLog => ({
      address: address("a"),
      topics: shape?.topics ?? [],
      data: bytesOf(word("8"))
    }))
    const [read] = drafts.decode(drafts.encode([blockOf([[moved, approved].flatMap((log) => log ?? [])])]))
    assert.deepStrictEqual(read?.transactions[0]?.logs.map(({ topics }) => topics), [approved?.topics])
    assert.strictEqual(read?.transactions[0]?.transfers.length, 1)
  })
})
