/**
 * Blocks as the sandbox stores them.
 */
import type { Row } from "@effect-klaytn/store/Table"
import type { blocks } from "./IndexTables.js"

/**
 * A block. In every record of this package hashes and addresses are lower-case 0x strings; amounts and gas are `bigint`
 * or integers, never hex.
 *
 * **Gotchas**
 *
 * The sandbox has no Merkle tries. `stateRoot`, `transactionsRoot` and `receiptsRoot` are Keccak-256 digests over the
 * block's changes, transactions and receipts: equal for equal histories, different otherwise, and useless for proofs.
 *
 * @category models
 */
export interface BlockRecord extends Row<typeof blocks.fields> {}
