/**
 * The part of a chain that an index keeps: everything, or some accounts and contracts from a block on.
 *
 * **Details**
 *
 * An index of all of mainnet takes terabytes. A scope names the first block, and the accounts and contracts whose
 * transactions are kept. A kept transaction is kept with all of its logs and transfers, so that what the index returns of
 * it is complete. A question that the index can't answer completely is refused, see `NotIndexed` of core's `ServiceCode`.
 *
 * A transaction is kept if one of these is an account of the scope: its sender, recipient or fee payer, the sender or
 * receiver of one of its transfers; or if one of these is a contract of the scope: its recipient, the contract that it
 * created, a contract that logged or whose storage it is known to have written.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as StoredJson from "@effect-klaytn/store/StoredJson"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Data from "effect/Data"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { highestBlock } from "./BlockKey.js"

const Height = Schema.Int.pipe(Schema.between(0, highestBlock))

const KeptContract = Schema.Struct({
  address: Address.FromInput,
  /** The block of its creation. Default: the block of the transaction that created it, if the index holds that. */
  createdAt: Schema.optional(Height)
})

/**
 * The scope of an index.
 *
 * @category schemas
 */
export const IndexScope = Schema.Struct({
  /** The first block of the index. 0, the genesis block: from the beginning of the chain. */
  firstBlock: Height,
  /**
   * The Unix second that the first block was looked up by: no block before it is from this second or a later one.
   * Default: known only as far as the first block's own time shows.
   */
  firstSecond: Schema.optional(Schema.NonNegativeInt),
  /** The accounts that are kept. Neither accounts nor contracts: all transactions are kept. */
  accounts: Schema.optional(Schema.Array(Address.FromInput)),
  /** The contracts that are kept, with their tokens and holdings. */
  contracts: Schema.optional(Schema.Array(KeptContract))
})

/**
 * The scope of an index.
 *
 * @category models
 */
export interface IndexScope extends Schema.Schema.Type<typeof IndexScope> {}

/**
 * A scope as a program writes it: addresses in any letter case, a checksum is verified.
 *
 * @category models
 */
export interface IndexScopeInput extends Schema.Schema.Encoded<typeof IndexScope> {}

/**
 * A contract of a scope.
 *
 * @category models
 */
export interface KeptContract extends Schema.Schema.Type<typeof KeptContract> {}

/**
 * A scope, or a file of accounts or contracts, that can't be used.
 *
 * @category errors
 */
export class InvalidScope extends Data.TaggedError("InvalidScope")<{
  /** The line of the file, from 1; undefined if the problem is not in one line. */
  readonly line?: number | undefined
  readonly problem: string
}> {
  override get message(): string {
    return this.line === undefined ? this.problem : `line ${this.line}: ${this.problem}`
  }
}

/**
 * An index has another scope than the one that was asked for. The index was not changed.
 *
 * @category errors
 */
export class ScopeMismatch extends Data.TaggedError("ScopeMismatch")<{
  /** Where the scope that was asked for differs from the scope of the index. */
  readonly difference: string
}> {
  override get message(): string {
    return `the index has another scope: ${this.difference}. Start with the scope that the index was created with, ` +
      "or with another database file"
  }
}

/**
 * The scope of an index that holds everything from the genesis block on.
 *
 * @category constants
 */
export const whole: IndexScope = { firstBlock: 0 }

const problemOf = (error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  const place = (issue?.path ?? []).join(".")
  return `${place === "" ? "" : `${place}: `}${issue?.message ?? "it can't be read"}`
}

const byAddress = (one: KeptContract, other: KeptContract): number => one.address < other.address ? -1 : 1

/** Contracts without repetitions, sorted. */
const distinct = (
  contracts: ReadonlyArray<KeptContract>
): Either.Either<ReadonlyArray<KeptContract>, InvalidScope> => {
  const found = new Map<Hex, KeptContract>()
  for (const contract of contracts) {
    const before = found.get(contract.address)?.createdAt
    if (before !== undefined && contract.createdAt !== undefined && before !== contract.createdAt) {
      return Either.left(new InvalidScope({ problem: `contract ${contract.address} has two heights` }))
    }
    if (before === undefined) found.set(contract.address, contract)
  }
  return Either.right([...found.values()].sort(byAddress))
}

