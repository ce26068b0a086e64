import { bytesOf, fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { type EVM, EVMError, type EVMResult, type InterpreterStep, type Message } from "@ethereumjs/evm"
import { createContractAddress, createContractAddress2 } from "@ethereumjs/util"
import * as BigInteger from "effect/BigInt"
import { hasCode } from "../AccountRecord.js"
import type { Trace, TracedAccount, TracedCall, TracedStep, TraceOptions } from "../Trace.js"
import { byInstruction } from "./byInstruction.js"
import { gasBeforeCost, instructionCosts } from "./computationCosts.js"
import { type ComputationMeter, isOver } from "./ComputationMeter.js"
import { wordOf } from "./hexForms.js"
import type { JournalState } from "./JournalState.js"
import { gasOfMemory } from "./kaiaMachine.js"
import { faultOf } from "./Message.js"

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

/** A message that runs. */
interface Frame extends Mutable<Omit<TracedCall, "calls">> {
  readonly calls: Array<TracedCall>
}

/** What was touched of an account, with the values before. */
interface Seen {
  readonly account: Omit<TracedAccount, "storage">
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

/** How many words instructions take from the stack; one that is not here takes none. */
const taking = byInstruction(Number, [
  [0x00, [0, 2, 2, 2, 2, 2, 2, 2, 3, 3, 2, 2]],
  [0x10, [2, 2, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2, 2, 1]],
  [0x20, [2]],
  [0x30, [0, 1, 0, 0, 0, 1, 0, 3, 0, 3, 0, 1, 4, 0, 3, 1]],
  [0x40, [1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]],
  [0x50, [1, 1, 2, 2, 1, 2, 1, 2, 0, 0, 0, 0, 1, 2, 3, 0]],
  [0x80, Array.from({ length: 16 }, (_, at) => at + 1)],
  [0x90, Array.from({ length: 16 }, (_, at) => at + 2)],
  [0xa0, [2, 3, 4, 5, 6]],
  [0xf0, [3, 7, 7, 2, 6, 4]],
  [0xfa, [6]],
  [0xfd, [2]],
  [0xff, [1]]
])

const taken = (code: number): number => taking.get(code) ?? 0

/** Names that a node writes otherwise than the machine, or does not know. */
const names: ReadonlyMap<number, string> = new Map([
  [0x20, "SHA3"],
  [0x44, "DIFFICULTY"],
  [0x5c, "Missing opcode 0x5c"],
  [0x5d, "Missing opcode 0x5d"]
])

/** Instructions that look at the account whose address is on top of the stack. */
const looks: ReadonlySet<number> = new Set([0x31, 0x3b, 0x3c, 0x3f])

const addressOf = (word: bigint): Hex => `0x${BigInt.asUintN(160, word).toString(16).padStart(40, "0")}`

const hexWord = (value: bigint): Hex => `0x${wordOf(value)}`

/** A memory with the words that an instruction adds before it runs. */
const grown = (memory: Uint8Array, words: bigint): Uint8Array => {
  const length = 32 * Number(words)
  if (memory.length >= length) return memory
  const longer = new Uint8Array(length)
  longer.set(memory)
  return longer
}

/** A part of the memory; nothing where it goes past the end. */
const readMemory = (memory: Uint8Array, offset: bigint, length: bigint): Uint8Array =>
  offset + length > BigInt(memory.length)
    ? new Uint8Array()
    : memory.subarray(Number(offset), Number(offset + length))

/** Instructions that call code: CALL, CALLCODE, DELEGATECALL and STATICCALL. */
const calling: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])

/** What an instruction costs of gas and computation, and whether it can run: it finds its words, and the gas pays for it. */
interface Costs {
  readonly gasCost: bigint
  readonly computationCost: bigint
  readonly isPaid: boolean
}

/** Instructions after which no other runs: STOP, RETURN, REVERT, INVALID and SELFDESTRUCT. */
const ending: ReadonlySet<number> = new Set([0x00, 0xf3, 0xfd, 0xfe, 0xff])

