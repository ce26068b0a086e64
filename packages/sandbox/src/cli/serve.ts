/**
 * Runs the sandbox with the options, says when it is ready, and serves until it is stopped.
 */
import type * as Command from "@effect/cli/Command"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Chain } from "../Chain.js"
import * as DevAccount from "../DevAccount.js"
import * as Sandbox from "../Sandbox.js"
import * as Scenario from "../Scenario.js"
import { CommandFailure } from "./CommandFailure.js"
import * as Filling from "./Filling.js"
import * as Ready from "./Ready.js"
import type { options } from "./Settings.js"

/** The options as the parser gives them. */
type Settings = Command.Command.ParseConfig<typeof options>

/** What `--deterministic` fixes: the seed of all keys, and time from 2024-01-01 on, a second for each block. */
const deterministic = { seed: "effect-klaytn", clock: { start: 1_704_067_200, step: 1 } }

const readFile = (option: string, file: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) =>
    Effect.mapError(
      files.readFileString(file),
      () => new CommandFailure({ message: `${option}: cannot read ${file}`, exitCode: 2 })
    ))

/** The key of the wallet: from the file of the option, or from the environment. It is never an argument itself. */
const readWalletKey = (file: Option.Option<string>) =>
  Option.match(file, {
    onNone: () => Config.option(Config.redacted("KLAYTN_SANDBOX_WALLET_KEY")),
    onSome: (path) => Effect.map(readFile("--wallet-key", path), (text) => Option.some(Redacted.make(text.trim())))
  })

const readScenarios = (file: string) =>
  Effect.gen(function*() {
    const text = yield* readFile("--seed", file)
    return yield* Effect.mapError(Scenario.parse(text), ({ message }) =>
      new CommandFailure({ message: `--seed ${file}: ${message}`, exitCode: 2 }))
  })

const isEmpty = (chain: Chain) => Effect.map(chain.head, ({ number }) => number === 0)

const leftOut = (option: string, chain: Chain) =>
  Console.error(`${option} is left out: chain ${chain.chainId} of this database already has blocks`)

/** Scenarios and generated transfers go into chains that hold nothing yet, so that a file can be started again. */
const populate = (scenarios: ReadonlyArray<Scenario.Scenario>, transfers: number | undefined) =>
  Effect.gen(function*() {
    const { chains } = yield* Sandbox.Sandbox
    const empty = new Map<Chain, boolean>()
    for (const chain of chains.all) empty.set(chain, yield* isEmpty(chain))
    for (const scenario of scenarios) {
      const chain = chains.chain(scenario.chain)
      if (empty.get(chain) === true) {
        yield* Scenario.play(chains, scenario)
        continue
      }
      yield* leftOut("--seed", chain)
      // The accounts are those of the first start: their keys come from the seed that the database keeps.
      for (const { name } of scenario.accounts) chains.register(name)
    }
    const testnet = chains.chain(1001)
    if (transfers === undefined) return
    yield* empty.get(testnet) === true
      ? Filling.fill(testnet, { seed: chains.seed, transfers, output: process.stderr })
      : leftOut("--transfers", testnet)
  })

const ready = Effect.gen(function*() {
  const { accessKeyId, accountId, control, chains, feePayerStyle, secretAccessKey, url } = yield* Sandbox.Sandbox
  const accounts = yield* control.chain(1001).accounts
  const presets: Array<Ready.ReadyPreset> = []
  for (const chain of chains.all) {
    for (const { id, name } of yield* chain.presets) presets.push({ chain: chain.chainId, id, name })
  }
  return {
    url,
    chains: chains.all.map(({ chainId }) => chainId),
    accessKeyId,
    secretAccessKey: Redacted.value(secretAccessKey),
    accountId,
    feePayerStyle,
    accounts: accounts.map((account) => ({
      name: account.name,
      address: account.address,
      privateKey: DevAccount.revealPrivateKey(chains.account(account.name))
    })),
    presets
  }
})

/**
 * Serves until it is interrupted.
 *
 * @category operations
 */
export const serve = (settings: Settings) =>
  Effect.gen(function*() {
    const scenarios = yield* Option.match(settings.seed, { onNone: () => Effect.succeed([]), onSome: readScenarios })
    const database = Option.getOrUndefined(settings.db)
    const walletKey = Option.getOrUndefined(yield* readWalletKey(settings.walletKey))
    const sandbox = Sandbox.layer({
      port: settings.port,
      host: settings.host,
      mining: settings.mining,
      unitPrice: settings.unitPrice,
      pendingBlock: settings.pendingBlock,
      explorer: !settings.noExplorer,
      feePayerStyle: settings.feePayerStyle,
      feePayerSignsAnew: !settings.keepFeePayerSignature,
      ...(settings.deterministic ? deterministic : {}),
      ...(database === undefined ? {} : { database }),
      ...(walletKey === undefined ? {} : { walletKey })
    })
    return yield* Effect.gen(function*() {
      yield* populate(scenarios, Option.getOrUndefined(settings.transfers))
      const facts = yield* ready
      yield* Console.log(
        settings.json
          ? Ready.line(facts)
          : Ready.page(facts, {
            database,
            walletKeyFile: (yield* Sandbox.Sandbox).walletKeyFile,
            explorer: !settings.noExplorer
          })
      )
      return yield* Effect.never
    }).pipe(Effect.provide(sandbox))
  })
