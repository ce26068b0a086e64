/**
 * What a wallet needs of a chain.
 */
import * as Amount from "@effect-klaytn/core/Amount"
import type { Chain } from "@effect-klaytn/core/Chain"
import type { AccountKey } from "@effect-klaytn/transaction/AccountKey"
import type { TransactionResult } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { type CustodyFailure, type TransactionRejected, WalletRefused } from "./CustodyError.js"

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
  /** What the wallet pays for a unit of gas, in peb. Fails with `WalletRefused` while that is above the wallet's bound. */
  readonly unitPrice: Effect.Effect<bigint, CustodyFailure>
  /** The most that the wallet signs for a unit of gas, in peb. Default: no bound. */
  readonly maxPrice?: bigint | undefined
  /** What a unit of gas costs. Default: `unitPrice`, which does not change. */
  readonly prices?: Effect.Effect<Prices, CustodyFailure> | undefined
  /** Unix seconds: the time of the newest block or of the clock, whichever is later. */
  readonly now: Effect.Effect<number>
  /** Unix seconds of the first block. */
  readonly genesisTime: Effect.Effect<number, CustodyFailure>
  /** None if no transaction has touched the address. */
  readonly account: (address: Hex) => Effect.Effect<Option.Option<ChainAccount>, CustodyFailure>
  /** Whether the newest block has code at an address: a contract, or an account that has given itself one (EIP-7702). */
  readonly hasCode: (address: Hex) => Effect.Effect<boolean, CustodyFailure>
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
export type Verdict =
  | { readonly _tag: "mined" }
  | {
    readonly _tag: "replaced"
    /** The hash of the transaction that the block has. */
    readonly by: Hex
    /** Its bytes, where they were read and the account has signed them. */
    readonly raw?: Hex | undefined
  }
  | { readonly _tag: "open" }

/**
 * What a unit of gas costs, in peb.
 *
 * @category models
 */
export interface Prices {
  /** The base fee of the newest block. */
  readonly baseFee: bigint
  /** What the wallet pays; undefined while the base fee is above the bound. */
  readonly price: bigint | undefined
  /** The price of what waits until several have signed it, since each signature covers the price; undefined while `price` is. */
  readonly heldPrice: bigint | undefined
  /** The wallet's bound: it signs nothing that pays more. */
  readonly maxPrice: bigint
}

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
  /**
   * Gives signed bytes to the node, once, and returns their hash. `check` is run last, after everything else that may keep the bytes here:
   * if it fails, nothing leaves. Default: nothing is checked.
   */
  readonly submitRaw: (
    raw: Hex,
    check?: Effect.Effect<void, CustodyFailure>
  ) => Effect.Effect<Hex, TransactionRejected | CustodyFailure>
  readonly prices: Effect.Effect<Prices, CustodyFailure>
  /** The time of the newest block, in Unix seconds: a clock beside that of this machine, for what can't be undone. */
  readonly blockTime: Effect.Effect<number, CustodyFailure>
}

/**
 * How a wallet finds its price.
 *
 * @category models
 */
export interface PriceRules {
  /** The most that the wallet pays for a unit of gas, in peb. Default: {@link defaultMaxPrice}. */
  readonly maxPrice?: bigint | undefined
  /** What is paid beside the base fee of the newest block. Default: {@link defaultPriceFactor}. */
  readonly factor?: number | undefined
  /** The same for a transaction that waits until several have signed it. Default: {@link defaultHeldPriceFactor}. */
  readonly heldFactor?: number | undefined
}

/**
 * 750 gkei: the highest base fee that the chain knows (`upperboundbasefee`, KIP-71).
 *
 * @category constants
 */
export const defaultMaxPrice: bigint = 750_000_000_000n

/**
 * Two full blocks ahead: the base fee rises by a twentieth a block at most (KIP-71), and 1.05 x 1.05 is 1.1025.
 *
 * @category constants
 */
export const defaultPriceFactor = 1.1025

/**
 * A transaction that waits until several have signed it keeps its price: four times the base fee is 28 full blocks ahead.
 *
 * @category constants
 */
export const defaultHeldPriceFactor = 4

/** Factors have so many decimals at most. */
const factorUnits = 1_000_000

/**
 * What a wallet pays at a base fee: the base fee times the factor, rounded up, within the bound.
 *
 * @category decisions
 */
export const pricesAt = (
  baseFee: bigint,
  { factor = defaultPriceFactor, heldFactor = defaultHeldPriceFactor, maxPrice = defaultMaxPrice }: PriceRules = {}
): Prices => {
  const units = BigInt(factorUnits)
  const times = (by: number) => {
    const wanted = (baseFee * BigInt(Math.round(by * factorUnits)) + units - 1n) / units
    return baseFee > maxPrice ? undefined : wanted < maxPrice ? wanted : maxPrice
  }
  return { baseFee, maxPrice, price: times(factor), heldPrice: times(Math.max(factor, heldFactor)) }
}

/**
 * The price of {@link Prices}; fails with both figures while the base fee is above the bound.
 *
 * @category decisions
 */
export const payable = (
  { baseFee, maxPrice, price }: Omit<Prices, "heldPrice">
): Effect.Effect<bigint, WalletRefused> =>
  price === undefined
    ? overPriced(`the base fee of the newest block, ${gkei(baseFee)},`, maxPrice)
    : Effect.succeed(price)

/**
 * A price for people: peb in gkei, of which one is 1,000,000,000 peb.
 *
 * @category conversions
 */
export const gkei = (peb: bigint): string => `${Amount.toDecimal(peb, 9)} gkei`

/**
 * The refusal of what costs more than the wallet pays for a unit of gas.
 *
 * @category constructors
 */
export const overPriced = (what: string, maxPrice: bigint): WalletRefused =>
  new WalletRefused({
    reason: "price",
    message: `${what} is above ${gkei(maxPrice)}, the most that the wallet pays for a unit of gas (--max-gas-price)`
  })
