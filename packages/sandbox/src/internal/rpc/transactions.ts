import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { NodeSettings } from "../NodeSettings.js"
import { blockNumber, findOrNull, type Selector } from "./BlockSelector.js"
import { failure, method, type Methods, type RpcFailure } from "./Method.js"
import { data, hash, index, list } from "./ParamDecoder.js"
import * as transactionForm from "./transactionForm.js"

type Found<A> = Effect.Effect<A | null, StoreFailure>

/** A transaction of a block, or one that waits for a block. */
const findKnown = (chain: Chain, wanted: Hex): Found<transactionForm.Known> =>
  Effect.flatMap(chain.transaction(wanted), (mined): Found<transactionForm.Known> =>
    Option.isSome(mined)
      ? Effect.succeed(mined.value)
      : Effect.map(chain.pendingTransaction(wanted), Option.getOrNull))

/** Without an index the hash is that of the whole transaction. */
const findBySender = (chain: Chain, wanted: Hex): Found<TransactionRecord> =>
  Effect.flatMap(
    NodeSettings,
    ({ senderTxHashIndex }) =>
      Effect.map(
        senderTxHashIndex ? chain.transactionBySenderHash(wanted) : chain.transaction(wanted),
        Option.getOrNull
      )
  )

const findAtPlace = (chain: Chain, selector: Selector, place: bigint): Found<TransactionRecord> =>
  Effect.flatMap(findOrNull(chain, selector), (block) =>
    block === null || place >= block.transactionCount
      ? Effect.succeed(null)
      : Effect.map(chain.transactionAt(block.number, Number(place)), Option.getOrNull))

const show = <A, B, C>(found: Found<A>, form: (value: A) => B, otherwise: C): Effect.Effect<B | C, StoreFailure> =>
  Effect.map(found, (value) => value === null ? otherwise : form(value))

/** A method that finds a transaction of a block by a hash, and shows its receipt. */
const receiptMethod = (
  find: (chain: Chain, wanted: Hex) => Found<TransactionRecord>,
  form: transactionForm.TransactionForms["receipt"]
) =>
  method([hash], (chain, wanted) =>
    Effect.flatMap(find(chain, wanted), (record) =>
      record === null
        ? Effect.succeed(null)
        : Effect.map(
          record.logCount === 0 ? Effect.succeed([]) : chain.logsOf(record.hash),
          (logs) => form(record, logs)
        )))

const findMined = (chain: Chain, wanted: Hex): Found<TransactionRecord> =>
  Effect.map(chain.transaction(wanted), Option.getOrNull)

/** The methods that find a transaction by its hash, and by its place in a block. */
const findMethods = (name: string, form: (known: transactionForm.Known) => unknown, otherwise: unknown): Methods => ({
  [`get${name}ByHash`]: method([hash], (chain, wanted) => show(findKnown(chain, wanted), form, otherwise)),
  [`get${name}ByBlockHashAndIndex`]: method(
    [hash, index],
    (chain, wanted, place) => show(findAtPlace(chain, { hash: wanted }, place), form, otherwise)
  ),
  [`get${name}ByBlockNumberAndIndex`]: method(
    [blockNumber, index],
    (chain, number, place) => show(findAtPlace(chain, number, place), form, otherwise)
  )
})

const transactionMethods = (forms: transactionForm.TransactionForms): Methods => ({
  ...findMethods("Transaction", forms.transaction, null),
  getTransactionReceipt: receiptMethod(findMined, forms.receipt),
  ...findMethods("RawTransaction", forms.raw, "0x")
})

/** Transactions and receipts in the forms of `klay`. */
export const klayTransactions: Methods = {
  ...transactionMethods(transactionForm.klayForms),
  getTransactionBySenderTxHash: method(
    [hash],
    (chain, wanted) =>
      Effect.flatMap(findBySender(chain, wanted), (record) =>
        record === null
          ? show(findKnown(chain, wanted), transactionForm.klayTransaction, null)
          : Effect.sync(() => transactionForm.klayTransaction(record)))
  ),
  getTransactionReceiptBySenderTxHash: receiptMethod(findBySender, transactionForm.klayForms.receipt),
  // There is no cache beside the database.
  getTransactionReceiptInCache: receiptMethod(findMined, transactionForm.klayForms.receipt),
  getDecodedAnchoringTransactionByHash: method(
    [hash],
    (chain, wanted) =>
      Effect.flatMap(findKnown(chain, wanted), (found) => {
        if (found === null) return Effect.fail(failure("can't find the transaction"))
        const transaction = transactionForm.transactionOf(found)
        if (!transaction.type.includes("ChainDataAnchoring") || !("input" in transaction)) {
          return Effect.fail(failure("invalid transaction type"))
        }
        const anchored = transactionForm.anchoringOf(transaction.input)
        return anchored === undefined
          ? Effect.fail(failure("the anchored data cannot be decoded"))
          : Effect.succeed(anchored)
      })
  )
}

/** The same in the forms of `eth`. */
export const ethTransactions: Methods = transactionMethods(transactionForm.ethForms)

const submit = (chain: Chain, raw: Hex) =>
  Effect.catchTag(chain.submitRaw(raw), "TransactionRejected", ({ message }) => Effect.fail(failure(message)))

const firstByte = (raw: Hex): number => Number.parseInt(raw.slice(2, 4), 16)

const unknownType = "undefined tx type"

/** Submits Ethereum types without their envelope, and legacy transactions. */
const submitEth = (chain: Chain, raw: Hex): Effect.Effect<Hex, RpcFailure | StoreFailure> => {
  const first = firstByte(raw)
  if (raw.length === 4 && first > 0 && first < 5) return Effect.fail(failure("EOF"))
  // Types below 8 are Ethereum's; the codec knows which of them the chain has.
  return first >= 8 && first < 0x7f ? Effect.fail(failure(unknownType)) : submit(chain, raw)
}

const hashes = (chain: Chain, raws: ReadonlyArray<Hex>) =>
  Effect.forEach(raws, (raw, index) =>
    raw === "0x"
      ? Effect.fail(failure(`Index ${index}: empty input`))
      : Effect.catchTag(
        submitEth(chain, raw),
        "RpcFailure",
        ({ message }) => Effect.fail(failure(`Index ${index}: ${message}`))
      ))

/** Every Klaytn type, legacy transactions, and Ethereum types in their envelope. */
export const klaySubmit: Methods = {
  sendRawTransaction: method([data], (chain, raw) => {
    if (raw === "0x") return failure("EOF")
    const first = firstByte(raw)
    return first > 0 && first < 8 ? failure(unknownType) : submit(chain, raw)
  }),
  // As in a node: no Klaytn types, and a failure loses the hashes before it.
  sendRawTransactions: method(
    [list(data, "[]hexutil.Bytes")],
    (chain, raws) => raws.length === 0 ? failure("Empty input") : hashes(chain, raws)
  )
}

/** Ethereum types without their envelope, and legacy transactions. */
export const ethSubmit: Methods = {
  sendRawTransaction: method([data], (chain, raw) => raw === "0x" ? failure("Empty input") : submitEth(chain, raw))
}
