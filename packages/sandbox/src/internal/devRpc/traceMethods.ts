import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import { gasOf } from "@effect-klaytn/local-chain/Execution"
import type { Trace, TraceOptions } from "@effect-klaytn/local-chain/Trace"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { blockNumber, blockNumberOrHash, find, type Selector } from "../rpc/BlockSelector.js"
import { blockOverrides, type CallArguments, decodeFields, ethCall, stateOverrides } from "../rpc/CallArguments.js"
import { prepared } from "../rpc/execution.js"
import { type Failure, failure, method, type Methods, type Run } from "../rpc/Method.js"
import { bool, hash, isRecord, make, optional, text, wrongType } from "../rpc/ParamDecoder.js"
import { transactionOf } from "../rpc/transactionForm.js"
import { count } from "./devRpcParams.js"
import { type Charged, type TraceForm, traceForm } from "./traceForms.js"

const configFields = {
  onlyTopCall: bool,
  withLog: bool,
  diffMode: bool,
  disableCode: bool,
  disableStorage: bool
}

const config = make((value) =>
  isRecord(value) ? decodeFields(value, configFields, "tracerConfig") : wrongType(value, "json.RawMessage")
)

const optionFields = {
  tracer: text,
  tracerConfig: config,
  timeout: text,
  limit: count,
  disableStack: bool,
  disableStorage: bool,
  enableMemory: bool,
  stateOverrides,
  blockOverrides
}

const traceConfig = make((value) =>
  isRecord(value) ? decodeFields(value, optionFields, "TraceConfig") : wrongType(value, "tracers.TraceConfig")
)

type TraceConfig = Either.Either.Right<ReturnType<typeof traceConfig.decode>>

const tracers: ReadonlyMap<string | undefined, TraceForm["tracer"]> = new Map([
  [undefined, "steps"],
  ["", "steps"],
  ["callTracer", "calls"],
  ["prestateTracer", "accounts"]
])

const units: ReadonlyMap<string, number> = new Map([["ms", 1], ["s", 1_000], ["m", 60_000]])

/** The longest time that a caller may ask for, in milliseconds. */
const longest = 10_000

/** A time in the form of a node, such as `5s`; 5 seconds without one. */
const timeOf = (timeout: string | undefined): number | undefined => {
  if (timeout === undefined) return 5_000
  const [, digits, unit] = /^(\d{1,6})(ms|s|m)$/.exec(timeout) ?? []
  const factor = unit === undefined ? undefined : units.get(unit)
  return factor === undefined ? undefined : Math.min(longest, Number(digits) * factor)
}

/** How to trace, and what to show of it. */
const planOf = (asked: TraceConfig = {}) => {
  const { tracerConfig = {} } = asked
  const tracer = tracers.get(asked.tracer)
  const time = timeOf(asked.timeout)
  if (tracer === undefined) {
    return failure(`ReferenceError: identifier '${asked.tracer}' undefined`)
  }
  if (time === undefined) return failure(`time: invalid duration ${JSON.stringify(asked.timeout)}`)
  const form: TraceForm = {
    tracer,
    onlyTopCall: tracerConfig.onlyTopCall ?? false,
    withLog: tracerConfig.withLog ?? false,
    diffMode: tracerConfig.diffMode ?? false,
    disableCode: tracerConfig.disableCode ?? false,
    disableStorage: asked.disableStorage ?? tracerConfig.disableStorage ?? false,
    disableStack: asked.disableStack ?? false,
    enableMemory: asked.enableMemory ?? false,
    limit: asked.limit ?? 0
  }
  const options: TraceOptions = { steps: tracer === "steps", memory: form.enableMemory, longest: time }
  return Effect.succeed({ form, options })
}

/**
 * The trace of a transaction as a node has it: one that runs no code is a call of its sender to itself, and a memo is the input of its
 * transfer.
 */
