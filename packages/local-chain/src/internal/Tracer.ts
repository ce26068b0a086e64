import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { type EVM, EVMError, type EVMResult, type InterpreterStep, type Message } from "@ethereumjs/evm"
import { type Address, createContractAddress, createContractAddress2 } from "@ethereumjs/util"
import { hasCode } from "../AccountRecord.js"
import type { Trace, TracedAccount, TracedCall, TracedLog, TracedStep, TraceOptions } from "../Trace.js"
import { type ComputationMeter, isOver } from "./ComputationMeter.js"
import { wordOf } from "./hexForms.js"
import type { JournalState } from "./JournalState.js"

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

/** A message that runs. */
interface Frame extends Mutable<Omit<TracedCall, "calls" | "logs">> {
  readonly calls: Array<TracedCall>
  readonly logs: Array<TracedLog>
}

/** The logs of a failed message are void, and so are those of the messages below it. */
const dropLogs = (calls: ReadonlyArray<TracedCall>): ReadonlyArray<TracedCall> =>
  calls.map((call) => ({ ...call, logs: [], calls: dropLogs(call.calls) }))

/** What was touched of an account, with the values before. */
interface Seen {
  readonly account: TracedAccount
  readonly storage: Map<Hex, Hex>
}

const types: ReadonlyMap<number, TracedCall["type"]> = new Map([
  [0xf0, "CREATE"],
  [0xf1, "CALL"],
  [0xf2, "CALLCODE"],
  [0xf4, "DELEGATECALL"],
  [0xf5, "CREATE2"],
  [0xfa, "STATICCALL"]
])

/** Instructions that look at the account whose address is on top of the stack. */
const looks: ReadonlySet<number> = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff])

const addressOf = (word: bigint): Hex => `0x${BigInt.asUintN(160, word).toString(16).padStart(40, "0")}`

const hexWord = (value: bigint): Hex => `0x${wordOf(value)}`

/** A part of a memory that may be shorter, which reads as zeros. */
const partOf = (memory: Uint8Array, offset: bigint, length: bigint): Uint8Array => {
  const part = new Uint8Array(Number(length))
  if (offset < BigInt(memory.length)) part.set(memory.subarray(Number(offset), Number(offset + length)))
  return part
}

/** Instructions that call, and how many words each takes from the stack. */
const callWords: ReadonlyMap<number, number> = new Map([[0xf1, 7], [0xf2, 7], [0xf4, 6], [0xfa, 6]])

/** What an instruction costs, and whether the gas that is left pays for that. */
interface Cost {
  readonly gasCost: bigint
  readonly isPaid: boolean
}

/** With this little gas or less, a storage slot can't be written (EIP-2200). */
const mostUnwritable = 2_300n

/** The most bytes of memory that a log may have here; the gas of an execution pays for no more. */
const mostLogged = 4n * 1024n * 1024n

/** Records one execution. An execution that takes too long, or whose trace becomes too large, is ended. */
export class Tracer {
  readonly #frames: Array<Frame> = []
  /** How many logs there were when each running message began. */
  readonly #marks: Array<number> = []
  #emitted = 0
  readonly #steps: Array<TracedStep> = []
  readonly #seen = new Map<Hex, Seen>()
  readonly #longest: number
  readonly #largest: number
  readonly #since = performance.now()
  #call: TracedCall | undefined
  #meter: ComputationMeter | undefined
  #lastOpcode = 0
  #size = 0
  #gaveUp: Trace["gaveUp"]

  constructor(readonly state: JournalState, readonly options: TraceOptions) {
    this.#longest = options.longest ?? 5_000
    this.#largest = options.largest ?? 20_000_000
  }

