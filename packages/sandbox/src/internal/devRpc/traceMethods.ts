import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import type { TransactionRecord } from "@effect-klaytn/indexer/TransactionRecord"
import type { Trace, TraceOptions } from "@effect-klaytn/local-chain/Trace"
import { zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { NodeSettings } from "../NodeSettings.js"
import { blockNumber, blockNumberOrHash, find, type Selector } from "../rpc/BlockSelector.js"
import { blockOverrides, type CallArguments, decodeFields, klayCall, stateOverrides } from "../rpc/CallArguments.js"
import { prepared } from "../rpc/execution.js"
import { type Failure, failure, method, type Methods, type RpcFailure, type Run } from "../rpc/Method.js"
import { bool, hash, int, isRecord, make, optional, text, uint, wrongType } from "../rpc/ParamDecoder.js"
import { transactionOf } from "../rpc/transactionForm.js"
import { type Charged, type TraceForm, traceForm, tracers } from "./traceForms.js"

/** A node has no options for its tracers: it takes any. */
const config = make((value) => isRecord(value) ? Either.right(value) : wrongType(value, "json.RawMessage"))

const optionFields = {
  tracer: text,
  tracerConfig: config,
  timeout: text,
  limit: int,
  reexec: uint,
  disableMemory: bool,
  disableStack: bool,
  disableStorage: bool,
  stateOverrides,
  blockOverrides
}

/** A node's name of an option: some are in a part of their own. */
const fieldOf = (name: string): string =>
  `TraceConfig.${name.startsWith("disable") || name === "limit" ? "LogConfig." : ""}${name.slice(0, 1).toUpperCase()}${
    name.slice(1)
  }`

const traceConfig = make((value) =>
  isRecord(value) ? decodeFields(value, optionFields, fieldOf) : wrongType(value, "tracers.TraceConfig")
)

type TraceConfig = Either.Either.Right<ReturnType<typeof traceConfig.decode>>

const isTracer = (name: string): name is keyof typeof tracers => Object.hasOwn(tracers, name)

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

/** The tracers that look at instructions. */
const stepwise: ReadonlySet<TraceForm["tracer"]> = new Set([
  "steps",
  "selectors",
  "count",
  "unigrams",
  "bigrams",
  "trigrams"
])

/** How to trace, and what to show of it. */
const planOf = (asked: TraceConfig = {}) => {
  const { tracer: name } = asked
  const tracer = name === undefined ? "steps" : isTracer(name) ? tracers[name] : "unknown"
  // Without a tracer, no time is read.
  const time = timeOf(name === undefined ? undefined : asked.timeout)
  if (time === undefined) return failure(`time: invalid duration ${JSON.stringify(asked.timeout)}`)
  if (name === "") return failure("SyntaxError: empty expression not allowed (line 1)")
  const { disableMemory = false, disableStack = false, disableStorage = false, limit = 0 } = asked
  const form: TraceForm = { tracer, disableStorage, disableStack }
  const isLimited = tracer === "steps" && limit !== 0
  const options: TraceOptions = {
    steps: isLimited ? Math.max(0, limit) : stepwise.has(tracer) ? Number.POSITIVE_INFINITY : 0,
    memory: tracer === "selectors" ? "calls" : tracer === "steps" && !disableMemory,
    storage: tracer === "steps" && !disableStorage,
    longest: time
  }
  return Effect.succeed({ form, options, name })
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
  const nothing = { output: "0x", fault: undefined, calls: [] } as const
  const input = "input" in transaction ? transaction.input : "0x"
  return { ...trace, call: { type: "CALL", from, to: from, value: 0n, gas, gasUsed, input, ...nothing } }
}

/** What a node says where a tracer has no result: the texts of its two encoders. */
const nothingToShow =
  "json: error calling MarshalJSON for type json.RawMessage: invalid character 'u' looking for beginning of value"

type Plan = Effect.Effect.Success<ReturnType<typeof planOf>>

const unknownTracer = ({ name }: Plan): RpcFailure => failure(`ReferenceError: identifier '${name}' undefined`)

const show = (trace: Trace, { form }: Plan, charged: Charged): Effect.Effect<unknown, RpcFailure> => {
  if (trace.gaveUp !== undefined) {
    return failure(
      trace.gaveUp === "time"
        ? "execution timeout"
        : "the trace is too large; a limit, disableMemory and disableStorage make it smaller"
    )
  }
  const shown = traceForm(trace, form, charged)
  return shown === undefined ? failure(nothingToShow) : Effect.succeed(shown)
}

/** The traces of a block, or of one of its transactions. */
const tracesOf = (chain: Chain, height: number, { options }: Plan, only?: number) =>
  Effect.gen(function*() {
    const records = yield* chain.transactionsOf(height)
    const limits = only === undefined ? options : { ...options, first: only, last: only }
    const traces = yield* chain.traceBlock(height, records, limits)
    return Array.zip(records.slice(only ?? 0), traces)
  }).pipe(Effect.catchTag("NotTraceable", ({ message }) => failure(message)))

const traceTransaction = (chain: Chain, known: TransactionRecord, plan: Plan): Effect.Effect<unknown, Failure> =>
  Effect.flatMap(tracesOf(chain, known.blockNumber, plan, known.transactionIndex), (traces) => {
    const [[record, trace] = []] = traces
    return record === undefined || trace === undefined
      ? failure(`transaction ${known.hash.slice(2)} not found`)
      : show(shownTrace(trace, record), plan, record)
  })

const traceBlock = (chain: Chain, { number }: BlockRecord, plan: Plan): Effect.Effect<unknown, Failure> => {
  if (number === 0) return failure("genesis is not traceable")
  return Effect.flatMap(
    tracesOf(chain, number, plan),
    Effect.forEach(([record, trace]) =>
      plan.form.tracer === "unknown"
        ? Effect.succeed({ txHash: record.hash, error: "Only predefined tracers are supported" })
        : show(shownTrace(trace, record), plan, record).pipe(
          Effect.map((result) => ({ txHash: record.hash, result })),
          // A result that can't be written spoils the whole list, at a node.
          Effect.catchAll((failed) =>
            failed.message === nothingToShow
              ? Effect.fail(failed)
              : Effect.succeed({ txHash: record.hash, error: failed.message })
          )
        )
    )
  )
}

const traceCall = (chain: Chain, args: CallArguments, selector: Selector, asked: TraceConfig | undefined): Run =>
  Effect.gen(function*() {
    const plan = yield* planOf(asked)
    const overrides = { accounts: asked?.stateOverrides, block: asked?.blockOverrides }
    if (plan.form.tracer === "unknown") return yield* unknownTracer(plan)
    yield* find(chain, selector, "block")
    // For a trace, a full node makes the state again that it has no more.
    const settings = yield* NodeSettings
    const { request, supplied } = yield* Effect.provideService(
      prepared(chain, args, selector, overrides, "trace"),
      NodeSettings,
      { ...settings, oldState: "kept" }
    )
    const { gasUsed, result, trace } = yield* chain.traceCall(request, plan.options)
    if (result.fault === "insufficient balance") {
      return yield* failure("tracing failed: insufficient balance for transfer")
    }
    const { data = "0x", from = zeroAddress, input = data, to, value = 0n } = args
    const refused = {
      type: "CALL",
      from,
      to,
      value,
      gas: supplied,
      gasUsed: 0n,
      input,
      output: "0x",
      calls: []
    } as const
    // A call that the machine never began was to an address that takes none.
    const begun = trace.call === undefined ? { ...trace, call: { ...refused, fault: result.fault } } : trace
    return yield* show(begun, plan, { gas: supplied, gasUsed })
  })

const options = optional(traceConfig)

/** What transactions and calls did, as a node's tracers tell. */
export const traceMethods: Methods = {
  debug_traceTransaction: method([hash, options], (chain, wanted, asked) =>
    Effect.gen(function*() {
      const plan = yield* planOf(asked)
      if (plan.form.tracer === "unknown") return yield* unknownTracer(plan)
      const known = Option.getOrUndefined(yield* chain.transaction(wanted))
      return known === undefined
        ? yield* failure(`transaction ${wanted.slice(2)} not found`)
        : yield* traceTransaction(chain, known, plan)
    })),
  debug_traceCall: method([klayCall, blockNumberOrHash, options], traceCall),
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
