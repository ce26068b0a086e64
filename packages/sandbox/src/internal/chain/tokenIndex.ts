import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { stringAt, topicOf, uintAt } from "../contracts/Abi.js"
import type { ExecutedBlock, ExecutedTransaction } from "../store/ExecutedBlock.js"
import type { TokenStore } from "../store/TokenStore.js"
import { ContractCalls } from "./ContractCalls.js"
import { ContractInspector } from "./ContractInspector.js"
import { Reconciler } from "./Reconciler.js"
import type { Viewer } from "./Viewer.js"

/** What a block means for tokens: contracts that are new, and what all that it touched say at its end. */
export type TokenChanges = Pick<ExecutedBlock, "contracts" | "answers" | "uris">

/** Reads what a block means for tokens from its transactions and from the state at its end. */
export const readTokens = <E>(
  tokens: TokenStore,
  transactions: ReadonlyArray<ExecutedTransaction>,
  viewer: Viewer<E>
): Effect.Effect<TokenChanges, E> =>
  Effect.gen(function*() {
    const gasUsed = transactions.at(-1)?.cumulativeGasUsed ?? 0n
    const contractCalls = () => new ContractCalls(viewer, gasUsed)
    const contracts = yield* new ContractInspector(tokens).inspect(transactions, contractCalls())
    const answers = yield* new Reconciler(tokens).read(transactions, contracts, contractCalls())
    const uris = yield* new UriReader(tokens).read(transactions, { answers, contracts }, contractCalls())
    return { contracts, answers, uris }
  })

const maxUriLength = 8192

const nobody: Hex = "0x0000000000000000000000000000000000000000"
const uriTopic = topicOf("URI(string,uint256)")
const metadataTopic = topicOf("MetadataUpdate(uint256)")

interface KnownContract {
  readonly kind: "ft" | "nft" | "mt"
  /** Tokens to ask for. */
  readonly tokens: Set<bigint>
}

/**
 * Reads the URIs of tokens from their contracts at the end of a block: of tokens that were minted or are seen for the
 * first time, and of those that their contract says have another one (`URI` of KIP-37, `MetadataUpdate` of ERC-4906).
 * Where a contract gives none, the URI is empty.
 */
class UriReader {
  readonly #tokens: TokenStore

  constructor(tokens: TokenStore) {
    this.#tokens = tokens
  }

  read<E>(
    transactions: ReadonlyArray<ExecutedTransaction>,
    { answers, contracts: fresh }: Pick<ExecutedBlock, "answers" | "contracts">,
    contractCalls: ContractCalls<E>
  ): Effect.Effect<ExecutedBlock["uris"], E> {
    return Effect.gen(this, function*() {
      const contracts = new Map<Hex, KnownContract | undefined>()
      const contractOf = (address: Hex): KnownContract | undefined => {
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
            const isNew = transfer.from === nobody || !this.#tokens.hasToken(transfer.contract, id)
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
      // Only of tokens that exist, whatever the logs say.
      const held = [
        ...answers.owners.filter(({ owner }) => owner !== undefined),
        ...answers.balances.filter(({ balance }) => balance > 0n),
        ...answers.tokenSupplies.filter(({ supply }) => supply > 0n)
      ]
      for (const { contract, tokenId } of held) {
        if (tokenId !== undefined && !this.#tokens.hasToken(contract, tokenId)) {
          contractOf(contract)?.tokens.add(tokenId)
        }
      }
      const uris: Array<ExecutedBlock["uris"][number]> = []
      for (const [address, contract] of contracts) {
        if (contract === undefined || contract.kind === "ft") continue
        const signature = contract.kind === "nft" ? "tokenURI(uint256)" : "uri(uint256)"
        for (const tokenId of contract.tokens) {
          const { data, kind } = yield* contractCalls.ask(address, signature, [tokenId])
          const uri = kind === "returned" ? stringAt(data, 0) : undefined
          uris.push({ contract: address, tokenId, uri: uri === undefined || uri.length > maxUriLength ? "" : uri })
        }
      }
      return uris
    })
  }
}