  /** Records the messages of a machine, whose cost a meter may limit, from now on. The function that it returns ends that. */
  attach({ events }: EVM, meter?: ComputationMeter): () => void {
    this.#meter = meter
    const enter = (message: Message) => this.#enter(message)
    const leave = (result: EVMResult) => this.#leave(result)
    const step = (event: InterpreterStep) => {
      this.#step(event)
      // Ends the execution, whose outcome nobody looks at.
      if (this.#gaveUp !== undefined) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
    }
    const detach = () => {
      events.off("beforeMessage", enter)
      events.off("afterMessage", leave)
      events.off("step", step)
    }
    events.on("beforeMessage", enter)
    events.on("afterMessage", leave)
    events.on("step", step)
    return detach
  }

  /** Keeps what an account is before the execution changes it. */
  touch(address: Hex): Seen {
    const known = this.#seen.get(address)
    if (known !== undefined) return known
    const seen = { account: this.#accountOf(address, []), storage: new Map<Hex, Hex>() }
    this.#seen.set(address, seen)
    this.#count(200)
    return seen
  }

  /** Whether the execution was ended before its end. */
  get hasGivenUp(): boolean {
    return this.#gaveUp !== undefined
  }

  /** The trace, once the execution has ended. */
  trace(): Trace {
    const before = new Map<Hex, TracedAccount>()
    const after = new Map<Hex, TracedAccount>()
    for (const [address, { account, storage }] of this.#seen) {
      before.set(address, account && { ...account, storage })
      after.set(address, this.#accountOf(address, storage.keys()))
    }
    return { call: this.#call, steps: this.#steps, before, after, gaveUp: this.#gaveUp }
  }

  #accountOf(address: Hex, slots: Iterable<Hex>): TracedAccount {
    const found = this.state.value(address, "")
    if (found === undefined || found instanceof Uint8Array) return undefined
    return {
      balance: found.balance,
      nonce: found.nonce,
      code: hasCode(found) ? fromBytes(this.state.code(found.codeHash)) : "0x",
      storage: new Map(Array.from(slots, (slot) => [slot, this.#slotOf(address, slot)]))
    }
  }

  #slotOf(address: Hex, slot: Hex): Hex {
    const value = this.state.slot(address, slot.slice(2))
    return value === undefined ? hexWord(0n) : `0x${fromBytes(value).slice(2).padStart(64, "0")}`
  }

  #count(bytes: number): void {
    this.#size += bytes
    if (this.#size > this.#largest) this.#gaveUp = "size"
  }

  #enter({ _codeAddress, caller, data, delegatecall, gasLimit, salt, to, value }: Message): void {
    const isCreation = to === undefined
    const outermost = isCreation ? salt === undefined ? "CREATE" : "CREATE2" : "CALL"
    const type = this.#frames.length === 0 ? outermost : types.get(this.#lastOpcode) ?? outermost
    const own = to === undefined ? undefined : fromBytes(to.bytes)
    const code = _codeAddress === undefined ? own : fromBytes(_codeAddress.bytes)
    // Code of another contract runs in the place of the one that calls for it.
    const from = delegatecall || type === "CALLCODE" ? own ?? fromBytes(caller.bytes) : fromBytes(caller.bytes)
    this.touch(code ?? this.#createdBy(caller, data, salt))
    this.#count(300 + 2 * data.length)
    this.#marks.push(this.#emitted)
    this.#frames.push({
      type,
      from,
      to: code,
      value: type === "STATICCALL" ? undefined : value,
      gas: gasLimit,
      gasUsed: 0n,
      input: fromBytes(data),
      output: "0x",
      fault: undefined,
      calls: [],
      logs: []
    })
  }

  /** The address of the contract that a message creates; the nonce of its creator is raised already. */
  #createdBy(creator: Address, code: Uint8Array, salt: Uint8Array | undefined): Hex {
    const { nonce } = this.state.accountOrEmpty(creator.toString())
    const address = salt === undefined
      ? createContractAddress(creator, nonce - 1n)
      : createContractAddress2(creator, salt, code)
    return fromBytes(address.bytes)
  }

  #leave({ createdAddress, execResult: { exceptionError, executionGasUsed, returnValue } }: EVMResult): void {
    const frame = this.#frames.pop()
    const emittedBefore = this.#marks.pop() ?? 0
    if (frame === undefined) return
    frame.gasUsed = executionGasUsed
    frame.output = fromBytes(returnValue)
    const isLimited = this.#meter !== undefined && isOver(this.#meter)
    frame.fault = exceptionError !== undefined && isLimited ? "computation limit" : exceptionError?.error
    this.#count(2 * returnValue.length)
    if (createdAddress !== undefined) {
      if (frame.fault === undefined) frame.to = fromBytes(createdAddress.bytes)
    }
    if (frame.fault !== undefined) {
      frame.logs.length = 0
      frame.calls.splice(0, frame.calls.length, ...dropLogs(frame.calls))
      this.#emitted = emittedBefore
      // The contract did not destroy itself: the instruction failed.
      if (frame.calls.at(-1)?.type === "SELFDESTRUCT") frame.calls.pop()
    }
    const parent = this.#frames.at(-1)
    if (parent === undefined) this.#call = frame
    else parent.calls.push(frame)
  }

  #step(event: InterpreterStep): void {
    const { address, memory, opcode: { code, name }, stack } = event
    this.#lastOpcode = code
    if (performance.now() - this.#since > this.#longest) this.#gaveUp = "time"
    const owner = fromBytes(address.bytes)
    const [top, target] = [stack.at(-1), stack.at(-2)]
    const { gasCost, isPaid } = this.#costOf(event)
    if (isPaid && looks.has(code) && top !== undefined) this.touch(addressOf(top))
    if (isPaid && callWords.has(code) && target !== undefined) this.touch(addressOf(target))
    const isStorage = code === 0x54 || code === 0x55
    const slot = isStorage && isPaid && top !== undefined ? this.#slot(owner, hexWord(top)) : undefined
    const frame = this.#frames.at(-1)
    if (code === 0xff && frame !== undefined && top !== undefined) this.#destroy(frame, owner, addressOf(top))
    if (code >= 0xa0 && code <= 0xa4 && frame !== undefined) this.#log(frame, event)
    if (this.options.steps !== true) return
    const value = code === 0x55 && target !== undefined ? hexWord(target) : slot?.[1]
    this.#count(200 + 70 * stack.length + (this.options.memory === true ? 2 * memory.length : 0))
    if (this.#gaveUp !== undefined) return
    this.#steps.push({
      pc: event.pc,
      op: name === "INVALID" ? this.#nameOf(event) : name,
      gas: event.gasLeft,
      gasCost,
      depth: event.depth + 1,
      refund: event.gasRefund ?? 0n,
      stack: [...stack],
      memory: this.options.memory === true ? fromBytes(memory) : undefined,
      slot: slot !== undefined && value !== undefined ? [slot[0], value] : undefined,
      address: owner
    })
  }