const shownTrace = (trace: Trace, record: TransactionRecord): Trace => {
  const { call } = trace
  const transaction = transactionOf(record)
  if (call !== undefined) {
    return "input" in transaction && call.calls.length === 0 && call.to === record.to && call.input === "0x"
      ? { ...trace, call: { ...call, input: transaction.input } }
      : trace
  }
  const { from, gas, gasUsed } = record
  const nothing = { output: "0x", fault: undefined, calls: [], logs: [] } as const
  const input = "input" in transaction ? transaction.input : "0x"
  return { ...trace, call: { type: "CALL", from, to: from, value: 0n, gas, gasUsed, input, ...nothing } }
}

type Plan = Effect.Effect.Success<ReturnType<typeof planOf>>

const show = (trace: Trace, { form }: Plan, charged: Charged) =>
  trace.gaveUp === undefined
    ? Effect.succeed(traceForm(trace, form, charged))
    : failure(trace.gaveUp === "time" ? "execution timeout" : "the trace is too large")

/** The traces of a block, up to a transaction. */
const tracesOf = (chain: Chain, height: number, { options }: Plan, last?: number) =>
  Effect.gen(function*() {
    const records = yield* chain.transactionsOf(height)
    const limits = last === undefined ? options : { ...options, last }
    const traces = yield* chain.traceBlock(height, records, limits)
    return records.flatMap((record, index) => {
      const trace = traces[index]
      return trace === undefined ? [] : [[record, trace] as const]
    })
  }).pipe(Effect.catchTag("NotTraceable", ({ message }) => failure(message)))

const traceTransaction = (chain: Chain, known: TransactionRecord, plan: Plan): Effect.Effect<unknown, Failure> =>
  Effect.flatMap(tracesOf(chain, known.blockNumber, plan, known.transactionIndex), (traces) => {
    const [record, trace] = traces.at(-1) ?? []
    return record === undefined || trace === undefined
      ? failure(`transaction ${known.hash.slice(2)} not found`)
      : show(shownTrace(trace, record), plan, record)
  })

const traceBlock = (chain: Chain, { number }: BlockRecord, plan: Plan): Effect.Effect<unknown, Failure> => {
  if (number === 0) return failure("genesis is not traceable")
  return Effect.flatMap(
    tracesOf(chain, number, plan),
    Effect.forEach(([record, trace]) =>
      Effect.match(show(shownTrace(trace, record), plan, record), {
        onFailure: ({ message }) => ({ txHash: record.hash, error: message }),
        onSuccess: (result) => ({ txHash: record.hash, result })
      })
    )
  )
}

const traceCall = (chain: Chain, args: CallArguments, selector: Selector, asked: TraceConfig | undefined): Run =>
  Effect.gen(function*() {
    const plan = yield* planOf(asked)
    const overrides = { accounts: asked?.stateOverrides, block: asked?.blockOverrides }
    const { request, supplied } = yield* prepared(chain, args, selector, overrides)
    const { result, trace } = yield* chain.traceCall(request, plan.options)
    const { floor, intrinsic } = gasOf(request, chain.hardfork)
    const used = intrinsic + result.gasUsed
    return yield* show(trace, plan, { gas: supplied, gasUsed: used > floor ? used : floor })
  })

const options = optional(traceConfig)

/** What transactions and calls did, as a node's tracers tell. */
export const traceMethods: Methods = {
  debug_traceTransaction: method([hash, options], (chain, wanted, asked) =>
    Effect.gen(function*() {
      const plan = yield* planOf(asked)
      const known = Option.getOrUndefined(yield* chain.transaction(wanted))
      return known === undefined
        ? yield* failure(`transaction ${wanted.slice(2)} not found`)
        : yield* traceTransaction(chain, known, plan)
    })),
  debug_traceCall: method([ethCall, blockNumberOrHash, options], traceCall),
  debug_traceBlockByNumber: method([blockNumber, options], (chain, number, asked) =>
    Effect.gen(function*() {
      const plan = yield* planOf(asked)
      return yield* traceBlock(chain, yield* find(chain, number, "block"), plan)
    })),
  debug_traceBlockByHash: method([hash, options], (chain, wanted, asked) =>
    Effect.gen(function*() {
      const plan = yield* planOf(asked)
      return yield* traceBlock(chain, yield* find(chain, { hash: wanted }, "block"), plan)
    }))
}
