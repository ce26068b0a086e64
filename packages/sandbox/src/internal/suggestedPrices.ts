import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import { blockFieldsOf } from "@effect-klaytn/local-chain/Execution"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../Chain.js"

/** What the transactions of a block paid beside its base fee, the least first. */
export const tipsOf = (chain: Chain, block: BlockRecord) =>
  Effect.map(chain.transactionsOf(block.number), (transactions) => {
    const { baseFeePerGas } = blockFieldsOf(block, chain.unitPrice)
    return transactions
      .map(({ gasPrice, gasUsed }) => ({ tip: gasPrice - baseFeePerGas, gasUsed }))
      .sort((a, b) => Number(a.tip - b.tip))
  })

/**
 * How a node suggests a tip: from this many blocks, or up to twice as many where they hold little; from so many transactions of
 * each, those that paid least; which percentile; and the highest.
 */
const suggestion = { blocks: 20, transactions: 3, percentile: 60, highest: 500n * 10n ** 9n }

/** The tip that was suggested last, of each chain: what a block without transactions counts as. */
const lastTips = new WeakMap<Chain, bigint>()

/** The tip that a node suggests: none at the lowest base fee, and above it what others paid. */
export const suggestedTip = (chain: Chain): Effect.Effect<bigint, StoreFailure> =>
  Effect.tap(
    Effect.flatMap(chain.takesTips, (isBusy) => isBusy ? tipOfOthers(chain) : Effect.succeed(0n)),
    (tip) => Effect.sync(() => lastTips.set(chain, tip))
  )

const tipOfOthers = (chain: Chain): Effect.Effect<bigint, StoreFailure> =>
  Effect.gen(function*() {
    const last = lastTips.get(chain) ?? 0n
    const found: Array<bigint> = []
    let wanted: number = suggestion.blocks
    const head = yield* chain.head
    for (let height = head.number; height > 0 && wanted > 0; height--, wanted--) {
      const block = yield* chain.block(height)
      const tips = Option.isNone(block) ? [] : yield* tipsOf(chain, block.value)
      const least = tips.length === 0 ? [last] : tips.slice(0, suggestion.transactions).map(({ tip }) => tip)
      if (least.length === 1 && found.length + wanted < 2 * suggestion.blocks) wanted++
      found.push(...least)
    }
    const tips = found.sort((a, b) => Number(a - b))
    const tip = tips[Math.floor((tips.length - 1) * suggestion.percentile / 100)] ?? 0n
    return tip < suggestion.highest ? tip : suggestion.highest
  })

/** What a node suggests to offer for a unit of gas. */
export const suggestedPrice = (chain: Chain): Effect.Effect<bigint, StoreFailure> =>
  Effect.flatMap(suggestedTip(chain), chain.gasPriceWith)
