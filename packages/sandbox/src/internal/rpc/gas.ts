import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import { blobFeeOf, blockFieldsOf } from "@effect-klaytn/local-chain/Execution"
import { includes } from "@effect-klaytn/transaction/Hardfork"
import { quantity } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { suggestedPrice, suggestedTip, tipsOf } from "../suggestedPrices.js"
import { blockNumber, find, type NumberSelector } from "./BlockSelector.js"
import { Numeral } from "./Json.js"
import { failure, method, type Methods, type Run } from "./Method.js"
import { type Decoded, decodeHeight, list, make, wrongType } from "./ParamDecoder.js"

/** A node's limits for one request of history. */
const maxBlocks = 1024
const maxPercentiles = 100

/** A number of blocks: a JSON number, decimal text or shortest hex. */
const blockCount = make((value) => {
  const isDecimal = typeof value === "string" && /^\d{1,19}$/.test(value)
  const count = isDecimal ? Either.right(BigInt(value)) : decodeHeight(value)
  return Either.map(count, (blocks) => Math.min(Number(blocks), maxBlocks))
})

const float = make((value): Decoded<number> =>
  value === null
    ? Either.right(0)
    : value instanceof Numeral
    ? Either.right(Number(value.text))
    : typeof value === "number"
    ? Either.right(value)
    : wrongType(value, "float64")
)

const percentiles = list(float, "[]float64")

const disorder = (values: ReadonlyArray<number>): string | undefined => {
  if (values.length > maxPercentiles) return `invalid reward percentile: over the query limit ${maxPercentiles}`
  for (const [position, value] of values.entries()) {
    if (value < 0 || value > 100) return `invalid reward percentile: ${value.toFixed(6)}`
    const before = values[position - 1]
    if (before !== undefined && value < before) {
      return `invalid reward percentile: #${position - 1}:${before.toFixed(6)} > #${position}:${value.toFixed(6)}`
    }
  }
  return undefined
}

/** The last `count` blocks up to one, oldest first. */
const blocksUpTo = (chain: Chain, last: BlockRecord, count: number) => {
  const first = Math.max(0, last.number - count + 1)
  const heights = Array.from({ length: last.number - first }, (_, index) => first + index)
  return Effect.map(
    Effect.forEach(heights, (height) => chain.block(height)),
    (earlier) => [...earlier.flatMap(Option.toArray), last]
  )
}

/** The blob fees of a history, under this chain's name. */
const blobHistory = (chain: Chain, baseFees: ReadonlyArray<bigint>) => {
  if (!includes(chain.hardfork, "osaka")) return {}
  return { blobBaseFeePerGas: baseFees.map((fee) => quantity(blobFeeOf(fee, chain.hardfork))) }
}

/** For each percentile of the gas of a block, the tip of the transaction that used it. */
const rewardsOf = (chain: Chain, block: BlockRecord, wanted: ReadonlyArray<number>) =>
  Effect.map(tipsOf(chain, block), (tips) => {
    let at = 0
    let used = tips[0]?.gasUsed ?? 0n
    return wanted.map((percentile) => {
      const most = Math.floor(Number(block.gasUsed) * percentile / 100)
      for (let next = tips[at + 1]; Number(used) < most && next !== undefined; next = tips[at + 1]) {
        used += next.gasUsed
        at++
      }
      return quantity(tips[at]?.tip ?? 0n)
    })
  })

/** The most gas of a block that the base fee counts, which is what a node compares with. */
const gasThatCounts = 60_000_000

const history = (chain: Chain, count: number, newest: NumberSelector, wanted: ReadonlyArray<number>): Run =>
  Effect.gen(function*() {
    const fault = disorder(wanted)
    if (fault !== undefined) return yield* Effect.fail(failure(fault))
    if (count === 0) return { oldestBlock: "0x0", gasUsedRatio: null }
    const { number: head } = yield* chain.head
    if (typeof newest === "bigint" && newest > head) {
      return yield* failure(`request beyond head block: requested ${newest}, head ${head}`)
    }
    const last = yield* find(chain, newest, "header")
    const blocks = yield* blocksUpTo(chain, last, count)
    const fields = blocks.map((block) => blockFieldsOf(block, chain.unitPrice))
    const later = yield* chain.block(last.number + 1)
    const { baseFeePerGas } = Option.isSome(later)
      ? blockFieldsOf(later.value, chain.unitPrice)
      : yield* chain.nextBlock
    const baseFees = [...fields.map((block) => block.baseFeePerGas), baseFeePerGas]
    return {
      oldestBlock: quantity(blocks[0]?.number ?? 0),
      ...(wanted.length > 0 && { reward: yield* Effect.forEach(blocks, (block) => rewardsOf(chain, block, wanted)) }),
      baseFeePerGas: baseFees.map(quantity),
      ...blobHistory(chain, baseFees),
      gasUsedRatio: blocks.map(({ gasUsed }) => Number(gasUsed) / gasThatCounts)
    }
  })

/** A bound of the base fee. Where no offers are paid there is one price: that of the next block. */
const bound = (side: "lowest" | "highest") =>
  method([], (chain) =>
    Effect.map(chain.nextBlock, ({ baseFeePerGas }) => {
      const { highest, lowest } = chain.feeBounds
      return quantity(highest === lowest ? baseFeePerGas : chain.feeBounds[side])
    }))

/** Prices. */
export const priceMethods: Methods = {
  gasPrice: method([], (chain) => Effect.map(suggestedPrice(chain), quantity)),
  upperBoundGasPrice: bound("highest"),
  lowerBoundGasPrice: bound("lowest"),
  maxPriorityFeePerGas: method([], (chain) => Effect.map(suggestedTip(chain), quantity)),
  feeHistory: method([blockCount, blockNumber, percentiles], history)
}

/** The same, with a method of older nodes. */
export const klayPriceMethods: Methods = {
  ...priceMethods,
  gasPriceAt: method(
    [blockNumber],
    (chain, number) =>
      Effect.map(
        find(chain, number, "header"),
        (block) => quantity(blockFieldsOf(block, chain.unitPrice).baseFeePerGas)
      )
  )
}
