import { type Hex, quantity, zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { blockNumber } from "../rpc/BlockSelector.js"
import { failure, inNamespaces, method, type Methods, Raw } from "../rpc/Method.js"
import { bool, optional } from "../rpc/ParamDecoder.js"

/** Where coin is sent to be burnt, besides the zero address. */
const dead: Hex = "0x000000000000000000000000000000000000dead"

/** What all blocks up to each height have burnt, and how often the chain had been set back then. */
interface Burnt {
  times: number
  readonly upTo: Array<bigint>
}

const burntBy = new WeakMap<Chain, Burnt>()

const feesIn = (chain: Chain, height: number) =>
  Effect.flatMap(chain.block(height), (block) =>
    Option.isNone(block) || block.value.transactionCount === 0
      ? Effect.succeed(0n)
      : Effect.map(chain.transactionsOf(height), (records) => records.reduce((sum, { fee }) => sum + fee, 0n)))

/** The fees that blocks up to a height have burnt: all that were paid. Each block is read once. */
const burntUpTo = (chain: Chain, height: number) =>
  Effect.gen(function*() {
    const known = burntBy.get(chain) ?? { times: 0, upTo: [] }
    const { lowest, times } = yield* chain.setBacks(known.times)
    const burnt = { times, upTo: lowest === undefined ? known.upTo : known.upTo.slice(0, lowest + 1) }
    while (burnt.upTo.length <= height) {
      burnt.upTo.push((burnt.upTo.at(-1) ?? 0n) + (yield* feesIn(chain, burnt.upTo.length)))
    }
    burntBy.set(chain, burnt)
    return burnt.upTo[height] ?? 0n
  })

const balanceAt = (chain: Chain, owner: Hex, height: number) =>
  Effect.map(chain.account(owner, height), Option.match({ onNone: () => 0n, onSome: ({ balance }) => balance }))

/** The coin of a chain. What is neither there nor burnt was never minted, so that an edit of a balance counts as if it had been. */
const supply: Methods = {
  getTotalSupply: method(
    [optional(blockNumber), optional(bool)],
    (chain, selector, _isPartial) =>
      Effect.gen(function*() {
        const { number: head } = yield* chain.head
        const number = typeof selector === "bigint" ? Number(selector) : head
        if (number > head) return yield* failure("supply checkpoint not found")
        const coin = yield* chain.coin(number)
        const burntFee = yield* burntUpTo(chain, number)
        const [zeroBurn, deadBurn] = [
          yield* balanceAt(chain, zeroAddress, number),
          yield* balanceAt(chain, dead, number)
        ]
        return {
          number: quantity(number),
          totalSupply: quantity(coin - zeroBurn - deadBurn),
          totalMinted: quantity(coin + burntFee),
          totalBurnt: quantity(burntFee + zeroBurn + deadBurn),
          burntFee: quantity(burntFee),
          zeroBurn: quantity(zeroBurn),
          deadBurn: quantity(deadBurn),
          kip103Burn: "0x0",
          kip160Burn: "0x0"
        }
      })
  )
}

/** What the blocks of a range have paid and burnt. Nobody is paid. */
const rewards: Methods = {
  getRewardsAccumulated: method([blockNumber, blockNumber], (chain, first, last) =>
    Effect.gen(function*() {
      const { number: head } = yield* chain.head
      const [from, to] = [first, last].map((end) => typeof end === "bigint" ? Number(end) : head)
      if (from === undefined || to === undefined || from > to || to > head) {
        return yield* failure("invalid block number range")
      }
      const [oldest, newest] = yield* Effect.all([chain.block(from), chain.block(to)])
      const fees = (yield* burntUpTo(chain, to)) - (from === 0 ? 0n : yield* burntUpTo(chain, from - 1))
      const timeOf = Option.match({
        onNone: () => 0,
        onSome: ({ timestamp }: { readonly timestamp: number }) => timestamp
      })
      return new Raw(
        `{"firstBlockTime":${timeOf(oldest)},"lastBlockTime":${
          timeOf(newest)
        },"firstBlock":${from},"lastBlock":${to},` +
          `"totalMinted":0,"totalTxFee":${fees},"totalBurntTxFee":${fees},"totalProposerRewards":0,"totalStakingRewards":0,` +
          `"totalKIFRewards":0,"totalKEFRewards":0,"rewards":{}}`
      )
    }))
}

export const supplyMethods: Methods = {
  ...inNamespaces(["kaia", "klay"], supply),
  ...inNamespaces(["governance"], rewards)
}
