import { InvalidRequest } from "@effect-klaytn/local-chain/ChainError"
import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import { fromBytes, type Hex, lowerCase } from "@effect-klaytn/transaction/Hex"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Chain, SendFailure } from "../Chain.js"
import type { Chains } from "../Chains.js"
import * as Generator from "../Generator.js"
import type { Played, Scenario } from "../Scenario.js"
import * as TokenContract from "../TokenContract.js"

type Step = Scenario["steps"][number]
type TokenStep = Extract<Step, { readonly do: "mint" | "sendToken" }>

interface Problem {
  readonly path: string
  readonly reason: string
}

const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text)

const neededFields = { ft: ["amount"], nft: ["tokenId"], mt: ["tokenId", "amount"] } as const

/**
 * The problems of a scenario, in its order: names that are not defined or are defined twice, and token steps without the
 * fields of their kind.
 */
function* problemsOf(scenario: Scenario): Generator<Problem, undefined> {
  const accounts = new Set<string>()
  const tokens = new Map<string, keyof typeof neededFields>()
  function* account(path: string, name: string | undefined): Generator<Problem> {
    if (name !== undefined && !accounts.has(name)) yield { path, reason: `there is no account "${name}" in accounts` }
  }
  function* party(path: string, name: string): Generator<Problem> {
    if (!isAddress(name)) yield* account(path, name)
  }
  for (const [index, { name }] of scenario.accounts.entries()) {
    if (accounts.has(name)) yield { path: `accounts.${index}.name`, reason: `"${name}" is defined twice` }
    accounts.add(name)
  }
  for (const [index, token] of scenario.tokens.entries()) {
    if (tokens.has(token.name)) yield { path: `tokens.${index}.name`, reason: `"${token.name}" is defined twice` }
    tokens.set(token.name, token.kind)
    yield* account(`tokens.${index}.deployer`, token.deployer)
  }
  for (const [index, step] of scenario.steps.entries()) {
    const path = `steps.${index}`
    if (step.do === "wait" || step.do === "generate") continue
    yield* account(`${path}.from`, step.from)
    yield* party(`${path}.to`, step.to)
    if (step.do !== "mint") yield* account(`${path}.feePayer`, step.feePayer)
    if (step.do === "send") continue
    const kind = tokens.get(step.token)
    if (kind === undefined) yield { path: `${path}.token`, reason: `there is no token "${step.token}" in tokens` }
    const missing = kind && neededFields[kind].find((field) => step[field] === undefined)
    if (missing !== undefined) yield { path: `${path}.${missing}`, reason: `a token of kind ${kind} needs it` }
  }
  for (const [index, { accounts: members, contracts }] of scenario.presets.entries()) {
    for (const name of members) yield* party(`presets.${index}.accounts`, name)
    const unknown = contracts.find((name) => !isAddress(name) && !tokens.has(name))
    if (unknown !== undefined) {
      yield { path: `presets.${index}.contracts`, reason: `there is no token "${unknown}" in tokens` }
    }
  }
  return undefined
}

/** The first problem of a scenario. */
export const findProblem = (scenario: Scenario): Problem | undefined => problemsOf(scenario).next().value

/** Plays a scenario whose names are known to be right. One that fails leaves the chain as it was. */
export const play = (
  chains: Context.Tag.Service<Chains>,
  scenario: Scenario
): Effect.Effect<Played, SendFailure> => {
  const chain = chains.chain(scenario.chain)
  return Effect.flatMap(
    chain.snapshot,
    (snapshot) => Effect.onError(playOn(chain, chains, scenario), () => Effect.ignore(chain.revert(snapshot)))
  )
}

const playOn = (chain: Chain, chains: Context.Tag.Service<Chains>, scenario: Scenario) =>
  Effect.gen(function*() {
    const deployed = new Map<string, Deployed>()
    const presets = new Map<string, number>()
    const party = (name: string): Hex => isAddress(name) ? lowerCase(name) : chains.account(name).address
    for (const { klay, name } of scenario.accounts) {
      if (klay > 0n) yield* chain.fund(chains.account(name).address, klay)
    }
    for (const token of scenario.tokens) {
      const deployer = chains.account(token.deployer)
      const spec = "title" in token ? { ...token, name: token.title } : token
      deployed.set(token.name, { deployer, contract: yield* TokenContract.deploy(chain, deployer, spec) })
    }
    for (const step of scenario.steps) yield* take(chain, step, { account: chains.account, party, deployed })
    for (const { accounts, contracts, name } of scenario.presets) {
      const { id } = yield* chain.addPreset({
        name,
        accounts: accounts.map(party),
        contracts: contracts.map((contract) => deployed.get(contract)?.contract.address ?? lowerCase(contract))
      })
      presets.set(name, id)
    }
    const accounts = new Map(scenario.accounts.map(({ name }) => [name, chains.register(name)]))
    const tokens = new Map(Array.from(deployed, ([name, { contract }]) => [name, contract]))
    return { accounts, tokens, presets }
  })

interface Deployed {
  readonly contract: TokenContract.TokenContract
  readonly deployer: DevAccount
}

/** What the names of a scenario stand for. */
interface Names {
  readonly account: (name: string) => DevAccount
  /** The address of an account, or the address itself. */
  readonly party: (name: string) => Hex
  readonly deployed: ReadonlyMap<string, Deployed>
}

const take = (chain: Chain, step: Step, names: Names): Effect.Effect<unknown, SendFailure> => {
  switch (step.do) {
    case "wait":
      return chain.advanceTime(step.seconds)
    case "generate":
      return Generator.generate(chain, step)
    case "send":
      return chain.execute({
        kind: "transfer",
        from: names.account(step.from),
        to: names.party(step.to),
        value: step.klay,
        memo: step.memo === undefined ? undefined : fromBytes(new TextEncoder().encode(step.memo)),
        ...carrierOf(step, names)
      })
    case "mint":
    case "sendToken":
      return onToken(chain, step, names)
  }
}

const onToken = (chain: Chain, step: TokenStep, names: Names): Effect.Effect<unknown, SendFailure> => {
  const deployed = names.deployed.get(step.token)
  if (deployed === undefined) return new InvalidRequest({ message: `there is no token "${step.token}"` })
  const { contract: token, deployer } = deployed
  const { amount = 0n, tokenId = 0n } = step
  const to = names.party(step.to)
  if (step.do === "sendToken") {
    const transfers = {
      ft: { kind: "ft", to, amount },
      nft: { kind: "nft", to, tokenId },
      mt: { kind: "mt", to, ids: [tokenId], amounts: [amount] }
    } as const
    return TokenContract.transfer(chain, names.account(step.from), token, transfers[token.kind], carrierOf(step, names))
  }
  const mints = {
    ft: { kind: "ft", to, amount },
    nft: { kind: "nft", to, tokenId, uri: step.uri },
    mt: { kind: "mt", to, tokenId, amount, create: step.uri }
  } as const
  const from = step.from === undefined ? deployer : names.account(step.from)
  return TokenContract.mint(chain, from, token, mints[token.kind])
}

const carrierOf = (
  { feePayer, feeRatio }: { readonly feePayer?: string | undefined; readonly feeRatio?: number | undefined },
  { account }: Names
): TokenContract.Carrier => ({ feePayer: feePayer === undefined ? undefined : account(feePayer), feeRatio })
