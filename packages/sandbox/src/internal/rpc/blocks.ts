import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import { blockFieldsOf } from "@effect-klaytn/local-chain/Execution"
import { includes } from "@effect-klaytn/transaction/Hardfork"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import type { Chain } from "../../Chain.js"
import { blockNumber, blockNumberOrHash, find, findOrNull, type Selector } from "./BlockSelector.js"
import { method, type Methods, type RpcFailure } from "./Method.js"
import { bool, hash } from "./ParamDecoder.js"
import { blobGasOf, ethForms, klayForms, type TransactionForms } from "./transactionForm.js"

/** The digest of a list without uncles. */
const noUncles: Hex = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"

/** The rules of a chain that its headers show. */
type Rules = Pick<Chain, "hardfork" | "unitPrice">

/** A block, and the units of blob gas that its transactions used. */
type Shown = BlockRecord & { readonly blobGasUsed: bigint }

/** The fields about blobs. A block has one at most, which is what it should have: there is never one in excess. */
const blobFields = ({ blobGasUsed }: Shown, { hardfork }: Rules) =>
  includes(hardfork, "osaka") ? { excessBlobGas: "0x0", blobGasUsed: quantity(blobGasUsed) } : {}

const transactionsIn = (chain: Chain, block: BlockRecord) =>
  block.transactionCount === 0 ? Effect.succeed([]) : chain.transactionsOf(block.number)

/** A block with what its header says of blobs. */
export const withBlobGas = (chain: Chain, block: BlockRecord): Effect.Effect<Shown, StoreFailure> =>
  Effect.map(transactionsIn(chain, block), (records) => ({ ...block, blobGasUsed: blobGasOf(records) }))

/** What `klay` shows of a header. Every block scores 1, as on a chain whose blocks are final at once. */
const klayFields = (block: Shown, chain: Rules) => ({
  number: quantity(block.number),
  hash: block.hash,
  parentHash: block.parentHash,
  logsBloom: block.logsBloom,
  transactionsRoot: block.transactionsRoot,
  stateRoot: block.stateRoot,
  receiptsRoot: block.receiptsRoot,
  // Nothing is paid to it: fees are burnt, and no coin is created.
  reward: blockFieldsOf(block, chain.unitPrice).miner,
  blockScore: "0x1",
  extraData: "0x",
  gasUsed: quantity(block.gasUsed),
  timestamp: quantity(block.timestamp),
  timestampFoS: "0x0",
  governanceData: "0x",
  voteData: "0x",
  baseFeePerGas: quantity(blockFieldsOf(block, chain.unitPrice).baseFeePerGas),
  ...blobFields(block, chain)
})

/** A header as `klay` shows it, which names the mix hash in another way than a block. */
export const klayHeader = (block: Shown, chain: Rules) => ({
  ...klayFields(block, chain),
  mixhash: blockFieldsOf(block, chain.unitPrice).mixHash
})

/** A block as `klay` shows it. */
export const klayBlock = (block: Shown, chain: Rules, transactions: ReadonlyArray<unknown>) => ({
  ...klayFields(block, chain),
  mixHash: blockFieldsOf(block, chain.unitPrice).mixHash,
  size: quantity(block.size),
  transactions
})

