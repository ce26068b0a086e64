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

/** The contracts, by the addresses that they have on every chain. */
export const predeployed = [
  { address: "0xca11bde05977b3631167028862be2a173976ca11", code: runtimeOf(multicall3Bytecode) }
]
