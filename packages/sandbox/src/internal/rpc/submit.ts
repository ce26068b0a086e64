import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { Chain } from "../../Chain.js"
import { method, type Methods } from "./Method.js"
import { data } from "./Reader.js"
import { failed } from "./RpcFailure.js"

const submit = (chain: Chain, raw: Hex) =>
  Effect.catchTag(chain.submitRaw(raw), "TransactionRejected", ({ message }) => Effect.fail(failed(message)))

const firstByte = (raw: Hex): number => Number.parseInt(raw.slice(2, 4), 16)

const unknownType = failed("undefined tx type")

/** Every Klaytn type, legacy, and Ethereum types in their envelope. */
export const klaySubmit: Methods = {
  sendRawTransaction: method([data], (chain, raw) => {
    if (raw === "0x") return failed("unexpected EOF")
    return firstByte(raw) < 8 ? unknownType : submit(chain, raw)
  })
}

/** Ethereum types without the envelope, and legacy. */
export const ethSubmit: Methods = {
  sendRawTransaction: method([data], (chain, raw) => {
    if (raw === "0x") return failed("Empty input")
    const first = firstByte(raw)
    // Whatever begins like a type is taken for one of Ethereum's, of which this chain knows two.
    return first > 2 && first < 0x7f ? unknownType : submit(chain, raw)
  })
}
