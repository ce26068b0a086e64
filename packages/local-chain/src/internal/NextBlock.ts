import type { BlockHeader } from "@effect-klaytn/transaction/ExecutedTransaction"
import { type Hardfork, includes } from "@effect-klaytn/transaction/Hardfork"
import { fromBytes, type Hex, lowerCase, zeroAddress } from "@effect-klaytn/transaction/Hex"
import { largestGas } from "@effect-klaytn/transaction/Transaction"
import type { TransactionView } from "@effect-klaytn/transaction/TransactionView"
import { hexToBytes } from "@ethereumjs/util"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as BigInteger from "effect/BigInt"
import * as Either from "effect/Either"
import * as Struct from "effect/Struct"
import { InvalidRequest } from "../ChainError.js"
import type { BlockFields } from "../Execution.js"
import { baseFeeAfter, type Bounds, boundsOf } from "./BaseFee.js"
import type { Rules } from "./rules.js"

/** The gas limit of a block unless another one was set: a constant of the node since its version 2.2.1, and before. */
const gasLimits = { today: largestGas, before: 999_999_999_999n }

/** How many times the base fee a unit of blob gas costs, by KIP-279. */
const blobFeeFactor = 8n

/** The price of blob gas at a base fee; 0 without blobs. */
export const blobFeeOf = (baseFeePerGas: bigint, hardfork: Hardfork): bigint =>
  includes(hardfork, "osaka") ? blobFeeFactor * baseFeePerGas : 0n

/** The mix hash of a block unless another one was set. It is not random. */
const mixHashOf = (parentHash: Hex): Hex => fromBytes(keccak_256(hexToBytes(parentHash)))

/** The fields of a stored block. A block of an older file has them as they were for all blocks then. */
export const fieldsOf = (
  { baseFeePerGas, gasLimit, miner, mixHash, parentHash }: Pick<BlockHeader, keyof BlockFields | "parentHash">,
  unitPrice: bigint
): BlockFields => ({
  miner: lowerCase(miner ?? zeroAddress),
  gasLimit: gasLimit ?? gasLimits.before,
  baseFeePerGas: baseFeePerGas ?? unitPrice,
  mixHash: lowerCase(mixHash ?? mixHashOf(parentHash))
})

/** Why a block can't have these fields, as text to read. */
const problemOf = ({ baseFeePerGas = 0n, gasLimit = 0n, miner, mixHash }: Partial<BlockFields>): string | undefined => {
  if (miner !== undefined && !/^0x[0-9a-f]{40}$/i.test(miner)) return "an address has 20 bytes"
  if (mixHash !== undefined && !/^0x[0-9a-f]{64}$/i.test(mixHash)) return "the value of PREVRANDAO has 32 bytes"
  if (gasLimit < 0n || gasLimit > BigInt(Number.MAX_SAFE_INTEGER)) return "the gas limit of a block is below 2^53"
  return baseFeePerGas < 0n || baseFeePerGas >= 2n ** 128n ? "a base fee is below 2^128 peb" : undefined
}

/** The fields that were set for the blocks to come: miner and gas limit for all of them, the others for the next one. */
export class NextBlock {
  fields: Partial<BlockFields> = {}
  /** The head and the mix hash of the block after it, kept because each call reads the next block. */
  #head: { readonly parentHash: Hex; readonly mixHash: Hex } | undefined

  readonly bounds: Bounds
  #fee: bigint

  constructor(
    readonly unitPrice: bigint,
    readonly rules: Rules,
    readonly isMoving: boolean,
    readonly proposer: Hex,
    highestUnitPrice?: bigint
  ) {
    const { highest, lowest } = boundsOf(unitPrice, highestUnitPrice)
    this.bounds = {
      lowest: isMoving ? lowest : unitPrice,
      highest: isMoving || rules.paysOffers ? highest : unitPrice
    }
    this.#fee = this.bounds.lowest
  }

  /** Whether the whole offer is paid. */
  get paysOffers(): boolean {
    return this.isMoving || this.rules.paysOffers
  }

  get gasLimit(): bigint {
    return this.fields.gasLimit ?? gasLimits.today
  }

  get miner(): Hex {
    return this.fields.miner ?? (this.rules.isKaia ? this.proposer : zeroAddress)
  }

  get baseFeePerGas(): bigint {
    return this.fields.baseFeePerGas ?? this.#fee
  }

  /** Whether a block prefers who pays a tip: above the lowest base fee. */
  get isBusy(): boolean {
    return this.paysOffers && this.baseFeePerGas > this.bounds.lowest
  }

  /** What to offer beside this tip, so that a block takes the transaction also if the base fee has risen until then. */
  suggestion(tip: bigint): bigint {
    const { fixed, moving, tipping } = this.rules.suggestion
    const share = tip > 0n ? tipping : this.isMoving ? moving : fixed
    return this.baseFeePerGas * share / 100n + tip
  }

  /**
   * What a transaction pays for a unit of gas: its whole offer, of dynamic ones no more than base fee and tip. Rules that pay no
   * offers have the base fee in its place, where it is fixed.
   */
  priceOf({ gasPriceCap, tipCap }: Pick<TransactionView, "gasPriceCap" | "tipCap">, baseFee: bigint): bigint {
    return this.paysOffers ? BigInteger.max(baseFee, BigInteger.min(baseFee + tipCap, gasPriceCap)) : baseFee
  }

  /** This is the newest block now. */
  follow(head: BlockHeader): void {
    if (this.isMoving) this.#fee = baseFeeAfter(head, this.bounds)
  }

  /** The fields of the block that follows one with this hash. */
  after(parentHash: Hex): BlockFields {
    if (this.#head?.parentHash !== parentHash) this.#head = { parentHash, mixHash: mixHashOf(parentHash) }
    const { baseFeePerGas, gasLimit, miner } = this
    return fieldsOf({ ...this.#head, ...this.fields, baseFeePerGas, gasLimit, miner }, this.unitPrice)
  }

  set(fields: Partial<BlockFields>): Either.Either<void, InvalidRequest> {
    const problem = problemOf(fields)
    if (problem !== undefined) return Either.left(new InvalidRequest({ message: problem }))
    this.fields = { ...this.fields, ...fields }
    return Either.void
  }

  /** The block was built. */
  built(): void {
    this.fields = Struct.pick(this.fields, "gasLimit", "miner")
  }
}
