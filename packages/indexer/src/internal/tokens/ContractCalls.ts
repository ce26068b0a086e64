import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { type AbiValue, encodeCall, stringAt } from "../../Abi.js"
import type { Answer, ContractCall, Viewer } from "../../Viewer.js"

/** Gas of one call of a contract: enough for a long text in storage, too little to keep the chain waiting. */
const callGas = 200_000n

/** Gas for calls about any block, however little the block used itself. */
const minGas = 30_000_000n

const notCalled: Answer = { kind: "failed", data: new Uint8Array(0), gasUsed: 0n }

/** For effects that call contracts: at the same time if that makes fewer requests, or one after the other. */
export const together = <E>(viewer: Viewer<E> | undefined) => {
  const batching = viewer?.callAll !== undefined
  return { concurrency: batching ? "unbounded" : 1, batching } as const
}

/**
 * Calls of contracts on the state at the end of a block. A contract may revert, loop or return megabytes: each call has a
 * small gas limit and changes nothing, and all together may use little more gas than the block did. A contract gets half of
 * what is left, so that one that loops leaves something for the others.
 */
export class ContractCalls<E> {
  readonly #allowances = new Map<Hex, bigint>()
  #left: bigint

  constructor(private readonly viewer: Viewer<E>, gasOfBlock: bigint) {
    this.#left = minGas + gasOfBlock
  }

  /** Calls contracts about each of some items, and returns the results that are not undefined. */
  each<A, B>(items: Iterable<A>, ask: (item: A) => Effect.Effect<B | undefined, E>): Effect.Effect<Array<B>, E> {
    const all = [...items]
    return all.length === 0
      ? Effect.succeed([])
      : Effect.map(Effect.forEach(all, ask, this.together), (found) => found.filter((one) => one !== undefined))
  }

  /** See {@link together}. */
  get together() {
    return together(this.viewer)
  }

  /** Calls a contract. A contract that has used up its allowance isn't called. */
  call(contract: Hex, signature: string, values: ReadonlyArray<AbiValue> = []): Effect.Effect<Answer, E> {
    return Effect.suspend(() => {
      const allowance = this.#allowance(contract)
      return allowance < callGas
        ? Effect.succeed(notCalled)
        : Effect.tap(
          this.viewer.call(callOf(contract, signature, values)),
          ({ gasUsed }) => this.#spend(contract, allowance, gasUsed)
        )
    })
  }

  /** Calls a contract about each of some values, and returns the answers in their order. */
  callEach(
    contract: Hex,
    signature: string,
    each: ReadonlyArray<ReadonlyArray<AbiValue>>
  ): Effect.Effect<ReadonlyArray<Answer>, E> {
    return Effect.suspend((): Effect.Effect<ReadonlyArray<Answer>, E> => {
      const { callAll } = this.viewer
      if (callAll === undefined) return Effect.forEach(each, (values) => this.call(contract, signature, values))
      const allowance = this.#allowance(contract)
      if (allowance < callGas || each.length === 0) return Effect.succeed(each.map(() => notCalled))
      return Effect.tap(callAll(each.map((values) => callOf(contract, signature, values))), (answers) => {
        for (const { gasUsed } of answers) this.#spend(contract, allowance, gasUsed)
      })
    })
  }

  /** A returned number of one word; undefined for anything else. */
  number(contract: Hex, signature: string, values: ReadonlyArray<AbiValue> = []): Effect.Effect<bigint | undefined, E> {
    return Effect.map(this.call(contract, signature, values), numberOf)
  }

  /** The same about each of some values. */
  numberEach(
    contract: Hex,
    signature: string,
    each: ReadonlyArray<ReadonlyArray<AbiValue>>
  ): Effect.Effect<ReadonlyArray<bigint | undefined>, E> {
    return Effect.map(this.callEach(contract, signature, each), Arr.map(numberOf))
  }

  /** A returned text of at most so many characters, without NUL, where SQLite ends a text; undefined for anything else. */
  text(contract: Hex, signature: string, maxLength: number): Effect.Effect<string | undefined, E> {
    return Effect.map(this.call(contract, signature), textOf(maxLength))
  }

  /** The same about each of some values. */
  textEach(
    contract: Hex,
    signature: string,
    maxLength: number,
    each: ReadonlyArray<ReadonlyArray<AbiValue>>
  ): Effect.Effect<ReadonlyArray<string | undefined>, E> {
    return Effect.map(this.callEach(contract, signature, each), Arr.map(textOf(maxLength)))
  }

  /** The code of a contract. */
  code(contract: Hex): Effect.Effect<Uint8Array, E> {
    return this.viewer.code(contract)
  }

  #allowance(contract: Hex): bigint {
    return this.#allowances.get(contract) ?? this.#left / 2n
  }

  /** Calls at the same time begin with the same allowance. */
  #spend(contract: Hex, allowance: bigint, gasUsed: bigint): void {
    this.#allowances.set(contract, (this.#allowances.get(contract) ?? allowance) - gasUsed)
    this.#left -= gasUsed
  }
}

/** The text of one word, `bytes32`, which early tokens return as name and symbol. */
const wordText = (data: Uint8Array): string | undefined => {
  if (data.length !== 32) return undefined
  const end = data.indexOf(0)
  const text = data.subarray(0, end < 0 ? 32 : end)
  // No word of text begins with a zero: that is a number.
  return text.length === 0 || data.subarray(text.length).some((byte) => byte !== 0)
    ? undefined
    : new TextDecoder().decode(text)
}

const textOf = (maxLength: number) => ({ data, kind }: Answer): string | undefined => {
  const found = kind === "returned" ? (stringAt(data, 0) ?? wordText(data))?.replaceAll("\0", "") : undefined
  return found === undefined || found.length > maxLength ? undefined : found
}

const callOf = (to: Hex, signature: string, values: ReadonlyArray<AbiValue>): ContractCall => ({
  to,
  data: encodeCall(signature, values),
  gas: callGas
})

/** The number of one word that an answer is. */
export const numberOf = ({ data, kind }: Answer): bigint | undefined =>
  kind === "returned" && data.length === 32 ? BigInt(fromBytes(data)) : undefined
