import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import { typeInts } from "@effect-klaytn/transaction/TransactionType"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { blockNumber, find } from "../rpc/BlockSelector.js"
import { failure, inNamespaces, method, type Methods } from "../rpc/Method.js"
import { bool, hash, optional } from "../rpc/ParamDecoder.js"

/** As much of a blob as is shown where it is not asked for as a whole: 32 bytes. */
const shortened = (blob: Hex): string => blob.slice(0, 66)

/** The blobs of a transaction, as a node shows them. */
const sidecarOf = (chain: Chain, record: TransactionRecord, isWhole: boolean) =>
  Effect.flatMap(
    chain.blobs(record.hash),
    Option.match({
      onNone: () => failure("blob file not found"),
      onSome: ({ blobs, commitments, proofs, version }) =>
        Effect.succeed({
          blobSidecar: { blobs: isWhole ? blobs : blobs.map(shortened), commitments, proofs, version },
          blockHash: record.blockHash,
          blockNumber: quantity(record.blockNumber),
          txHash: record.hash,
          txIndex: quantity(record.transactionIndex)
        })
    })
  )

const hasBlobs = ({ typeInt }: TransactionRecord): boolean => typeInt === typeInts.EthereumBlob

/** The blobs that are kept. */
export const blobMethods: Methods = inNamespaces(["eth"], {
  getBlobSidecars: method([optional(blockNumber), bool], (chain, number, isWhole) =>
    Effect.gen(function*() {
      // A node's own answer where the number is null.
      if (number === undefined) return yield* failure("method handler crashed")
      if (number === "pending") return yield* failure("pending block not supported")
      const block = yield* find(chain, number, "block")
      const records = yield* chain.transactionsOf(block.number)
      return yield* Effect.forEach(records.filter(hasBlobs), (record) => sidecarOf(chain, record, isWhole))
    })),
  getBlobSidecarByTxHash: method(
    [hash, bool],
    (chain, wanted, isWhole) =>
      Effect.flatMap(
        chain.transaction(wanted),
        Option.match({
          onNone: () => failure(`transaction not found: ${wanted}`),
          onSome: (record) =>
            hasBlobs(record)
              ? sidecarOf(chain, record, isWhole)
              : failure(`transaction is not a blob transaction: ${wanted}`)
        })
      )
  )
})
