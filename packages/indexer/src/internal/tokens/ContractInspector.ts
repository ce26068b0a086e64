import type { ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { TokenFacts } from "../../TokenFacts.js"
import type { DescribedContract, TokenTransaction } from "../IndexedBlock.js"
import type { ContractCalls } from "./ContractCalls.js"

const maxTextLength = 256

/** The interface IDs of the standards. */
const interfaceIds = { kip7: "0x65787371", kip17: "0x80ac58cd", kip37: "0x6433ca1f", erc1155: "0xd9b67a26" } as const

/** The answer that a receiver of KIP-17 tokens must give; ERC-721 has another one. */
const kip17ReceiverSelector = "6745782b"

/**
 * The contracts that a transaction may have changed: those that logged, that were written to, and its target. Where it
 * is unknown what was written, any successful call may have changed its target.
 */
export const touchedBy = (
  { logs, status, to, writes }: Pick<ExecutedTransaction, "logs" | "status" | "to" | "writes">
): ReadonlySet<Hex> =>
  status === 0 || (logs.length === 0 && writes?.length === 0) ? new Set() : new Set([
    ...logs.map(({ address }) => address),
    ...(writes ?? []).map(({ contract }) => contract),
    ...(to === undefined ? [] : [to])
  ])

/**
 * Describes the token contracts that blocks reveal, by their transfer logs or by their creation, and those whose first log is of
 * another kind than their answers at creation promised: see {@link unknownIn}. A wrong answer counts as none.
 */
export const inspect = <E>(
  unknown: Iterable<readonly [Hex, Unknown]>,
  contractCalls: ContractCalls<E>
): Effect.Effect<ReadonlyArray<DescribedContract>, E> =>
  contractCalls.each(unknown, ([address, { isCreated, kind }]) =>
    Effect.gen(function*() {
      const answered = isCreated ? yield* kindOf(address, contractCalls) : undefined
      const found = answered ?? kind
      return found && (yield* describe(address, found, contractCalls))
    }))

/** Of these contracts, those whose description lacks something that they may answer later. */
export const incomplete = (tokens: TokenFacts, contracts: Iterable<Hex>): ReadonlyArray<DescribedContract> =>
  [...contracts].flatMap((address) => {
    const known = tokens.contract(address)
    return known === undefined || isComplete(known) ? [] : [known]
  })

/** Of these contracts, those that answer now where they did not, such as a proxy that is initialised late. */
export const inspectAgain = <E>(
  tokens: TokenFacts,
  contracts: Iterable<Hex>,
  contractCalls: ContractCalls<E>
): Effect.Effect<ReadonlyArray<DescribedContract>, E> =>
  contractCalls.each(
    incomplete(tokens, contracts),
    (known) =>
      Effect.map(describe(known.address, known.kind, contractCalls), (now) => {
        const isSame = now.name === known.name && now.symbol === known.symbol && now.decimals === known.decimals
        return isSame ? undefined : now
      })
  )

/** The contracts to describe, in the order in which the block shows them. */
export const unknownIn = (
  tokens: TokenFacts,
  transactions: ReadonlyArray<TokenTransaction>
): ReadonlyMap<Hex, Unknown> => {
  const unknown = new Map<Hex, Unknown>()
  const known = new Set<Hex>()
  for (const { contractAddress: created, transfers } of transactions) {
    for (const transfer of transfers) {
      if (transfer.kind === "coin" || known.has(transfer.contract)) continue
      const { contract, kind } = transfer
      const found = unknown.get(contract)
      const stored = found === undefined ? tokens.kindOf(contract) : undefined
      if (stored !== undefined && (stored === kind || tokens.hasMoved(contract, stored))) {
        known.add(contract)
      } else unknown.set(contract, { isCreated: found?.isCreated ?? false, kind: found?.kind ?? kind })
    }
    if (created === undefined || known.has(created) || unknown.has(created)) continue
    unknown.set(created, { isCreated: true, kind: undefined })
  }
  return unknown
}

/** A contract to describe. */
export interface Unknown {
  /** Whether the block shows its creation before any log of it: then its answers decide the kind, if it gives any. */
  readonly isCreated: boolean
  /** The kind of its first log. */
  readonly kind: DescribedContract["kind"] | undefined
}

const kindOf = <E>(
  address: Hex,
  contractCalls: ContractCalls<E>
): Effect.Effect<DescribedContract["kind"] | undefined, E> =>
  Effect.gen(function*() {
    if (yield* supports(address, interfaceIds.kip17, contractCalls)) return "nft"
    if (yield* supports(address, interfaceIds.kip37, contractCalls)) return "mt"
    if (yield* supports(address, interfaceIds.erc1155, contractCalls)) return "mt"
    const decimals = yield* contractCalls.number(address, "decimals()")
    const supply = yield* contractCalls.number(address, "totalSupply()")
    return decimals !== undefined && decimals < 256n && supply !== undefined ? "ft" : undefined
  })

const describe = <E>(
  address: Hex,
  kind: DescribedContract["kind"],
  contractCalls: ContractCalls<E>
): Effect.Effect<DescribedContract, E> =>
  Effect.gen(function*() {
    if (kind === "mt") {
      const isKip37 = yield* supports(address, interfaceIds.kip37, contractCalls)
      return { address, kind, standard: isKip37 ? "KIP-37" : "ERC-1155", ...unnamed }
    }
    const name = contractCalls.text(address, "name()", maxTextLength)
    const symbol = contractCalls.text(address, "symbol()", maxTextLength)
    if (kind === "nft") {
      const { code, ...found } = yield* Effect.all(
        { name, symbol, code: contractCalls.code(address) },
        contractCalls.together
      )
      const isKip17 = Buffer.from(code).includes(kip17ReceiverSelector, 0, "hex")
      return { address, kind, standard: isKip17 ? "KIP-17" : "ERC-721", ...found, decimals: undefined }
    }
    const { decimals, isKip7, ...found } = yield* Effect.all({
      name,
      symbol,
      isKip7: supports(address, interfaceIds.kip7, contractCalls),
      decimals: contractCalls.number(address, "decimals()")
    }, contractCalls.together)
    return {
      address,
      kind,
      standard: isKip7 ? "KIP-7" : "ERC-20",
      ...found,
      decimals: decimals === undefined || decimals > 255n ? undefined : Number(decimals)
    }
  })

const isComplete = ({ decimals, kind, name = "", symbol = "" }: DescribedContract): boolean =>
  kind === "mt" || (name !== "" && symbol !== "" && (kind === "nft" || decimals !== undefined))

const supports = <E>(address: Hex, id: string, contractCalls: ContractCalls<E>): Effect.Effect<boolean, E> =>
  Effect.map(contractCalls.number(address, "supportsInterface(bytes4)", [id]), (answer) => answer === 1n)

const unnamed = { name: undefined, symbol: undefined, decimals: undefined }