/** Instructions that send a message with a value: CREATE, CALL, CALLCODE and CREATE2. */
const valued: ReadonlySet<number> = new Set([0xf0, 0xf1, 0xf2, 0xf5])

/** The gas that a call with a value hands on for nothing. */
const callStipend = 2_300n

/** The largest memory whose cost a node counts, in bytes. */
const mostMemory = 0x1fffffffe0n

/** More than the largest memory costs whose size a node counts, of 2^32 - 1 words. */
const mostOfMemory = 36_028_809_900_000_000n

/** With this little gas or less, a storage slot can't be written (EIP-2200). */
const mostUnwritable = 2_300n

/** Records one execution. An execution that takes too long, or whose trace becomes too large, is ended. */
export class Tracer {
  readonly #frames: Array<Frame> = []
  readonly #steps: Array<TracedStep> = []
  /** The newest instruction of each running message, and its costs. */
  readonly #newest: Array<Costs & { readonly code: number }> = []
  readonly #seen = new Map<Hex, Seen>()
  /** The slots that each contract has written. */
  readonly #written = new Map<Hex, Set<Hex>>()
  readonly #longest: number
  readonly #largest: number
  readonly #mostSteps: number
  readonly #since = performance.now()
  #call: TracedCall | undefined
  #meter: ComputationMeter | undefined
  /** The accounts that were asked for since the last instruction, and whether they were warm. */
  #asked: Array<readonly [address: Hex, isWarm: boolean]> = []
  #lastOpcode = 0
  /** How many words were on the stack then, and the name of the instruction. */
  #lastStack = 0
  #lastName = ""
  #size = 0
  #gaveUp: Trace["gaveUp"]

  constructor(readonly state: JournalState, readonly options: TraceOptions) {
    this.#longest = options.longest ?? 5_000
    this.#largest = options.largest ?? 50_000_000
    this.#mostSteps = options.steps ?? 0
  }

  /** Records the messages of a machine, whose cost a meter may limit, from now on. The function that it returns ends that. */
  attach({ events, journal }: EVM, meter?: ComputationMeter): () => void {
    this.#meter = meter
    const isWarmedAddress = journal.isWarmedAddress
    journal.isWarmedAddress = (address) => {
      const isWarm = isWarmedAddress(address)
      this.#asked.push([fromBytes(address), isWarm])
      return isWarm
    }
    const enter = (message: Message) => this.#enter(message)
    const leave = (result: EVMResult) => this.#leave(result)
    const step = (event: InterpreterStep) => {
      this.#step(event)
      // Ends the execution, whose outcome nobody looks at.
      if (this.#gaveUp !== undefined) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
    }
    const detach = () => {
      journal.isWarmedAddress = isWarmedAddress
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
    const seen = { account: this.#accountOf(address), storage: new Map<Hex, Hex>() }
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
    for (const [address, { account, storage }] of this.#seen) before.set(address, { ...account, storage })
    return { call: this.#call, steps: this.#steps, before, gaveUp: this.#gaveUp }
  }

  #accountOf(address: Hex): Seen["account"] {
    const found = this.state.value(address, "")
    if (found === undefined || found instanceof Uint8Array) return { balance: 0n, nonce: 0n, code: "0x" }
    const { balance, nonce } = found
    return { balance, nonce, code: hasCode(found) ? fromBytes(this.state.code(found.codeHash)) : "0x" }
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
    this.#count(300 + 2 * data.length)
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
      calls: []
    })
  }

  /** The address of the contract that an instruction creates. */
  #createdBy({ address, opcode: { code }, stack }: InterpreterStep, memory: Uint8Array): Hex {
    const [, offset = 0n, size = 0n, salt = 0n] = [-1, -2, -3, -4].map((at) => stack.at(at))
    if (code === 0xf0) {
      return fromBytes(createContractAddress(address, this.state.accountOrEmpty(address.toString()).nonce).bytes)
    }
    const created = readMemory(memory, offset, size)
    return fromBytes(createContractAddress2(address, bytesOf(hexWord(salt)), created).bytes)
  }

  #leave({ createdAddress, execResult }: EVMResult): void {
    const { exceptionError, executionGasUsed, returnValue } = execResult
    this.#end(execResult)
    const frame = this.#frames.pop()
    if (frame === undefined) return
    this.#newest.length = this.#frames.length
    frame.gasUsed = executionGasUsed
    frame.output = fromBytes(returnValue)
    const isLimited = this.#meter !== undefined && isOver(this.#meter)
    frame.fault = exceptionError !== undefined && isLimited ? "computation limit" : faultOf(exceptionError)
    if (frame.fault === "stack underflow") frame.fault += ` (${this.#lastStack} <=> ${taken(this.#lastOpcode)})`
    if (frame.fault === "invalid opcode") frame.fault = this.#lastName.replace("Missing", "invalid")
    this.#count(2 * returnValue.length)
    if (createdAddress !== undefined) {
      if (frame.fault === undefined) frame.to = fromBytes(createdAddress.bytes)
    }
    if (frame.fault !== undefined) {
      // The contract did not destroy itself: the instruction failed.
      if (frame.calls.at(-1)?.type === "SELFDESTRUCT") frame.calls.pop()
    }
    const parent = this.#frames.at(-1)
    if (parent === undefined) this.#call = frame
    else parent.calls.push(frame)
  }

