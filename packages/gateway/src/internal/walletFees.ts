/** The fees of a gateway's own fee payer, from its index. */
import { attempt } from "@effect-klaytn/custody/CustodyError"
import type { FeeLedger, PaidFee } from "@effect-klaytn/custody/WalletChain"
import { keyOf } from "@effect-klaytn/indexer/BlockKey"
import type { ChainReader } from "@effect-klaytn/indexer/ChainReader"
import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { splitFee } from "@effect-klaytn/transaction/TransactionView"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const toFee = (record: TransactionRecord): PaidFee => ({
  id: keyOf(record.blockNumber, record.transactionIndex),
  record,
  charged: splitFee(record, record.fee).byFeePayer
})

/** The fees that a fee payer has paid in transactions that the index keeps. */
export const ofIndex = (
  reader: Pick<ChainReader, "transactionsPaidBy" | "transactionByHash">
) =>
(feePayer: Hex): FeeLedger => ({
  list: (query) => attempt("fees", () => reader.transactionsPaidBy({ feePayer, ...query }).map(toFee)),
  find: (hash) =>
    Effect.map(
      attempt("fees", () => reader.transactionByHash(hash)),
      (found) => found?.feePayer === feePayer ? Option.some(toFee(found)) : Option.none()
    )
})
