/**
 * What the command `klaytn` loads of this package, bundled into one module so that it starts quickly. The command may bring
 * another copy of Effect than this bundle: no `Redacted` passes between the two, which only the copy that made it can read.
 */
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import type { StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Chain, SendFailure } from "../Chain.js"
import type { ControlFault } from "../ControlError.js"
import * as Generator from "../Generator.js"
import * as Sandbox from "../Sandbox.js"
import type { SandboxError } from "../SandboxError.js"
import * as Scenario from "../Scenario.js"
import { accountOf } from "./promiseSandbox.js"

export { generate } from "../Generator.js"
export { parse as parseScenario } from "../Scenario.js"

/** The OpenAPI document, loaded when it is asked for. */
export const openApi = Effect.promise(() => import("./openapi/document.js"))

/** The methods of a node, loaded when they are asked for. */
export const nodeMethods = Effect.promise(async () => (await import("./nodeMethods.js")).nodeMethods)

/** The options of a sandbox, with the wallet's key and the credential as they were read. */
export interface Options extends Omit<Sandbox.Options, "walletKey" | "credentials"> {
  readonly walletKey?: string | undefined
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
}

/** A sandbox, and what a client needs to begin. The keys are worth nothing outside. */
export interface Ready {
  readonly url: string
  readonly chains: ReadonlyArray<number>
  /** The paths of the chains' JSON-RPC for development; empty if it is turned off. */
  readonly rpc: ReadonlyArray<{ readonly chain: number; readonly path: string }>
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** ID of the customer, a part of the names of all pools. */
  readonly accountId: string
  /** How it reads the fee payer of a value transfer. */
  readonly feePayerStyle: FeePayerStyle
  readonly accounts: ReadonlyArray<{ readonly name: string; readonly address: string; readonly privateKey: string }>
  /** Names of the accounts that have coin from block 0 on: a million KLAY each on both chains. A scenario adds to it. */
  readonly funded: ReadonlyArray<string>
  /** Where each chain stands: its newest block, and its time in Unix seconds. */
  readonly heads: ReadonlyArray<{ readonly chain: number; readonly block: number; readonly time: number }>
  /** The token contracts, 100 of each chain at most. `name` is the one in a scenario, where the contract came from one. */
  readonly tokens: ReadonlyArray<
    {
      readonly chain: number
      readonly address: string
      readonly title: string
      readonly symbol: string
      readonly name?: string
    }
  >
  /** The presets that searches can name. */
  readonly presets: ReadonlyArray<{ readonly chain: number; readonly id: number; readonly name: string }>
}

type Running = Effect.Effect.Success<ReturnType<typeof Sandbox.make>>

/** Starts a sandbox for the lifetime of a scope. */
export const start = (
  { credentials, walletKey, ...options }: Options
): Effect.Effect<Running, SandboxError, Scope.Scope> =>
  Sandbox.make({
    ...options,
    ...(walletKey !== undefined && { walletKey: Redacted.make(walletKey) }),
    ...(credentials !== undefined &&
      { credentials: { ...credentials, secretAccessKey: Redacted.make(credentials.secretAccessKey) } })
  })

/** The name that a scenario gave a token contract, by chain and address. */
export type TokenNames = ReadonlyMap<string, string>

const placeOf = (chain: number, address: string): string => `${chain} ${address}`

