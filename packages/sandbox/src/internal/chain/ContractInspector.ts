import type { Hex } from "@effect-klaytn/transaction/Hex"
import { stringAt } from "../contracts/Abi.js"
import type { DescribedContract, ExecutedTransaction } from "../store/ExecutedBlock.js"
import type { TokenStore } from "../store/TokenStore.js"
import type { Questions } from "./Questions.js"

const maxTextLength = 256

/** Numbers of the interfaces in their standards' text. */
const interfaceIds = { kip7: "0x65787371", kip17: "0x80ac58cd", kip37: "0x6433ca1f", erc1155: "0xd9b67a26" } as const

/** Interface of KIP-17 that its ERC twin has under another name: what a receiver of KIP-17 tokens must answer. */
const kip17ReceiverSelector = "6745782b"

/** The contracts that a transaction did something to: those that logged, that were written to, and its target. */
export const touchedBy = ({ logs, to, writes }: ExecutedTransaction): ReadonlySet<Hex> =>
  logs.length === 0 && writes.length === 0 ? new Set() : new Set([
    ...logs.map(({ address }) => address),
    ...writes.map(({ contract }) => contract),
    ...(to === undefined ? [] : [to])
  ])

/** Finds out what a token contract is by asking it. A wrong answer counts as none. */
export class ContractInspector {
  readonly #tokens: TokenStore
  readonly #codeOf: (address: Hex) => Uint8Array

  constructor(tokens: TokenStore, codeOf: (address: Hex) => Uint8Array) {
    this.#tokens = tokens
    this.#codeOf = codeOf
  }

  /**
   * The token contracts that a block shows for the first time, by their transfer logs or by their creation, and those that
   * it shows in another light: the first log of another kind than the answers at the creation promised, and answers where
   * there was none, as a proxy's that is initialised late.
   */
  async inspect(
    transactions: ReadonlyArray<ExecutedTransaction>,
    questions: Questions
  ): Promise<ReadonlyArray<DescribedContract>> {
    const found = new Map<Hex, DescribedContract | undefined>()
    for (const transaction of transactions) {
      for (const transfer of transaction.transfers) {
        if (transfer.kind === "coin" || found.has(transfer.contract)) continue
        const { contract, kind } = transfer
        const known = this.#tokens.contract(contract)
        if (known === undefined || (known.kind !== kind && !this.#tokens.hasMoved(contract, known.kind))) {
          found.set(contract, await this.#describe(contract, kind, questions))
        } else found.set(contract, undefined)
      }
      const created = transaction.contractAddress
      if (created === undefined || found.has(created)) continue
      const kind = await this.#kindOf(created, questions)
      if (kind !== undefined) found.set(created, await this.#describe(created, kind, questions))
    }
    for (const address of new Set(transactions.flatMap((transaction) => [...touchedBy(transaction)]))) {
      const known = found.get(address) === undefined ? this.#tokens.contract(address) : undefined
      if (known === undefined || isComplete(known)) continue
      const now = await this.#describe(address, known.kind, questions)
      if (now.name !== known.name || now.symbol !== known.symbol || now.decimals !== known.decimals) {
        found.set(address, now)
      }
    }
    return [...found.values()].filter((contract) => contract !== undefined)
  }

  async #kindOf(address: Hex, questions: Questions): Promise<DescribedContract["kind"] | undefined> {
    if (await supports(address, interfaceIds.kip17, questions)) return "nft"
    if (await supports(address, interfaceIds.kip37, questions)) return "mt"
    if (await supports(address, interfaceIds.erc1155, questions)) return "mt"
    const decimals = await questions.number(address, "decimals()")
    const supply = await questions.number(address, "totalSupply()")
    return decimals !== undefined && decimals < 256n && supply !== undefined ? "ft" : undefined
  }

  async #describe(address: Hex, kind: DescribedContract["kind"], questions: Questions): Promise<DescribedContract> {
    if (kind === "mt") {
      const isKip37 = await supports(address, interfaceIds.kip37, questions)
      return { address, kind, standard: isKip37 ? "KIP-37" : "ERC-1155", ...unnamed }
    }
    const name = await text(address, "name()", questions)
    const symbol = await text(address, "symbol()", questions)
    if (kind === "nft") {
      const isKip17 = Buffer.from(this.#codeOf(address)).includes(kip17ReceiverSelector, 0, "hex")
      return { address, kind, standard: isKip17 ? "KIP-17" : "ERC-721", name, symbol, decimals: undefined }
    }
    const isKip7 = await supports(address, interfaceIds.kip7, questions)
    const decimals = await questions.number(address, "decimals()")
    return {
      address,
      kind,
      standard: isKip7 ? "KIP-7" : "ERC-20",
      name,
      symbol,
      decimals: decimals === undefined || decimals > 255n ? undefined : Number(decimals)
    }
  }
}

const isComplete = ({ decimals, kind, name = "", symbol = "" }: DescribedContract): boolean =>
  kind === "mt" || (name !== "" && symbol !== "" && (kind === "nft" || decimals !== undefined))

const supports = async (address: Hex, id: string, questions: Questions): Promise<boolean> =>
  await questions.number(address, "supportsInterface(bytes4)", [id]) === 1n

const text = async (address: Hex, signature: string, questions: Questions): Promise<string | undefined> => {
  const answer = await questions.ask(address, signature)
  const found = answer.kind === "said" ? stringAt(answer.data, 0) : undefined
  return found === undefined || found.length > maxTextLength ? undefined : found
}

const unnamed = { name: undefined, symbol: undefined, decimals: undefined }
