/** Submits signed transactions, and looks them up unless the answer proves what became of them. */
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Hash from "@effect-klaytn/core/Hash"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as ServiceCode from "@effect-klaytn/core/ServiceCode"
import { isServiceError, OutcomeUnknown } from "@effect-klaytn/core/ServiceError"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { CallDescriptor, NodeError } from "../errors/failure.js"
import * as failure from "../errors/failure.js"
import { type Caller, identityHandler } from "./pendingCall.js"
import type { Transport } from "./transport.js"

const name = /^(klay|kaia|eth)_sendRawTransaction$/

const toHash = Schema.decodeSync(Hash.Hash)

/** Where the content of the RLP list begins and ends whose head is at this place. */
const listAt = (bytes: Uint8Array, at: number): readonly [start: number, end: number] => {
  const head = bytes[at] ?? 0
  const start = at + 1 + Math.max(0, head - 0xf7)
  const length = bytes.subarray(at + 1, start).reduce((sum, byte) => sum * 256 + byte, 0)
  return [start, start + (head > 0xf7 ? length : head - 0xc0)]
}

/** What is hashed of a transaction with blobs, which are in a list around its own. */
const withoutBlobs = (bytes: Uint8Array): Uint8Array => {
  const [start] = listAt(bytes, 1)
  if (bytes[0] !== 3 || (bytes[start] ?? 0) < 0xc0) return bytes
  return concatBytes(bytes.subarray(0, 1), bytes.subarray(start, listAt(bytes, start)[1]))
}

/** The hash of a raw transaction: over all its bytes but blobs, without the prefix `0x78` of an Ethereum type. */
const hashOf = (raw: string): Hash.Hash => {
  const digits = raw.slice(2)
  const body = /^780[1-7f]/i.test(digits) ? digits.slice(2) : digits
  return toHash(`0x${bytesToHex(keccak_256(withoutBlobs(hexToBytes(body))))}`)
}

const isOneTransaction = Schema.is(Schema.Tuple(Schema.String.pipe(Schema.pattern(/^0x([0-9a-fA-F]{2})+$/))))

const isHash = (value: unknown, hash: Hash.Hash): boolean => typeof value === "string" && value.toLowerCase() === hash

type Found = "this transaction" | "nothing" | "another transaction" | "no answer"

/** Messages that are about the connection and not about the transaction. */
const transportMessages =
  /tim(ed|e) ?out|deadline|context canceled|connection|upstream|unavailable|bad gateway|internal/i

/** The error codes of a call that the node could not read. */
const unreadable: ReadonlySet<number> = new Set([JsonRpc.ErrorCode.ParseError, JsonRpc.ErrorCode.InvalidRequest])

/** The codes of the gateway, which refuses every copy of a request alike: a wrong path or a wrong key. */
const gatewayCodes: ReadonlySet<number | undefined> = new Set(Object.values(ServiceCode.gateway))

/** Whether the error says that nothing left, or that every copy of the transaction must be refused. */
export const isProof = (error: NodeError): boolean => {
  switch (error._tag) {
    case "MethodNotFound":
    case "InvalidParams":
      return true
    case "TransactionRefused":
      // A type depends on the sender too, and on how new the node is: it is no proof about copies that were sent before.
      return failure.isOfBytes(error) || error.reason === "type"
    case "RpcFailed":
      return unreadable.has(error.code) && !transportMessages.test(error.serviceMessage)
    case "OutcomeUnknown":
      return false
    default:
      if (!isServiceError(error)) return false
      return error.attempts.every(({ status }) => status === undefined) ||
        ("code" in error && gatewayCodes.has(error.code))
  }
}

/**
 * Whether the error is a refusal of every attempt, for a reason that depends on state. It does not prove that no other
 * copy was accepted, but a look-up that finds nothing makes that unlikely.
 */
const isDenial = (error: NodeError): boolean => {
  switch (error._tag) {
    case "OutcomeUnknown":
    case "KnownTransaction":
    case "NonceTooLow":
      return false
    case "RpcFailed":
      return error.code === -32000 && !transportMessages.test(error.serviceMessage)
    default:
      return true
  }
}

/** Whether the node's last word was that another transaction has the nonce, in a block or in its pool. */
export const isNonceTaken = (error: NodeError): boolean =>
  error._tag === "OutcomeUnknown" && error.attempts.at(-1)?.reason === "NonceTooLow"

const names = (error: NodeError, hash: Hash.Hash): boolean =>
  error._tag === "KnownTransaction" && error.serviceMessage.toLowerCase().includes(hash.slice(2))

/** The error of a submission that failed with `error`, where the look-up did not find the transaction. */
const toUnproven = (call: CallDescriptor, error: NodeError, hash: Hash.Hash, found: Found): NodeError => {
  if (isDenial(error) && found === "nothing") return error
  const doubt = error._tag === "OutcomeUnknown"
    ? error
    : failure.toOutcomeUnknown(call, [], error, "the answer does not prove that the node refused it")
  return new OutcomeUnknown({
    ...doubt,
    reason: `${doubt.reason}; looking up ${hash} gave ${found}`,
    transactionHash: hash
  })
}

/** Submits the bytes; unless the answer proves what became of them, looks up their hash, pending or mined. */
const submit = (
  transport: Transport,
  call: CallDescriptor,
  caller: Caller,
  namespace: string,
  raw: string
): Effect.Effect<unknown, NodeError> => {
  const hash = hashOf(raw)
  const handler = identityHandler(caller)
  const method = `${namespace}_getTransactionByHash`
  /** Once, with the retries of any read. */
  const find = Effect.suspend(() =>
    transport.request({ operation: `node.${method}`, method, safety: "safe" }, [hash], handler)
  ).pipe(
    Effect.map((found): Found => {
      if (found === null) return "nothing"
      return Predicate.isReadonlyRecord(found) && isHash(found["hash"], hash)
        ? "this transaction"
        : "another transaction"
    }),
    Effect.catchAll((error) =>
      Effect.succeed<Found>(failure.isContradiction(error) ? "another transaction" : "no answer")
    )
  )
  return transport.request(call, [raw], handler).pipe(
    Effect.filterOrFail(
      (answer) => isHash(answer, hash),
      () => failure.outcomeUnknown(call, "the node answered with something other than its hash")
    ),
    Effect.as(hash),
    Effect.catchAll((error) => {
      if (isProof(error)) return Effect.fail(error)
      if (names(error, hash)) return Effect.succeed(hash)
      return Effect.flatMap(
        find,
        (found) =>
          found === "this transaction" ? Effect.succeed(hash) : Effect.fail(toUnproven(call, error, hash, found))
      )
    })
  )
}

/** A transport that looks up a raw transaction before it reports a failure. Submission and look-up share one deadline. */
export const confirmRawTransaction = (transport: Transport): Transport => ({
  ...transport,
  request: (call, params, handler) => {
    const namespace = name.exec(call.method)?.[1]
    if (namespace === undefined || !isOneTransaction(params)) return transport.request(call, params, handler)
    const limitMillis = transport.deadlineMillis
    const deadline = Option.orElseSome(
      Context.get(handler.fiber.currentContext, Deadline.CurrentDeadline),
      () => ({ expiresAt: Deadline.now(handler.clock) + limitMillis, limitMillis })
    )
    const submitted = Effect.suspend(() => submit(transport, call, handler, namespace, params[0]))
    return Effect.matchEffect(Effect.provideService(submitted, Deadline.CurrentDeadline, deadline), {
      onFailure: (error) => handler.onError(error),
      onSuccess: (answer) => handler.onResult(answer)
    })
  }
})
