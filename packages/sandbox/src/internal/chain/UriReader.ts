import type { Hex } from "@effect-klaytn/transaction/Hex"
import { encodeCall, stringAt, topicOf, uintAt } from "../contracts/Abi.js"
import type { Machine } from "../evm/Machine.js"
import type { BlockEnvironment } from "../evm/Message.js"
import type { TokenStore } from "../store/TokenStore.js"
import type { ExecutedBlock, ExecutedTransaction } from "./ExecutedBlock.js"

/** What one question may cost, and all questions of a block to one contract: as much as a transaction. */
const questionGas = 200_000n
const contractGas = 30_000_000n
const maxUriLength = 8192

const nobody: Hex = "0x0000000000000000000000000000000000000000"
const uriTopic = topicOf("URI(string,uint256)")
const metadataTopic = topicOf("MetadataUpdate(uint256)")

interface Contract {
  readonly kind: "ft" | "nft" | "mt"
  /** Tokens to ask for. */
  readonly tokens: Set<bigint>
}

/**
 * Reads the URIs of tokens from their contracts at the end of a block: of tokens that were minted or are seen for the
 * first time, and of those that their contract says have another one (`URI` of KIP-37, `MetadataUpdate` of ERC-4906).
 * A contract may revert, loop, or answer with megabytes: then the URI is empty, and the block is not held up for long.
 */
export class UriReader {
  readonly #machine: Machine
  readonly #tokens: TokenStore

  constructor(machine: Machine, tokens: TokenStore) {
    this.#machine = machine
    this.#tokens = tokens
  }

  async read(
    transactions: ReadonlyArray<ExecutedTransaction>,
    fresh: ExecutedBlock["contracts"],
    block: BlockEnvironment
  ): Promise<ExecutedBlock["uris"]> {
    const contracts = new Map<Hex, Contract | undefined>()
    const contractOf = (address: Hex): Contract | undefined => {
      if (contracts.has(address)) return contracts.get(address)
      const found = fresh.find((one) => one.address === address) ?? this.#tokens.contract(address)
      const contract = found === undefined ? undefined : { kind: found.kind, tokens: new Set<bigint>() }
      contracts.set(address, contract)
      return contract
    }
    for (const { logs, transfers } of transactions) {
      for (const transfer of transfers) {
        if (transfer.kind !== "nft" && transfer.kind !== "mt") continue
        const contract = contractOf(transfer.contract)
        if (contract?.kind !== transfer.kind || transfer.to === nobody) continue
        for (const id of transfer.kind === "nft" ? [transfer.tokenId] : transfer.ids) {
          const isNew = transfer.from === nobody || this.#tokens.token(transfer.contract, id) === undefined
          if (isNew) contract.tokens.add(id)
        }
      }
      for (const { address, data, topics: [event, first] } of logs) {
        const id = event === uriTopic && first !== undefined
          ? BigInt(first)
          : event === metadataTopic && data.length === 32
          ? uintAt(data, 0)
          : undefined
        if (id !== undefined) contractOf(address)?.tokens.add(id)
      }
    }
    const uris: Array<ExecutedBlock["uris"][number]> = []
    for (const [address, contract] of contracts) {
      if (contract !== undefined && contract.kind !== "ft") uris.push(...await this.#ask(address, contract, block))
    }
    return uris
  }

  async #ask(
    address: Hex,
    { kind, tokens }: Contract,
    block: BlockEnvironment
  ): Promise<Array<ExecutedBlock["uris"][number]>> {
    const signature = kind === "nft" ? "tokenURI(uint256)" : "uri(uint256)"
    const uris: Array<ExecutedBlock["uris"][number]> = []
    let gas = contractGas
    for (const tokenId of tokens) {
      if (gas < questionGas) break
      const outcome = await this.#machine.view({
        from: nobody,
        to: address,
        value: 0n,
        data: encodeCall(signature, [tokenId]),
        gasLimit: questionGas,
        gasPrice: 0n,
        feePayer: nobody,
        accessList: []
      }, block)
      gas -= outcome.gasUsed
      const uri = outcome.fault === undefined ? stringAt(outcome.returnValue, 0) : undefined
      uris.push({ contract: address, tokenId, uri: uri === undefined || uri.length > maxUriLength ? "" : uri })
    }
    return uris
  }
}
