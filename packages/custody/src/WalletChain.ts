/**
 * What a wallet needs of a chain.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import type { AccountKey } from "@effect-klaytn/transaction/AccountKey"
import type { TransactionResult } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { CustodyFailure, TransactionRejected } from "./CustodyError.js"

/**
 * The state of an account at the newest block.
 *
 * @category models
 */
export interface ChainAccount {
  readonly nonce: bigint
  /** peb */
  readonly balance: bigint
  readonly key: AccountKey
}

/**
 * A transaction that is not in a block yet.
 *
 * @category models
 */
export interface WaitingTransaction extends Pick<TransactionResult, "hash" | "senderTxHash" | "typeInt" | "from"> {
  /** The signed bytes; Ethereum types without the envelope byte 0x78. */
  readonly raw: Hex
}

/**
 * A transaction of a block.
 *
 * @category models
 */
export interface MinedTransaction extends
  WaitingTransaction,
  Pick<
    TransactionResult,
    | "blockNumber"
    | "transactionIndex"
    | "timestamp"
    | "gasPrice"
    | "gasUsed"
    | "status"
    | "fee"
    | "feePayer"
    | "feeRatio"
    | "to"
  >
{
  readonly blockHash: Hex
  /** The contract that it created. */
  readonly contractAddress: Hex | undefined
}

/**
 * A log of a transaction of a block.
 *
 * @category models
 */
export interface Log {
  readonly address: Hex
  readonly topics: ReadonlyArray<Hex>
  readonly data: Hex
  readonly blockNumber: number
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly transactionIndex: number
  /** Position among all logs of the block. */
  readonly logIndex: number
}

/**
 * A call of a contract at the newest block.
 *
 * @category models
 */
export interface ContractCall {
  readonly from?: Hex | undefined
  readonly to: Hex
  /** peb */
  readonly value?: bigint | undefined
  readonly data: Hex
  readonly gas?: bigint | undefined
}

/**
 * What a call of a contract returned; `data` is undefined if the execution failed.
 *
 * @category models
 */
export interface CallAnswer {
  readonly data: Hex | undefined
}

/**
 * What the wallet needs of one chain: accounts with their keys and nonces, a way to send, and what became of what was sent.
 * The wallet and its operations use nothing else.
 *
 * @category services
 */
export interface WalletChain {
  readonly chainId: Chain
  /** The gas price of transactions, peb for one unit of gas. */
  readonly unitPrice: Effect.Effect<bigint, CustodyFailure>
  /** Unix seconds: the time of the newest block or of the clock, whichever is later. */
  readonly now: Effect.Effect<number>
  /** Unix seconds of the first block. */
  readonly genesisTime: Effect.Effect<number, CustodyFailure>
  /** None if no transaction has touched the address. */
  readonly account: (address: Hex) => Effect.Effect<Option.Option<ChainAccount>, CustodyFailure>
  /** The next nonce of an address, including transactions in the pool. */
  readonly pendingNonce: (address: Hex) => Effect.Effect<bigint, CustodyFailure>
  /** A transaction of a block. */
  readonly transaction: (hash: Hex) => Effect.Effect<Option.Option<MinedTransaction>, CustodyFailure>
  /** A transaction that waits for a block. */
  readonly pendingTransaction: (hash: Hex) => Effect.Effect<Option.Option<WaitingTransaction>, CustodyFailure>
  /** The logs of a transaction of a block, and the bloom filter over them (256 bytes). */
  readonly logsOf: (
    hash: Hex
  ) => Effect.Effect<{ readonly logs: ReadonlyArray<Log>; readonly logsBloom: Hex }, CustodyFailure>
  readonly call: (request: ContractCall) => Effect.Effect<CallAnswer, CustodyFailure>
  /** Gives signed bytes to the pool, and returns their hash. */
  readonly submitRaw: (raw: Hex) => Effect.Effect<Hex, TransactionRejected | CustodyFailure>
}

/**
 * A fee that the service's own fee payer has paid, fully or by ratio.
 *
 * @category models
 */
export interface PaidFee {
  /** Later fees have higher numbers. */
  readonly id: number
  readonly record: MinedTransaction
  /** The fee payer's part of the fee, peb. */
  readonly charged: bigint
}

/**
 * The fees that the service's own fee payer has paid, newest first.
 *
 * @category services
 */
export interface FeeLedger {
  readonly list: (query: {
    /** Only those of this sender. */
    readonly from?: Hex | undefined
    /** Only those before this number. */
    readonly before?: number | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<PaidFee>, CustodyFailure>
  /** The fee of one transaction; none if the service's own fee payer has not paid it. */
  readonly find: (hash: Hex) => Effect.Effect<Option.Option<PaidFee>, CustodyFailure>
}

/**
 * What the blocks say of a send: `mined`, a block has the transaction, maybe with another signature of a fee payer; `replaced`, a
 * block has another transaction with its nonce, so this one can never run; `open`, no block that was seen decides.
 *
 * @category models
 */
export type Verdict = "mined" | "replaced" | "open"

/**
 * A send to look for in the blocks.
 *
 * @category models
 */
export interface VerdictQuery {
  readonly account: Hex
  readonly nonce: bigint
  readonly hash: Hex
  /** The hash without the part of a fee payer. */
  readonly senderHash: Hex
}

/**
 * A chain that is executed elsewhere, whose blocks say what became of a send.
 *
 * @category services
 */
export interface RemoteChain extends WalletChain {
  /**
   * `replaced` only on the evidence of a block that has the other transaction: a copy of the node that lags behind lacks the receipt
   * of what has run, and a nonce that is used does not say by which transaction.
   */
  readonly verdict: (send: VerdictQuery) => Effect.Effect<Verdict, CustodyFailure>
}
