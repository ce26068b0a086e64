/** Submitting signed bytes, and telling the truth about what became of them. */
import { OutcomeUnknown } from "@effect-klaytn/core/ServiceError"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as failure from "./failure.js"
import { asItIs, type Call, type Caller, type NodeError, type Transport } from "./transport.js"

const name = /^(klay|kaia|eth)_sendRawTransaction$/

/** The hash of a raw transaction: of all its bytes, but never of the `0x78` in front of an Ethereum type. */
const hashOf = (raw: string): string => {
  const digits = raw.slice(2)
  const body = /^780[1-7f]/i.test(digits) ? digits.slice(2) : digits
  return `0x${bytesToHex(keccak_256(hexToBytes(body)))}`
}

const isBytes = (value: unknown): value is string => typeof value === "string" && /^0x([0-9a-fA-F]{2})+$/.test(value)

/** Whether the node knows the hash, waiting or mined. A look-up that fails says nothing. */
const knows = (transport: Transport, caller: Caller, namespace: string, hash: string): Effect.Effect<boolean> => {
  const method = `${namespace}_getTransactionByHash`
  const lookUp = { operation: `node.${method}`, method, safety: "safe" } as const
  return transport.request(lookUp, [hash], asItIs(caller)).pipe(
    Effect.map((found) => found !== null),
    Effect.orElseSucceed(() => false)
  )
}

/** Whether a repetition of something that happened can fail in this way. */
const mayBeDone = (error: NodeError): boolean =>
  error._tag === "KnownTransaction" || error._tag === "NonceTooLow" || error._tag === "OutcomeUnknown"

const named = (error: NodeError, hash: string): NodeError =>
  error._tag === "OutcomeUnknown"
    ? new OutcomeUnknown({ ...error, reason: `${error.reason}; its hash is ${hash}` })
    : error

const submit = (
  transport: Transport,
  call: Call,
  caller: Caller,
  namespace: string,
  raw: string
): Effect.Effect<unknown, NodeError> =>
  Effect.suspend(() => {
    const hash = hashOf(raw)
    return transport.request(call, [raw], asItIs(caller)).pipe(
      Effect.filterOrFail(
        (answer) => typeof answer !== "string" || answer.toLowerCase() === hash,
        () => failure.outcomeUnknown(call, `the node answered with another hash; its hash is ${hash}`)
      ),
      Effect.catchIf(
        mayBeDone,
        (error) =>
          Effect.flatMap(
            knows(transport, caller, namespace, hash),
            (done) =>
              done || (error._tag === "KnownTransaction" && error.serviceMessage.toLowerCase().includes(hash.slice(2)))
                ? Effect.succeed<unknown>(hash)
                : Effect.fail(named(error, hash))
          )
      )
    )
  })

/** A transport that looks up what became of a raw transaction before it says that it failed. */
export const truthful = (transport: Transport): Transport => ({
  ...transport,
  request: (call, params, reader) => {
    const namespace = call.safety === "keyed" ? name.exec(call.method)?.[1] : undefined
    const [raw] = params
    return namespace !== undefined && params.length === 1 && isBytes(raw)
      ? Effect.matchEffect(submit(transport, call, reader, namespace, raw), {
        onFailure: (error) => reader.failed(error),
        onSuccess: (answer) => reader.done(answer)
      })
      : transport.request(call, params, reader)
  }
})
