import type { Trace, TracedAccount, TracedCall, TracedLog, TracedStep } from "@effect-klaytn/local-chain/Trace"
import { fromBytes, type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import { revertReason } from "../rpc/execution.js"

/** What a trace shows. Every field has the default of a node: no memory, and everything else. */
export interface TraceForm {
  readonly tracer: "calls" | "accounts" | "steps"
  readonly onlyTopCall: boolean
  readonly withLog: boolean
  readonly diffMode: boolean
  readonly disableCode: boolean
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableMemory: boolean
  readonly limit: number
}

/** The gas of a whole transaction, which is more than that of its outermost message. */
export interface Charged {
  readonly gas: bigint
  readonly gasUsed: bigint
}

const faults: ReadonlyMap<string, string> = new Map([
  ["revert", "execution reverted"],
  ["static state change", "write protection"],
  ["invalid JUMP", "invalid jump destination"],
  ["stack underflow", "stack underflow"],
  ["invalid opcode", "invalid opcode"],
  ["create collision", "contract address collision"],
  ["code store out of gas", "contract creation code storage out of gas"],
  ["code size to deposit exceeds maximum code size", "max code size exceeded"],
  ["insufficient balance", "insufficient balance for transfer"],
  ["computation limit", "reached the opcode computation cost limit"]
])

/** A node's words for a fault. */
const faultOf = (fault: string): string => faults.get(fault) ?? fault

const logOf = ({ address, data, index, position, topics }: TracedLog) => ({
  address,
  topics,
  data: fromBytes(data),
  index: quantity(index),
  position: quantity(position)
})

/** A message with those below it. */
const callForm = (call: TracedCall, form: TraceForm, charged?: Charged): object => {
  const { fault, output, value } = call
  const reason = fault === "revert" ? revertReason(output) : undefined
  return {
    type: call.type,
    from: call.from,
    ...(call.to !== undefined && { to: call.to }),
    ...(value !== undefined && { value: quantity(value) }),
    gas: quantity(charged?.gas ?? call.gas),
    gasUsed: quantity(charged?.gasUsed ?? call.gasUsed),
    input: call.input,
    ...(output !== "0x" && (fault === undefined || fault === "revert") && { output }),
    ...(fault !== undefined && { error: faultOf(fault) }),
    ...(reason !== undefined && { revertReason: reason }),
    ...(!form.onlyTopCall && call.calls.length > 0 && { calls: call.calls.map((inner) => callForm(inner, form)) }),
    ...(form.withLog && call.logs.length > 0 && { logs: call.logs.map(logOf) })
  }
}

const zero: Hex = `0x${"0".repeat(64)}`

const hasEntries = (storage: ReadonlyMap<Hex, Hex>): boolean => storage.size > 0

/** An account, without what it does not have. */
const accountForm = (account: TracedAccount, { disableCode, disableStorage }: TraceForm) => {
  const { balance = 0n, code = "0x", nonce = 0n, storage = new Map<Hex, Hex>() } = account ?? {}
  return {
    balance: quantity(balance),
    ...(nonce !== 0n && { nonce: Number(nonce) }),
    ...(code !== "0x" && !disableCode && { code }),
    ...(hasEntries(storage) && !disableStorage && { storage: Object.fromEntries(storage) })
  }
}

/** The accounts before the execution; those that it created were not there. */
const before = (trace: Trace, form: TraceForm) => {
  const found = [...trace.before].filter(([address, account]) =>
    account !== undefined || trace.after.get(address) === undefined
  )
  return Object.fromEntries(found.map(([address, account]) => [address, accountForm(account, form)]))
}

const changedSlots = (from: ReadonlyMap<Hex, Hex>, to: ReadonlyMap<Hex, Hex>) =>
  new Map([...from].filter(([slot, value]) => value !== zero && to.get(slot) !== value))

/** The fields of the accounts that the execution changed, before and after it. */
const difference = (trace: Trace, form: TraceForm) => {
  const [pre, post]: [Record<string, object>, Record<string, object>] = [{}, {}]
  for (const [address, old] of trace.before) {
    const now = trace.after.get(address)
    const empty = new Map<Hex, Hex>()
    const [oldSlots, newSlots] = [old?.storage ?? empty, now?.storage ?? empty]
    const written = changedSlots(newSlots, oldSlots)
    const [oldForm, newForm] = [
      accountForm(old && { ...old, storage: changedSlots(oldSlots, newSlots) }, form),
      accountForm(now && { ...now, storage: written }, form)
    ]
    const fields = new Map<string, unknown>(Object.entries(oldForm))
    const changed = Object.fromEntries(
      Object.entries(newForm).filter(([field, value]) =>
        field === "storage" || JSON.stringify(value) !== JSON.stringify(fields.get(field))
      )
    )
    const isGone = old !== undefined && now === undefined
    if (!isGone && Object.keys(changed).length === 0 && oldForm.storage === undefined) continue
    if (old !== undefined) pre[address] = oldForm
    if (!isGone) post[address] = changed
  }
  return { pre, post }
}

/** Words of 32 bytes. */
const wordsOf = (memory: Hex): ReadonlyArray<string> =>
  (memory.slice(2).match(/.{1,64}/g) ?? []).map((digits) => `0x${digits}`)

const stepForms = (steps: ReadonlyArray<TracedStep>, form: TraceForm): ReadonlyArray<object> => {
  const storages = new Map<Hex, Map<string, string>>()
  return steps.map(({ address, depth, gas, gasCost, memory, op, pc, refund, slot, stack }) => {
    const storage = storages.get(address) ?? new Map<string, string>()
    storages.set(address, storage)
    if (slot !== undefined) storage.set(slot[0], slot[1])
    return {
      pc,
      op,
      gas: Number(gas),
      gasCost: Number(gasCost),
      depth,
      ...(refund !== 0n && { refund: Number(refund) }),
      ...(!form.disableStack && { stack: stack.map(quantity) }),
      ...(memory !== undefined && { memory: wordsOf(memory) }),
      ...(slot !== undefined && !form.disableStorage && { storage: Object.fromEntries(storage) })
    }
  })
}

/** A trace in the form that is asked for. */
export const traceForm = (trace: Trace, form: TraceForm, charged: Charged): unknown => {
  switch (form.tracer) {
    case "calls":
      return trace.call === undefined ? null : callForm(trace.call, form, charged)
    case "accounts":
      return form.diffMode ? difference(trace, form) : before(trace, form)
    case "steps": {
      const { fault = undefined, output = "0x" } = trace.call ?? {}
      const steps = form.limit === 0 ? trace.steps : trace.steps.slice(0, form.limit)
      return {
        gas: Number(charged.gasUsed),
        failed: fault !== undefined,
        returnValue: fault === undefined || fault === "revert" ? output : "0x",
        structLogs: stepForms(steps, form)
      }
    }
  }
}
