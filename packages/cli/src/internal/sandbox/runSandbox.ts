/** Runs `klaytn sandbox`: serves until it is stopped. And prints what a sandbox knows without running. */
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import type { Ready, Report } from "@effect-klaytn/sandbox/command"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scheduler from "effect/Scheduler"
import { load } from "../service/sandbox.js"
import * as Failure from "../terminal/Failure.js"
import * as instant from "../terminal/instant.js"
import { write } from "../terminal/printed.js"
import { number } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"
import * as values from "../terminal/values.js"
import type { OpenApiInput, SandboxInput } from "./options.js"

/** What `--deterministic` fixes: the seed of all keys, and time from 2024-01-01 on, a second for each block. */
const fixed = { seed: "effect-klaytn", clock: { start: 1_704_067_200, step: 1 } }

/** The key of the wallet: from the file of the option, or from the environment. It is never an argument itself. */
const readWalletKey = Effect.fnUntraced(function*(file: string | undefined) {
  const inFile = yield* values.ifGiven(file, values.file("--wallet-key"))
  return inFile?.trim() ??
    Option.getOrUndefined(yield* Config.option(Config.string("KLAYTN_SANDBOX_WALLET_KEY")))
})

/** Of an exposed sandbox. */
const shortestSecret = 16

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|[0:]*:0*1)$/i

/** The credential of the environment, which an exposed sandbox needs. */
const readCredentials = Effect.fnUntraced(function*({ devRpc, expose, exposeDevRpc, host }: SandboxInput) {
  if (exposeDevRpc && (!devRpc || !expose)) {
    return yield* Failure.usage(
      devRpc ? "--expose-dev-rpc goes with --expose" : "choose one of --expose-dev-rpc and --no-dev-rpc"
    )
  }
  if (!expose && !loopback.test(host)) {
    return yield* Failure.usage(
      "without --expose, --host takes 127.0.0.1, ::1 or localhost: the sandbox holds private keys and listens on loopback only"
    )
  }
  const id = yield* Config.option(Config.nonEmptyString("KLAYTN_SANDBOX_ACCESS_KEY_ID"))
  const secret = yield* Config.option(Config.nonEmptyString("KLAYTN_SANDBOX_SECRET_ACCESS_KEY"))
  if (expose && Option.isSome(secret) && secret.value.length < shortestSecret) {
    return yield* Failure.usage(
      `the secret of an exposed sandbox has ${shortestSecret} characters or more: who guesses it has every key of the sandbox`,
      "export KLAYTN_SANDBOX_SECRET_ACCESS_KEY=\"$(openssl rand -hex 24)\""
    )
  }
  if (Option.isSome(id) && Option.isSome(secret)) return { accessKeyId: id.value, secretAccessKey: secret.value }
  return expose || Option.isSome(id) || Option.isSome(secret)
    ? yield* Failure.usage(
      expose ? "--expose needs a credential of yours" : "the credential of the environment is incomplete",
      "set KLAYTN_SANDBOX_ACCESS_KEY_ID and KLAYTN_SANDBOX_SECRET_ACCESS_KEY"
    )
    : undefined
})

/** Writes what `populate` does: a line that is redrawn on a terminal, one for each tenth elsewhere. */
const reportTo = (error: Screen.Output, total: number) =>
  Effect.map(Clock.currentTimeMillis, (since): Report => {
    const status = Screen.statusLine(error)
    let tenths = 0
    return {
      leftOut: (what, chain) =>
        error.write(`--${what} is left out: chain ${chain} of this database already has blocks\n`),
      generated: (done) =>
        Effect.gen(function*() {
          const seconds = ((yield* Clock.currentTimeMillis) - since) / 1000
          const rate = seconds > 0 ? `, ${number(done / seconds)} a second` : ""
          const share = done / Math.max(1, total)
          const text = `transfers generated: ${number(done)} of ${number(total)} (${Math.floor(100 * share)} %${rate})`
          yield* status.draw(text)
          if (Math.floor(10 * share) <= tenths) return
          tenths = Math.floor(10 * share)
          if (share >= 1) yield* status.above(error, `${text}\n`)
          else if (!error.isTerminal) yield* error.write(`${text}\n`)
        })
    }
  })

