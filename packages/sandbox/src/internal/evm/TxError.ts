import type { EvmFault } from "./Message.js"

/** The node's codes for failed executions, as they stand in `txError` of a receipt. */
export const txError = {
  vm: 0x2,
  depth: 0x3,
  addressCollision: 0x4,
  codeStoreOutOfGas: 0x5,
  codeTooLarge: 0x6,
  outOfGas: 0x7,
  writeProtection: 0x8,
  reverted: 0x9,
  computationLimit: 0xa
} as const

const codes: Partial<Record<EvmFault, number>> = {
  "out of gas": txError.outOfGas,
  "code store out of gas": txError.codeStoreOutOfGas,
  "code size to deposit exceeds maximum code size": txError.codeTooLarge,
  "initcode exceeds max initcode size": txError.codeTooLarge,
  "create collision": txError.addressCollision,
  "static state change": txError.writeProtection,
  revert: txError.reverted
}

/** The code for a fault; whatever has none of its own is the general VM error. */
export const txErrorOf = (fault: EvmFault): number => codes[fault] ?? txError.vm
