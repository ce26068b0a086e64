/**
 * What an index knows of contracts and tokens: what a block's preparation looks up.
 */
import type { Row } from "@effect-klaytn/store/Table"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { contracts } from "./IndexTables.js"
import type { ContractRecord } from "./TokenRecord.js"

/**
 * What a contract says of itself, as it is stored.
 *
 * @category models
 */
export interface KnownContract extends Omit<Row<typeof contracts.fields>, "block" | "supply" | "holders"> {}

/**
 * What a block's preparation looks up: contracts, with the kinds of the transfers that the block shows of them, and tokens.
 *
 * @category models
 */
export interface FactKeys {
  readonly contracts: ReadonlyMap<Hex, ReadonlySet<ContractRecord["kind"]>>
  readonly tokens: ReadonlyArray<{ readonly contract: Hex; readonly token: string }>
  /** Ranges of tokens, from the first to the last, of which the index may have any. */
  readonly ranges?: ReadonlyArray<{ readonly contract: Hex; readonly from: bigint; readonly to: bigint }> | undefined
  /** Transfers from this one on don't count as logged. Default: all that are stored count. */
  readonly before?: number | undefined
}

/**
 * What the index knows of the contracts and tokens of some {@link FactKeys}.
 *
 * @category models
 */
export interface TokenFacts {
  /** The kind of a token contract; undefined for any other address. */
  readonly kindOf: (address: Hex) => ContractRecord["kind"] | undefined
  readonly contract: (address: Hex) => KnownContract | undefined
  /** Whether a contract ever logged a transfer of this kind. */
  readonly hasMoved: (contract: Hex, kind: ContractRecord["kind"]) => boolean
  /** Whether a contract has a token with this ID. */
  readonly hasToken: (contract: Hex, tokenId: bigint) => boolean
  /** The tokens of a contract from one ID to another, 100,000 at most. */
  readonly tokensIn: (contract: Hex, from: bigint, to: bigint) => ReadonlyArray<bigint>
  /** The owner of a non-fungible token; undefined if there is none. */
  readonly ownerOf: (contract: Hex, tokenId: bigint) => Hex | undefined
}
