import type { EmittedLog, StorageWrite } from "@effect-klaytn/transaction/ExecutedTransaction"
import { type Hex, quantity, zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { topicOf, uintAt } from "../../Abi.js"
import { keyOf } from "../../BlockKey.js"
import type { TokenFacts } from "../../TokenFacts.js"
import { type DraftTransfer, type InspectedBlock, keepsTokensOf, type TokenAnswers } from "../IndexedBlock.js"
import { type ContractCalls, numberOf } from "./ContractCalls.js"
import { touchedBy } from "./ContractInspector.js"

const transferTopic = topicOf("Transfer(address,address,uint256)")

/** Words of a log's data that are looked at for addresses. */
const wordsOfData = 8

/** The tokens and holders of one contract that were touched, each with the first transfer of the last such transaction. */
export interface Touched {
  readonly kind: "ft" | "nft" | "mt"
  /** Holders of a fungible token, or of multi tokens. */
  readonly holdings: Map<string, {
    readonly owner: Hex
    /** Undefined for a fungible token. */
    readonly tokenId: bigint | undefined
    readonly transfer: number
  }>
  /** Non-fungible and multi tokens. */
  readonly ids: Map<bigint, number>
  /** The receiver of a non-fungible token by the last log of it. */
  readonly receivers: Map<bigint, Hex>
  /** Tokens whose URI has to be asked. */
  readonly uris: Set<bigint>
}

export const untouched = (kind: Touched["kind"]): Touched => ({
  kind,
  holdings: new Map(),
  ids: new Map(),
  receivers: new Map(),
  uris: new Set()
})

/** The address that a word may be: one that is too large for an amount, and not too large for an address. */
const addressOf = (word: bigint): Hex | undefined =>
  word >= 2n ** 64n && word < 2n ** 160n ? addressAt(word) : undefined

/**
 * Asks token contracts at the end of a block for the balances of their holders, which may differ from the sum of the logs:
 * because of a wrapped coin's deposits, fees on transfer, or logs that lie. It asks about everything that the block touched:
 * in a log, in an entry of a mapping that was written, or as the sender of a call to the contract.
 */
export const reconcile = <E>(
  tokens: TokenFacts,
  touched: ReadonlyMap<Hex, Touched>,
  contractCalls: ContractCalls<E>
): Effect.Effect<TokenAnswers, E> =>
  Effect.map(
    contractCalls.each(touched, ([contract, one]) => reconcileOne(tokens, contract, one, contractCalls)),
    (all) => ({
      balances: all.flatMap(({ balances }) => balances),
      owners: all.flatMap(({ owners }) => owners),
      supplies: all.flatMap(({ supplies }) => supplies),
      tokenSupplies: all.flatMap(({ tokenSupplies }) => tokenSupplies)
    })
  )

/** Asks one contract, and all of a kind at once. */
const reconcileOne = <E>(
  tokens: TokenFacts,
  contract: Hex,
  touched: Touched,
  contractCalls: ContractCalls<E>
): Effect.Effect<TokenAnswers, E> =>
  Effect.gen(function*() {
    const balanceOf = (owner: Hex, tokenId: bigint | undefined) =>
      tokenId === undefined
        ? contractCalls.number(contract, "balanceOf(address)", [owner])
        : contractCalls.number(contract, "balanceOf(address,uint256)", [owner, tokenId])
    const { balances, supply } = yield* Effect.all({
      supply: touched.kind === "mt" ? Effect.succeed(undefined) : contractCalls.number(contract, "totalSupply()"),
      balances: contractCalls.each(touched.holdings.values(), (holding) =>
        Effect.map(
          balanceOf(holding.owner, holding.tokenId),
          (balance) => balance === undefined ? undefined : { contract, ...holding, balance }
        ))
    }, contractCalls.together)
    for (const { balance, tokenId, transfer } of balances) {
      if (tokenId !== undefined && balance > 0n) touchToken(touched, tokenId, transfer)
    }
    const supplies = supply === undefined ? [] : [{ contract, supply }]
    if (touched.kind === "nft") {
      const owners = yield* contractCalls.each(touched.ids, ([tokenId, transfer]) =>
        Effect.map(
          ownerOf(tokens, contract, tokenId, touched.receivers.get(tokenId), contractCalls),
          (found) => found && { contract, tokenId, ...found, transfer }
        ))
      return { balances, owners, supplies, tokenSupplies: [] }
    }
    const tokenSupplies = yield* contractCalls.each(touched.ids, ([tokenId, transfer]) =>
      Effect.map(
        contractCalls.number(contract, "totalSupply(uint256)", [tokenId]),
        (supply) => supply === undefined ? undefined : { contract, tokenId, supply, transfer }
      ))
    return { balances, owners: [], supplies, tokenSupplies }
  })

/**
 * The owner of a non-fungible token, with no address if the token does not exist; undefined if that can't be determined. A
 * contract reverts for a token that does not exist. If it reverts for other calls, too, the logs decide.
 */
const ownerOf = <E>(
  tokens: TokenFacts,
  contract: Hex,
  tokenId: bigint,
  receiver: Hex | undefined,
  contractCalls: ContractCalls<E>
): Effect.Effect<{ readonly owner: Hex | undefined } | undefined, E> =>
  Effect.gen(function*() {
    const answer = yield* contractCalls.call(contract, "ownerOf(uint256)", [tokenId])
    if (answer.kind === "refused") {
      const asked = receiver ?? tokens.ownerOf(contract, tokenId) ?? zeroAddress
      if (asked === zeroAddress) return { owner: undefined }
      const balance = yield* contractCalls.number(contract, "balanceOf(address)", [asked])
      return balance === undefined ? undefined : { owner: undefined }
    }
    const owner = numberOf(answer)
    if (owner === undefined || owner >= 2n ** 160n) return undefined
    return { owner: owner === 0n ? undefined : addressAt(owner) }
  })

/** The tokens and holders that a block touched, by contract. */
export const touchedIn = (tokens: TokenFacts, block: InspectedBlock): ReadonlyMap<Hex, Touched> => {
  const { contracts: fresh, transactions } = block
  const all = new Map<Hex, Touched>()
  const others = new Set<Hex>()
  const touch = (address: Hex): Touched | undefined => {
    const known = all.get(address)
    if (known !== undefined || others.has(address)) return known
    const described = fresh.find((one) => one.address === address)
    const kind = keepsTokensOf(block, address) ? described?.kind ?? tokens.kindOf(address) : undefined
    if (kind === undefined) others.add(address)
    else all.set(address, untouched(kind))
    return all.get(address)
  }
  for (const transaction of transactions) {
    const id = firstTransferOf(transaction)
    for (const address of touchedBy(transaction)) touch(address)
    for (const transfer of transaction.transfers) {
      const touched = transfer.kind === "coin" ? undefined : touch(transfer.contract)
      if (touched?.kind === transfer.kind) nameParties(touched, transfer, id)
    }
    for (const log of transaction.logs) {
      const touched = touch(log.address)
      if (touched?.kind === "ft") { for (const owner of addressesIn(log)) touchHolding(touched, owner, undefined, id) }
    }
    const target = transaction.to === undefined ? undefined : all.get(transaction.to)
    if (target?.kind === "ft") touchHolding(target, transaction.from, undefined, id)
  }
  for (const transaction of transactions) {
    for (const write of transaction.writes ?? []) {
      const touched = touch(write.contract)
      if (touched !== undefined) nameKeys(tokens, touched, write, firstTransferOf(transaction))
    }
  }
  return all
}

/**
 * The keys of a mapping's entry may be an owner, a token, or both. Where either of two words may be the key, the
 * contract is asked about both: a question about an address that has nothing does no harm.
 */
const nameKeys = (tokens: TokenFacts, touched: Touched, { contract, keys }: StorageWrite, id: number): void => {
  if (touched.kind === "ft") {
    for (const key of keys.flat()) {
      const owner = key === 0n ? zeroAddress : addressOf(key)
      if (owner !== undefined) touchHolding(touched, owner, undefined, id)
    }
    return
  }
  for (const key of keys.flat()) {
    if (tokens.hasToken(contract, key)) touchToken(touched, key, id)
  }
  if (touched.kind === "nft") return
  for (const [one, other] of Arr.cartesian(keys.slice(0, -1).flat(), keys.at(-1) ?? [])) {
    for (const [key, tokenId] of [[one, other], [other, one]] as const) {
      const owner = addressOf(key)
      if (owner !== undefined) touchHolding(touched, owner, tokenId, id)
    }
  }
}

/** The first transfer of a transaction; of one without transfers, the next. */
const firstTransferOf = ({ blockNumber, transfersBefore }: InspectedBlock["transactions"][number]): number =>
  keyOf(blockNumber, transfersBefore)

const addressAt = (word: bigint): Hex => `0x${word.toString(16).padStart(40, "0")}`

/** Notes a token, with the later one of a transfer and the one that is noted. */
export const touchToken = ({ ids }: Touched, tokenId: bigint, transfer: number): void => {
  ids.set(tokenId, Math.max(transfer, ids.get(tokenId) ?? 0))
}

/** The same for a holder of a token. */
export const touchHolding = (
  { holdings }: Touched,
  owner: Hex,
  tokenId: bigint | undefined,
  transfer: number
): void => {
  const key = tokenId === undefined ? owner : owner + quantity(tokenId)
  holdings.set(key, { owner, tokenId, transfer: Math.max(transfer, holdings.get(key)?.transfer ?? 0) })
}

const nameParties = (touched: Touched, transfer: Exclude<DraftTransfer, { kind: "coin" }>, id: number): void => {
  const { from, to } = transfer
  if (transfer.kind === "ft") { for (const owner of [from, to]) touchHolding(touched, owner, undefined, id) }
  else if (transfer.kind === "nft") {
    touchToken(touched, transfer.tokenId, id)
    touched.receivers.set(transfer.tokenId, to)
  } else {
    for (const tokenId of transfer.ids) {
      touchToken(touched, tokenId, id)
      for (const owner of [from, to]) if (owner !== zeroAddress) touchHolding(touched, owner, tokenId, id)
    }
  }
}

const addressesIn = ({ data, topics: [event, ...topics] }: EmittedLog): ReadonlyArray<Hex> => {
  const words = event === transferTopic
    ? []
    : Array.from(
      { length: Math.min(wordsOfData, Math.floor(data.length / 32)) },
      (_, word) => uintAt(data, word * 32) ?? 0n
    )
  return [...topics.map(BigInt), ...words].flatMap((word) => addressOf(word) ?? [])
}
