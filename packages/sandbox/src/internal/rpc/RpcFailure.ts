import * as Data from "effect/Data"

/** What a node answers in place of a result. */
export class RpcFailure extends Data.TaggedError("RpcFailure")<{
  readonly code: number
  readonly message: string
  readonly data?: string
}> {}

/** Whatever a method itself reports: the message is all that tells one from another. */
export const failure = (message: string): RpcFailure => new RpcFailure({ code: -32000, message })

export const parseError = new RpcFailure({ code: -32700, message: "parse error" })

export const invalidRequest = new RpcFailure({ code: -32600, message: "invalid request" })

export const emptyBatch = new RpcFailure({ code: -32600, message: "empty batch" })

export const internalError = new RpcFailure({ code: -32603, message: "internal error" })

export const methodNotFound = (method: string): RpcFailure =>
  new RpcFailure({ code: -32601, message: `the method ${method} does not exist/is not available` })

/** Subscriptions need a connection that stays. */
export const noNotifications = failure("notifications not supported")

export const invalidParams = (message: string): RpcFailure => new RpcFailure({ code: -32602, message })

/** What is left of a batch whose answers so far are as large as an answer may be. */
export const responseTooLarge = new RpcFailure({ code: -32003, message: "response too large" })

/** A contract took everything back, with the bytes that say why. */
export const revertFailure = (data: string, reason: string | undefined): RpcFailure =>
  new RpcFailure({
    code: 3,
    message: reason === undefined ? "execution reverted" : `execution reverted: ${reason}`,
    data
  })
