import { zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import type { Chain } from "../../Chain.js"
import { blockNumber, find, type NumberSelector } from "../rpc/BlockSelector.js"
import { at, consensusBlock, consensusMethods } from "../rpc/consensus.js"
import { failure, inNamespaces, method, type Methods, Raw } from "../rpc/Method.js"
import { hash, optional, text } from "../rpc/ParamDecoder.js"
import { klayRules } from "../rpc/rules.js"

/** The most blocks that are shown at a time. */
const mostBlocks = 50

const heightOf = (selector: NumberSelector | undefined, head: number): number =>
  typeof selector === "bigint" ? Number(selector) : head

/** What nodes tell of a council, its rewards and the chain's registry. Nobody stakes here, and nothing is registered. */
const council: Methods = {
  getRewards: method([optional(blockNumber)], (chain, number = "latest") =>
    Effect.gen(function*() {
      const found = yield* Effect.mapError(
        find(chain, number, "block"),
        (problem) => problem._tag === "RpcFailure" ? failure("block not found") : problem
      )
      const records = yield* chain.transactionsOf(found.number)
      const fees = records.reduce((sum, { gasPrice, gasUsed }) => sum + gasPrice * gasUsed, 0n)
      // All fees are burnt, and no coin is created.
      return new Raw(
        `{"minted":0,"totalFee":${fees},"burntFee":${fees},"proposer":0,"stakers":0,"kif":0,"kef":0,"rewards":{}}`
      )
    })),
  getStakingInfo: method([blockNumber], (chain, number) =>
    Effect.map(find(chain, number, "block"), (block) => ({
      // What was staked in the block before.
      blockNum: Math.max(0, block.number - 1),
      councilNodeAddrs: null,
      councilStakingAddrs: null,
      councilRewardAddrs: null,
      kefAddr: zeroAddress,
      kifAddr: zeroAddress,
      councilStakingAmounts: null,
      clStakingInfos: null,
      KIRAddr: zeroAddress,
      PoCAddr: zeroAddress,
      kcfAddr: zeroAddress,
      kffAddr: zeroAddress,
      useGini: false,
      gini: -1
    }))),
  getCypressCredit: method([], () => failure("no mainnet credit contract")),
  getAllRecordsFromRegistry: method(
    [text, blockNumber],
    (chain, name, number) => Effect.zipRight(registry(chain.head, number), failure(`${name} has not been registered`))
  ),
  getActiveAddressFromRegistry: method(
    [text, blockNumber],
    (chain, name, number) => Effect.zipRight(registry(chain.head, number), failure(`no active address for ${name}`))
  ),
  getBlockWithConsensusInfoByNumberRange: method(
    [optional(blockNumber), optional(blockNumber)],
    (chain, start, end) =>
      Effect.gen(function*() {
        if (start === undefined || end === undefined) return yield* failure("the range values should not be nil")
        const { number } = yield* chain.head
        const [first, last] = [heightOf(start, number), heightOf(end, number)]
        if (first > last) return yield* failure("start should be smaller than end")
        if (last > number) return yield* failure("end block number should be smaller than the latest block number")
        if (last - first > mostBlocks) {
          return yield* failure(`number of requested blocks should be smaller than ${mostBlocks}`)
        }
        const heights = Array.from({ length: last - first + 1 }, (_, index) => first + index)
        const found = yield* Effect.forEach(heights, (height) => Effect.map(chain.block(height), Option.toArray))
        const shown = yield* Effect.forEach(found.flat(), (block) =>
          Effect.map(consensusBlock(chain)(block), (form) => [`0x${block.number.toString(16)}`, form] as const))
        return Object.fromEntries(shown)
      })
  )
}

/** Fails as a node does where there is no such block. */
const registry = <E, R>(head: Effect.Effect<{ readonly number: number }, E, R>, selector: NumberSelector) =>
  Effect.filterOrFail(
    head,
    ({ number }) => heightOf(selector, number) <= number,
    () => failure("block does not exist in blockchain")
  )

const nothingYet = (answer: unknown) => method([], () => Effect.succeed(answer))

/** The same in a node's namespace for votes, of which there are none. */
const governance: Methods = {
  ...Struct.pick(council, "getStakingInfo"),
  ...Struct.pick(klayRules, "getParams"),
  ...Struct.pick(consensusMethods, "nodeAddress"),
  idxCache: nothingYet([0]),
  votes: nothingYet([]),
  myVotes: nothingYet([])
}

const validatorsAtHash = (answer: (chain: Chain) => unknown) =>
  method([hash], (chain, wanted) =>
    Effect.flatMap(
      chain.block(wanted),
      Option.match({ onNone: () => failure("unknown block"), onSome: () => Effect.succeed(answer(chain)) })
    ))

/** What nodes agree by: one validator, which nobody demotes. */
const istanbul: Methods = {
  getValidators: at(({ validator }) => [validator]),
  getValidatorsAtHash: validatorsAtHash(({ validator }) => [validator]),
  getDemotedValidators: at(() => []),
  getDemotedValidatorsAtHash: validatorsAtHash(() => []),
  candidates: nothingYet({}),
  getTimeout: nothingYet(10_000)
}

export const councilMethods: Methods = {
  ...inNamespaces(["kaia", "klay"], council),
  ...inNamespaces(["governance"], governance),
  ...inNamespaces(["istanbul"], istanbul)
}
