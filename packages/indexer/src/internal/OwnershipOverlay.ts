import type { PreparedTokens } from "../IndexWriter.js"
import type { OwnershipRows, OwnershipWrites, RowChange } from "../Ownership.js"
import { writesOf } from "./OwnershipFold.js"
import { keysOf } from "./OwnershipKeys.js"
import { idBy } from "./Slots.js"

/** The rows of a table as they are after some blocks, and what these changed. */
class Layer<Key extends object, A extends object> {
  readonly rows: Map<string, A>
  readonly #changes = new Map<string, RowChange<Key, A>>()
  readonly #idOf

  constructor(key: ReadonlyArray<keyof Key & string>, stored: ReadonlyMap<string, A>) {
    this.rows = new Map(stored)
    this.#idOf = idBy(key)
  }

  write(changes: ReadonlyArray<RowChange<Key, A>>): void {
    for (const { before, key, now } of changes) {
      const id = this.#idOf(key)
      const first = this.#changes.get(id)
      this.#changes.set(id, { key, before: first === undefined ? before : first.before, now })
      if (now === undefined) this.rows.delete(id)
      else this.rows.set(id, now)
    }
  }

  /** The keys of the rows that there are of a contract, among those that were changed. */
  changedOf(isOfContract: (key: Key) => boolean): ReadonlyArray<Key> {
    return [...this.#changes.values()].flatMap(({ key, now }) => now !== undefined && isOfContract(key) ? [key] : [])
  }

  has(key: Key): boolean {
    return this.rows.has(this.#idOf(key))
  }

  changes(): ReadonlyArray<RowChange<Key, A>> {
    return [...this.#changes.values()].filter(({ before, now }) => before !== now)
  }
}

type KeyOf<N extends keyof OwnershipWrites> = OwnershipWrites[N][number]["key"]
type RestOf<N extends keyof OwnershipWrites> = Exclude<OwnershipWrites[N][number]["now"], undefined>

/** Stored rows, changed by one block after the other before anything is stored. */
export class OwnershipOverlay {
  readonly #contracts
  readonly #tokens
  readonly #holdings
  readonly #ownings
  readonly #questions

  constructor(private readonly stored: OwnershipRows) {
    this.#contracts = new Layer<KeyOf<"contracts">, RestOf<"contracts">>(["address"], stored.contracts)
    this.#tokens = new Layer<KeyOf<"tokens">, RestOf<"tokens">>(["contract", "token"], stored.tokens)
    this.#holdings = new Layer<KeyOf<"holdings">, RestOf<"holdings">>(["contract", "owner", "token"], stored.holdings)
    this.#ownings = new Layer<KeyOf<"ownings">, RestOf<"ownings">>(["contract", "owner"], stored.ownings)
    this.#questions = new Layer<KeyOf<"questions">, RestOf<"questions">>(
      ["contract", "owner", "token"],
      stored.questions
    )
  }

  /** Applies a block, and returns its changes. */
  write(block: PreparedTokens): OwnershipWrites {
    const writes = writesOf(block, {
      contracts: this.#contracts.rows,
      tokens: this.#tokens.rows,
      holdings: this.#holdings.rows,
      ownings: this.#ownings.rows,
      questions: this.#questions.rows,
      replaced: this.#replacedBy(block)
    })
    this.#contracts.write(writes.contracts)
    this.#tokens.write(writes.tokens)
    this.#holdings.write(writes.holdings)
    this.#ownings.write(writes.ownings)
    this.#questions.write(writes.questions)
    return writes
  }

  /** The changes of all blocks together. */
  changes(): OwnershipWrites {
    return {
      contracts: this.#contracts.changes(),
      tokens: this.#tokens.changes(),
      holdings: this.#holdings.changes(),
      ownings: this.#ownings.changes(),
      questions: this.#questions.changes()
    }
  }

  /** The tokens and holdings that there are, at this block, of the contracts whose kind it changes. */
  #replacedBy(block: PreparedTokens): OwnershipRows["replaced"] {
    const replaced = new Set(
      keysOf(block).described
        .filter(({ address, kind }) => (this.#contracts.rows.get(address)?.kind ?? kind) !== kind)
        .map(({ address }) => address)
    )
    if (replaced.size === 0) return { tokens: [], holdings: [] }
    const isOf = ({ contract }: KeyOf<"tokens">): boolean => replaced.has(contract)
    const { holdings, tokens } = this.stored.replaced
    return {
      tokens: [...tokens.filter((key) => isOf(key) && this.#tokens.has(key)), ...this.#tokens.changedOf(isOf)],
      holdings: [
        ...holdings.filter((key) => isOf(key) && this.#holdings.has(key)),
        ...this.#holdings.changedOf(isOf)
      ]
    }
  }
}
