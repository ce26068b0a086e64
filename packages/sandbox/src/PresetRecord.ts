/**
 * Presets: named sets of accounts and token contracts to search the transfer history by.
 *
 * @since 0.1.0
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"

/**
 * A preset. The service's own are made in its console and no record of them is published; this one holds what a search
 * needs.
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
