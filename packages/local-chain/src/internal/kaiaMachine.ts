import { fromBytes } from "@effect-klaytn/transaction/Hex"
import type { Common } from "@ethereumjs/common"
import { type EVM, EVMError, type EVMResult, getOpcodesForHF, type Message } from "@ethereumjs/evm"
import { createAddressFromBigInt } from "@ethereumjs/util"
import type { Instruction } from "./ComputationMeter.js"
import type { JournalState } from "./JournalState.js"
import type { Touched } from "./Touched.js"

type RunState = Parameters<Instruction["logicFunction"]>[0]

type ExecResult = EVMResult["execResult"]

/** What the machine of Kaia 2.2 needs to know of the running message. */
export interface KaiaRunning {
  touched: Touched | undefined
  /** How many accounts the gas of a call has asked for, while it is counted: the one that is called, and whose code that runs. */
  asked: number | undefined
  /** Whether the message that begins next comes from the instruction CALL. */
  isCall: boolean
}

/** The address that an instruction takes from the stack. */
const addressOf = (word: bigint | undefined) => createAddressFromBigInt(BigInt.asUintN(160, word ?? 0n))

/** The last address that is reserved for precompiles. */
const lastReserved = 0x3ffn

/** Whether an address is reserved for precompiles. The zero address is not: coin is burnt there. */
export const isReserved = (address: string): boolean => {
  const number = BigInt(address)
  return number > 0n && number <= lastReserved
}

/** Instructions that change something, with gas that depends on their operands: SSTORE, LOG0 to LOG4, CREATE, CREATE2, SELFDESTRUCT. */
const changing = [0x55, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf0, 0xf5, 0xff] as const

/**
 * Instructions that change something, where nothing may be changed: they have to be paid first, and then fail. The machine looks at
 * nothing before it lets them fail.
 */
const paidFirst = (common: Common): ReadonlyArray<Instruction> => {
  const { dynamicGasHandlers, handlers, opcodes } = getOpcodesForHF(common, [])
  return changing.flatMap((opcode) => {
    const [run, gasOf, described] = [handlers.get(opcode), dynamicGasHandlers.get(opcode), opcodes.get(opcode)]
    if (run === undefined || gasOf === undefined || described === undefined) return []
    const gasOfFailure: typeof gasOf = async (state, gas, rules) => {
      const { interpreter } = state
      state.interpreter = Object.create(interpreter, { isStatic: { value: () => false } })
      try {
        return await gasOf(state, gas, rules)
      } finally {
        state.interpreter = interpreter
      }
    }
    return {
      opcode,
      opcodeName: described.name,
      baseFee: described.fee,
      // A cast: the machine waits for either kind of answer, and its type is that of one.
      gasFunction: ((state: RunState, gas: bigint, rules: Common) =>
        (state.interpreter.isStatic() ? gasOfFailure : gasOf)(state, gas, rules)) as typeof gasOf,
      logicFunction: (state: RunState) => {
        if (state.interpreter.isStatic()) {
          throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE)
        }
        return run(state, common)
      }
    }
  })
}

