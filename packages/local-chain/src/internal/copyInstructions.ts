import type { Common } from "@ethereumjs/common"
import { getOpcodesForHF } from "@ethereumjs/evm"
import { createAddressFromBigInt } from "@ethereumjs/util"
import type { Instruction } from "./ComputationMeter.js"
import type { JournalState } from "./JournalState.js"

type RunState = Parameters<Instruction["logicFunction"]>[0]

/** What an instruction copies from: how many bytes there are, by the operands before the three that all have. */
interface Copying {
  readonly opcode: number
  readonly before: number
  readonly sizeOf: (run: RunState, operands: ReadonlyArray<bigint>) => bigint | Promise<bigint>
}

/**
 * The instructions that copy input or code to memory, with zeros in place of bytes behind its end. The EVM's own makes these zeros one
 * by one as numbers, which takes a thousand times as long as to copy bytes: here they copy what there is, and the rest is filled.
 */
export const copyInstructions = (common: Common, state: JournalState): ReadonlyArray<Instruction> => {
  const { dynamicGasHandlers, handlers, opcodes } = getOpcodesForHF(common, [])
  const all: ReadonlyArray<Copying> = [
    { opcode: 0x37, before: 0, sizeOf: ({ interpreter }) => interpreter.getCallDataSize() },
    { opcode: 0x39, before: 0, sizeOf: ({ interpreter }) => interpreter.getCodeSize() },
    {
      opcode: 0x3c,
      before: 1,
      sizeOf: async (_, [account = 0n]) =>
        BigInt((await state.getCode(createAddressFromBigInt(BigInt.asUintN(160, account)))).length)
    }
  ]
  return all.flatMap(({ before, opcode, sizeOf }) => {
    const copy = handlers.get(opcode)
    const gasFunction = dynamicGasHandlers.get(opcode)
    const known = opcodes.get(opcode)
    if (copy === undefined || gasFunction === undefined || known === undefined) return []
    return {
      opcode,
      opcodeName: known.name,
      baseFee: known.fee,
      gasFunction,
      logicFunction: async (run: RunState): Promise<void> => {
        const operands = run.stack.popN(before + 3)
        const [to = 0n, from = 0n, length = 0n] = operands.slice(before)
        const size = await sizeOf(run, operands)
        const there = from >= size ? 0n : size - from < length ? size - from : length
        for (const operand of [there, from, to, ...operands.slice(0, before).reverse()]) run.stack.push(operand)
        await copy(run, common)
        const rest = Number(length - there)
        if (rest > 0) run.memory.write(Number(to + there), rest, new Uint8Array(rest))
      }
    }
  })
}
