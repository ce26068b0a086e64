/** What is set, whether each service answers and accepts the credential, and the clock. */
import * as Address from "@effect-klaytn/core/Address"
import * as Chain from "@effect-klaytn/core/Chain"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import type { RpcError } from "@effect-klaytn/node/RpcError"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as Resources from "@effect-klaytn/wallet/Resources"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Shared } from "../frame/shared.js"
import type { Services } from "../frame/Subcommand.js"
import * as Connection from "../service/Connection.js"
import { limitsOf } from "../terminal/callerLimits.js"
import * as Failure from "../terminal/Failure.js"
import * as failureOf from "../terminal/failureOf.js"
import { write } from "../terminal/printed.js"
import * as Screen from "../terminal/Screen.js"
import * as deviations from "./deviations.js"
import * as gatewayCaller from "./gatewayCaller.js"
import { maxBlockAge } from "./maxBlockAge.js"

type Status = "ok" | "warning" | "wrong" | "not set"

/** One line of the report. */
interface Check {
  readonly name: string
  readonly status: Status
  readonly detail: string
  /** What to do about it. */
  readonly hint?: string | undefined
}

const node: Check = Number(process.versions.node.split(".")[0]) >= 20
  ? { name: "Node.js", status: "ok", detail: process.version }
  : { name: "Node.js", status: "wrong", detail: process.version, hint: "install Node 20 or later" }

const isSet = (name: string): Effect.Effect<boolean> =>
  Config.option(Config.redacted(name)).pipe(
    Effect.map(Option.isSome),
    // An empty variable can't be read, and is one that is set.
    Effect.orElseSucceed(() => true)
  )

const credentialNames = ["KLAYTN_AUTHORIZATION", "KLAYTN_ACCESS_KEY_ID", "KLAYTN_SECRET_ACCESS_KEY"]

const styleVariable = "KLAYTN_FEE_PAYER_STYLE"

const chainLabel = Effect.fnUntraced(function*({ chain }: Shared): Effect.fn.Return<string> {
  const id = chain ?? (yield* Effect.orElseSucceed(Config.string("KLAYTN_CHAIN_ID"), () => "")).trim()
  const source = chain === undefined ? "KLAYTN_CHAIN_ID" : "--chain"
  return `${Chain.label(id === "8217" ? Chain.mainnet : Chain.testnet)} from ${source}`
})

/** The line of a setting: what is wrong with it, or where it comes from. None for one that is not there. */
const settingOf = (
  name: string,
  problem: string,
  detail: string | undefined,
  hint = "correct or unset it"
): ReadonlyArray<Check> => {
  if (problem !== "") return [{ name, status: "wrong", detail: problem, hint }]
  return detail === undefined ? [] : [{ name, status: "ok", detail }]
}

const sourceOf = (variable: string): Effect.Effect<string | undefined> =>
  Effect.map(isSet(variable), (isThere) => isThere ? `from ${variable}` : undefined)

const originOf = Option.liftThrowable((text: string) => new URL(text).origin)

/**
 * Where the service is that the other addresses name, such as a gateway of one's own: its credential is for no other host. `...` where
 * they name several; undefined where they name none, or hosts of the hosted service alone.
 */
const knownOrigin = Effect.gen(function*() {
  const texts = yield* Effect.forEach(
    Endpoints.services,
    (service) => Effect.orElseSucceed(Config.option(Config.string(Endpoints.variable(service))), Option.none<string>)
  )
  const origins = [...new Set(texts.flatMap(Option.toArray).flatMap((text) => Option.toArray(originOf(text.trim()))))]
  const hosted: ReadonlyArray<string> = Object.values(Endpoints.knownHosts)
  if (origins.every((origin) => hosted.includes(origin))) return undefined
  return origins.length === 1 ? origins[0] : "..."
})

