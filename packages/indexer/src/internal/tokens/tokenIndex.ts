import type { BlockHeader, ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import { type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { stringAt, topicOf, uintAt } from "../../Abi.js"
import type { Viewer } from "../../Viewer.js"
import type { IndexedBlock, IndexedTransaction } from "../IndexedBlock.js"
import type { TokenStore } from "../sqlite/TokenStore.js"
import { ContractCalls } from "./ContractCalls.js"
import { ContractInspector } from "./ContractInspector.js"
import { Reconciler } from "./Reconciler.js"
import { transfersOf } from "./TransferReader.js"

/** Finds what a block means for tokens, from its transactions and from the state at its end. */
export const prepareBlock = <E>(
  tokens: TokenStore,
  header: BlockHeader,
  executed: ReadonlyArray<ExecutedTransaction>,
  viewer: Viewer<E>
): Effect.Effect<IndexedBlock, E> =>
  Effect.gen(function*() {
    const transactions = executed.map((transaction) => ({ ...transaction, transfers: transfersOf(transaction) }))
    const gasUsed = transactions.at(-1)?.cumulativeGasUsed ?? 0n
    const contractCalls = () => new ContractCalls(viewer, gasUsed)
    const contracts = yield* new ContractInspector(tokens).inspect(transactions, contractCalls())
    const answers = yield* new Reconciler(tokens).read(transactions, contracts, contractCalls())
    const uris = yield* new UriReader(tokens).read(transactions, { answers, contracts }, contractCalls())
    return { header, transactions, contracts, answers, uris }
  })

const maxUriLength = 8192

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
    transactions: ReadonlyArray<IndexedTransaction>,
    { answers, contracts: fresh }: Pick<IndexedBlock, "answers" | "contracts">,
    contractCalls: ContractCalls<E>
  ): Effect.Effect<IndexedBlock["uris"], E> {
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
          if (contract?.kind !== transfer.kind || transfer.to === zeroAddress) continue
          for (const id of transfer.kind === "nft" ? [transfer.tokenId] : transfer.ids) {
            const isNew = transfer.from === zeroAddress || !this.#tokens.hasToken(transfer.contract, id)
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
      const wanted = [...contracts].flatMap(([address, contract]) => {
        if (contract === undefined || contract.kind === "ft") return []
        const signature = contract.kind === "nft" ? "tokenURI(uint256)" : "uri(uint256)"
        return [...contract.tokens].map((tokenId) => ({ address, signature, tokenId }))
      })
      return yield* Effect.forEach(
        wanted,
        ({ address, signature, tokenId }) =>
          Effect.map(contractCalls.call(address, signature, [tokenId]), ({ data, kind }) => {
            const uri = kind === "returned" ? stringAt(data, 0) : undefined
            return { contract: address, tokenId, uri: uri === undefined || uri.length > maxUriLength ? "" : uri }
          }),
        contractCalls.together
      )
    })
  }
}
