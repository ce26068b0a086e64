/**
 * Token contracts, tokens and holdings, kept up to date by every block, and queries for them.
 */
import type { Row } from "@effect-klaytn/store/Table"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { contracts, holdings, labels, ownings, tokens } from "./IndexTables.js"

/**
 * A token contract. Its transfer logs or its answers show the kind. Name, symbol and decimals are undefined if the contract
 * does not answer them.
 *
 * @category models
 */
export interface ContractRecord extends Omit<Row<typeof contracts.fields>, "block" | "holders"> {
  /** Block in which the chain first saw it as a token contract. */
  readonly blockNumber: number
  /** Unix seconds of that block. */
  readonly createdAt: number
  readonly label: ContractLabel
}

/**
 * The label that the service gives a contract. The sandbox labels every token contract that it finds, with the status
 * `completed` and the time of the block, unless the controls say otherwise. Labels are not part of the chain.
 *
 * @category models
 */
export interface ContractLabel extends Omit<Row<typeof labels.fields>, "address"> {}

/**
 * All tokens of one contract that an owner holds.
 *
 * @category models
 */
export interface ContractHolding extends Omit<Row<typeof ownings.fields>, "contract" | "owner" | "tokens" | "updated"> {
  readonly contract: ContractRecord
  /** Total supply of the contract: the amount of fungible tokens, or the number of non-fungible ones. */
  readonly supply: bigint
  readonly updatedAt: number
  /** The transfer that changed it last; serves as the cursor. */
  readonly updatedBy: number
}

/**
 * A transfer of a non-fungible token.
 *
 * @category models
 */
export interface OwnershipRecord {
  /** The transfer; serves as the cursor. */
  readonly id: number
  /** The zero address for a mint. */
  readonly from: Hex
  /** The zero address for a burn. */
  readonly to: Hex
  readonly timestamp: number
}

/**
 * A non-fungible token, or one token of a multi token contract.
 *
 * @category models
 */
export interface TokenRecord extends Omit<Row<typeof tokens.fields>, "token" | "created" | "updated"> {
  readonly tokenId: bigint
  /** Transaction of the last change. */
  readonly transactionHash: Hex
  readonly createdAt: number
  readonly updatedAt: number
  /** The transfer that changed it last; the cursor of lists ordered by change. */
  readonly updatedBy: number
}

/**
 * The balance that one owner has of one token.
 *
 * @category models
 */
export interface HoldingRecord extends Omit<Row<typeof holdings.fields>, "token" | "updated"> {
  readonly kind: ContractRecord["kind"]
  /** Undefined for a fungible token. */
  readonly tokenId: bigint | undefined
  /** Supply of the token over all owners; undefined for a fungible token. */
  readonly supply: bigint | undefined
  /** Undefined for a fungible token. */
  readonly uri: string | undefined
  /** Transaction of the transfer that changed it last, and the sender and receiver of that transfer. */
  readonly transactionHash: Hex
  readonly transferFrom: Hex
  readonly transferTo: Hex
  readonly updatedAt: number
  /** The transfer that changed it last; the cursor of lists ordered by change. */
  readonly updatedBy: number
}

/**
 * Selects tokens of a contract.
 *
 * @category models
 */
export interface TokenQuery {
  readonly contract: Hex
  /** Only non-fungible tokens of this owner. */
  readonly owner?: Hex | undefined
  /**
   * `newest`: last change first, those of the same change by their hex ID as text. `tokenId`: by that text alone, so that
   * `0x10` comes before `0x2`.
   */
  readonly order: "newest" | "tokenId"
  /** The last token seen. */
  readonly after?: { readonly updatedBy: number; readonly tokenId: bigint } | undefined
  readonly limit: number
}

/**
 * Selects holdings, last change first. Requires `contracts` or `owner`.
 *
 * @category models
 */
export interface HoldingQuery {
  readonly contracts?: ReadonlyArray<Hex> | undefined
  readonly owner?: Hex | undefined
  readonly tokenId?: bigint | undefined
  readonly kinds?: ReadonlyArray<"ft" | "nft" | "mt"> | undefined
  /** Excludes contracts whose label was removed. */
  readonly labelled?: boolean | undefined
  /** The last holding seen. */
  readonly after?: {
    readonly updatedBy: number
    readonly contract: Hex
    readonly owner: Hex
    readonly tokenId: bigint | undefined
  } | undefined
  readonly limit: number
}

/**
 * Selects token contracts, newest first.
 *
 * @category models
 */
export interface ContractQuery {
  readonly kinds?: ReadonlyArray<ContractRecord["kind"]> | undefined
  readonly standard?: ContractRecord["standard"] | undefined
  readonly status?: ContractLabel["status"] | undefined
  /** Excludes contracts whose label was removed. */
  readonly labelled?: boolean | undefined
  /** The last contract seen; it may be gone. */
  readonly after?: Pick<ContractRecord, "address" | "blockNumber"> | undefined
  readonly limit: number
}

/**
 * Selects contracts whose tokens an owner holds, last change first.
 *
 * @category models
 */
export interface ContractHoldingQuery {
  readonly owner: Hex
  readonly kinds?: ReadonlyArray<ContractRecord["kind"]> | undefined
  /** The last contract seen. */
  readonly after?: { readonly updatedBy: number; readonly contract: Hex } | undefined
  readonly limit: number
}