/** What the environment has, and everything that is wrong with it. No value is shown but the chain and hosts. */
const environment = Effect.fnUntraced(function*(shared: Shared) {
  const read = yield* Effect.either(
    ClientConfig.ClientConfig.pipe(Effect.provide(ClientConfig.layerConfig()), Connection.provider(shared))
  )
  const problems = Either.isLeft(read) ? failureOf.settingsOf(read.left) : []
  const problemOf = (...names: ReadonlyArray<string>): string =>
    problems.filter(({ name }) => names.includes(name))
      .map(({ isMissing, name, problem }) => `${name} ${isMissing ? "is not set" : problem}`).join("; ")
  const missing = problems.flatMap(({ isMissing, name }) =>
    isMissing && credentialNames.includes(name) ? [`export ${name}=...`] : []
  )
  const set = (yield* Effect.filter(credentialNames, isSet)).join(" and ")
  const fingerprint = Either.isRight(read)
    ? `, fingerprint ${Credentials.fingerprint(yield* read.right.credentials)}`
    : ""
  const known = yield* knownOrigin
  const addresses = yield* Effect.forEach(
    Endpoints.services,
    (service) =>
      Effect.map(isSet(Endpoints.variable(service)), (isThere) => ({
        service,
        isThere,
        proposed: known ?? Endpoints.knownHosts[service],
        problem: problemOf(Endpoints.variable(service))
      }))
  )
  const checks = [
    ...settingOf(
      "chain",
      problemOf("KLAYTN_CHAIN_ID"),
      yield* chainLabel(shared),
      "export KLAYTN_CHAIN_ID=8217 (mainnet) or 1001 (testnet), or add --chain"
    ),
    ...settingOf(
      "credential",
      problemOf(...credentialNames),
      `from ${set}${fingerprint}`,
      missing.length > 0 ? missing.join("; ") : undefined
    ),
    ...settingOf("pool", problemOf("KLAYTN_POOL"), yield* sourceOf("KLAYTN_POOL")),
    ...settingOf("fee payer", problemOf(styleVariable), yield* sourceOf(styleVariable))
  ]
  return { checks, addresses }
})

type Question = Effect.Effect<
  unknown,
  ReadError | RpcError | Failure.Failure,
  ClientConfig.ClientConfig | HttpClient.HttpClient
>

/** The smallest read of each service. */
const reads: Readonly<Record<Endpoints.Service, Question>> = {
  history: Effect.flatMap(
    TransferHistory.make(),
    (history) => history.getTransfersByEoa({ address: Address.zero, size: 1 })
  ),
  tokens: Effect.flatMap(
    TokenData.make(),
    (tokens) => tokens.getNftsByContractAddress({ contract: Address.zero, size: 1 })
  ),
  wallet: Effect.flatMap(Wallet.make(), (wallet) => wallet.getAccounts({ size: 1 })),
  node: Effect.gen(function*() {
    const { chain, klay } = yield* KlaytnNode.make()
    const theirs = yield* klay.chainId()
    if (theirs === BigInt(chain)) return
    const message = `it is a node of chain ${theirs}, and ${chain} is configured`
    return yield* new Failure.Failure({ message, kind: "OtherChain", exit: "refused" })
  }),
  resource: Effect.gen(function*() {
    const { pool } = yield* ClientConfig.ClientConfig
    const accountId = Option.match(pool, { onNone: () => "unknown", onSome: (krn) => krn.account })
    const resources = yield* Resources.make()
    return yield* resources.getResources({ accountId, size: 1 })
  })
}

/**
 * A refusal with a code of the service is an answer: the service is there and knows the credential. Without a code, a
 * proxy may have refused the request, or the service may have given up on it.
 */
const isAnswer = (error: { readonly _tag: string; readonly code?: unknown }): boolean =>
  (error._tag === "NotFound" || error._tag === "Rejected") && error.code !== undefined

const skewText = (seconds: number): string =>
  Math.abs(seconds) < 2 ?
    "clocks agree" :
    `this clock is ${Math.abs(Math.round(seconds))} s ${seconds < 0 ? "ahead" : "behind"}`

/**
 * What is odd about a node's chain by the service's time: its newest block is old or ahead, or it is syncing. Nothing for a node that
 * does not say.
 */
const chainProblems = Effect.fnUntraced(function*(time: ServiceTime.ServiceTime) {
  const { klay } = yield* KlaytnNode.make()
  const [newest, syncing] = yield* Effect.all(
    [Effect.option(klay.getBlockByNumber("latest")), Effect.option(klay.syncing())],
    { concurrency: "unbounded" }
  )
  const now = Math.floor((yield* ServiceTime.now(time)) / 1000)
  const ages = Option.toArray(newest).map(({ timestamp }) => now - Number(timestamp))
  return [
    ...ages.flatMap((age) => {
      if (age > maxBlockAge) {
        return [`its newest block is ${age} s old: it is behind, or its chain makes blocks on demand`]
      }
      return age < -maxBlockAge ? [`its newest block is ${-age} s ahead of its clock`] : []
    }),
    ...(Option.exists(syncing, (one) => one !== false) ? ["it is still syncing"] : [])
  ]
})

