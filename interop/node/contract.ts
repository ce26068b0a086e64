/** The ABIs of the sandbox's token contracts, for libraries of other authors. */
import { encodeDeployData, type Hex, keccak256, parseAbi, toHex } from "viem"
import * as TokenContract from "../../packages/sandbox/src/TokenContract.js"

export const signatures = [
  "constructor(string name, string symbol, uint8 decimals)",
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address owner) view returns (uint256)",
  "function mint(address to, uint256 amount)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "event Transfer(address indexed from, address indexed to, uint256 value)"
] as const

export const abi = parseAbi(signatures)

export const topicOfTransfer = keccak256(toHex("Transfer(address,address,uint256)"))

export const args = ["Apple", "APL", 2] as const

const code = TokenContract.creationCode({ kind: "ft", name: args[0], symbol: args[1], decimals: args[2] })

const encoded = encodeDeployData({ abi, bytecode: "0x", args }).slice(2)

/** Creation code without the arguments, which the libraries encode themselves. */
export const bytecode: Hex = `0x${code.slice(2, -encoded.length)}`

export const spendSignatures = [
  "function spend(uint256 wanted, address owner) view",
  "error NotEnough(uint256 wanted, address owner)"
] as const

export const spendAbi = parseAbi(spendSignatures)

const error = keccak256(toHex("NotEnough(uint256,address)")).slice(2, 10)

/** A hand-written contract: `spend` always reverts with `NotEnough` and its own arguments. */
const spend = `63${error}60e01b3d52` // the error's selector to the start of memory
  + "60043603600460043736" // behind it the arguments
  + "3dfd"

/** The shortest constructor: copies what follows it into memory and returns that. */
export const spendBytecode: Hex = `0x60${(spend.length / 2).toString(16)}8060095f395ff3${spend}`
