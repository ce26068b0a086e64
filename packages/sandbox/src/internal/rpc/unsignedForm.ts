import type { Hex } from "@effect-klaytn/transaction/Hex"
import { flatMap, type Result } from "@effect-klaytn/transaction/Result"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import { fromResult, invalidParams, type RpcFailure } from "./Method.js"

/**
 * The bytes of a transaction of Ethereum's types that nobody has signed. The three values of the missing signature are 0 in a node's
 * bytes, and 1, 0 and 0 in those of the chain's own types.
 */
export const unsignedForm = (made: Result<Transaction.Transaction>): Effect.Effect<Hex, RpcFailure> =>
  Effect.map(
    fromResult(flatMap(made, (unsigned) => Transaction.encode(unsigned, { form: "eth" })), invalidParams),
    // A cast: hex stays hex.
    (raw) => raw.replace(/018080$/, "808080") as Hex
  )