/** A header as `eth` shows it. */
export const ethHeader = (block: Shown, chain: Rules) => {
  const { baseFeePerGas, gasLimit, miner, mixHash } = blockFieldsOf(block, chain.unitPrice)
  return {
    number: quantity(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    nonce: "0x0000000000000000",
    mixHash,
    sha3Uncles: noUncles,
    logsBloom: block.logsBloom,
    stateRoot: block.stateRoot,
    transactionsRoot: block.transactionsRoot,
    receiptsRoot: block.receiptsRoot,
    miner,
    difficulty: "0x1",
    extraData: "0x",
    size: quantity(block.size),
    gasLimit: quantity(gasLimit),
    gasUsed: quantity(block.gasUsed),
    timestamp: quantity(block.timestamp),
    baseFeePerGas: quantity(baseFeePerGas),
    ...blobFields(block, chain)
  }
}

/** A block as `eth` shows it. */
const ethBlock = (block: Shown, chain: Rules, transactions: ReadonlyArray<unknown>) => ({
  ...ethHeader(block, chain),
  transactions,
  uncles: []
})

/** More logs than a block can hold. */
const allLogs = 2 ** 31

/** How a namespace writes a block and what is in it. */
interface Forms extends TransactionForms {
  readonly header: (block: Shown, chain: Rules) => unknown
  readonly block: (block: Shown, chain: Rules, transactions: ReadonlyArray<unknown>) => unknown
}

const klay: Forms = { ...klayForms, header: klayHeader, block: klayBlock }
const eth: Forms = { ...ethForms, header: ethHeader, block: ethBlock }

/** Shows a block that may not exist: `klay` fails then, `eth` answers null. The pending block is always refused. */
const showFound = <A>(
  found: Effect.Effect<BlockRecord, RpcFailure | StoreFailure>,
  nullable: boolean,
  show: (block: BlockRecord) => Effect.Effect<A, StoreFailure>
) =>
  Effect.flatMap(
    nullable
      ? Effect.catchTag(found, "RpcFailure", (failure) =>
        failure.message.includes("does not exist") ? Effect.succeed(null) : Effect.fail(failure))
      : found,
    (block) =>
      block === null ? Effect.succeed(null) : show(block)
  )

const showBlock = (chain: Chain, forms: Forms, full: boolean) => (block: BlockRecord) =>
  Effect.map(transactionsIn(chain, block), (records) =>
    forms.block(
      { ...block, blobGasUsed: blobGasOf(records) },
      chain,
      records.map((record) => full ? forms.transaction(record) : record.hash)
    ))

const showReceipts = (chain: Chain, forms: Pick<Forms, "receipt">) => (block: BlockRecord) =>
  Effect.gen(function*() {
    const records = yield* chain.transactionsOf(block.number)
    const logs = yield* chain.logs({ fromBlock: block.number, toBlock: block.number, limit: allLogs })
    const byTransaction = Array.groupBy(logs, ({ transactionHash }) => transactionHash)
    return records.map((record) => forms.receipt(record, byTransaction[record.hash] ?? []))
  })

const count = (chain: Chain, selector: Selector) =>
  Effect.map(findOrNull(chain, selector), (block) => block === null ? null : quantity(block.transactionCount))

const blockMethods = (forms: Forms, nullable: boolean): Methods => {
  const block = (chain: Chain, selector: Selector, full: boolean) =>
    showFound(find(chain, selector, "block"), nullable, showBlock(chain, forms, full))
  const header = (chain: Chain, selector: Selector) =>
    showFound(
      find(chain, selector, "header"),
      nullable,
      (found) => Effect.map(withBlobGas(chain, found), (shown) => forms.header(shown, chain))
    )
  return {
    getBlockByNumber: method([blockNumber, bool], block),
    getBlockByHash: method([hash, bool], (chain, wanted, full) => block(chain, { hash: wanted }, full)),
    getHeaderByNumber: method([blockNumber], header),
    getHeaderByHash: method([hash], (chain, wanted) => header(chain, { hash: wanted })),
    getBlockReceipts: method(
      [blockNumberOrHash],
      (chain, selector) => showFound(find(chain, selector, "block"), false, showReceipts(chain, forms))
    ),
    blockNumber: method([], (chain) => Effect.map(chain.head, ({ number }) => quantity(number))),
    getBlockTransactionCountByNumber: method([blockNumber], count),
    getBlockTransactionCountByHash: method([hash], (chain, wanted) => count(chain, { hash: wanted }))
  }
}

/** Blocks, headers and receipts of blocks in the forms of `klay`. */
export const klayBlocks: Methods = blockMethods(klay, false)

/** The same in the forms of `eth`. */
export const ethBlocks: Methods = blockMethods(eth, true)

/** The receipts of a block in the form of `klay`. */
export const klayReceipts = (chain: Chain) => showReceipts(chain, klay)
