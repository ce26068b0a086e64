import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { randomBytes } from "node:crypto"

/** An identifier of a filter or a subscription, that can't be guessed. */
export const randomId = (): Hex => fromBytes(randomBytes(16))
