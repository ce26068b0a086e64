/** What the preparation of a block looks up in Postgres, in two or three statements. */
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { contracts, tokens } from "../../IndexTables.js"
import type { FactKeys, KnownContract, TokenFacts } from "../../TokenFacts.js"
import { TokenQueries } from "../queries/tokens.js"
import type { Database } from "./Database.js"
import { PgTable } from "./PgTable.js"

interface Key {
  readonly address: Hex
}

type Contract = Omit<KnownContract, "address">

interface Token {
  readonly owner: Hex | undefined
}

/** How many contracts are remembered. */
const maxKnown = 50_000

export class Facts {
  readonly #contracts: PgTable<Key, Contract>
  readonly #tokens: PgTable<FactKeys["tokens"][number], Token>
  readonly #queries: TokenQueries
  /** Contracts as they are stored; undefined for addresses that are none. */
  readonly #known = new Map<Hex, Contract | undefined>()

  constructor(private readonly database: Database) {
    this.#contracts = new PgTable(database, contracts)
    this.#tokens = new PgTable(database, tokens)
    this.#queries = new TokenQueries(database.dialect)
  }

  /** Forgets what is remembered. Call it before any contract may change. */
  forget(): void {
    this.#known.clear()
  }

  of({ before, contracts: wanted, ranges = [], tokens: keys }: FactKeys): Effect.Effect<TokenFacts, SqlError> {
    return Effect.gen(this, function*() {
      if (this.#known.size >= maxKnown) this.#known.clear()
      const missing = [...wanted.keys()].filter((address) => !this.#known.has(address))
      const found = yield* this.#contracts.find(missing.map((address) => ({ address })))
      for (const address of missing) this.#known.set(address, found.get(address))
      const kindOf = (address: Hex) => this.#known.get(address)?.kind
      const ofTokens = keys.filter(({ contract }) => kindOf(contract) !== undefined)
      const stored = yield* this.#tokens.find(ofTokens)
      const moved = new Set<Hex>()
      for (const [address, kinds] of wanted) {
        const kind = kindOf(address)
        // Asked of contracts alone whose logs show another kind than the stored one.
        if (kind === undefined || [...kinds].every((one) => one === kind)) continue
        if (Option.isSome(yield* this.database.first(this.#queries.moved(address, kind, before)))) moved.add(address)
      }
      const ids = new Map<Hex, ReadonlyArray<bigint>>()
      for (const { contract } of ranges) {
        if (!ids.has(contract)) ids.set(contract, yield* this.database.all(this.#queries.tokenIds(contract)))
      }
      return {
        kindOf,
        contract: (address) => {
          const known = this.#known.get(address)
          return known && { address, ...known }
        },
        hasMoved: (contract, kind) => kind === kindOf(contract) && moved.has(contract),
        hasToken: (contract, tokenId) => stored.has(contract + quantity(tokenId)),
        tokensIn: (contract, from, to) => (ids.get(contract) ?? []).filter((id) => from <= id && id <= to),
        ownerOf: (contract, tokenId) => stored.get(contract + quantity(tokenId))?.owner
      }
    })
  }
}
