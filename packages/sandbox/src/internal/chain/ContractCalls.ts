import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { type AbiValue, encodeCall } from "../contracts/Abi.js"
import type { Answer, Viewer } from "./Viewer.js"

/** Gas of one question to a contract: enough for a long text in storage, too little to keep the chain waiting. */
const questionGas = 200_000n

/** What a block may always ask for, however little it did itself. */
const minGas = 30_000_000n

const notAsked: Answer = { kind: "failed", data: new Uint8Array(0), gasUsed: 0n }

/**
 * Questions to contracts on the state at the end of a block. A contract may revert, loop or answer with megabytes: each
 * question has a small gas limit and changes nothing, and all together may use little more gas than the block did. A
 * contract gets half of what is left, so that one that loops leaves something for the others.
 */
export class ContractCalls<E> {
  readonly #viewer: Viewer<E>
  readonly #allowances = new Map<Hex, bigint>()
  #left: bigint

  constructor(viewer: Viewer<E>, gasOfBlock: bigint) {
    this.#viewer = viewer
    this.#left = minGas + gasOfBlock
  }

  /** Asks a contract. One that has used up what it may use is not asked. */
  ask(contract: Hex, signature: string, values: ReadonlyArray<AbiValue> = []): Effect.Effect<Answer, E> {
    return Effect.suspend(() => {
      const allowance = this.#allowances.get(contract) ?? this.#left / 2n
      if (allowance < questionGas) return Effect.succeed(notAsked)
      const question = { to: contract, data: encodeCall(signature, values), gas: questionGas }
      return Effect.tap(this.#viewer.ask(question), ({ gasUsed }) => {
        this.#allowances.set(contract, allowance - gasUsed)
        this.#left -= gasUsed
      })
    })
  }

  /** A number of one word; anything else is no answer. */
  number(contract: Hex, signature: string, values: ReadonlyArray<AbiValue> = []): Effect.Effect<bigint | undefined, E> {
    return Effect.map(this.ask(contract, signature, values), numberOf)
  }

  /** The code of a contract. */
  code(contract: Hex): Effect.Effect<Uint8Array, E> {
    return this.#viewer.code(contract)
  }
}

/** The number of one word that an answer is. */
export const numberOf = ({ data, kind }: Answer): bigint | undefined =>
  kind === "returned" && data.length === 32 ? BigInt(`0x${Buffer.from(data).toString("hex")}`) : undefined
