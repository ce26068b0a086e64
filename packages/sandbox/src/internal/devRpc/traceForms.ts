import type { Trace, TracedCall, TracedStep } from "@effect-klaytn/local-chain/Trace"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import * as ContractAddress from "ox/ContractAddress"
import { revertReason } from "../rpc/execution.js"

/** The names of a node's tracers, and what each shows: without a name, the instructions. */
export const tracers = {
  callTracer: "calls",
  fastCallTracer: "calls",
  prestateTracer: "accounts",
  "4byteTracer": "selectors",
  opcountTracer: "count",
  unigramTracer: "unigrams",
  bigramTracer: "bigrams",
  trigramTracer: "trigrams",
  revertTracer: "reason",
  noopTracer: "nothing"
} as const

/** What a trace shows. Every field has the default of a node: everything. */
export interface TraceForm {
  readonly tracer: typeof tracers[keyof typeof tracers] | "steps" | "unknown"
  readonly disableStack: boolean
  readonly disableStorage: boolean
}

/** The gas of a whole transaction, which is more than that of its outermost message. */
export interface Charged {
  readonly gas: bigint
  readonly gasUsed: bigint
}

const faults: ReadonlyMap<string, string> = new Map([
  ["revert", "execution reverted"],
  ["static state change", "evm: write protection"],
  ["invalid JUMP", "evm: invalid jump destination"],
  ["invalid bytecode deployed", "invalid code: must not begin with 0xef"],
  ["memory overflow", "gas uint64 overflow"],
  ["return data out of bounds", "evm: return data out of bounds"],
  ["create collision", "contract address collision"],
  ["input is empty", "invalid input length"],
  ["unpaid code", "contract creation code storage out of gas"],
  ["code size to deposit exceeds maximum code size", "evm: max code size exceeded"],
  ["reserved address", "the address is reserved for pre-compiled contracts"],
  ["insufficient balance", "insufficient balance for transfer"],
  ["computation limit", "reached the opcode computation cost limit"]
])

const pairing = 0x08n
const blake2 = 0x09n
const blake2Bytes = 213

/** The order of the field of the curve that 0x06, 0x07 and 0x08 compute on. */
const field = 21888242871839275222246405745257275088696311157297823662689037894645226208583n

/** Whether a message is one to a precompile of that curve. */
const isCurve = ({ to = "0xffff" }: TracedCall): boolean => BigInt(to) >= 0x06n && BigInt(to) <= pairing

/** Why a precompile of the curve gave up: a node looks at the gas first, then at the size, then at each coordinate. */
const curveFault = ({ gas, input, to = "0xffff" }: TracedCall): string => {
  const address = BigInt(to)
  const bytes = input.slice(2)
  const pairs = Math.floor(bytes.length / 384)
  if (address === pairing && gas < 45_000n + 34_000n * BigInt(pairs)) return "out of gas"
  if (address === pairing && bytes.length % 384 !== 0) return "bad elliptic curve pairing size"
  const coordinates = address === 0x06n ? 4 : address === 0x07n ? 2 : 6 * pairs
  const words = Array.from(
    { length: coordinates },
    (_, at) => BigInt(`0x${bytes.slice(64 * at, 64 * at + 64).padEnd(64, "0")}`)
  )
  return words.some((word) => word >= field) ? "invalid fp.Element encoding" : "point is not on curve"
}

/** The machine's words for input of a wrong length. */
const badInput: ReadonlySet<string> = new Set(["invalid input length", "input is empty"])

/** What the precompiles of BLS12-381 with one price cost, and the pairing for each pair of points. */
const blsGas = (address: bigint, bytes: number): bigint =>
  address === 0x0fn ? 37_700n + 32_600n * BigInt(Math.floor(bytes / 384)) : blsPrices.get(address) ?? 0n

const blsPrices: ReadonlyMap<bigint, bigint> = new Map([[0x0bn, 375n], [0x0dn, 600n], [0x10n, 5_500n], [
  0x11n,
  23_800n
]])

/** A node's words for a fault. Of precompiles, the machine has the same words for several. */
const faultOf = (fault: string, call: TracedCall): string => {
  const { gas, input, to = "0xffff" } = call
  // A node looks at the gas before it looks at the input.
  if (badInput.has(fault) && gas < blsGas(BigInt(to), input.length / 2 - 1)) return "out of gas"
  if (isCurve(call) && fault !== "out of gas") return curveFault(call)
  if (fault === "value out of range" && BigInt(to) === blake2) {
    return input.length === 2 + 2 * blake2Bytes ? "invalid final flag" : "invalid input length"
  }
  return faults.get(fault) ?? fault
}

/** A message with those below it. */
const callForm = (call: TracedCall, charged?: Charged): object => {
  const { fault, output, value } = call
  // A text without letters is left out.
  const reason = fault === "revert" && !isCurve(call) ? revertReason(output) || undefined : undefined
  return {
    type: call.type,
    from: call.from,
    ...(call.to !== undefined && { to: call.to }),
    ...(value !== undefined && { value: quantity(value) }),
    gas: quantity(charged?.gas ?? call.gas),
    gasUsed: quantity(charged?.gasUsed ?? call.gasUsed),
    input: call.input,
    ...(output !== "0x" && (fault === undefined || fault === "revert") && { output }),
    ...(fault !== undefined && { error: faultOf(fault, call) }),
    ...(reason !== undefined && { revertReason: reason }),
    ...(fault === "revert" && !isCurve(call) && {
      reverted: {
        ...(call.to !== undefined && { contract: call.to }),
        ...(reason !== undefined && { message: reason })
      }
    }),
    ...(call.calls.length > 0 && { calls: call.calls.map((inner) => callForm(inner)) })
  }
}

