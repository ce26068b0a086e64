import type { Hardfork } from "@effect-klaytn/transaction/Hardfork"
import type { Common } from "@ethereumjs/common"
import { type CustomPrecompile, EVMError, type EVMOpts, getActivePrecompiles, getOpcodesForHF } from "@ethereumjs/evm"
import { gasBeforeCost, instructionCosts, precompileCost } from "./computationCosts.js"

/** An instruction that an EVM runs in place of its own. */
export type Instruction = Extract<NonNullable<EVMOpts["customOpcodes"]>[number], { readonly logicFunction: unknown }>

type RunState = Parameters<Instruction["logicFunction"]>[0]

/** Receives the computation cost of an execution. */
export interface ComputationMeter {
  cost: bigint
  /** What `cost` has of an instruction that a trace was not told of yet; the trace takes it. */
  pending?: bigint
  /** How many words the memory of that instruction has when it runs. */
  words?: bigint
  /** The instruction with which the cost passes this fails, and so does each one after it. */
  readonly limit?: bigint | undefined
}

/** Whether the cost has passed its limit. */
export const isOver = ({ cost, limit }: ComputationMeter): boolean => limit !== undefined && cost > limit

const stackErrors: ReadonlySet<string> = new Set([
  EVMError.errorMessages.STACK_UNDERFLOW,
  EVMError.errorMessages.STACK_OVERFLOW
])

const isStackError = (error: unknown): boolean => error instanceof EVMError && stackErrors.has(error.error)

/**
 * The instructions of an EVM with these rules. Each adds its cost after the checks of the stack and of the fixed part of the
 * gas, as in the chain's own EVM: an instruction that fails later, because of its operands, counts.
 */
export const meteredInstructions = (
  common: Common,
  instructions: ReadonlyArray<Instruction>,
  meter: () => ComputationMeter
): Array<Instruction> => {
  const { dynamicGasHandlers, handlers, opcodes } = getOpcodesForHF(common, [...instructions])
  return [...opcodes.values()].flatMap((opcode) => {
    const cost = instructionCosts.get(opcode.code)
    const run = handlers.get(opcode.code)
    if (cost === undefined || run === undefined) return []
    const gasOf = opcode.dynamicGas ? dynamicGasHandlers.get(opcode.code) : undefined
    const needed = gasBeforeCost.get(opcode.code) ?? BigInt(opcode.fee)
    const unlessStackFails = async <A>(work: () => A | Promise<A>): Promise<A> => {
      try {
        return await work()
      } catch (error) {
        if (isStackError(error)) {
          const counted = meter()
          counted.cost -= cost
          delete counted.pending
        }
        throw error
      }
    }
    const add = () => void (meter().cost += cost)
    return {
      opcode: opcode.code,
      opcodeName: opcode.name,
      baseFee: opcode.fee,
      logicFunction: async (state: RunState, rules: Common): Promise<void> => {
        if (gasOf === undefined) add()
        await unlessStackFails(() => run(state, rules))
        // The message that called this one ends with its next instruction, and so on; what they did is undone.
        if (isOver(meter())) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
      },
      ...(gasOf !== undefined && {
        gasFunction: async (state: RunState, gas: bigint, rules: Common): Promise<bigint> => {
          if (state.gasLeft < needed) return gasOf(state, gas, rules)
          add()
          const counted = meter()
          counted.pending = cost
          const full = await unlessStackFails(() => gasOf(state, gas, rules))
          counted.words = state.memoryWordCount
          return full
        }
      })
    }
  })
}

/**
 * The most computation cost of one precompile call, which nothing can end once it runs: about ten seconds in the slowest one, whose
 * rounds are BLAKE2's. Code of a transaction never comes to more.
 */
const mostOfPrecompile = 150_000_000n

/** More than the computation cost of a unit of gas in any precompile. */
const mostCostOfGas = 60n

const modexp = 0x05

/**
 * Whether a precompile call would run for too long. One that has too little gas never runs; of MODEXP, whose cost is a hundredth of
 * its gas, one of this cost has.
 */
const isTooLong = (precompile: number, cost: bigint, gas: bigint): boolean =>
  cost > mostOfPrecompile && precompile !== modexp && cost <= gas * mostCostOfGas

/** The precompiles of an EVM with these rules. Each counts its cost, even if it has too little gas. */
export const countedPrecompiles = (
  common: Common,
  precompiles: ReadonlyArray<CustomPrecompile>,
  { count, hardfork }: {
    readonly hardfork: Hardfork
    readonly count: (cost: bigint, isTooLong: boolean) => void
  }
): Array<CustomPrecompile> =>
  Array.from(getActivePrecompiles(common, [...precompiles]), ([address, run]) => ({
    address: `0x${address}`,
    function: (input) => {
      const precompile = Number(`0x${address}`)
      const cost = precompileCost(precompile, input.data, hardfork)
      count(cost, isTooLong(precompile, cost, input.gasLimit))
      return run(input)
    }
  }))
