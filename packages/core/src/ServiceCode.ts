/**
 * The service's own error codes: one table for the client, which interprets them, and the sandbox, which answers them.
 *
 * **Details**
 *
 * The API document shows neither codes nor error bodies; all of these were seen in the specifications, examples and
 * tests of the service's public clients, unless a line says inferred. A code that is not listed is classified by its
 * HTTP status and keeps its number. Codes are seven digits: `10`, two digits of the service (10 gateway, 40 history and
 * tokens, 61 and 65 wallet, 71 resources), and the error. Which class of error a code makes is in `ServiceError`.
 */
/**
 * The codes of the gateway, which answers before any service is reached.
 *
 * @category codes
 */
export const gateway = {
  /** No such path or method. */
  invalidPathOrMethod: 1010007,
  /** `Authorization` missing or malformed. */
  invalidAuthorization: 1010008,
  /** Unknown key ID or wrong secret. */
  invalidCredential: 1010009,
  /** Ours, with HTTP status 400: a gateway of your own knows the caller, who lacks the right to call this. */
  notAllowed: 1019403
} as const

/**
 * The codes of transfer history and token data.
 *
 * @category codes
 */
export const history = {
  /** A bad query parameter. */
  invalidQuery: 1040010,
  /** A range that is too wide or reversed (the causes are inferred). */
  outOfRange: 1040011,
  /** A bad path parameter. */
  invalidUri: 1040020,
  /** Unknown preset, contract or token. */
  notFound: 1040400,
  /** A fault of the service; its HTTP status 500 is inferred. */
  internal: 1041000,
  /**
   * Ours, with HTTP status 400: an index of your own leaves out what the answer needs, see `IndexScope` of the package
   * `indexer`. The hosted service was never seen to answer it.
   */
  notIndexed: 1049400
} as const

/**
 * The codes of the list of a customer's resources.
 *
 * @category codes
 */
export const resource = {
  /** `data don't exist`, with HTTP status 400: nothing found. */
  noData: 1071010
} as const

/**
 * The codes of JSON-RPC in the answers of nodes: those of the specification, and those that nodes of Klaytn and Ethereum share.
 *
 * @category codes
 */
export const jsonRpc = {
  /** The request is no JSON. */
  parseError: -32700,
  /** The JSON is no request of JSON-RPC, or the batch is empty or longer than the node allows. */
  invalidRequest: -32600,
  /** The node does not have the method, or it is switched off. */
  methodNotFound: -32601,
  /** Too many or too few parameters, or a malformed one. */
  invalidParams: -32602,
  /** The node failed: nothing is known about the call. */
  internalError: -32603,
  /** Any other failure: only the message says which, such as `nonce too low` or `insufficient funds`. */
  failed: -32000,
  /** The answer would become too large; of a gateway of your own also a transaction that it refuses. */
  refused: -32003,
  /** A limit of the node: requests in a time, records in an answer, blocks in a range. */
  limitExceeded: -32005,
  /** A proxy could not reach the node behind it. */
  upstreamFailed: -32016,
  /** A call reverted; `data` has what the contract said. */
  reverted: 3
} as const

/**
 * Checks whether a code is one of the service's, whether or not it is listed here. An answer without one may come from
 * a proxy in front of the service, and its refusal proves nothing about a call that changes something.
 *
 * @category guards
 */
export const isOwn = (code: number | undefined): boolean => code !== undefined && code >= 1_000_000 && code <= 9_999_999
