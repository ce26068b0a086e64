import type { FeeLedger, PaidFee, WalletChain } from "@effect-klaytn/custody/WalletChain"
import { keyOf } from "@effect-klaytn/indexer/BlockKey"
import type { ChainReader } from "@effect-klaytn/indexer/ChainReader"
import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import { attempt, StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as LogsBloom from "@effect-klaytn/transaction/LogsBloom"
import { sharesOf } from "@effect-klaytn/transaction/TransactionView"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { newestAccount } from "../newestAccount.js"
import { suggestedPrice } from "../suggestedPrices.js"

/** A chain that the sandbox executes, as its wallet sees it. */
export const walletChain = (chain: Chain): WalletChain => ({
  chainId: chain.chainId,
  unitPrice: suggestedPrice(chain),
  now: chain.now,
  genesisTime: Effect.map(
    chain.block(0),
    Option.match({ onNone: () => 0, onSome: ({ timestamp }) => timestamp })
  ),
  account: (address) => newestAccount(chain, address),
  hasCode: (address) =>
    Effect.mapBoth(chain.code(address), {
      onFailure: (cause) => cause._tag === "BlockNotFound" ? new StoreFailure({ operation: "code", cause }) : cause,
      onSuccess: (code) => code !== "0x"
    }),
  // The wallet never replaces what it has sent.
  pendingNonce: chain.freeNonce,
  transaction: chain.transaction,
  pendingTransaction: chain.pendingTransaction,
  logsOf: (hash) => Effect.map(chain.logsOf(hash), (logs) => ({ logs, logsBloom: fromBytes(LogsBloom.of(logs)) })),
  call: (request) =>
    Effect.mapBoth(chain.call(request), {
      onFailure: (cause) => cause._tag === "BlockNotFound" ? new StoreFailure({ operation: "call", cause }) : cause,
      onSuccess: ({ data, txError }) => ({ data: txError === undefined ? data : undefined })
    }),
  submitRaw: chain.submitRaw
})

const toFee = (record: TransactionRecord): PaidFee => ({
  id: keyOf(record.blockNumber, record.transactionIndex),
  record,
  charged: sharesOf(record).byFeePayer
})

/** The fees that a fee payer has paid, from the index. */
export const feeLedger = (chain: Chain, reader: ChainReader, feePayer: Hex): FeeLedger => ({
  list: (query) => attempt("fees", () => reader.transactionsPaidBy({ feePayer, ...query }).map(toFee)),
  find: (hash) =>
    Effect.map(
      chain.transaction(hash),
      (found) => found.pipe(Option.filter((record) => record.feePayer === feePayer), Option.map(toFee))
    )
})
