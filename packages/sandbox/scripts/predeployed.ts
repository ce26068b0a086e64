import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const require = createRequire(import.meta.url)

// The package has the code of the contract, and does not export it. Its type is that of its one constant.
const { multicall3Bytecode }: { readonly multicall3Bytecode: string } = require(
  join(dirname(require.resolve("viem")), "constants/contracts.js")
)

/** A constructor that returns what is behind it: its own 32 bytes, with the length of the rest in the 17th and 18th. */
const constructor = /^0x608060405234801561001057600080fd5b5061([0-9a-f]{4})806100206000396000f3fe/

const runtimeOf = (creation: string): string => {
  const length = constructor.exec(creation)?.[1]
  if (length === undefined) throw new Error("the contract has another constructor than this script knows")
  return `0x${creation.slice(2 + 64, 2 + 64 + 2 * Number.parseInt(length, 16))}`
}

/**
 * The published transaction that creates the CREATE2 deployer on any chain. Its signature is made up, so that nobody has the
 * sender's key; the address of the contract follows from all of its bytes.
 */
export const deployerTransaction =
  `0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba0${
    "22".repeat(32)
  }a0${"22".repeat(32)}` as const

const deployerOf = (raw: string): string => {
  const created = /604580600e600039806000f350fe([0-9a-f]{138})/.exec(raw)?.[1]
  if (created === undefined) throw new Error("the transaction has no code of the form that this script reads")
  return `0x${created}`
}

/** The contracts, by the addresses that they have on every chain. */
export const predeployed = [
  { address: "0xca11bde05977b3631167028862be2a173976ca11", code: runtimeOf(multicall3Bytecode) },
  { address: "0x4e59b44847b379578588920ca78fbf26c0b4956c", code: deployerOf(deployerTransaction) }
]
