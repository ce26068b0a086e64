/** Says what an error of the node means: makes the member of `RpcError` from the error of an envelope. */
import { isThrottled } from "@effect-klaytn/core/BatchLimits"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as Sanitize from "@effect-klaytn/core/Sanitize"
import { isMissingBlock } from "@effect-klaytn/core/SeenBlocks"
import { Attempt, quotaHint, RateLimited } from "@effect-klaytn/core/ServiceError"
import * as RpcError from "../../RpcError.js"
import type { CallDescriptor } from "./failure.js"
import * as reverts from "./reverts.js"

type RpcFacts = ConstructorParameters<typeof RpcError.RpcFailed>[0]
type Make = (common: RpcFacts, message: string) => RpcError.RpcError

const refuse = (reason: RpcError.TransactionRefused["reason"]): Make => (common) =>
  new RpcError.TransactionRefused({ ...common, reason })

const insufficientFunds: Make = (common, message) => {
  const who = message.includes("of the fee payer")
    ? "feePayer"
    : /of the sender|insufficient balance/.test(message)
    ? "sender"
    : undefined
  return new RpcError.InsufficientFunds({ ...common, ...(who === undefined ? {} : { who }) })
}

/**
 * The messages that tell errors with the same code apart, from both generations of the node's code: since September
 * 2023 a wrong signature is an "invalid sender" or "invalid fee payer" followed by the reason.
 */
const errorsByMessage: ReadonlyArray<readonly [parts: ReadonlyArray<string>, make: Make]> = [
  [["known transaction", "already known"], (common) => new RpcError.KnownTransaction(common)],
  [
    ["nonce too low", "there is another tx which has the same nonce in the tx pool"],
    (common) => new RpcError.NonceTooLow(common)
  ],
  [["insufficient funds", "insufficient balance for transfer"], insufficientFunds],
  [["invalid chain id"], refuse("chain")],
  [
    [
      "invalid transaction v, r, s values",
      "invalid sender",
      "invalid fee payer",
      "invalid account key",
      "must be with a legacy account key",
      "authorization with r or s value"
    ],
    refuse("signature")
  ],
  [[
    "intrinsic gas too low",
    "exceeds block gas limit",
    "gas limit exceeds the upper limit",
    "insufficient gas for floor data"
  ], refuse("gas")],
  [
    [
      "transaction underpriced",
      "gas price below minimum",
      "invalid unit price",
      "it must be set to value greater than or equal to basefee",
      "it must be set to the same value as gas unit price",
      "max fee per gas higher than",
      "max priority fee per gas higher than"
    ],
    refuse("price")
  ],
  [["oversized data", "max initcode size exceeded"], refuse("size")],
  [
    ["txpool is full", "in-flight transaction limit reached", "gapped-nonce tx", "authority already reserved"],
    refuse("pool")
  ],
  [
    [
      "transaction type not supported",
      "undefined tx type",
      "empty auth list",
      "at least one authorization tuple",
      "sender must be an eoa"
    ],
    refuse("type")
  ],
  [
    [
      "not a program account",
      "cannot be sent to contract addresses",
      "recipient must be an eoa",
      "cannot be sent to nil",
      "reserved for pre-compiled contracts"
    ],
    refuse("receiver")
  ],
  [["pending block is not prepared"], (common) => new RpcError.BlockNotFound(common)],
  [["missing trie node"], (common) => new RpcError.StatePruned(common)],
  [["query returned more than", "query timeout exceeded"], (common) => new RpcError.LogLimitExceeded(common)]
]

/** How nodes and providers say that a log search is too large; some use the code for too many calls. */
const tooManyLogs = /more than [\d,]+ (results|logs)|too many (results|logs)|block range|response size|query timeout/

const isLogLimit = (method: string, message: string): boolean =>
  /_get(Filter)?Logs$/.test(method) && tooManyLogs.test(message)

const revertPattern = /execution reverted:\s*(\S.*)$/

/** Reads a revert from its data, or else from the node's message. */
const readRevert = (data: unknown, message: string, clean: Sanitize.Redact): reverts.Revert => {
  const revert = reverts.read(data, clean)
  const quoted = revertPattern.exec(message)?.[1]
  return quoted === undefined || revert.panic !== undefined ? revert : { reason: quoted, ...revert }
}

export const classify = (
  { method, operation, safety }: CallDescriptor,
  error: JsonRpc.ErrorObject,
  redact: Sanitize.Redact
): RpcError.RpcError | RateLimited => {
  const message = error.message.toLowerCase()
  const common: RpcFacts = {
    operation,
    method,
    code: error.code,
    serviceMessage: error.message,
    retrySafe: safety !== "once",
    ...(error.data === undefined ? {} : { data: error.data })
  }
  if (isLogLimit(method, message)) return new RpcError.LogLimitExceeded(common)
  const hint = quotaHint(message)
  const hinted = hint === undefined ? {} : { hint }
  if (isThrottled(error)) {
    return new RateLimited({
      ...hinted,
      operation,
      retrySafe: true,
      attempts: [new Attempt({ status: 200, reason: "throttled", waitMillis: 0 })],
      origin: "service",
      status: 200,
      code: error.code,
      serviceMessage: error.message
    })
  }
  if (error.code === JsonRpc.ErrorCode.MethodNotFound || message.includes("does not exist/is not available")) {
    return new RpcError.MethodNotFound(common)
  }
  if (error.code === JsonRpc.ErrorCode.InvalidParams) return new RpcError.InvalidParams(common)
  if (JsonRpc.isRevert(error)) {
    return new RpcError.ExecutionReverted({
      ...common,
      ...readRevert(error.data, error.message, Sanitize.text(redact))
    })
  }
  const known = errorsByMessage.find(([parts]) => parts.some((part) => message.includes(part)))
  if (known !== undefined) return known[1](common, message)
  return isMissingBlock(error)
    ? new RpcError.BlockNotFound(common)
    : new RpcError.RpcFailed({ ...common, ...hinted })
}