/** The instructions that run on Kaia in another way than on Ethereum. */
export const kaiaInstructions = (common: Common, running: KaiaRunning): ReadonlyArray<Instruction> => {
  const { dynamicGasHandlers, handlers, opcodes } = getOpcodesForHF(common, [])
  const of = (opcode: number) => {
    const run = handlers.get(opcode)
    const described = opcodes.get(opcode)
    if (run === undefined || described === undefined) throw new Error(`the machine has no instruction ${opcode}`)
    return { run, instruction: { opcode, opcodeName: described.name, baseFee: described.fee } }
  }
  const hash = of(0x3f)
  /** An instruction that calls, whose gas counts what it asks for while accesses are recorded. */
  const calling = (opcode: number) => {
    const { instruction, run } = of(opcode)
    const gasOf = dynamicGasHandlers.get(opcode)
    if (gasOf === undefined) throw new Error(`instruction ${opcode} has one price`)
    const counted: typeof gasOf = async (state, gas, rules) => {
      running.asked = 0
      try {
        return await gasOf(state, gas, rules)
      } finally {
        running.asked = undefined
      }
    }
    // A cast: the machine waits for either kind of answer, and its type is that of one.
    const gasFunction =
      ((state: RunState, gas: bigint, rules: Common) =>
        (running.touched === undefined ? gasOf : counted)(state, gas, rules)) as typeof gasOf
    return { ...instruction, gasFunction, logicFunction: (state: RunState) => run(state, common) }
  }
  const call = calling(0xf1)
  return [
    ...paidFirst(common),
    {
      // It has one price, and what it looks at is not warm after it.
      ...hash.instruction,
      baseFee: 400,
      logicFunction: (run: RunState) => {
        running.touched?.address(fromBytes(addressOf(run.stack.peek(1)[0]).bytes))
        return hash.run(run, common)
      }
    },
    {
      ...call,
      logicFunction: async (run: RunState) => {
        running.isCall = true
        await call.logicFunction(run)
        running.isCall = false
      }
    },
    calling(0xf2),
    calling(0xf4),
    calling(0xfa)
  ]
}

/** Why an execution fails where the machine has no reason of its own. It hands the texts on, and looks at none of them. */
export const reasons = {
  /** A call of a reserved address. */
  reservedAddress: "reserved address",
  /** The gas does not pay for the code that a creation would store. */
  unpaidCode: "unpaid code",
  /** No memory can be that large. */
  beyondMemory: "memory overflow",
  /** RETURNDATACOPY of what was not returned. */
  beyondReturnData: "return data out of bounds"
} as const

/** The error of a reason, which the machine has no type for. */
const errorOf = (reason: keyof typeof reasons): EVMError => new EVMError(reasons[reason] as EVMError["error"])

/** What a call of a reserved address comes to where no precompile runs: it fails, and keeps its gas. */
const refused = (): EVMResult => ({
  execResult: {
    executionGasUsed: 0n,
    exceptionError: errorOf("reservedAddress"),
    returnValue: new Uint8Array(0)
  }
})

/**
 * Lets a message to a reserved address fail if it moves coin or no precompile is there: one of a transaction, or of the instruction
 * CALL. The other instructions that call find an account without code there.
 */
const refuseReserved = (machine: EVM, state: JournalState, running: KaiaRunning): void => {
  /** The message of a transaction or call without the coin fails for that first, as all others do before they get here. */
  const isUnfunded = ({ caller, skipBalance, value = 0n }: Parameters<EVM["runCall"]>[0]): boolean =>
    skipBalance !== true && value > 0n && caller !== undefined &&
    value > state.accountOrEmpty(caller.toString()).balance
  const runCall = machine.runCall.bind(machine)
  machine.runCall = async (options) => {
    const { message } = options
    const isCall = message === undefined || running.isCall
    running.isCall = false
    const { to, value = 0n } = message ?? options
    if (!isCall || to === undefined || !isReserved(to.toString())) return runCall(options)
    if (value === 0n && machine.getPrecompile(to) !== undefined) return runCall(options)
    if (message === undefined && isUnfunded(options)) return runCall(options)
    const result = refused()
    if (message === undefined) return result
    // A trace has it as a message.
    await machine["_emit"]("beforeMessage", message)
    await machine["_emit"]("afterMessage", result)
    return result
  }
}

/** Makes every address where a contract is created a contract, whether code comes of it or not. */
const markContracts = ({ events }: EVM, state: JournalState): void => {
  events.on("newContract", ({ address }) => state.makeContract(address.toString()))
}

// --- why executions fail ---

const maxCodeSize = 24_576

/** Gas for a byte of code that is stored. */
const gasOfCode = 200n

/** The places on the stack of offset and length of the memory that an instruction uses; a length of its own is given. */
const memoryOperands: ReadonlyMap<number, ReadonlyArray<readonly [offset: number, length: number | bigint]>> = new Map<
  number,
  ReadonlyArray<readonly [number, number | bigint]>