const decode = Schema.decodeUnknownEither(IndexScope, { onExcessProperty: "error" })

/**
 * A scope without repetitions, in the order of addresses, so that equal scopes are equal as text. Fails for an address
 * that is none, for a contract with two heights, and for lists that are both empty.
 *
 * @example
 * ```ts
 * import * as IndexScope from "@effect-klaytn/indexer/IndexScope"
 *
 * console.log(IndexScope.make({
 *   firstBlock: 150_000_000,
 *   accounts: ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"]
 * }))
 * ```
 *
 * @category constructors
 */
export const make = (input: IndexScopeInput): Either.Either<IndexScope, InvalidScope> =>
  Either.gen(function*() {
    const { accounts, contracts, ...first } = yield* Either.mapLeft(
      decode(input),
      (error) => new InvalidScope({ problem: problemOf(error) })
    )
    const kept = yield* distinct(contracts ?? [])
    const hasLists = accounts !== undefined || contracts !== undefined
    if (hasLists && (accounts ?? []).length + kept.length === 0) {
      return yield* Either.left(new InvalidScope({ problem: "it keeps nothing: name an account or a contract" }))
    }
    return {
      ...first,
      ...(accounts !== undefined && accounts.length > 0 && { accounts: [...new Set(accounts)].sort() }),
      ...(kept.length > 0 && { contracts: kept })
    }
  })

const Json = StoredJson.schema({ name: "the scope of an index", version: 1, fields: IndexScope })

/**
 * A scope as the text that {@link fromJson} reads.
 *
 * @category conversions
 */
export const toJson: (scope: IndexScope) => string = Schema.encodeSync(Json)

/**
 * Reads a scope that {@link toJson} wrote. Throws for any other text, and for fields and versions that this program does not know.
 *
 * @category conversions
 */
export const fromJson: (text: string) => IndexScope = Schema.decodeSync(Json, { onExcessProperty: "error" })

const named = (what: string, addresses: ReadonlyArray<string>): string => {
  const [first = "", ...others] = addresses
  return `${what} ${first}${others.length === 0 ? "" : ` and ${others.length} more`}`
}

/** The addresses that only one of two lists has. */
const addedOrRemoved = (
  what: string,
  held: ReadonlyArray<string> = [],
  wanted: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const [inIndex, asked] = [new Set(held), new Set(wanted)]
  const added = wanted.filter((one) => !inIndex.has(one))
  const missing = held.filter((one) => !asked.has(one))
  return [
    ...(added.length === 0 ? [] : [`${named(what, added)} not in the index`]),
    ...(missing.length === 0 ? [] : [`${named(what, missing)} only in the index`])
  ]
}

const contractText = ({ address, createdAt }: KeptContract): string =>
  createdAt === undefined ? address : `${address} created at ${createdAt}`

const keepsAll = ({ accounts, contracts }: IndexScope): boolean => accounts === undefined && contracts === undefined

const selection = (scope: IndexScope): string => keepsAll(scope) ? "every transaction" : "selected transactions"

/**
 * Where a scope differs from the scope of an index, as text to read; undefined if they are the same.
 *
 * @category comparisons
 */
export const difference = (held: IndexScope, wanted: IndexScope): string | undefined => {
  const found = [
    ...(held.firstBlock === wanted.firstBlock
      ? []
      : [`it begins at block ${held.firstBlock}, not ${wanted.firstBlock}`]),
    ...(keepsAll(held) === keepsAll(wanted) ? [] : [`it keeps ${selection(held)}, not ${selection(wanted)}`]),
    ...addedOrRemoved("account", held.accounts, wanted.accounts),
    ...addedOrRemoved("contract", held.contracts?.map(contractText), wanted.contracts?.map(contractText))
  ]
  return found.length === 0 ? undefined : found.join("; ")
}

