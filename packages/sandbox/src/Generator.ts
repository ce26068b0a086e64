/**
 * Chains full of transfers, for exports and benchmarks.
 */
import { InvalidRequest } from "@effect-klaytn/local-chain/ChainError"
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import type { SendRequest } from "@effect-klaytn/local-chain/SendRequest"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import type { Chain, SendFailure } from "./Chain.js"
import { type Tokens, TransactionGenerator } from "./internal/TransactionGenerator.js"
import * as TokenContract from "./TokenContract.js"

/**
 * What to generate.
 *
 * @category models
 */
export interface GeneratorOptions {
  /** Determines every account, amount and order: equal options on equal chains give equal blocks. */
  readonly seed: string
  /** Total number of transfer records to add, set-up included; a token transaction adds two. */
  readonly transfers: number
  /** Number of accounts, 2 to 5,000. Default: 100. The first one is the busy account. */
  readonly accounts?: number | undefined
  /** Share of the transactions that involve the busy account, 0 to 1. Default: 0.15. */
  readonly busyShare?: number | undefined
}

/**
 * What was generated.
 *
 * @category models
 */
export interface Generated {
  readonly transfers: number
  readonly transactions: number
  readonly blocks: number
  /** The account with by far the most transfers. */
  readonly busiest: DevAccount.DevAccount
  readonly accounts: ReadonlyArray<DevAccount.DevAccount>
  readonly tokens: Tokens
}

/** Coin for all generated accounts together: a tenth of what the faucet has at first. */
const funds = 10n ** 27n
const perBlock = { least: 20, most: 100 } as const

/** What is wrong with options, if anything is. */
const validate = (accounts: number, busyShare: number, transfers: number): string | undefined => {
  if (!Number.isInteger(accounts) || accounts < 2 || accounts > 5_000) return "accounts: must be from 2 to 5,000"
  if (!(busyShare >= 0 && busyShare <= 1)) return "busyShare: must be from 0 to 1"
  // The set-up funds all accounts, deploys three contracts and mints fungible tokens for all accounts.
  const least = 3 * accounts + 3
  return Number.isInteger(transfers) && transfers >= least && transfers <= 100_000_000
    ? undefined
    : `transfers: with ${accounts} accounts must be from ${least} to 100,000,000`
}

/**
 * Fills a chain with signed transactions in blocks of 20 to 100: coin with and without memo, by basic, fee-delegated
 * and partially fee-delegated transactions, fungible, non-fungible and multi tokens, single and in batches.
 *
 * **Details**
 *
 * The result has exactly the requested number of transfers. Blocks have the times of the chain's clock. Other work on the
 * chain can run between blocks; the result is deterministic only if there is none.
 *
 * @example
 * ```ts
 * import * as Chains from "@effect-klaytn/sandbox/Chains"
 * import * as Generator from "@effect-klaytn/sandbox/Generator"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function*() {
 *   const chains = yield* Chains.Chains
 *   const { busiest } = yield* Generator.generate(chains.chain(8217), { seed: "export", transfers: 5_000 })
 *   return busiest.address
 * })
 * ```
 *
 * @category operations
 */
export const generate = (chain: Chain, options: GeneratorOptions): Effect.Effect<Generated, SendFailure> =>
  Effect.gen(function*() {
    const { accounts: count = 100, busyShare = 0.15, seed, transfers: wanted } = options
    const problem = validate(count, busyShare, wanted)
    if (problem !== undefined) return yield* new InvalidRequest({ message: problem })
    const accounts = Array.makeBy(count, (index) => DevAccount.derive(seed, `generated ${index}`))
    const [busiest] = accounts
    const added = { transfers: 0, transactions: 0, blocks: 0 }
    const add = (requests: ReadonlyArray<SendRequest>) =>
      Effect.gen(function*() {
        const block = yield* chain.sendBlock(requests)
        added.transfers += block.transferCount
        added.transactions += block.transactionCount
        added.blocks++
        yield* Effect.yieldNow()
        return block
      })
    const addForAll = (request: (account: DevAccount.DevAccount) => SendRequest) =>
      Effect.forEach(Array.chunksOf(accounts.map(request), perBlock.most), add)
    yield* addForAll(({ address }) => ({
      kind: "transfer",
      from: chain.faucet,
      to: address,
      value: funds / BigInt(count)
    }))
    const deploy = (spec: TokenContract.TokenSpec) =>
      Effect.gen(function*() {
        const block = yield* add([{ kind: "deploy", from: busiest, code: TokenContract.creationCode(spec) }])
        const [made] = yield* chain.transactionsOf(block.number)
        if (made?.contractAddress === undefined) {
          return yield* new InvalidRequest({ message: "the deployment created no contract" })
        }
        return { address: made.contractAddress, kind: spec.kind, minter: "anyone" } as const
      })
    const tokens = {
      ft: yield* deploy({ kind: "ft", name: "Sandbox Coin", symbol: "SAND", decimals: 18 }),
      nft: yield* deploy({ kind: "nft", name: "Sandbox Picture", symbol: "PIC" }),
      mt: yield* deploy({ kind: "mt", uri: "https://example.com/{id}.json" })
    }
    yield* addForAll((from) => ({
      kind: "execute",
      from,
      to: tokens.ft.address,
      data: TokenContract.mintCall(tokens.ft, { kind: "ft", to: from.address, amount: 10n ** 27n })
    }))
    const traffic = new TransactionGenerator(seed, accounts, tokens, busyShare)
    while (added.transfers < wanted) yield* add(traffic.block(perBlock, wanted - added.transfers))
    return { ...added, busiest, accounts, tokens }
  })
