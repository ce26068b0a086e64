/**
 * The changes of a block to the owners of tokens: the keys of the rows that it may change, those rows, and the
 * changes. Any database can keep the rows.
 */
import type { Row, Table } from "@effect-klaytn/store/Table"
import type { contracts, holdings, ownings, questions, tokens } from "./IndexTables.js"
import type { PreparedTokens } from "./IndexWriter.js"

type KeyOf<T> = T extends Table<infer F, infer K> ? Row<F, K> : never
type RestOf<T> = T extends Table<infer F, infer K> ? Row<F, Exclude<keyof F, K>> : never

type Changes<T> = ReadonlyArray<RowChange<KeyOf<T>, RestOf<T>>>

/**
 * Rows without their keys, by {@link rowId}.
 *
 * @category models
 */
export interface OwnershipRows {
  readonly contracts: ReadonlyMap<string, RestOf<typeof contracts>>
  readonly tokens: ReadonlyMap<string, RestOf<typeof tokens>>
  readonly holdings: ReadonlyMap<string, RestOf<typeof holdings>>
  readonly ownings: ReadonlyMap<string, RestOf<typeof ownings>>
  readonly questions: ReadonlyMap<string, RestOf<typeof questions>>
  /** All tokens and holdings of the contracts that the block describes as another kind than the stored one. */
  readonly replaced: {
    readonly tokens: ReadonlyArray<KeyOf<typeof tokens>>
    readonly holdings: ReadonlyArray<KeyOf<typeof holdings>>
  }
}

/**
 * The rows that a block may change.
 *
 * **Details**
 *
 * A store returns the rows of these keys, and besides:
 *
 * - of every token with an owner, the owner's holding;
 * - of every holding, the owning of its contract and owner;
 * - of a contract in `described` whose stored kind is another, all tokens and holdings, whose keys are in `replaced`.
 *
 * @category models
 */
export interface OwnershipKeys {
  readonly contracts: ReadonlyArray<KeyOf<typeof contracts>>
  readonly tokens: ReadonlyArray<KeyOf<typeof tokens>>
  readonly holdings: ReadonlyArray<KeyOf<typeof holdings>>
  readonly questions: ReadonlyArray<KeyOf<typeof questions>>
  readonly described: PreparedTokens["contracts"]
}

/**
 * A row before and after a block; undefined where there is none.
 *
 * @category models
 */
export interface RowChange<Key, A> {
  readonly key: Key
  readonly before: A | undefined
  readonly now: A | undefined
}

/**
 * The changes of a block to contracts with the sums over all holders, to tokens, to what an owner has of each token
 * (`token` is empty for fungible tokens), to what an owner has of all tokens of a contract, and to what contracts have still
 * to be asked. Storing `now` applies the block, storing `before` reverts it.
 *
 * @category models
 */
export interface OwnershipWrites {
  readonly contracts: Changes<typeof contracts>
  readonly tokens: Changes<typeof tokens>
  readonly holdings: Changes<typeof holdings>
  readonly ownings: Changes<typeof ownings>
  readonly questions: Changes<typeof questions>
}

/**
 * Identifies a row in {@link OwnershipRows}: the parts of its primary key, joined.
 *
 * @category keys
 */
export const rowId = (...parts: ReadonlyArray<string>): string => parts.join("")
