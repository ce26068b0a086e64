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

/** Describes a running sandbox, with the accounts and presets that it has now. */
export const describe = (
  { accessKeyId, accountId, chains, control, feePayerStyle, rpcUrl, secretAccessKey, url }: Running
): Effect.Effect<Ready, StoreFailure | ControlFault> =>
  Effect.gen(function*() {
    const accounts = yield* control.chain(1001).accounts
    const presets = yield* Effect.forEach(chains.all, (chain) =>
      Effect.map(chain.presets, (all) => all.map(({ id, name }) => ({ chain: chain.chainId, id, name }))))
    return {
      url,
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
      accounts: accounts.map(({ name }) => accountOf(name, chains.account(name))),
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

/** Plays scenarios and generates transfers on the chains that hold nothing yet, so that a file can be started again. */
export const populate = (
  { chains }: Pick<Running, "chains">,
  { scenarios, transfers }: Contents,
  report: Report
) =>
  Effect.gen(function*() {
    const empty = new Set<Chain>()
    for (const chain of chains.all) if ((yield* chain.head).number === 0) empty.add(chain)
    for (const scenario of scenarios) {
      const chain = chains.chain(scenario.chain)
      if (empty.has(chain)) {
        yield* Scenario.play(chains, scenario)
        continue
      }
      yield* report.leftOut("seed", chain.chainId)
      // The accounts are those of the first start: their keys come from the seed that the database keeps.
      for (const { name } of scenario.accounts) chains.register(name)
    }
    if (transfers === undefined) return
    const testnet = chains.chain(1001)
    yield* empty.has(testnet)
      ? fill(testnet, { seed: chains.seed, transfers, report: report.generated })
      : report.leftOut("transfers", testnet.chainId)
  })