  /** Records the STOP that is behind the end of code, where a message went past it. */
  #end({ exceptionError, runState }: EVMResult["execResult"]): void {
    const depth = this.#frames.length
    const newest = this.#newest[depth - 1]
    if (exceptionError !== undefined || runState === undefined || newest === undefined || ending.has(newest.code)) {
      return
    }
    if (this.#steps.length >= this.#mostSteps) return
    const { env, gasLeft, memory, memoryWordCount, programCounter, stack } = runState
    const owner = fromBytes(env.address.bytes)
    const bytes = memory.read(0, 32 * Number(memoryWordCount))
    this.#record(owner, bytes, undefined, {
      pc: programCounter,
      op: "STOP",
      gas: gasLeft,
      gasCost: 0n,
      depth,
      isPaid: true,
      stack: stack.getStack(),
      computation: this.#computationLeft,
      computationCost: 0n
    })
  }

  /** Adds a step, unless the trace becomes too large. */
  #record(
    address: Hex,
    memory: Uint8Array,
    written: TracedStep["written"],
    step: Omit<TracedStep, "address" | "memory" | "written">,
    keepsMemory = this.options.memory === true
  ): void {
    const slots = this.#written.get(address) ?? new Set()
    if (written !== undefined) this.#written.set(address, slots.add(written[0]))
    // A step is shown with everything that its contract has written so far.
    this.#count(200 + 70 * step.stack.length + 140 * slots.size + (keepsMemory ? 2 * memory.length : 0))
    if (this.#gaveUp !== undefined) return
    this.#steps.push({ ...step, address, written, memory: keepsMemory ? fromBytes(memory) : undefined })
  }

  #step(event: InterpreterStep): void {
    const { address, opcode: { code, name }, stack } = event
    this.#lastOpcode = code
    this.#lastStack = stack.length
    if (performance.now() - this.#since > this.#longest) this.#gaveUp = "time"
    const owner = fromBytes(address.bytes)
    const [top, target] = [stack.at(-1), stack.at(-2)]
    const { computationCost, gasCost, isPaid } = this.#costOf(event)
    this.#asked = []
    const computation = this.#computationLeft
    const words = this.#takeWords()
    const memory = isPaid ? grown(event.memory, words) : event.memory
    // Also what an instruction would look at that can't be paid.
    if (looks.has(code) && top !== undefined) this.touch(addressOf(top))
    if (calling.has(code) && target !== undefined) this.touch(addressOf(target))
    if (code === 0xf0 || code === 0xf5) this.touch(this.#createdBy(event, memory))
    if ((code === 0x54 || code === 0x55) && top !== undefined) this.#slot(owner, hexWord(top))
    const frame = this.#frames.at(-1)
    if (isPaid && frame !== undefined && valued.has(code)) this.#unfunded(frame, event, memory, gasCost)
    if (code === 0xff && frame !== undefined && top !== undefined) this.#destroy(frame, owner, addressOf(top))
    this.#lastName = code === 0xfe ? this.#nameOf(event) : names.get(code) ?? name
    if (this.#steps.length >= this.#mostSteps) return
    const isWriting = this.options.storage === true && code === 0x55 && top !== undefined && target !== undefined
    const written = isWriting ? [hexWord(top), hexWord(target)] as const : undefined
    const { memory: asked } = this.options
    this.#record(
      owner,
      memory,
      written,
      {
        pc: event.pc,
        op: this.#lastName,
        gas: event.gasLeft,
        gasCost,
        depth: event.depth + 1,
        isPaid,
        stack: [...stack],
        computation,
        computationCost
      },
      asked === true || asked === "calls" && calling.has(code)
    )
  }

  /**
   * What is left of the computation before an instruction; 0 on a chain without a limit. The meter has counted one whose gas depends on
   * its operands.
   */
  get #computationLeft(): bigint {
    const { cost = 0n, limit, pending = 0n } = this.#meter ?? {}
    return limit === undefined ? 0n : limit - cost + pending
  }

  /** How many words of memory the instruction has that is about to run, if it can change that. */
  #takeWords(): bigint {
    const meter = this.#meter
    if (meter?.pending === undefined) return 0n
    delete meter.pending
    return meter.words ?? 0n
  }

  /** What an instruction costs, and whether it can run. */
  #costOf(event: InterpreterStep): Costs {
    const { gasLeft, opcode: { code, fee }, stack } = event
    const at = this.#frames.length - 1
    const last = this.#newest[at] ?? { gasCost: 0n, computationCost: 0n }
    const fixed = gasBeforeCost.get(code) ?? BigInt(fee)
    // Where an instruction fails before its cost is known, a node tells that of the one before in the same message.
    const costs: Costs = code === 0xfe || stack.length < taken(code)
      ? { gasCost: last.gasCost, computationCost: last.computationCost, isPaid: false }
      : gasLeft < fixed
      ? { gasCost: fixed, computationCost: last.computationCost, isPaid: false }
      : { ...this.#gasOf(event), computationCost: instructionCosts.get(code) ?? 0n }
    this.#newest[at] = { ...costs, code }
    return costs
  }

  /**
   * The gas that an instruction costs, and whether that much is left. As in go-ethereum, the cost of a call has the gas that it hands
   * on, and that of a creation has not.
   */
  #gasOf(event: InterpreterStep): Pick<Costs, "gasCost" | "isPaid"> {
    const { gasLeft, opcode: { code, dynamicFee, fee }, stack } = event
    const fixed = gasBeforeCost.get(code) ?? BigInt(fee)
    // No memory costs as much: a node gives up before it adds anything.
    if (dynamicFee !== undefined && dynamicFee > mostOfMemory) return { gasCost: fixed, isPaid: false }
    const cost = dynamicFee ?? BigInt(fee)
    const [wanted, value] = [stack.at(-1), stack.at(-3)]
    if (wanted === undefined || !calling.has(code)) {
      return { gasCost: cost, isPaid: cost <= gasLeft && (code !== 0x55 || gasLeft > mostUnwritable) }
    }
    // Without a cost, the machine has given the call up: it pays too little, or may send no value.
    if (cost === 0n) {
      return code === 0xf1 && value !== 0n && this.#isStatic()
        ? { gasCost: cost, isPaid: true }
        : { gasCost: this.#unpaidCall(event, fixed), isPaid: false }
    }
    const left = gasLeft - cost
    const most = left - left / 64n
    return { gasCost: cost + (wanted < most ? wanted : most), isPaid: true }
  }

  /**
   * What a node tells of the cost of a call that can't be paid: all of it, though nothing is left to hand on, unless what comes first can't
   * be paid already, which is that the accounts are cold.
   */
  #unpaidCall({ gasLeft, memoryWordCount, opcode: { code }, stack }: InterpreterStep, fixed: bigint): bigint {
    const sends = code === 0xf1 || code === 0xf2
    const [wanted = 0n, target = 0n, ...operands] = stack.toReversed()
    const at = this.#asked.findLastIndex(([address]) => address === addressOf(target))
    const [called, implementation] = at < 0 ? [] : this.#asked.slice(at)
    const cold = (called?.[1] === false ? 2_500n : 0n) +
      (implementation === undefined ? 0n : implementation[1] ? 100n : 2_600n)
    if (gasLeft < fixed + cold) return fixed
    const value = sends ? operands.shift() ?? 0n : 0n
    const [from = 0n, size = 0n, to = 0n, length = 0n] = operands
    const end = BigInteger.max(size > 0n ? from + size : 0n, length > 0n ? to + length : 0n)
    if (end > mostMemory) return fixed
    const words = (end + 31n) / 32n
    const memory = words > memoryWordCount ? gasOfMemory(words) - gasOfMemory(memoryWordCount) : 0n
    const account = this.#accountOf(addressOf(target))
    const isNew = account.balance === 0n && account.nonce === 0n && account.code === "0x"
    const base = memory + (value > 0n ? 9_000n + (code === 0xf1 && isNew ? 25_000n : 0n) : 0n)
    const left = BigInt.asUintN(64, gasLeft - fixed - cold - base)
    const most = left - left / 64n
    const full = base + (wanted < most ? wanted : most)
    return full < 2n ** 64n ? fixed + cold + full : fixed
  }

  /** The name of a byte that is no instruction; the machine has one code for all of them. */
  #nameOf({ address, codeAddress, pc }: InterpreterStep): string {
    const frame = this.#frames.at(-1)
    const account = this.state.accountOrEmpty((codeAddress ?? address).toString())
    const isCreation = frame?.type === "CREATE" || frame?.type === "CREATE2"
    const byte = isCreation
      ? Number.parseInt(frame.input.slice(2 + 2 * pc, 4 + 2 * pc), 16)
      : this.state.code(account.codeHash)[pc]
    return `Missing opcode 0x${(byte ?? 0xfe).toString(16)}`
  }

  /** Whether the running message may change nothing. */
  #isStatic(): boolean {
    return this.#frames.some(({ type }) => type === "STATICCALL")
  }

  #slot(owner: Hex, slot: Hex): void {
    const { storage } = this.touch(owner)
    if (storage.has(slot)) return
    storage.set(slot, this.#slotOf(owner, slot))
    this.#count(150)
  }

  /** A message with more value than its sender has fails before the machine tells of one. */
  #unfunded(
    { calls }: Frame,
    { address, gasLeft, opcode: { code, dynamicFee = 0n }, stack }: InterpreterStep,
    memory: Uint8Array,
    gasCost: bigint
  ): void {
    const isCall = code === 0xf1 || code === 0xf2
    const [value = 0n, offset = 0n, length = 0n] = (isCall ? [-3, -4, -5] : [-1, -2, -3]).map((at) => stack.at(at))
    const from = fromBytes(address.bytes)
    if (value <= this.state.accountOrEmpty(from).balance || (code !== 0xf2 && this.#isStatic())) return
    const left = gasLeft - gasCost
    calls.push({
      type: types.get(code) ?? "CALL",
      from,
      to: isCall ? addressOf(stack.at(-2) ?? 0n) : undefined,
      value,
      gas: isCall ? gasCost - dynamicFee + callStipend : left - left / 64n,
      gasUsed: 0n,
      input: fromBytes(readMemory(memory, offset, length)),
      output: "0x",
      fault: "insufficient balance",
      calls: []
    })
  }

  #destroy({ calls }: Frame, from: Hex, to: Hex): void {
    const { balance } = this.state.accountOrEmpty(from)
    const none = { gas: 0n, gasUsed: 0n, input: "0x", output: "0x", fault: undefined, calls: [] } as const
    calls.push({ type: "SELFDESTRUCT", from, to, value: balance, ...none })
  }
}
