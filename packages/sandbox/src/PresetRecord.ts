/**
 * Presets: named sets of accounts and token contracts to search the transfer history by.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"

/**
 * A preset: a named set of accounts and token contracts to search transfers by. The service's presets are created in its
 * console and their form is not published; this one has what a search needs.
 *
 * @since 0.1.0
 * @category models
 */
export interface PresetRecord {
  readonly id: number
  readonly name: string
  readonly accounts: ReadonlyArray<Hex>
  readonly contracts: ReadonlyArray<Hex>
}