/** Asks one service, and returns its line. */
const probe = Effect.fnUntraced(function*(service: Endpoints.Service) {
  const { endpoints } = yield* ClientConfig.ClientConfig
  const endpoint = endpoints[service]
  const began = yield* Clock.currentTimeMillis
  const time = ServiceTime.make()
  const failure = yield* reads[service].pipe(
    ServiceTime.observed(time),
    Effect.catchIf(isAnswer, () => Effect.void),
    Effect.matchCause({ onFailure: failureOf.fromCause, onSuccess: () => undefined })
  )
  const ended = yield* Clock.currentTimeMillis
  const host = endpoint === undefined ? service : Endpoints.host(endpoint)
  const reached = `${host} answered in ${Math.round(ended - began)} ms`
  const line = (status: Status, detail: string, hint?: string): Check => ({ name: service, status, detail, hint })
  if (failure?.exit === "credential") {
    const hint = "check the access key in the console: it may be of another account, or switched off"
    return line("wrong", `${reached}, and did not accept the credential`, hint)
  }
  if (failure !== undefined) {
    const hint = `check ${Endpoints.variable(service)} and the network`
    return line("wrong", `${host}: ${failure.message.replace(/^[\w.]+: /, "")}`, hint)
  }
  const reading = time.reading()
  // The chain of a sandbox with a clock of its own has that clock's time.
  if (service === "node" && reading?.isReal !== false) {
    const [problem] = yield* chainProblems(time)
    if (problem !== undefined) return line("warning", `${reached}, credential accepted; ${problem}`)
  }
  if (reading === undefined) return line("ok", `${reached}, credential accepted`)
  if (!reading.isReal) return line("ok", `${reached}, credential accepted, a sandbox with a clock of its own`)
  return ServiceTime.skewSeconds(reading) === undefined
    ? line("ok", `${reached}, credential accepted, ${skewText(reading.offsetMillis / 1000)}`)
    : line("warning", `${reached}, ${skewText(reading.offsetMillis / 1000)}`, "set the clock of this machine")
})

/** Short, and without retries: a check should fail soon if nothing answers. */
const behaviour = { retry: RetryPolicy.none, deadline: "10 seconds", attemptTimeout: "10 seconds" } as const

type Address = Effect.Effect.Success<ReturnType<typeof environment>>["addresses"][number]

/** The environment without the settings of other services, whose own lines say what is wrong with them. */
const onlyFor = (service: Endpoints.Service) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const others = Endpoints.services.filter((one) => one !== service).map(Endpoints.variable)
  const hidden = service === "wallet" || service === "resource" ? others : [...others, "KLAYTN_POOL", styleVariable]
  return Effect.configProviderWith((all) =>
    Effect.withConfigProvider(self, ConfigProvider.mapInputPath(all, (name) => hidden.includes(name) ? "" : name))
  )
}

const ask = (
  { isThere, problem, proposed, service }: Address,
  config: (service: Endpoints.Service) => ReturnType<typeof Connection.config>
): Effect.Effect<Check, never, Services> => {
  const variable = Endpoints.variable(service)
  if (problem !== "") {
    return Effect.succeed({ name: service, status: "wrong", detail: problem, hint: `export ${variable}=https://...` })
  }
  if (!isThere) {
    const hint = `to use it: export ${variable}=${proposed}`
    return Effect.succeed({ name: service, status: "not set", detail: `${variable} is not set`, hint })
  }
  return Effect.provide(probe(service), config(service)).pipe(
    onlyFor(service),
    // The chain or the credential is missing: their own lines say so.
    Effect.orElseSucceed((): Check => ({ name: service, status: "not set", detail: "not asked: see above" }))
  )
}

const marks: Readonly<Record<Status, readonly [mark: string, word: string, style: Screen.Style]>> = {
  ok: ["✓", "ok", "green"],
  warning: ["!", "warning", "yellow"],
  wrong: ["✗", "WRONG", "red"],
  "not set": ["-", "not set", "dim"]
}

/** The lines of the report. What to do may be a command to copy, and is not wrapped. */
const lines = (output: Screen.Output, checks: ReadonlyArray<Check>): ReadonlyArray<string> => {
  const left = Math.max(...checks.map(({ name }) => name.length))
  return checks.flatMap(({ detail, hint, name, status }) => {
    const [mark, word, style] = marks[status]
    const shown = output.isTerminal ? mark : word.padEnd(7)
    const [first = "", ...others] = Screen.hanging(`${shown} ${name.padEnd(left)}  `, detail, Screen.proseWidth(output))
    return [
      `${Screen.styled(output, style, shown)}${first.slice(shown.length)}`,
      ...others,
      ...(hint === undefined ? [] : [Screen.styled(output, "dim", `${" ".repeat(shown.length)} -> ${hint}`)])
    ]
  })
}

const verdict = (checks: ReadonlyArray<Check>): { readonly isWell: boolean; readonly text: string } => {
  const wrong = checks.filter(({ status }) => status === "wrong").length
  if (wrong > 0) return { isWell: false, text: `${wrong} ${wrong === 1 ? "thing is" : "things are"} wrong.` }
  const anyService = checks.some(({ name, status }) =>
    status !== "not set" && Endpoints.services.some((one) => one === name)
  )
  return anyService
    ? { isWell: true, text: "All is well." }
    : { isWell: false, text: "No service has an address: set at least one." }
}

