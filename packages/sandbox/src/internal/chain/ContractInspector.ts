import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { ContractRecord } from "../../TokenRecord.js"
import { encodeCall, stringAt, uintAt } from "../contracts/Abi.js"
import type { Machine } from "../evm/Machine.js"
import type { BlockEnvironment } from "../evm/Message.js"
import type { ExecutedTransaction } from "./ExecutedBlock.js"

type Found = Omit<ContractRecord, "blockNumber" | "createdAt" | "label">

/** Gas of one question to a contract: enough for a long name in storage, too little to keep the chain waiting. */
const questionGas = 200_000n
const maxTextLength = 256
const asker: Hex = "0x0000000000000000000000000000000000000000"

/** Numbers of the interfaces in their standards' text. */
const interfaceIds = { kip7: "0x65787371", kip17: "0x80ac58cd", kip37: "0x6433ca1f", erc1155: "0xd9b67a26" } as const

/** Interface of KIP-17 that its ERC twin has under another name: what a receiver of KIP-17 tokens must answer. */
const kip17ReceiverSelector = "6745782b"

/**
 * Finds out what a token contract is by asking it. A contract may revert, loop, or answer with megabytes: every
 * question has its own small gas limit, changes nothing, and a wrong answer counts as none.
 */
export class ContractInspector {
  readonly #machine: Machine
  readonly #isKnown: (address: Hex) => boolean
  readonly #codeOf: (address: Hex) => Uint8Array

  constructor(
    machine: Machine,
    isKnown: (address: Hex) => boolean,
    codeOf: (address: Hex) => Uint8Array
  ) {
    this.#machine = machine
    this.#isKnown = isKnown
    this.#codeOf = codeOf
  }

  /** The token contracts that a block shows for the first time: by their transfer logs, or by their creation. */
  async inspect(
    transactions: ReadonlyArray<ExecutedTransaction>,
    block: BlockEnvironment
  ): Promise<ReadonlyArray<Found>> {
    const found = new Map<Hex, Found | undefined>()
    for (const transaction of transactions) {
      for (const transfer of transaction.transfers) {
        if (transfer.kind === "coin" || found.has(transfer.contract) || this.#isKnown(transfer.contract)) continue
        found.set(transfer.contract, await this.#describe(transfer.contract, transfer.kind, block))
      }
      const created = transaction.contractAddress
      if (created === undefined || found.has(created)) continue
      const kind = await this.#kindOf(created, block)
      if (kind !== undefined) found.set(created, await this.#describe(created, kind, block))
    }
    return [...found.values()].filter((contract) => contract !== undefined)
  }

  async #kindOf(address: Hex, block: BlockEnvironment): Promise<Found["kind"] | undefined> {
    if (await this.#supports(address, interfaceIds.kip17, block)) return "nft"
    if (await this.#supports(address, interfaceIds.kip37, block)) return "mt"
    if (await this.#supports(address, interfaceIds.erc1155, block)) return "mt"
    const decimals = await this.#number(address, "decimals()", block)
    const supply = await this.#number(address, "totalSupply()", block)
    return decimals !== undefined && decimals < 256n && supply !== undefined ? "ft" : undefined
  }

  async #describe(address: Hex, kind: Found["kind"], block: BlockEnvironment): Promise<Found> {
    if (kind === "mt") {
      const isKip37 = await this.#supports(address, interfaceIds.kip37, block)
      return { address, kind, standard: isKip37 ? "KIP-37" : "ERC-1155", ...unnamed }
    }
    const name = await this.#text(address, "name()", block)
    const symbol = await this.#text(address, "symbol()", block)
    if (kind === "nft") {
      const isKip17 = Buffer.from(this.#codeOf(address)).includes(kip17ReceiverSelector, 0, "hex")
      return { address, kind, standard: isKip17 ? "KIP-17" : "ERC-721", name, symbol, decimals: undefined }
    }
    const isKip7 = await this.#supports(address, interfaceIds.kip7, block)
    const decimals = await this.#number(address, "decimals()", block)
    return {
      address,
      kind,
      standard: isKip7 ? "KIP-7" : "ERC-20",
      name,
      symbol,
      decimals: decimals === undefined || decimals > 255n ? undefined : Number(decimals)
    }
  }

  async #ask(address: Hex, data: Uint8Array, block: BlockEnvironment): Promise<Uint8Array | undefined> {
    const outcome = await this.#machine.view({
      from: asker,
      to: address,
      value: 0n,
      data,
      gasLimit: questionGas,
      gasPrice: 0n,
      feePayer: asker,
      accessList: []
    }, block)
    return outcome.fault === undefined ? outcome.returnValue : undefined
  }

  async #supports(address: Hex, id: string, block: BlockEnvironment): Promise<boolean> {
    const answer = await this.#ask(address, encodeCall("supportsInterface(bytes4)", [id]), block)
    return answer !== undefined && answer.length === 32 && uintAt(answer, 0) === 1n
  }

  async #number(address: Hex, signature: string, block: BlockEnvironment): Promise<bigint | undefined> {
    const answer = await this.#ask(address, encodeCall(signature), block)
    return answer === undefined || answer.length !== 32 ? undefined : uintAt(answer, 0)
  }

  async #text(address: Hex, signature: string, block: BlockEnvironment): Promise<string | undefined> {
    const answer = await this.#ask(address, encodeCall(signature), block)
    const text = answer && stringAt(answer, 0)
    return text === undefined || text.length > maxTextLength ? undefined : text
  }
}

const unnamed = { name: undefined, symbol: undefined, decimals: undefined }
