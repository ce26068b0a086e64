/**
 * The result of the `callTracer` for a transaction: its calls, nested, in the form of go-ethereum, which Kaia has too
 * (`CallFrame` of kaiachain/kaia `blockchain/vm/call_tracer.go`).
 */
import * as Address from "@effect-klaytn/core/Address"
import { nullable } from "@effect-klaytn/core/Decoder"
import * as Hash from "@effect-klaytn/core/Hash"
import type { InternalTransfer } from "@effect-klaytn/transaction/ExecutedTransaction"
import * as Schema from "effect/Schema"
import { Amount, reader } from "./forms.js"

const call = {
  type: nullable(Schema.String),
  from: nullable(Address.FromWire),
  to: nullable(Address.FromWire),
  value: nullable(Amount),
  /** Present if the call failed: nothing that it and the calls in it moved stays moved. */
  error: nullable(Schema.String)
}

interface Frame extends Schema.Struct.Type<typeof call> {
  readonly calls?: ReadonlyArray<Frame> | null
}

interface FrameForm extends Schema.Struct.Encoded<typeof call> {
  readonly calls?: ReadonlyArray<FrameForm> | null
}

const Frame = Schema.Struct({
  ...call,
  // Not `nullable`, which looks at what was decoded once more: calls are in calls, down to the depth of the machine.
  calls: Schema.optionalWith(
    Schema.NullOr(Schema.Array(Schema.suspend((): Schema.Schema<Frame, FrameForm> => Frame))),
    { exact: true }
  )
})

/** The trace of one transaction. A node has none of one that runs no code. */
export const readTrace = reader(Schema.NullOr(Frame))

/** The trace of a transaction in a block: newer nodes give its hash, and an error if it could not be traced. */
const BlockTrace = Schema.Struct({
  txHash: nullable(Hash.FromWire),
  // What the transaction was called with is only compared.
  result: nullable(Schema.Struct({ ...Frame.fields, input: nullable(Schema.String) })),
  error: nullable(Schema.String)
})

export type BlockTrace = typeof BlockTrace.Type

/** The traces of a block. */
export const readTraces = reader(Schema.Array(BlockTrace))

/** The calls that move coin. With CALLCODE and DELEGATECALL it stays where it is. */
const moving: ReadonlySet<string> = new Set(["CALL", "CREATE", "CREATE2", "SELFDESTRUCT"])

/** The contract that a call runs as. */
const contractOf = ({ from, to, type }: Frame) => type === "DELEGATECALL" || type === "CALLCODE" ? from : to

/** The transfer of a call in another one. */
const transferOf = ({ from: caller, to, type, value }: Frame, outer: Frame): ReadonlyArray<InternalTransfer> => {
  // For a contract that leaves its coin to itself, anvil names the caller in place of the contract.
  const from = type === "SELFDESTRUCT" ? contractOf(outer) : caller
  const isIdle = type === "SELFDESTRUCT" && from === to
  return from && to && value && moving.has(type ?? "") && !isIdle ? [{ from, to, value }] : []
}

/**
 * The coin that contracts moved, in the order of execution; the value of the transaction itself is not part of it.
 *
 * As the chain's ingester does (`transformToInternalTx` of kaiachain/kaia
 * `datasync/chaindatafetcher/kas/repository_traces.go`), it leaves out calls without value, and calls that failed with all
 * that is in them. Unlike it, it has what a contract leaves when it destroys itself.
 */
export const transfersIn = (frame: Frame | undefined): ReadonlyArray<InternalTransfer> =>
  (frame?.calls ?? []).flatMap((inner) => inner.error ? [] : [...transferOf(inner, frame ?? {}), ...transfersIn(inner)])
