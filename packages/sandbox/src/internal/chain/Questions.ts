import type { Hex } from "@effect-klaytn/transaction/Hex"
import { type AbiValue, encodeCall } from "../contracts/Abi.js"
import type { Evm } from "../evm/Evm.js"
import type { BlockEnvironment, EvmFault } from "../evm/Message.js"

/** Gas of one question to a contract: enough for a long text in storage, too little to keep the chain waiting. */
const questionGas = 200_000n

/** What a block may always ask for, however little it did itself. */
const leastGas = 30_000_000n

const asker: Hex = "0x0000000000000000000000000000000000000000"

/** How compilers of all times let a contract refuse. */
const refusals: ReadonlySet<EvmFault> = new Set<EvmFault>(["revert", "invalid opcode", "invalid JUMP"])

/** What came of a question: bytes, a refusal, or that the contract did not come to an end or was not asked. */
export type Answer =
  | { readonly kind: "said"; readonly data: Uint8Array }
  | { readonly kind: "refused" }
  | { readonly kind: "nothing" }

/**
 * Questions to contracts on the state at the end of a block. A contract may revert, loop or answer with megabytes: each
 * question has a small gas limit and changes nothing, and all of them together may use little more than the block did. Of
 * what is left, a contract gets half, so that one that loops leaves something for the others.
 */
export class Questions {
  readonly #machine: Evm
  readonly #block: BlockEnvironment
  readonly #allowances = new Map<Hex, bigint>()
  #left: bigint

  constructor(machine: Evm, block: BlockEnvironment, gasOfBlock: bigint) {
    this.#machine = machine
    this.#block = block
    this.#left = leastGas + gasOfBlock
  }

  async ask(contract: Hex, signature: string, values: ReadonlyArray<AbiValue> = []): Promise<Answer> {
    const allowance = this.#allowances.get(contract) ?? this.#left / 2n
    if (allowance < questionGas) return { kind: "nothing" }
    const { fault, gasUsed, returnValue } = await this.#machine.view({
      from: asker,
      to: contract,
      value: 0n,
      data: encodeCall(signature, values),
      gasLimit: questionGas,
      gasPrice: 0n,
      feePayer: asker,
      accessList: []
    }, this.#block)
    this.#allowances.set(contract, allowance - gasUsed)
    this.#left -= gasUsed
    if (fault === undefined) return { kind: "said", data: returnValue }
    return refusals.has(fault) ? { kind: "refused" } : { kind: "nothing" }
  }

  /** A number of one word; anything else is no answer. */
  async number(contract: Hex, signature: string, values: ReadonlyArray<AbiValue> = []): Promise<bigint | undefined> {
    return numberOf(await this.ask(contract, signature, values))
  }
}

/** The number of one word that an answer is. */
export const numberOf = (answer: Answer): bigint | undefined =>
  answer.kind === "said" && answer.data.length === 32
    ? BigInt(`0x${Buffer.from(answer.data).toString("hex")}`)
    : undefined