>([
  [0x20, [[0, 1]]],
  [0x37, [[0, 2]]],
  [0x39, [[0, 2]]],
  [0x3c, [[1, 3]]],
  [0x3e, [[0, 2]]],
  [0x51, [[0, 32n]]],
  [0x52, [[0, 32n]]],
  [0x53, [[0, 1n]]],
  [0x5e, [[0, 2], [1, 2]]],
  ...[0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf3, 0xfd].map((opcode) => [opcode, [[0, 1]]] as const),
  ...[0xf0, 0xf5].map((opcode) => [opcode, [[1, 2]]] as const),
  ...[0xf1, 0xf2].map((opcode) => [opcode, [[3, 4], [5, 6]]] as const),
  ...[0xf4, 0xfa].map((opcode) => [opcode, [[2, 3], [4, 5]]] as const)
])

/** The end of memory that can be counted: a larger one is an error of its own, whatever gas there is. */
const mostMemory = 2n ** 64n - 32n

type Failed = NonNullable<ExecResult["runState"]>

const stackOf = ({ stack }: Failed): ReadonlyArray<bigint> => stack.getStack().toReversed()

/** Whether an instruction failed because no memory can be that large. */
const isBeyondMemory = (run: Failed): boolean => {
  const stack = stackOf(run)
  return (memoryOperands.get(run.opCode) ?? []).some(([at, by]) => {
    const offset = stack[at]
    const length = typeof by === "bigint" ? by : stack[by]
    return offset !== undefined && length !== undefined && length > 0n && offset + length > mostMemory
  })
}

/** What memory of this many words costs in all. */
export const gasOfMemory = (words: bigint): bigint => 3n * words + words * words / 512n

const wordsOf = (bytes: bigint): bigint => (bytes + 31n) / 32n

/** Whether RETURNDATACOPY had the gas for what it should copy, which there is not. */
const isBeyondReturnData = (run: Failed): boolean => {
  const [to, from, length] = stackOf(run)
  if (run.opCode !== 0x3e || to === undefined || from === undefined || length === undefined) return false
  if (from + length <= BigInt(run.returnBytes.length)) return false
  const words = length === 0n ? 0n : wordsOf(to + length)
  const larger = words > run.memoryWordCount ? gasOfMemory(words) - gasOfMemory(run.memoryWordCount) : 0n
  return run.gasLeft >= 3n + 3n * wordsOf(length) + larger
}

const { INITCODE_SIZE_VIOLATION, OUT_OF_GAS } = EVMError.errorMessages

/** The result of an execution with Kaia's reason why it failed. The gas that it used is the same. */
const withReason = (result: ExecResult, { gasLimit, isCreate }: Pick<Message, "gasLimit" | "isCreate">): ExecResult => {
  const { exceptionError, executionGasUsed, returnValue, runState } = result
  const failed = (exceptionError: EVMError): ExecResult => ({ ...result, exceptionError })
  if (exceptionError === undefined) {
    const isUnpaid = isCreate === true && returnValue.length <= maxCodeSize && returnValue[0] !== 0xef &&
      executionGasUsed + gasOfCode * BigInt(returnValue.length) > gasLimit
    return isUnpaid
      ? { ...failed(errorOf("unpaidCode")), executionGasUsed: gasLimit, returnValue: new Uint8Array(0) }
      : result
  }
  if (exceptionError.error === INITCODE_SIZE_VIOLATION) return failed(new EVMError(OUT_OF_GAS))
  if (exceptionError.error !== OUT_OF_GAS || runState === undefined) return result
  if (isBeyondMemory(runState)) return failed(errorOf("beyondMemory"))
  return isBeyondReturnData(runState) ? failed(errorOf("beyondReturnData")) : result
}

/** Gives Kaia's reasons for executions that fail. */
const giveReasons = (machine: EVM): void => {
  const run = machine["runInterpreter"].bind(machine)
  machine["runInterpreter"] = async (message, options) => withReason(await run(message, options), message)
}

/** Lets a machine create and call contracts, and give reasons, as on Kaia. Its instructions are {@link kaiaInstructions}. */
export const runAsOnKaia = (machine: EVM, state: JournalState, running: KaiaRunning): void => {
  markContracts(machine, state)
  giveReasons(machine)
  refuseReserved(machine, state, running)
}
