/** Reads of an index in Postgres. Each page is one statement, so that all of the page is of one state. */
import { bytesOf } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { StoreFailure } from "../../IndexError.js"
import type { IndexReader } from "../../IndexReader.js"
import type { ScopeFilter } from "../../IndexScope.js"
import { contracts, ownings, presets } from "../../IndexTables.js"
import { ChainQueries } from "../queries/chain.js"
import { type Statement, statement } from "../queries/Statement.js"
import { TokenQueries } from "../queries/tokens.js"
import { type Database, inOneState, io, repeated } from "./Database.js"
import * as transfers from "./search.js"

export const makeReader = (database: Database, scope: ScopeFilter): IndexReader => {
  const { dialect } = database
  const chain = new ChainQueries(dialect)
  const tokens = new TokenQueries(dialect)
  const list = <A>(operation: string, query: Statement<A> | undefined): Effect.Effect<ReadonlyArray<A>, StoreFailure> =>
    query === undefined ? Effect.succeed([]) : io(operation)(repeated(database.all(query)))
  const one = <A>(
    operation: string,
    query: Statement<A> | undefined
  ): Effect.Effect<Option.Option<A>, StoreFailure> =>
    query === undefined ? Effect.succeedNone : io(operation)(repeated(database.first(query)))
  const { holders, supply } = contracts.as("c")
  const sums = (address: `0x${string}`) =>
    statement(
      { supply, holders },
      `FROM ${database.table("contracts")} c WHERE c.address = ?1`,
      [bytesOf(address)],
      (row) => row
    )
  const preset = (rest: string, values: ReadonlyArray<unknown>) =>
    statement(presets.as("p"), `FROM ${database.table("presets")} p ${rest}`, values, (row) => row)
  return {
    scope,
    head: Effect.flatMap(
      one("head", chain.latestBlock),
      Option.match({
        onNone: () => new StoreFailure({ operation: "head", cause: new Error("there is no block yet") }),
        onSome: Effect.succeed
      })
    ),
    block: (at) => one("block", typeof at === "number" ? chain.blockByNumber(at) : chain.blockByHash(at)),
    transaction: (hash) => one("transaction", chain.transactionByHash(hash)),
    transactionBySenderHash: (hash) =>
      Effect.flatMap(
        one("transactionBySenderHash", chain.transactionBySenderHash(hash)),
        (found) =>
          Option.isSome(found)
            ? Effect.succeed(found)
            : one("transactionBySenderHash", chain.transactionByHash(hash))
      ),
    transactionAt: (block, index) => one("transactionAt", chain.transactionAt(block, index)),
    transactions: (query) => list("transactions", chain.transactions(query)),
    transactionsOf: (block) => list("transactionsOf", chain.transactionsOfBlock(block)),
    logsOf: (hash) => list("logsOf", chain.logsOfTransaction(hash)),
    logs: (query) => list("logs", chain.logs(query)),
    transfers: (query) => list("transfers", transfers.search(dialect, query)),
    transfersOf: (hash) => list("transfersOf", transfers.ofTransaction(dialect, hash)),
    lastTransfersOf: (hashes) => list("lastTransfersOf", transfers.lastOf(dialect, hashes)),
    inOneState: (reads) => inOneState(database, reads),
    hasCreation: (contract) => Effect.map(one("hasCreation", chain.creation(contract)), Option.isSome),
    contract: (address) => one("contract", tokens.contract(address)),
    contractsOf: (addresses) => list("contractsOf", tokens.contractsOf(addresses)),
    contracts: (query) => list("contracts", tokens.contracts(query)),
    contractSupply: (contract) =>
      Effect.map(
        one("contractSupply", sums(contract)),
        Option.match({ onNone: () => 0n, onSome: ({ supply }) => supply })
      ),
    contractHoldings: (query) => list("contractHoldings", tokens.contractHoldings(query)),
    ownership: (contract, tokenId, { before, limit }) =>
      list("ownership", tokens.ownership(contract, tokenId, before, limit)),
    token: (contract, tokenId) => one("token", tokens.token(contract, tokenId)),
    tokens: (query) => list("tokens", tokens.tokens(query)),
    holding: (contract, owner, tokenId) => one("holding", tokens.holding(contract, owner, tokenId)),
    holdings: (query) => {
      const ownings = tokens.ownings(query)
      return ownings === undefined
        ? list("holdings", tokens.holdings(query))
        : Effect.flatMap(list("holdings", ownings), (found) => list("holdings", tokens.holdingsAmong(query, found)))
    },
    totalBalance: (contract, owner) =>
      Effect.map(
        one(
          "totalBalance",
          statement(
            { balance: ownings.as("o").balance },
            `FROM ${database.table("ownings")} o WHERE o.contract = ?1 AND o.owner = ?2`,
            [contract, owner].map(bytesOf),
            ({ balance }) => balance
          )
        ),
        Option.getOrElse(() => 0n)
      ),
    holderCount: (contract) =>
      Effect.map(
        one("holderCount", sums(contract)),
        Option.match({ onNone: () => 0, onSome: ({ holders }) => holders })
      ),
    isSettled: Effect.map(one("isSettled", tokens.questions(1)), Option.isNone),
    presets: list("presets", preset("ORDER BY p.id", [])),
    preset: (id) => one("preset", preset("WHERE p.id = ?1", [id]))
  }
}
