/**
 * Blocks as the sandbox stores them.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"

/**
 * A block. In every record of this package hashes and addresses are lower-case 0x strings; amounts and gas are `bigint`
 * or integers, never hex.
 *
 * **Gotchas**
 *
 * The sandbox has no Merkle tries. `stateRoot`, `transactionsRoot` and `receiptsRoot` are Keccak-256 digests over the
 * block's changes, transactions and receipts: equal for equal histories, different otherwise, and useless for proofs.
 *
 * @since 0.1.0
 * @category models
 */
export interface BlockRecord {
  /** Height. Block 0 is the genesis block and holds no transactions. */
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds; never less than the parent's. */
  readonly timestamp: number
  readonly gasUsed: bigint
  /** 256 bytes: the bloom filter over the addresses and topics of all logs. */
  readonly logsBloom: Hex
  readonly stateRoot: Hex
  readonly transactionsRoot: Hex
  readonly receiptsRoot: Hex
  /** The size of the header and all raw transactions, in bytes. */
  readonly size: number
  readonly transactionCount: number
  readonly transferCount: number
}
