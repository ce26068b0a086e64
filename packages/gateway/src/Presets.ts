/**
 * The presets of a gateway: named sets of accounts and contracts that searches of the transfer history can name by a number. They
 * are added and removed while the gateway runs.
 */
import type { ScopeFilter } from "@effect-klaytn/indexer/IndexScope"
import type { PresetRecord } from "@effect-klaytn/indexer/TransferRecord"
import type * as Effect from "effect/Effect"
import type { GatewayError } from "./GatewayError.js"

/**
 * A preset to add.
 *
 * @category models
 */
export interface NewPreset {
  /** 1 to 64 letters, digits, dots, hyphens and underscores. */
  readonly name: string
  /** Addresses of accounts, in any letter case. Default: none. */
  readonly accounts?: ReadonlyArray<string> | undefined
  /** Addresses of token contracts. Default: none. A preset has at least one address. */
  readonly contracts?: ReadonlyArray<string> | undefined
}

/**
 * The presets of one index, in a file or in Postgres.
 *
 * @category services
 */
export interface Presets {
  /** Adds a preset. Fails with the reason `Preset` if its name, an address or all of it is not valid, or not in the index. */
  readonly add: (preset: NewPreset) => Effect.Effect<PresetRecord, GatewayError>
  /** In the order of their numbers. */
  readonly list: Effect.Effect<ReadonlyArray<PresetRecord>, GatewayError>
  /** Removes a preset. Fails with the reason `Preset` if there is none of this number. */
  readonly remove: (id: number) => Effect.Effect<void, GatewayError>
  /** The preset of a number, if there is one. */
  readonly find: (id: number) => Effect.Effect<PresetRecord | undefined, GatewayError>
  /** Limits presets that are added from now on to what an index keeps. */
  readonly limitTo: (
    scope: Pick<ScopeFilter, "accounts" | "contracts">
  ) => Effect.Effect<void, GatewayError>
}