/** Reads the lines of a file: an address on each, and the words after it. Text after `#` is a comment. */
const readLines = <A>(
  text: string,
  read: (address: Address.Address, rest: ReadonlyArray<string>) => Either.Either<A, string>
): Either.Either<ReadonlyArray<A>, InvalidScope> =>
  Either.gen(function*() {
    const found: Array<A> = []
    for (const [index, content] of text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/).entries()) {
      const line = index + 1
      const [first, ...rest] = (content.split("#", 1)[0] ?? "").split(/[\s,;]+/).filter((part) => part !== "")
      if (first === undefined) continue
      const entry = Either.flatMap(Either.mapLeft(Address.make(first), problemOf), (address) => read(address, rest))
      found.push(yield* Either.mapLeft(entry, (problem) => new InvalidScope({ line, problem })))
    }
    return found.length === 0
      ? yield* Either.left(new InvalidScope({ problem: "there is no address in it: write one on each line" }))
      : found
  })

/**
 * Reads a file of accounts: an address on each line. Empty lines and text after `#` are ignored.
 *
 * @category parsing
 */
export const parseAccounts = (text: string): Either.Either<ReadonlyArray<Address.Address>, InvalidScope> =>
  readLines(
    text,
    (address, rest) =>
      rest.length === 0
        ? Either.right(address)
        : Either.left(`expected one address, and found ${rest.join(" ")} after it`)
  )

/**
 * Reads a file of contracts: an address on each line, and after it, if known, the block of its creation, separated by a
 * space or a comma. Empty lines and text after `#` are ignored.
 *
 * @example
 * ```ts
 * import * as IndexScope from "@effect-klaytn/indexer/IndexScope"
 *
 * const file = `
 * # the token
 * 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed 150000123
 * `
 * console.log(IndexScope.parseContracts(file))
 * ```
 *
 * @category parsing
 */
export const parseContracts = (text: string): Either.Either<ReadonlyArray<KeptContract>, InvalidScope> =>
  readLines(text, (address, [height, ...rest]) => {
    if (height === undefined) return Either.right({ address })
    if (rest.length > 0) return Either.left(`expected an address and a block, and found ${rest.join(" ")} after them`)
    return /^\d{1,10}$/.test(height) && Number(height) <= highestBlock
      ? Either.right({ address, createdAt: Number(height) })
      : Either.left(`${height} is not the height of a block: write it in decimal digits`)
  })

/**
 * A scope, ready to be asked about addresses, which are in lower case.
 *
 * @category models
 */
export interface ScopeFilter extends Pick<IndexScope, "firstBlock" | "firstSecond"> {
  /** Whether the index holds the whole chain: every transaction from the genesis block on. */
  readonly isWhole: boolean
  /** The accounts whose transactions are kept. Undefined: all. */
  readonly accounts: ReadonlySet<Hex> | undefined
  /** The contracts whose transactions, tokens and holdings are kept. Undefined: all. */
  readonly contracts: ReadonlySet<Hex> | undefined
  /** The block of a contract's creation, as far as the scope names it. */
  readonly declaredCreation: (address: Hex) => number | undefined
}

/**
 * Makes a scope ready to be asked.
 *
 * @category constructors
 */
export const filter = (scope: IndexScope): ScopeFilter => {
  const creations = new Map<Hex, number | undefined>(scope.contracts?.map((one) => [one.address, one.createdAt]))
  const isEverything = keepsAll(scope)
  return {
    firstBlock: scope.firstBlock,
    firstSecond: scope.firstSecond,
    isWhole: isEverything && scope.firstBlock === 0,
    accounts: isEverything ? undefined : new Set(scope.accounts),
    contracts: isEverything ? undefined : new Set(creations.keys()),
    declaredCreation: (address) => creations.get(address)
  }
}
