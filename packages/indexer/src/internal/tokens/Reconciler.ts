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
    const holdings = [...touched.holdings.values()]
    const found = yield* Effect.all({
      supply: touched.kind === "mt" ? Effect.succeed(undefined) : contractCalls.number(contract, "totalSupply()"),
      balances: contractCalls.numberEach(
        contract,
        touched.kind === "mt" ? "balanceOf(address,uint256)" : "balanceOf(address)",
        holdings.map(({ owner, tokenId }) => tokenId === undefined ? [owner] : [owner, tokenId])
      )
    }, contractCalls.together)
    const balances = known(holdings, found.balances, (holding, balance) => ({ contract, ...holding, balance }))
    for (const { balance, tokenId, transfer } of balances) {
      if (tokenId !== undefined && balance > 0n) touchToken(touched, tokenId, transfer)
    }
    const supplies = found.supply === undefined ? [] : [{ contract, supply: found.supply }]
    const ids = [...touched.ids]
    if (touched.kind === "nft") {
      const owners = yield* ownersOf(tokens, contract, touched, contractCalls)
      return {
        balances,
        owners: known(ids, owners, ([tokenId, transfer], { owner }) => ({ contract, tokenId, owner, transfer })),
        supplies,
        tokenSupplies: []
      }
    }
    const ofTokens = yield* contractCalls.numberEach(
      contract,
      "totalSupply(uint256)",
      ids.map(([tokenId]) => [tokenId])
    )
    const tokenSupplies = known(
      ids,
      ofTokens,
      ([tokenId, transfer], supply) => ({ contract, tokenId, supply, transfer })
    )
    return { balances, owners: [], supplies, tokenSupplies }
  })

/** What was found about some items, without those about which nothing was. */
const known = <A, B, C>(
  items: ReadonlyArray<A>,
  found: ReadonlyArray<B | undefined>,
  make: (item: A, found: B) => C
): ReadonlyArray<C> =>
  items.flatMap((item, at) => {
    const one = found[at]
    return one === undefined ? [] : [make(item, one)]
  })

/**
 * The owners of non-fungible tokens: with no address if a token does not exist, and undefined if that can't be determined. A
 * contract reverts for a token that does not exist. If it reverts for other calls, too, the logs decide.
 */
const ownersOf = <E>(
  tokens: TokenFacts,
  contract: Hex,
  { ids, receivers }: Touched,
  contractCalls: ContractCalls<E>
): Effect.Effect<ReadonlyArray<{ readonly owner: Hex | undefined } | undefined>, E> =>
  Effect.gen(function*() {
    const tokenIds = [...ids.keys()]
    const answers = yield* contractCalls.callEach(contract, "ownerOf(uint256)", tokenIds.map((tokenId) => [tokenId]))
    const lastOwner = (tokenId: bigint): Hex =>
      receivers.get(tokenId) ?? tokens.ownerOf(contract, tokenId) ?? zeroAddress
    const refused = tokenIds.filter((_, at) => answers[at]?.kind === "refused")
    const asked = Arr.dedupe(refused.map(lastOwner).filter((address) => address !== zeroAddress))
    const balances = yield* contractCalls.numberEach(contract, "balanceOf(address)", asked.map((address) => [address]))
    const answering = new Set(known(asked, balances, (address) => address))
    return Arr.zipWith(tokenIds, answers, (tokenId, answer) => {
      if (answer.kind === "refused") {
        const address = lastOwner(tokenId)
        return address === zeroAddress || answering.has(address) ? { owner: undefined } : undefined
      }
      const owner = numberOf(answer)
      if (owner === undefined || owner >= 2n ** 160n) return undefined
      return { owner: owner === 0n ? undefined : addressAt(owner) }
    })
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
