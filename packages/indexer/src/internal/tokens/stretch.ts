/** Many blocks in a row that are prepared together, while the index is far behind. */
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { LazyArg } from "effect/Function"
import type { ScopeFilter } from "../../IndexScope.js"
import type { FactKeys, TokenFacts } from "../../TokenFacts.js"
import type { Answer, ContractCall, Viewer } from "../../Viewer.js"
import type { DescribedContract, TokenChanges } from "../IndexedBlock.js"
import { ContractCalls, together } from "./ContractCalls.js"
import { inspect, unknownIn } from "./ContractInspector.js"
import { factKeysOf } from "./factKeys.js"
import { leftToAsk, type PreparedOf, type TokenBlock } from "./tokenIndex.js"

/** How many blocks one transaction of the database stores, at most, of an index that is far behind. */
export const blocksAtOnce = 250

/** How many transactions such blocks have, at most, but for those of the last one: they are in memory together. */
export const transactionsAtOnce = 1000

/** A block of a stretch, and the state on which its new contracts are asked what they are. */
export interface BlockOfStretch<B extends TokenBlock, E> {
  readonly block: B
  readonly viewer: Viewer<E>
}

/** The same state, whose answers are remembered. */
const remembering = <E>(viewer: Viewer<E>): Viewer<E> => {
  const answers = new Map<string, Answer>()
  const codes = new Map<Hex, Uint8Array>()
  const keyOf = ({ data, to }: ContractCall): string => to + fromBytes(data)
  const call = (one: ContractCall): Effect.Effect<Answer, E> =>
    Effect.suspend(() => {
      const known = answers.get(keyOf(one))
      return known !== undefined
        ? Effect.succeed(known)
        : Effect.tap(viewer.call(one), (answer) => void answers.set(keyOf(one), answer))
    })
  return {
    call,
    callAll: viewer.callAll,
    code: (address) =>
      Effect.suspend(() => {
        const known = codes.get(address)
        return known !== undefined
          ? Effect.succeed(known)
          : Effect.tap(viewer.code(address), (code) => void codes.set(address, code))
      })
  }
}

/**
 * What the index will know once it has stored some blocks, of its contracts. Of tokens it knows what is stored: whatever was made
 * since has open questions.
 */
const factsAfter = (
  facts: TokenFacts,
  unstored: ReadonlyArray<Pick<TokenChanges, "contracts" | "transactions">>,
  described: ReadonlyMap<Hex, DescribedContract>
): TokenFacts => ({
  kindOf: (address) => described.get(address)?.kind ?? facts.kindOf(address),
  contract: (address) => described.get(address) ?? facts.contract(address),
  hasMoved: (contract, kind) =>
    facts.hasMoved(contract, kind) ||
    unstored.some(({ transactions }) =>
      transactions.some(({ transfers }) =>
        transfers.some((one) => one.kind !== "coin" && one.kind === kind && one.contract === contract)
      )
    ),
  hasToken: (contract, tokenId) => facts.hasToken(contract, tokenId),
  tokensIn: (contract, from, to) => facts.tokensIn(contract, from, to),
  ownerOf: (contract, tokenId) => facts.ownerOf(contract, tokenId)
})

/**
 * Prepares blocks in a row, of which no more is asked than what their new contracts are. What the index knows is looked up once for
 * all, and the contracts of all blocks are asked together. Transfers from `before` on don't count as stored.
 */
export const prepareStretch = <B extends TokenBlock, E, F>(
  lookUp: (keys: LazyArg<FactKeys>) => Effect.Effect<TokenFacts, F>,
  filter: ScopeFilter,
  stretch: ReadonlyArray<BlockOfStretch<B, E>>,
  before?: number
): Effect.Effect<ReadonlyArray<PreparedOf<B>>, E | F> =>
  Effect.gen(function*() {
    const blocks = stretch.map(({ block, viewer }) => ({ block, viewer: remembering(viewer) }))
    const stored = yield* lookUp(() => ({
      ...factKeysOf(
        blocks.flatMap(({ block }) => block.touched),
        blocks.flatMap(({ block }) => block.transactions)
      ),
      before
    }))
    // Asked of all blocks together here, and remembered: below, block by block, the same is found.
    const seen = new Set<Hex>()
    const showing = blocks.flatMap(({ block, viewer }) => {
      const unknown = [...unknownIn(stored, block.transactions)].filter(([address]) => !seen.has(address))
      for (const [address] of unknown) seen.add(address)
      return unknown.length === 0 ? [] : [{ unknown, calls: new ContractCalls(viewer, block.gasUsed) }]
    })
    yield* Effect.forEach(showing, ({ calls, unknown }) => inspect(unknown, calls), {
      ...together(blocks[0]?.viewer),
      discard: true
    })
    const prepared: Array<PreparedOf<B>> = []
    const described = new Map<Hex, DescribedContract>()
    const facts = factsAfter(stored, prepared, described)
    for (const { block, viewer } of blocks) {
      const unknown = unknownIn(facts, block.transactions)
      const fresh = unknown.size === 0 ? [] : yield* inspect(unknown, new ContractCalls(viewer, block.gasUsed))
      prepared.push(leftToAsk(facts, filter, block, fresh))
      for (const contract of fresh) described.set(contract.address, contract)
    }
    return prepared
  })
