import type { Row } from "@effect-klaytn/store/Table"
import type { BlockHeader, ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { questions } from "../IndexTables.js"
import type { ContractRecord } from "../TokenRecord.js"
import type { Moved, TransferRecord } from "../TransferRecord.js"

/** A transfer that has no number yet: it gets one when its block is stored. */
export type DraftTransfer = Omit<TransferRecord, "id" | "transaction" | keyof Moved<Hex>> & Moved<Hex>

/** A transaction with the transfers that it made. */
export interface IndexedTransaction extends ExecutedTransaction {
  readonly transfers: ReadonlyArray<DraftTransfer>
  /** How many logs and transfers its block has before it, also of transactions that are not kept. */
  readonly logsBefore: number
  readonly transfersBefore: number
}

/** A token contract as it describes itself. */
export type DescribedContract = Omit<ContractRecord, "blockNumber" | "createdAt" | "label" | "supply">

/** The answers of token contracts at the end of a block about the owners and tokens that the block touched. */
export interface TokenAnswers {
  readonly balances: ReadonlyArray<{
    readonly contract: Hex
    readonly owner: Hex
    /** Of a multi token. */
    readonly tokenId: bigint | undefined
    readonly balance: bigint
    /** The transfer that a change without a log is attributed to: the first of the last transaction that touched it. */
    readonly transfer: number
  }>
  /** Owners of non-fungible tokens; undefined for a token that does not exist. */
  readonly owners: ReadonlyArray<{
    readonly contract: Hex
    readonly tokenId: bigint
    readonly owner: Hex | undefined
    readonly transfer: number
  }>
  /** Total supplies of contracts. */
  readonly supplies: ReadonlyArray<{ readonly contract: Hex; readonly supply: bigint }>
  /** Supplies of single multi tokens. */
  readonly tokenSupplies: ReadonlyArray<{
    readonly contract: Hex
    readonly tokenId: bigint
    readonly supply: bigint
    readonly transfer: number
  }>
}

/** The fields of a transaction that tokens, their owners and the questions to contracts depend on. */
export type TokenTransaction = Pick<
  IndexedTransaction,
  | "blockNumber"
  | "contractAddress"
  | "from"
  | "logs"
  | "logsBefore"
  | "status"
  | "to"
  | "transactionIndex"
  | "transfers"
  | "transfersBefore"
  | "writes"
>

/** Whether the index keeps the tokens and holdings of a contract. */
export const keepsTokensOf = ({ tokenContracts }: Pick<TokenChanges, "tokenContracts">, contract: Hex): boolean =>
  tokenContracts?.has(contract) ?? true

/** Whether a transfer changes tokens and holdings that the index keeps. */
export const movesTokens = (block: Pick<TokenChanges, "tokenContracts">, transfer: DraftTransfer): boolean =>
  transfer.kind !== "coin" && keepsTokensOf(block, transfer.contract)

/** A block before its contracts are asked about tokens and holders. */
export type InspectedBlock = Pick<TokenChanges, "contracts" | "tokenContracts" | "transactions">

/** Something that a contract has still to be asked. */
export type Question = Row<typeof questions.fields>

/** In place of a token's ID: all tokens of the contract. */
export const allTokens = "*"

/** In place of the owner of a question: it is about a token or a contract. */
export const noOwner: Hex = "0x"

/** What a block adds to tokens and their owners, or what contracts answer about blocks that were added before. */
export interface TokenChanges {
  readonly header: Pick<BlockHeader, "hash" | "number" | "parentHash">
  /** Those that the index keeps. */
  readonly transactions: ReadonlyArray<TokenTransaction>
  /** The contracts whose tokens and holdings the index keeps. Default: all. */
  readonly tokenContracts?: ReadonlySet<Hex> | undefined
  /** Token contracts that are new, or whose description changed. */
  readonly contracts: ReadonlyArray<DescribedContract>
  readonly answers: TokenAnswers
  /** URIs of tokens that are new, or that their contract reports as changed. */
  readonly uris: ReadonlyArray<{ readonly contract: Hex; readonly tokenId: bigint; readonly uri: string }>
  /** Questions that contracts have still to be asked. */
  readonly questions: ReadonlyArray<Question>
  /** Questions of earlier blocks that were asked. */
  readonly asked: ReadonlyArray<Pick<Question, "contract" | "owner" | "token">>
}

/** Everything that a block adds to the index. */
export interface IndexedBlock extends TokenChanges {
  readonly header: BlockHeader
  readonly transactions: ReadonlyArray<IndexedTransaction>
}