const indented = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  Screen.table(rows).map((row) => `  ${row}`)

/** What other machines can reach, and how. */
const warning = (host: string, explorer: boolean, hasDevRpc: boolean): ReadonlyArray<string> => [
  `  EXPOSED on ${host}: other machines reach all of it with the credential, without encryption:`,
  `    the service, the controls (/_sandbox), ${explorer ? "the explorer (/), " : ""}the OpenAPI document`,
  hasDevRpc
    ? "    WITHOUT the credential: the JSON-RPC (/rpc), which sends from all development accounts"
    : "    not served: the JSON-RPC without a credential (/rpc)"
]

/** Where the chains stand: their blocks, and their time where it is not now. */
const standing = ({ heads }: Ready, deterministic: boolean, now: number): ReadonlyArray<string> => {
  const built = heads.filter(({ block }) => block > 0)
  const apart = heads.filter(({ time }) => Math.abs(now - time) > 60)
  const times = apart.map(({ chain, time }) => `${instant.format({ unit: "second", value: time })} on chain ${chain}`)
  return [
    ...(built.length === 0
      ? []
      : [`  newest block: ${built.map(({ block, chain }) => `${number(block)} of chain ${chain}`).join(", ")}`]),
    ...(apart.length === 0 ? [] : [`  ITS TIME IS NOT NOW: it is ${times.join(", ")}`]),
    ...(deterministic
      ? [
        "    --deterministic begins its clock on 2024-01-01, a second for each block: \"the last 30 days\" of your clock",
        "    hold nothing and are refused (code 1040011); name times of 2024, or leave --deterministic out"
      ]
      : [])
  ]
}

/** The page when the sandbox is ready: address, credential, accounts, and the variables of the environment to copy. */
const readyPage = (
  ready: Ready,
  { database, deterministic, explorer, expose, host }: SandboxInput,
  walletKeyFile: string | undefined,
  now: number
): string => {
  const { accounts, funded, presets, rpc, tokens, url } = ready
  return [
    `The sandbox listens on ${url}`,
    `  chains 8217 and 1001; ${database === undefined ? "in memory, gone when it stops" : `kept in ${database}`}`,
    ...standing(ready, deterministic, now),
    ...(expose ? warning(host, explorer, rpc.length > 0) : []),
    ...(walletKeyFile === undefined
      ? []
      : [`  private keys of the wallet are sealed with the key in ${walletKeyFile}`]),
    `  pools of the wallet: krn:1001:wallet:${ready.accountId}:account-pool:default and so on`,
    "",
    "Accounts of chains 8217 and 1001, with their keys. Never use these keys on a real chain.",
    ...indented(accounts.map((one) => [one.name, one.address, one.privateKey])),
    ...(funded.length === 0
      ? []
      : [`  From block 0 on, ${Screen.listed(funded, "and")} have 1,000,000 KLAY each; a scenario adds to it.`]),
    ...(tokens.length === 0 ? [] : [
      "",
      "Tokens",
      ...indented(tokens.map((one) => [one.name ?? one.title, one.symbol, one.address, `chain ${one.chain}`]))
    ]),
    ...(presets.length === 0
      ? []
      : ["", "Presets", ...indented(presets.map((one) => [`${one.id}`, `chain ${one.chain}`, one.name]))]),
    "",
    "For the clients, to copy:",
    "  export KLAYTN_CHAIN_ID=1001",
    `  export KLAYTN_ACCESS_KEY_ID=${ready.accessKeyId}`,
    // The secret of an exposed sandbox is not in its log.
    `  export KLAYTN_SECRET_ACCESS_KEY=${expose ? "..." : ready.secretAccessKey}`,
    ...Endpoints.services.map((service) => `  export ${Endpoints.variable(service)}=${url}`),
    `  export KLAYTN_FEE_PAYER_STYLE=${ready.feePayerStyle}`,
    "",
    ...rpc.map(({ chain, path }) => `JSON-RPC of chain ${chain}, for dapp tools: ${url}${path}`),
    ...(explorer ? [`Explorer: ${url}/   (blocks, transactions, tokens, accounts and requests, in a browser)`] : []),
    `Control: ${url}/_sandbox/health   Stop: Ctrl-C`,
    ""
  ].join("\n")
}

