/**
 * Blocks as the sandbox stores them.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"

/**
 * One block. Hashes and addresses are lower-case 0x text here and in every record of this package; amounts and gas are
 * `bigint` or whole numbers, never hex.
 *
 * **Gotchas**
 *
 * The sandbox has no Merkle tries. `stateRoot`, `transactionsRoot` and `receiptsRoot` are Keccak-256 digests that chain
 * what the block changed, holds and answered: equal for equal histories, different otherwise, and of no use for proofs.
 *
 * @since 0.1.0
 * @category models
 */
export interface BlockRecord {
  /** Height. Block 0 is the genesis block and holds no transactions. */
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds; never before that of the parent. */
  readonly timestamp: number
  readonly gasUsed: bigint
  /** 256 bytes: the bloom filter over the addresses and topics of all logs. */
  readonly logsBloom: Hex
  readonly stateRoot: Hex
  readonly transactionsRoot: Hex
  readonly receiptsRoot: Hex
  /** Bytes of the header and all raw transactions together. */
  readonly size: number
  readonly transactionCount: number
  readonly transferCount: number
}