/** Describes a running sandbox, with the accounts, tokens and presets that it has now. */
export const describe = (
  { accessKeyId, accountId, accounts: funded, chains, control, feePayerStyle, rpcUrl, secretAccessKey, url }: Running,
  named: TokenNames = new Map()
): Effect.Effect<Ready, StoreFailure | ControlFault> =>
  Effect.gen(function*() {
    const accounts = yield* control.chain(1001).accounts
    const presets = yield* Effect.forEach(chains.all, (chain) =>
      Effect.map(chain.presets, (all) => all.map(({ id, name }) => ({ chain: chain.chainId, id, name }))))
    const heads = yield* Effect.forEach(chains.all, (chain) =>
      Effect.map(Effect.all([chain.head, chain.now]), ([head, time]) => ({
        chain: chain.chainId,
        block: head.number,
        time
      })))
    const tokens = yield* Effect.forEach(chains.all, (chain) =>
      Effect.map(chain.contracts({ limit: 100 }), (all) =>
        all.map(({ address, name, symbol }) => {
          const known = named.get(placeOf(chain.chainId, address))
          return {
            chain: chain.chainId,
            address,
            title: name ?? "",
            symbol: symbol ?? "",
            ...(known === undefined ? {} : { name: known })
          }
        })))
    return {
      url,
      funded: funded.map(({ name }) =>
        name
      ),
      heads,
      tokens: tokens.flat(),
      chains: chains.all.map(({ chainId }) =>
        chainId
      ),
      rpc: chains.all.flatMap(({ chainId }) => {
        const address = rpcUrl(chainId)
        return address === undefined ? [] : [{ chain: chainId, path: address.slice(url.length) }]
      }),
      accessKeyId,
      secretAccessKey: Redacted.value(secretAccessKey),
      accountId,
      feePayerStyle,
      accounts: accounts.map(({ name }) =>
        accountOf(name, chains.account(name))
      ),
      presets: presets.flat()
    }
  })

/** Fewer accounts for few transfers: preparing an account makes three of them. */
const accountsFor = (transfers: number): number => Math.max(2, Math.min(100, Math.floor((transfers - 3) / 3)))

/** What a start puts into chains that hold nothing yet. */
export interface Contents {
  readonly scenarios: ReadonlyArray<Scenario.Scenario>
  /** How many transfers are generated on chain 1001. */
  readonly transfers: number | undefined
}

/** Gets what happens meanwhile. */
export interface Report {
  /** A scenario or the transfers (`seed`, `transfers`) are left out: that chain already has blocks. */
  readonly leftOut: (what: "seed" | "transfers", chain: number) => Effect.Effect<void>
  readonly generated: (done: number) => Effect.Effect<void>
}

/** Adds exactly that many transfers, and reports a few times a second how many the blocks hold. */
const fill = (
  chain: Chain,
  options: { readonly seed: string; readonly transfers: number; readonly report: Report["generated"] }
): Effect.Effect<void, SendFailure> =>
  Effect.gen(function*() {
    const { report, seed, transfers } = options
    let counted = (yield* chain.head).number
    let done = 0
    const reportDone = Effect.gen(function*() {
      const { number } = yield* chain.head
      while (counted < number) done += (yield* Effect.flatten(chain.block(++counted))).transferCount
      yield* report(done)
    })
    const generated = yield* Effect.raceFirst(
      Generator.generate(chain, { seed, transfers, accounts: accountsFor(transfers) }),
      Effect.forever(Effect.zipRight(Effect.sleep("200 millis"), Effect.ignore(reportDone)))
    )
    yield* report(generated.transfers)
  })

/**
 * Plays scenarios and generates transfers on the chains that hold nothing yet, so that a file can be started again. Returns
 * the names of the tokens that were made.
 */
export const populate = (
  { chains }: Pick<Running, "chains">,
  { scenarios, transfers }: Contents,
  report: Report
) =>
  Effect.gen(function*() {
    const empty = new Set<Chain>()
    const names = new Map<string, string>()
    for (const chain of chains.all) if ((yield* chain.head).number === 0) empty.add(chain)
    for (const scenario of scenarios) {
      const chain = chains.chain(scenario.chain)
      if (empty.has(chain)) {
        const { tokens } = yield* Scenario.play(chains, scenario)
        for (const [name, { address }] of tokens) names.set(placeOf(chain.chainId, address), name)
        continue
      }
      yield* report.leftOut("seed", chain.chainId)
      // The accounts are those of the first start: their keys come from the seed that the database keeps.
      for (const { name } of scenario.accounts) chains.register(name)
    }
    if (transfers === undefined) return names
    const testnet = chains.chain(1001)
    yield* empty.has(testnet)
      ? fill(testnet, { seed: chains.seed, transfers, report: report.generated })
      : report.leftOut("transfers", testnet.chainId)
    return names
  })