  /**
   * What an instruction costs, and whether that much gas is left: one that can't be paid touches nothing. As in go-ethereum, the
   * cost of a call has the gas that it hands on, and that of a creation has not. A call that can't be paid costs all that is left.
   */
  #costOf({ gasLeft, opcode: { code, dynamicFee, fee }, stack }: InterpreterStep): Cost {
    const cost = dynamicFee ?? BigInt(fee)
    const words = callWords.get(code)
    const [wanted, value] = [stack.at(-1), stack.at(-3)]
    if (words === undefined || wanted === undefined || stack.length < words) {
      return { gasCost: cost, isPaid: cost <= gasLeft && (code !== 0x55 || gasLeft > mostUnwritable) }
    }
    // Without a cost, the machine has given the call up: it pays too little, or may send no value.
    if (cost === 0n) {
      return code === 0xf1 && value !== 0n && this.#isStatic()
        ? { gasCost: cost, isPaid: true }
        : { gasCost: gasLeft, isPaid: false }
    }
    const left = gasLeft - cost
    const most = left - left / 64n
    return { gasCost: cost + (wanted < most ? wanted : most), isPaid: true }
  }

  /** The name of a byte that is no instruction; the machine has one name for all of them. */
  #nameOf({ address, codeAddress, pc }: InterpreterStep): string {
    const frame = this.#frames.at(-1)
    const account = this.state.accountOrEmpty((codeAddress ?? address).toString())
    const isCreation = frame?.type === "CREATE" || frame?.type === "CREATE2"
    const byte = isCreation
      ? Number.parseInt(frame.input.slice(2 + 2 * pc, 4 + 2 * pc), 16)
      : this.state.code(account.codeHash)[pc]
    return byte === undefined || byte === 0xfe ? "INVALID" : `opcode 0x${byte.toString(16)} not defined`
  }

  /** Whether the running message may change nothing. */
  #isStatic(): boolean {
    return this.#frames.some(({ type }) => type === "STATICCALL")
  }

  #slot(owner: Hex, slot: Hex): readonly [Hex, Hex] {
    const value = this.#slotOf(owner, slot)
    const { storage } = this.touch(owner)
    if (!storage.has(slot)) {
      storage.set(slot, value)
      this.#count(150)
    }
    return [slot, value]
  }

  #destroy({ calls }: Frame, from: Hex, to: Hex): void {
    const { balance } = this.state.accountOrEmpty(from)
    const none = { gas: 0n, gasUsed: 0n, input: "0x", output: "0x", fault: undefined, calls: [], logs: [] } as const
    calls.push({ type: "SELFDESTRUCT", from, to, value: balance, ...none })
  }

  #log({ calls, logs }: Frame, { address, memory, opcode: { code }, stack }: InterpreterStep): void {
    const [offset, length] = [stack.at(-1), stack.at(-2)]
    const count = code - 0xa0
    if (offset === undefined || length === undefined || length > mostLogged || stack.length < 2 + count) return
    this.#count(300 + 2 * Number(length))
    const topics = Array.from({ length: count }, (_, at) => hexWord(stack.at(-3 - at) ?? 0n))
    const data = partOf(memory, offset, length)
    logs.push({ address: fromBytes(address.bytes), topics, data, position: calls.length, index: this.#emitted++ })
  }
}