/** Serves until it is interrupted. */
export const serve = Effect.fnUntraced(
  function*(input: SandboxInput) {
    const { error } = yield* Screen.Screen
    const command = yield* load
    const {
      baseFee,
      database,
      deterministic,
      exposeDevRpc,
      highestUnitPrice,
      json,
      seed,
      transfers,
      walletKey,
      ...options
    } = input
    const scenario = yield* values.ifGiven(seed, values.file("--seed"))
    const scenarios = scenario === undefined ? [] : yield* Effect.mapError(
      command.parseScenario(scenario),
      ({ message }) => Failure.usage(`--seed ${seed}: ${message}`)
    )
    const running = yield* command.start({
      ...options,
      ...(database === undefined ? {} : { database }),
      ...(baseFee === undefined ? {} : { baseFee }),
      ...(highestUnitPrice === undefined ? {} : { highestUnitPrice }),
      credentials: yield* readCredentials(input),
      devRpc: options.devRpc && (!options.expose || exposeDevRpc),
      walletKey: yield* readWalletKey(walletKey),
      ...(deterministic ? fixed : {})
    })
    const tokens = yield* command.populate(running, { scenarios, transfers }, yield* reportTo(error, transfers ?? 0))
    const facts = yield* command.describe(running, tokens)
    const now = (yield* Clock.currentTimeMillis) / 1000
    yield* write(json, facts, () => readyPage(facts, input, running.walletKeyFile, now))
    return yield* Effect.never
    // The command yields after a few steps so that signals are seen; here each request yields by waiting for its answer.
  },
  Effect.scoped,
  Effect.withScheduler(Scheduler.defaultScheduler)
)

const sections = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  ["klay", "eth", "net", "web3", "rpc"].flatMap((namespace) => {
    const own = names.filter((name) => name.startsWith(`${namespace}_`)).map((name) => name.slice(namespace.length + 1))
    const title = namespace === "klay" ? "klay and kaia" : namespace
    return own.length === 0 ? [] : [title, ...Screen.wrap(own.join(", "), 96).map((line) => `  ${line}`), ""]
  })

/** Lists the methods of a node that are served, and those that are not. */
export const methods = Effect.fnUntraced(function*({ json }: { readonly json: boolean }) {
  const { notServed, served } = yield* Effect.flatMap(load, ({ nodeMethods }) => nodeMethods)
  const page = [
    `${served.length} methods of a node are served:`,
    "",
    ...sections(served),
    "Known, and not served (-32601):",
    "",
    ...sections(notServed)
  ]
  yield* write(json, { count: served.length, served, notServed }, () => `${page.join("\n").trimEnd()}\n`)
})

/** Prints the OpenAPI document, or writes it to a file. */
export const openapi = Effect.fnUntraced(function*({ out: file, service }: OpenApiInput) {
  const { out } = yield* Screen.Screen
  const { print } = yield* Effect.flatMap(load, ({ openApi }) => openApi)
  const text = print({ service })
  if (file === undefined) return yield* out.write(text)
  const files = yield* FileSystem.FileSystem
  yield* Effect.mapError(files.writeFileString(file, text), () => Failure.usage(`--out: cannot write ${file}`))
})