/** The right that a gateway of one's own asks for. */
const rightFor = (service: Endpoints.Service): string =>
  service === "wallet" || service === "resource" ? "wallet" : "read"

const callerLine = (caller: gatewayCaller.Caller, services: ReadonlyArray<Endpoints.Service>): Check => {
  const { limits, name, pools, rights } = caller
  const missing = services.filter((service) => !rights.includes(rightFor(service)))
  const may = [
    `rights ${rights.join()}`,
    ...(rights.includes("wallet")
      ? [pools === undefined ? "all pools" : `pools ${pools.join()}`, limitsOf(limits)]
      : [])
  ]
  const detail = `${name} of a gateway: ${may.join(", ")}`
  return missing.length === 0 ? { name: "caller", status: "ok", detail } : {
    name: "caller",
    status: "warning",
    detail: `${detail}; not for ${missing.join()}`,
    hint: `the gateway's owner gives a new credential: klaytn gateway callers add NAME --rights ${
      [...new Set(services.map(rightFor))].join()
    }`
  }
}

/** The lines of the callers whose credential this is, one for each gateway that has services. */
const callersOf = Effect.fnUntraced(function*(
  addresses: ReadonlyArray<Address>,
  config: (service: Endpoints.Service) => ReturnType<typeof Connection.config>
) {
  const asked = addresses.filter(({ isThere, problem }) => isThere && problem === "").map(({ service }) => service)
  const urlOf = (service: Endpoints.Service) =>
    Effect.map(ClientConfig.ClientConfig, ({ endpoints }) => endpoints[service] ?? service)
  const urls = yield* Effect.forEach(asked, (service) =>
    urlOf(service).pipe(
      Effect.provide(config(service)),
      onlyFor(service),
      Effect.map((url) => [{ service, url: `${url}` }]),
      // What is missing has a line of its own.
      Effect.orElseSucceed(() => [])
    ))
  const byUrl = Object.values(Array.groupBy(urls.flat(), ({ url }) => url))
  const lines = yield* Effect.forEach(byUrl, ([first, ...more]) =>
    gatewayCaller.at(first.service).pipe(
      Effect.provide(config(first.service)),
      onlyFor(first.service),
      Effect.map(Option.map((caller) => callerLine(caller, [first, ...more].map(({ service }) => service)))),
      Effect.orElseSucceed(() => Option.none<Check>())
    ))
  return lines.flatMap(Option.toArray)
})

/** Where the node differs from others, if it is a sandbox's. */
const deviationsOf = (
  addresses: ReadonlyArray<Address>,
  config: (service: Endpoints.Service) => ReturnType<typeof Connection.config>
) =>
  addresses.some(({ isThere, problem, service }) => service === "node" && isThere && problem === "")
    ? Effect.gen(function*() {
      const { klay } = yield* KlaytnNode.make()
      const client = yield* klay.clientVersion()
      const { endpoints: { node: url } } = yield* ClientConfig.ClientConfig
      return url === undefined ? Option.none() : yield* deviations.of([client], `${url}`)
    }).pipe(
      Effect.provide(config("node")),
      onlyFor("node"),
      // What is wrong with the node has a line of its own.
      Effect.orElseSucceed(() => Option.none())
    )
    : Effect.succeed(Option.none())

/** `klaytn doctor`. */
export const run = Effect.fnUntraced(function*(input: Shared) {
  const { addresses, checks } = input.sandbox
    ? {
      checks: [],
      addresses: Endpoints.services.map((service) => ({ service, isThere: true, proposed: "", problem: "" }))
    }
    : yield* environment(input)
  const sandbox = input.sandbox
    ? Layer.succeedContext(yield* Layer.build(Connection.config(input, "node", behaviour)))
    : undefined
  const config = (service: Endpoints.Service) => sandbox ?? Connection.config(input, service, behaviour)
  const answers = yield* Effect.forEach(addresses, (one) => ask(one, config), { concurrency: "unbounded" })
  const callers = input.sandbox ? [] : yield* callersOf(addresses, config)
  const differs = yield* deviationsOf(addresses, config)
  const all = [node, ...checks, ...answers, ...callers]
  const { isWell, text } = verdict(all)
  yield* write(
    input.json,
    { isWell, checks: all, ...Option.match(differs, { onNone: () => ({}), onSome: (deviations) => ({ deviations }) }) },
    (out) => Screen.lines([...lines(out, all), "", text, ...deviations.page(out, differs)])
  )
  return isWell ? "ok" as const : "found" as const
}, Effect.scoped)
