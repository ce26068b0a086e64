/**
 * How many token transfers a second the indexer takes in (transfers, tokens, owners, URIs, and what it takes to undo
 * them, written in blocks of 100 to a database file, without execution), and how long the SDK takes to stream a
 * collection of as many tokens from the sandbox. Prints one JSON line a figure:
 *
 *     npx tsx packages/sandbox/bench/tokens.ts [tokens]
 */
import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DraftTransfer, IndexedBlock, IndexedTransaction } from "../../indexer/src/internal/IndexedBlock.js"
import { noHash, sealHeader } from "../../local-chain/src/internal/Header.js"
import { fieldsOf } from "../../local-chain/src/internal/NextBlock.js"
import { openStore } from "../src/internal/store/Store.js"
import * as Sandbox from "../src/Sandbox.js"

const tokens = Number(process.argv[2] ?? 100_000)
const perBlock = 100
const directory = mkdtempSync(join(tmpdir(), "bench-"))
const database = join(directory, "chain.db")
const address = (n: number): Hex => `0xa${n.toString(16).padStart(39, "0")}`
const cats = address(1_000_000)
const nobody: Hex = "0x0000000000000000000000000000000000000000"

const transactionOf = (number: number, index: number, transfer: DraftTransfer): IndexedTransaction => {
  const hash: Hex = `0x${(number * perBlock + index).toString(16).padStart(64, "0")}`
  return {
    hash,
    senderTxHash: hash,
    blockNumber: number,
    transactionIndex: index,
    timestamp: 1_600_000_000 + number,
    typeInt: 48,
    from: transfer.from,
    to: cats,
    value: 0n,
    nonce: 0n,
    gas: 100_000n,
    gasPrice: 25_000_000_000n,
    gasUsed: 50_000n,
    cumulativeGasUsed: 50_000n,
    fee: 1n,
    feePayer: undefined,
    feeRatio: undefined,
    status: 1,
    txError: undefined,
    contractAddress: undefined,
    raw: new Uint8Array(100),
    carriesValue: false,
    logs: [],
    writes: [],
    logsBefore: 0,
    transfersBefore: index,
    transfers: [transfer]
  }
}

const print = (figure: string, count: number, seconds: number): void => {
  process.stdout.write(
    `${
      JSON.stringify({ figure, count, seconds: Number(seconds.toFixed(2)), perSecond: Math.round(count / seconds) })
    }\n`
  )
}

const fill = (): void => {
  const store = openStore(database)
  const { atomically, writer } = store.chain(1001).index
  let spent = 0
  const fieldsAfter = (parentHash: Hex) => fieldsOf({ parentHash, gasLimit: 500_000_000n }, 25_000_000_000n)
  let parent: BlockRecord | undefined
  const write = (number: number, transactions: ReadonlyArray<IndexedTransaction>, rest: Partial<IndexedBlock>) => {
    const parentHash = parent?.hash ?? noHash
    const environment = { number, timestamp: 1_600_000_000 + number, parentHash, ...fieldsAfter(parentHash) }
    const header = sealHeader(1001, parent, environment, transactions, [])
    const begun = performance.now()
    parent = atomically(() =>
      writer.write({
        header,
        transactions,
        contracts: [],
        answers: { balances: [], owners: [], supplies: [], tokenSupplies: [] },
        uris: [],
        questions: [],
        asked: [],
        ...rest
      })
    )
    spent += performance.now() - begun
  }
  write(0, [], {
    contracts: [{ address: cats, kind: "nft", standard: "KIP-17", name: "Cats", symbol: "C", decimals: undefined }]
  })
  const pass = (first: number, transferOf: (token: number) => DraftTransfer, uri: string | undefined) => {
    for (let start = 0; start < tokens; start += perBlock) {
      const number = first + start / perBlock
      const ids = Array.from({ length: Math.min(perBlock, tokens - start) }, (_, index) => start + index)
      const uris = uri === undefined
        ? []
        : ids.map((id) => ({ contract: cats, tokenId: BigInt(id), uri: `${uri}${id}` }))
      write(number, ids.map((id, index) => transactionOf(number, index, transferOf(id))), { uris })
    }
  }
  const blocksOfPass = Math.ceil(tokens / perBlock)
  const ownerOf = (id: number) => address(id % 5000)
  const nft = { kind: "nft", contract: cats } as const
  spent = 0
  pass(1, (id) => ({ ...nft, from: nobody, to: ownerOf(id), tokenId: BigInt(id) }), "ipfs://cat/")
  print("mints indexed", tokens, spent / 1000)
  spent = 0
  pass(
    1 + blocksOfPass,
    (id) => ({ ...nft, from: ownerOf(id), to: ownerOf(id + 1), tokenId: BigInt(id) }),
    undefined
  )
  print("transfers indexed", tokens, spent / 1000)
  store.close()
}

const read = Effect.gen(function*() {
  const data = yield* TokenData.TokenData
  const begun = performance.now()
  const ids = new Set<bigint>()
  let count = 0
  yield* data.getNftsByContractAddress.items({ contract: cats, size: 1000 }).pipe(
    Stream.runForEach(({ tokenId }) =>
      Effect.sync(() => {
        ids.add(tokenId)
        count++
      })
    )
  )
  if (count !== tokens || ids.size !== tokens) throw new Error(`streamed ${count} tokens, ${ids.size} different ones`)
  print("tokens streamed by the SDK, each once", count, (performance.now() - begun) / 1000)
})

fill()
const sandbox = Sandbox.layer({ database })
const client = TokenData.layer().pipe(Layer.provide(Sandbox.clientConfig(1001)), Layer.provide(FetchHttpClient.layer))
await Effect.runPromise(Effect.provide(read, Layer.provideMerge(client, sandbox)))
rmSync(directory, { recursive: true })