/** The accounts before the execution, but for the contract that the transaction itself creates. */
const before = ({ before: accounts, call }: Trace) => {
  const created = call?.type === "CREATE"
    ? ContractAddress.fromCreate({ from: call.from, nonce: accounts.get(call.from)?.nonce ?? 0n })
    : undefined
  return Object.fromEntries(
    [...accounts].filter(([address]) => address !== created).map(([address, { balance, code, nonce, storage }]) => [
      address,
      { balance: quantity(balance), nonce: Number(nonce), code, storage: Object.fromEntries(storage) }
    ])
  )
}

const word = (value: bigint): string => value.toString(16).padStart(64, "0")

/** Words of 32 bytes. */
const wordsOf = (memory: Hex): ReadonlyArray<string> => memory.slice(2).match(/.{64}/g) ?? []

const stepForms = (steps: ReadonlyArray<TracedStep>, form: TraceForm): ReadonlyArray<object> => {
  const storages = new Map<Hex, Readonly<Record<string, string>>>()
  return steps.map(
    ({ address, computation, computationCost, depth, gas, gasCost, isPaid, memory, op, pc, stack, written }) => {
      if (written !== undefined) {
        storages.set(address, { ...storages.get(address), [written[0].slice(2)]: written[1].slice(2) })
      }
      return {
        pc,
        op,
        gas: Number(gas),
        gasCost: Number(gasCost),
        depth,
        ...(!isPaid && { error: {} }),
        ...(!form.disableStack && { stack: stack.map(word) }),
        ...(memory !== undefined && { memory: wordsOf(memory) }),
        ...(!form.disableStorage && { storage: storages.get(address) ?? {} }),
        computation: Number(computation),
        computationCost: Number(computationCost)
      }
    }
  )
}

/** How often each name is there. */
const counted = (names: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries(counts)
}

/** Each instruction with the one before it in the same depth. */
const bigrams = (steps: ReadonlyArray<TracedStep>): ReadonlyArray<string> =>
  steps.flatMap(({ depth, op }, at) => depth === steps[at - 1]?.depth ? [`${steps[at - 1]?.op}-${op}`] : [])

/** Each instruction with the two before it; the first of a depth is passed over. */
const trigrams = (steps: ReadonlyArray<TracedStep>): ReadonlyArray<string> => {
  let last: readonly [string, string] = ["", ""]
  return steps.flatMap(({ depth, op }, at) => {
    if (depth !== (steps[at - 1]?.depth ?? 0)) {
      last = ["", ""]
      return []
    }
    const name = `${last[0]}-${last[1]}-${op}`
    last = [last[1], op]
    return [name]
  })
}

/** Where on the stack a call has the place of its data in the memory; the size is below. */
const dataOfCall: ReadonlyMap<string, number> = new Map([
  ["CALL", 4],
  ["CALLCODE", 4],
  ["DELEGATECALL", 3],
  ["STATICCALL", 3]
])

/** Of the precompiles, a node leaves out the oldest ones here, at their places of then. */
const isPrecompile = (address: bigint): boolean => address > 0n && address <= 0x0bn

/** The first four bytes of what each contract is sent, if the memory has them, and the size of the rest. */
const selectors = ({ call, steps }: Trace): ReadonlyArray<string> => [
  ...steps.flatMap(({ memory = "0x", op, stack }) => {
    const at = dataOfCall.get(op)
    const [offset, size] = at === undefined ? [] : [stack.at(-at), stack.at(-at - 1)]
    if (offset === undefined || size === undefined || size < 4n || isPrecompile(stack.at(-2) ?? 0n)) return []
    const digits = memory.slice(2 + 2 * Number(offset), 10 + 2 * Number(offset))
    return [`0x${digits.length === 8 ? digits : ""}-${size - 4n}`]
  }),
  ...(call === undefined || call.input.length < 10 ? [] : [`${call.input.slice(0, 10)}-${call.input.length / 2 - 5}`])
]

/** The message of a revert with `Error(string)`, a character for each byte; empty of any other. */
const messageOf = (output: Hex): string => {
  const [, offset, length] = /^0x08c379a0([0-9a-f]{64})([0-9a-f]{64})/.exec(output) ?? []
  if (offset === undefined || length === undefined) return ""
  const start = 74 + 2 * Number(`0x${offset}`)
  const bytes = output.slice(start, start + 2 * Number(`0x${length}`))
  return bytes.replaceAll(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16)))
}

/** Shows a trace in the form that is asked for; undefined where a node has nothing to show. */
export const traceForm = (trace: Trace, form: TraceForm, charged: Charged): unknown => {
  const { call, steps } = trace
  switch (form.tracer) {
    case "calls":
      return call === undefined ? null : callForm(call, charged)
    case "accounts":
      return before(trace)
    case "selectors":
      return counted(selectors(trace))
    case "count":
      return steps.length
    case "unigrams":
      return steps.length === 0 ? undefined : counted(steps.map(({ op }) => op))
    case "bigrams":
      return counted(bigrams(steps))
    case "trigrams":
      return counted(trigrams(steps))
    case "reason":
      return call?.fault === "revert" ? messageOf(call.output) : ""
    case "nothing":
    case "unknown":
      return undefined
    case "steps": {
      const { fault = undefined, output = "0x" } = call ?? {}
      return {
        gas: Number(charged.gasUsed),
        failed: fault !== undefined,
        returnValue: fault === undefined ? output.slice(2) : "",
        structLogs: stepForms(steps, form)
      }
    }
  }
}
