/** Blocks of made-up transfers in a database file, written by the store itself, without execution. */
import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { DraftTransfer, IndexedBlock, IndexedTransaction } from "../../indexer/src/internal/IndexedBlock.js"
import { TransferStore } from "../../indexer/src/internal/sqlite/TransferStore.js"
import { noHash, sealHeader } from "../../local-chain/src/internal/Header.js"
import { fieldsOf } from "../../local-chain/src/internal/NextBlock.js"
import { Random } from "../src/internal/Random.js"
import { openStore } from "../src/internal/store/Store.js"

/** Transfers in each block. */
export const perBlock = 100

/**
 * Blocks that one transaction of the database stores while it is filled. With one each, as the store has it, every block
 * writes the pages of all indexes that it touches: a third more CPU time, and much more waiting for the disk.
 */
const blocksAtOnce = 500

const chainId = 8217

export const address = (n: number): Hex => `0xa${n.toString(16).padStart(39, "0")}`
export const contracts = Array.from({ length: 50 }, (_, i) => address(1_000_000 + i))
/** The address that takes part in a fifth of all transfers; ten thousand others share the rest. */
export const busiest = address(0)

/** The transfers of one database file, and how it is filled. */
export const storedTransfers = (path: string) => {
  const store = openStore(path)
  const chain = store.chain(chainId)
  const random = new Random("pages")
  const any = (): Hex => random.fraction() < 0.1 ? busiest : address(random.between(1, 10_000))

  const draft = (): DraftTransfer => {
    const kind = random.fraction()
    const contract = random.pick(contracts) ?? busiest
    const parties = { from: any(), to: any() }
    if (kind < 0.65) return { kind: "coin", ...parties, value: kind < 0.2 ? 0n : BigInt(random.between(1, 1e9)) }
    if (kind < 0.88) return { kind: "ft", ...parties, value: BigInt(random.between(1, 1e9)), contract }
    if (kind < 0.97) return { kind: "nft", ...parties, tokenId: BigInt(random.between(1, 1e5)), contract }
    return { kind: "mt", operator: parties.from, ...parties, ids: [1n], values: [2n], contract }
  }

  const fieldsAfter = (parentHash: Hex) => fieldsOf({ parentHash, gasLimit: 500_000_000n }, 25_000_000_000n)
  let parent: BlockRecord | undefined
  let transactionNumber = 0

  const transaction = (number: number, index: number): IndexedTransaction => {
    const transfer = draft()
    const hash: Hex = `0x${(++transactionNumber).toString(16).padStart(64, "0")}`
    return {
      hash,
      senderTxHash: hash,
      blockNumber: number,
      transactionIndex: index,
      timestamp: 1_600_000_000 + number,
      typeInt: 8,
      from: transfer.from,
      to: transfer.to,
      value: 1n,
      nonce: 1n,
      gas: 21_000n,
      gasPrice: 25_000_000_000n,
      gasUsed: 21_000n,
      cumulativeGasUsed: BigInt(21_000 * (index + 1)),
      fee: 525_000_000_000_000n,
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

  /** Writes a block as part of a transaction of the database. */
  const write = (number: number): void => {
    const transactions = Array.from({ length: number === 0 ? 0 : perBlock }, (_, index) => transaction(number, index))
    const parentHash = parent?.hash ?? noHash
    const environment = { number, timestamp: 1_600_000_000 + number, parentHash, ...fieldsAfter(parentHash) }
    const header = sealHeader(chainId, parent, environment, transactions, [])
    const block: IndexedBlock = {
      header,
      transactions,
      answers: { balances: [], owners: [], supplies: [], tokenSupplies: [] },
      uris: [],
      questions: [],
      asked: [],
      contracts: number === 1
        ? contracts.map((one) => ({
          address: one,
          kind: "ft",
          standard: "KIP-7",
          name: "Name",
          symbol: "SYM",
          decimals: 18
        } as const))
        : []
    }
    parent = chain.index.writer.write(block)
  }

  return {
    driver: store.driver,
    transfers: new TransferStore(store.driver, chainId),
    /** Fills an empty file with that many transfers. */
    fill: (rows: number): void => {
      const blocks = Math.ceil(rows / perBlock)
      for (let first = 0; first <= blocks; first += blocksAtOnce) {
        chain.index.atomically(() => {
          for (let number = first; number <= Math.min(first + blocksAtOnce - 1, blocks); number++) write(number)
        })
      }
    },
    close: () => store.close()
  }
}
