import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { artifacts } from "./contracts.generated.js"

const require = createRequire(import.meta.url)

// The package has the code of the contract, and does not export it. Its type is that of its one constant.
const { multicall3Bytecode }: { readonly multicall3Bytecode: string } = require(
  join(dirname(require.resolve("viem")), "constants/contracts.js")
)

/** A constructor that returns what is behind it, as solc writes it with and without PUSH0. The length of the rest is in it. */
const constructor =
  /^0x60806040(?:5234801561001057600080|52348015600e575f5f)fd5b5061([0-9a-f]{4})80(?:6100206000396000|61001c5f395f)f3fe/

const runtimeOf = (creation: string): string => {
  const [whole = "", length] = constructor.exec(creation) ?? []
  if (length === undefined) throw new Error("the contract has another constructor than this script reads")
  return `0x${creation.slice(whole.length, whole.length + 2 * Number.parseInt(length, 16))}`
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

const everywhere = (address: string) => ({ 8217: address, 1001: address })

/** The contracts, with the address that each chain has them at. */
export const predeployed = [
  { addresses: everywhere("0xca11bde05977b3631167028862be2a173976ca11"), code: runtimeOf(multicall3Bytecode) },
  { addresses: everywhere("0x4e59b44847b379578588920ca78fbf26c0b4956c"), code: deployerOf(deployerTransaction) },
  {
    // Where the published WKLAY is, by the README of github.com/klaytn/canonical-wklay.
    addresses: {
      8217: "0x19aac5f612f524b754ca7e7c41cbfa2e981a4432",
      1001: "0x043c471bee060e00a56ccd02c0ca286808a5a436"
    },
    code: runtimeOf(artifacts.WrappedKlay.bytecode)
  }
]
