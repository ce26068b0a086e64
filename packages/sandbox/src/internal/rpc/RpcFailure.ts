/** What a node answers in place of a result. */
export class RpcFailure {
  readonly _tag = "RpcFailure"
  constructor(readonly code: number, readonly message: string, readonly data?: string) {}
}

/** Whatever a method itself reports: the message is all that tells one from another. */
export const failed = (message: string): RpcFailure => new RpcFailure(-32000, message)

export const parseError = new RpcFailure(-32700, "parse error")

export const invalidRequest = new RpcFailure(-32600, "invalid request")

export const emptyBatch = new RpcFailure(-32600, "empty batch")

export const internalError = new RpcFailure(-32603, "internal error")

export const methodNotFound = (method: string): RpcFailure =>
  new RpcFailure(-32601, `the method ${method} does not exist/is not available`)

/** Subscriptions need a connection that stays. */
export const noNotifications = failed("notifications not supported")

export const invalidParams = (message: string): RpcFailure => new RpcFailure(-32602, message)

/** What is left of a batch whose answers so far are as large as an answer may be. */
export const responseTooLarge = new RpcFailure(-32003, "response too large")

/** A contract took everything back, with the bytes that say why. */
export const reverted = (data: string, reason: string | undefined): RpcFailure =>
  new RpcFailure(3, reason === undefined ? "execution reverted" : `execution reverted: ${reason}`, data)
