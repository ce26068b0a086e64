/** What a preset may be. */
import type { ScopeFilter } from "@effect-klaytn/indexer/IndexScope"
import { type Hex, lowerCase } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { GatewayError } from "../GatewayError.js"
import type { NewPreset } from "../Presets.js"
import * as refusals from "./startRefusals.js"

const isName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)

const isAddress = (address: string): boolean => /^0x[0-9a-f]{40}$/i.test(address)

const quoted = (text: string): string => JSON.stringify(text.slice(0, 80))

/** What is wrong with a preset, if anything is. */
const problemOf = ({ accounts = [], contracts = [], name }: NewPreset): string | undefined => {
  if (!isName(name)) {
    return `${quoted(name)} can't name a preset: use 1 to 64 letters, digits, dots, hyphens and underscores`
  }
  const wrong = [...accounts, ...contracts].find((address) => !isAddress(address))
  if (wrong !== undefined) return `${quoted(wrong)} is no address`
  return accounts.length + contracts.length === 0 ? "a preset has an account or a contract at least" : undefined
}

const missing = (wanted: ReadonlyArray<Hex>, kept: ReadonlySet<Hex> | undefined): Hex | undefined =>
  kept === undefined ? undefined : wanted.find((address) => !kept.has(address))

/** A preset as it is stored, or why it is refused: an address that the index does not keep finds nothing. */
export const check = (
  preset: NewPreset,
  kept: Effect.Effect<Pick<ScopeFilter, "accounts" | "contracts">, GatewayError>
): Effect.Effect<
  { readonly name: string; readonly accounts: ReadonlyArray<Hex>; readonly contracts: ReadonlyArray<Hex> },
  GatewayError
> =>
  Effect.gen(function*() {
    const problem = problemOf(preset)
    if (problem !== undefined) return yield* refusals.preset(problem)
    const accounts = (preset.accounts ?? []).map(lowerCase)
    const contracts = (preset.contracts ?? []).map(lowerCase)
    const scope = yield* kept
    const outside = missing(accounts, scope.accounts) ?? missing(contracts, scope.contracts)
    if (outside !== undefined) return yield* refusals.preset(`the index does not keep ${outside}`)
    return { name: preset.name, accounts, contracts }
  })

export const unknown = (id: number): GatewayError => refusals.preset(`there is no preset ${id}`)
