/** Classifies the error of an envelope as a member of `RpcError`. */
import { Attempt } from "@effect-klaytn/core/Attempt"
import * as Foreign from "@effect-klaytn/core/Foreign"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import type { Safety } from "@effect-klaytn/core/Operation"
import { RateLimited } from "@effect-klaytn/core/ServiceError"
import * as RpcError from "../RpcError.js"
import * as revert from "./revert.js"

interface Subject {
  readonly operation: string
  readonly method: string
  readonly safety: Safety
}

type Common = ConstructorParameters<typeof RpcError.RpcFailed>[0]
type Make = (common: Common, words: string) => RpcError.RpcError

const refused = (reason: RpcError.TransactionRefused["reason"]): Make => (common) =>
  new RpcError.TransactionRefused({ ...common, reason })

const funds: Make = (common, words) => {
  const who = words.includes("of the fee payer") ? "feePayer" : words.includes("of the sender") ? "sender" : undefined
  return new RpcError.InsufficientFunds({ ...common, ...(who === undefined ? {} : { who }) })
}

/**
 * The messages that tell errors with the same code apart, from both generations of the node's code: since September
 * 2023 a wrong signature is an "invalid sender" or "invalid fee payer" followed by the reason.
 */
const byWords: ReadonlyArray<readonly [words: ReadonlyArray<string>, make: Make]> = [
  [["known transaction", "already known"], (common) => new RpcError.KnownTransaction(common)],
  [
    ["nonce too low", "there is another tx which has the same nonce in the tx pool"],
    (common) => new RpcError.NonceTooLow(common)
  ],
  [["insufficient funds"], funds],
  [["invalid chain id"], refused("chain")],
  [
    [
      "invalid transaction v, r, s values",
      "invalid sender",
      "invalid fee payer",
      "invalid account key",
      "must be with a legacy account key",
      "authorization with r or s value"
    ],
    refused("signature")
  ],
  [["intrinsic gas too low", "exceeds block gas limit", "insufficient gas for floor data"], refused("gas")],
  [
    [
      "transaction underpriced",
      "invalid unit price",
      "it must be set to value greater than or equal to basefee",
      "it must be set to the same value as gas unit price",
      "max fee per gas higher than",
      "max priority fee per gas higher than"
    ],
    refused("price")
  ],
  [["oversized data", "max initcode size exceeded"], refused("size")],
  [["txpool is full"], refused("pool")],
  [["transaction type not supported", "undefined tx type", "empty auth list"], refused("type")],
  [
    [
      "not a program account",
      "cannot be sent to contract addresses",
      "reserved for pre-compiled contracts"
    ],
    refused("receiver")
  ],
  [
    [
      "the block does not exist",
      "the header does not exist",
      "header for hash not found",
      "pending block is not prepared"
    ],
    (common) => new RpcError.BlockNotFound(common)
  ],
  [["missing trie node"], (common) => new RpcError.StatePruned(common)],
  [["query returned more than", "query timeout exceeded"], (common) => new RpcError.LogLimitExceeded(common)]
]

/**
 * A log search that is too large, in the words of nodes and providers, some of which use the code for too many calls.
 */
const tooManyLogs = /more than [\d,]+ (results|logs)|too many (results|logs)|block range|response size|query timeout/

const isLogLimit = (method: string, words: string): boolean =>
  /_get(Filter)?Logs$/.test(method) && tooManyLogs.test(words)

/** Whether a call was throttled: by the codes in use for that, or by the node's message. */
const isThrottled = ({ code }: JsonRpc.ErrorObject, words: string): boolean =>
  code === 429 || code === -32005 || (code === JsonRpc.ErrorCode.InvalidRequest && /exceed/.test(words))

export const classify = (
  subject: Subject,
  error: JsonRpc.ErrorObject,
  redact: Foreign.Redact
): RpcError.RpcError | RateLimited => {
  const words = error.message.toLowerCase()
  const { method, operation, safety } = subject
  const common: Common = {
    operation,
    method,
    code: error.code,
    serviceMessage: error.message,
    retrySafe: safety !== "once",
    ...(error.data === undefined ? {} : { data: error.data })
  }
  if (isLogLimit(method, words)) return new RpcError.LogLimitExceeded(common)
  if (isThrottled(error, words)) {
    return new RateLimited({
      operation,
      retrySafe: true,
      attempts: [new Attempt({ status: 200, reason: "throttled", waitMillis: 0 })],
      origin: "service",
      status: 200,
      code: error.code,
      serviceMessage: error.message
    })
  }
  if (error.code === JsonRpc.ErrorCode.MethodNotFound || words.includes("does not exist/is not available")) {
    return new RpcError.MethodNotFound(common)
  }
  if (error.code === JsonRpc.ErrorCode.InvalidParams) return new RpcError.InvalidParams(common)
  if (error.code === 3 || words.includes("execution reverted")) {
    return new RpcError.ExecutionReverted({
      ...common,
      ...revert.read(error.data, error.message, Foreign.words(redact))
    })
  }
  const known = byWords.find(([all]) => all.some((some) => words.includes(some)))
  return known === undefined ? new RpcError.RpcFailed(common) : known[1](common, words)
}
