import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { StoreFailure } from "../../ChainError.js"
import { method, type Methods } from "./Method.js"
import type { NodeChain } from "./NodeChain.js"
import { data, list } from "./ParamDecoder.js"
import { failure, type RpcFailure } from "./RpcFailure.js"

const submit = (chain: NodeChain, raw: Hex) =>
  Effect.catchTag(chain.submitRaw(raw), "TransactionRejected", ({ message }) => Effect.fail(failure(message)))

const firstByte = (raw: Hex): number => Number.parseInt(raw.slice(2, 4), 16)

const unknownType = "undefined tx type"

/** Submits Ethereum types without the envelope, and legacy. */
const submitEth = (chain: NodeChain, raw: Hex): Effect.Effect<Hex, RpcFailure | StoreFailure> => {
  const first = firstByte(raw)
  // Whatever begins like a type is taken for one of Ethereum's, of which this chain knows two.
  return first > 2 && first < 0x7f ? Effect.fail(failure(unknownType)) : submit(chain, raw)
}

const hashes = (
  chain: NodeChain,
  raws: ReadonlyArray<Hex>
): Effect.Effect<ReadonlyArray<Hex>, RpcFailure | StoreFailure> =>
  Effect.forEach(raws, (raw, index) =>
    raw === "0x"
      ? Effect.fail(failure(`Index ${index}: empty input`))
      : Effect.catchTag(
        submitEth(chain, raw),
        "RpcFailure",
        ({ message }) => Effect.fail(failure(`Index ${index}: ${message}`))
      ))

/** Every Klaytn type, legacy, and Ethereum types in their envelope. */
export const klaySubmit: Methods = {
  sendRawTransaction: method([data], (chain, raw) => {
    if (raw === "0x") return failure("unexpected EOF")
    return firstByte(raw) < 8 ? failure(unknownType) : submit(chain, raw)
  }),
  // As a node has it: no Klaytn types, and the hashes of those before a failure are lost.
  sendRawTransactions: method(
    [list(data, "[]hexutil.Bytes")],
    (chain, raws) => raws.length === 0 ? failure("Empty input") : hashes(chain, raws)
  )
}

/** Ethereum types without the envelope, and legacy. */
export const ethSubmit: Methods = {
  sendRawTransaction: method([data], (chain, raw) => raw === "0x" ? failure("Empty input") : submitEth(chain, raw))
}
