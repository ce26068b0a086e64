import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AccountState } from "../../AccountState.js"
import type { ChainReads } from "../../Chain.js"
import { BlockNotFound, StoreFailure } from "../../ChainError.js"
import { type AccountRecord, hasCode, keyOf } from "../state/AccountRecord.js"
import { toHex } from "../store/Column.js"
import type { ChainStore } from "../store/Store.js"
import type { ChainState } from "./ChainState.js"

/** Runs a synchronous call of the store; what it throws becomes a typed failure. */
export const attempt = <A>(operation: string, read: () => A): Effect.Effect<A, StoreFailure> =>
  Effect.try({ try: read, catch: (cause) => new StoreFailure({ operation, cause }) })

/** The same for an effect that calls the store: what it throws becomes a typed failure. */
export const catchThrown =
  (operation: string) => <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | StoreFailure> =>
    Effect.catchAllDefect(effect, (cause) => Effect.fail(new StoreFailure({ operation, cause })))

/** Decodes the bytes of a transaction that the store holds. */
export const decodeStored = (operation: string, raw: Hex): Effect.Effect<Transaction.Transaction, StoreFailure> => {
  const decoded = Transaction.decode(raw)
  return decoded.ok ? Effect.succeed(decoded.value) : new StoreFailure({ operation, cause: decoded.error })
}

/** The same as {@link attempt} for what may not be there. */
const find = <A>(operation: string, read: () => A | undefined): Effect.Effect<Option.Option<A>, StoreFailure> =>
  attempt(operation, () => Option.fromNullable(read()))

/** Checks that the chain has a block of this height; the newest one by default. */
export const heightOf = (chain: ChainState, block: number | undefined): Effect.Effect<number, BlockNotFound> =>
  Effect.suspend(() => {
    const height = block ?? chain.head.number
    return Number.isInteger(height) && height >= 0 && height <= chain.head.number
      ? Effect.succeed(height)
      : Effect.fail(new BlockNotFound({ block: height }))
  })

/** A value at the end of a block: what a later block found there, or the present one. */
const stateAt = (
  chain: ChainState,
  height: number,
  address: Hex,
  slot: string
): AccountRecord | Uint8Array | undefined => {
  const past = height === chain.head.number ? undefined : chain.store.state.before(height, address, slot)
  if (past !== undefined) return past.value
  return slot === "" ? chain.state.account(address) : chain.state.slot(address, slot)
}

const accountAt = (chain: ChainState, height: number, address: Hex): AccountRecord | undefined => {
  const account = stateAt(chain, height, address, "")
  return account instanceof Uint8Array ? undefined : account
}

const publicAccount = (address: Hex, account: AccountRecord): AccountState => ({
  address,
  nonce: account.nonce,
  balance: account.balance,
  key: keyOf(account),
  codeHash: toHex(account.codeHash),
  isContract: hasCode(account)
})

/** What a chain's store answers by itself, whoever has executed the blocks in it. */
export type IndexReads = Omit<ChainReads, "account" | "code" | "storageAt">

/** Reads the index of a chain: its blocks, transfers, tokens and presets. */
export const readIndex = ({ presets, reader, tokens, transfers }: ChainStore): IndexReads => ({
  head: attempt("head", () => {
    const block = reader.latestBlock()
    if (block === undefined) throw new Error("there is no block yet")
    return block
  }),
  block: (at) => find("block", () => typeof at === "number" ? reader.blockByNumber(at) : reader.blockByHash(at)),
  transaction: (hash) => find("transaction", () => reader.transactionByHash(hash)),
  transactionBySenderHash: (hash) => find("transactionBySenderHash", () => reader.transactionBySenderHash(hash)),
  transactionAt: (block, index) => find("transactionAt", () => reader.transactionByIndex(block, index)),
  transactions: (query) => attempt("transactions", () => reader.transactions(query)),
  transactionsOf: (block) => attempt("transactionsOf", () => reader.transactionsOfBlock(block)),
  logsOf: (hash) => attempt("logsOf", () => reader.logsOfTransaction(hash)),
  logs: (query) => attempt("logs", () => reader.logs(query)),
  transfers: (query) => attempt("transfers", () => transfers.search(query)),
  transfersOf: (hash) => attempt("transfersOf", () => transfers.ofTransaction(hash)),
  contract: (address) => find("contract", () => tokens.contract(address)),
  contracts: (options) => attempt("contracts", () => tokens.contracts(options)),
  contractSupply: (contract) => attempt("contractSupply", () => tokens.contractSupply(contract)),
  contractHoldings: (query) => attempt("contractHoldings", () => tokens.contractHoldings(query)),
  ownership: (contract, tokenId, { before, limit }) =>
    attempt("ownership", () => tokens.ownership(contract, tokenId, before, limit)),
  token: (contract, tokenId) => find("token", () => tokens.token(contract, tokenId)),
  tokens: (query) => attempt("tokens", () => tokens.tokens(query)),
  holding: (contract, owner, tokenId) => find("holding", () => tokens.holding(contract, owner, tokenId)),
  holdings: (query) => attempt("holdings", () => tokens.holdings(query)),
  totalBalance: (contract, owner) => attempt("totalBalance", () => tokens.totalBalance(contract, owner)),
  holderCount: (contract) => attempt("holderCount", () => tokens.holderCount(contract)),
  presets: attempt("presets", () => presets.list()),
  preset: (id) => find("preset", () => presets.get(id))
})

/** Everything of an executed chain that only reads: its index, and its state at any block. */
export const readChain = (chain: ChainState): ChainReads => ({
  ...readIndex(chain.store),
  head: attempt("head", () => chain.head),
  account: (address, block) =>
    Effect.flatMap(heightOf(chain, block), (height) =>
      find("account", () => {
        const account = accountAt(chain, height, address)
        return account && publicAccount(address, account)
      })),
  code: (address, block) =>
    Effect.flatMap(heightOf(chain, block), (height) =>
      attempt("code", () => {
        const account = accountAt(chain, height, address)
        return account === undefined || !hasCode(account) ? "0x" : toHex(chain.state.code(account.codeHash))
      })),
  storageAt: (address, slot, block) =>
    Effect.flatMap(heightOf(chain, block), (height) =>
      attempt("storageAt", (): Hex => {
        const value = stateAt(chain, height, address, BigInt.asUintN(256, slot).toString(16).padStart(64, "0"))
        const digits = value instanceof Uint8Array ? toHex(value).slice(2) : ""
        return `0x${digits.padStart(64, "0")}`
      }))
})
