import * as Address from "@effect-klaytn/core/Address"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Schema from "effect/Schema"

const addressOf = Schema.decodeSync(Address.FromWire)

/** An address in checksum case. */
export const checksum = (address: string): Hex => `0x${Address.checksum(addressOf(address)).slice(2)}`
