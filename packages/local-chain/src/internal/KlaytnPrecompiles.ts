import { bytesOf, fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type { Signer } from "@effect-klaytn/transaction/Signature"
import { type CustomPrecompile, EVMError } from "@ethereumjs/evm"
import { hexToBytes } from "@ethereumjs/util"
import { speaksFor } from "../AccountRecord.js"
import { versionedHash } from "./blobs.js"
import type { JournalState } from "./JournalState.js"
import { load } from "./kzg.js"

/** The inputs of the precompiles besides their data. */
export interface PrecompileContext {
  readonly state: JournalState
  readonly curve: Secp256k1
  readonly feePayer: () => Hex
}

const nothing = new Uint8Array(0)
const signatureLength = 65

/** A precompile whose gas depends on the length of its data. */
const precompile = (
  address: Hex,
  gasOf: (length: number) => number,
  run: (data: Uint8Array) => Uint8Array
): CustomPrecompile => ({
  address,
  function: ({ data, gasLimit }) => {
    const gas = BigInt(gasOf(data.length))
    return gasLimit < gas
      ? { executionGasUsed: gasLimit, exceptionError: new EVMError("out of gas"), returnValue: nothing }
      : { executionGasUsed: gas, returnValue: run(data) }
  }
})

const recover = (curve: Secp256k1, digest: Uint8Array, signature: Uint8Array): Signer | undefined => {
  // Unlike Ethereum's precompile, this one takes 0 and 1, not 27 and 28.
  const recovery = signature[64] ?? 0
  if (recovery > 1) return undefined
  try {
    const key = curve.recover(digest, { rs: signature.subarray(0, 64), recovery })
    return key && { address: PublicKey.addressOf(key), publicKey: PublicKey.compressedOf(key) }
  } catch {
    return undefined
  }
}

/** Whether all signatures are valid and together satisfy the account's key for transactions. */
const validateSender = ({ curve, state }: PrecompileContext, data: Uint8Array): boolean => {
  const rest = data.length - 52
  if (rest < signatureLength || rest % signatureLength !== 0) return false
  const address = fromBytes(data.subarray(0, 20))
  const digest = data.subarray(20, 52)
  const signers: Array<Signer> = []
  for (let start = 52; start < data.length; start += signatureLength) {
    const signer = recover(curve, digest, data.subarray(start, start + signatureLength))
    if (signer === undefined) return false
    signers.push(signer)
  }
  return speaksFor(state.accountOrEmpty(address), address, "transaction", signers)
}

const gasOfProof = 50_000n

/** What a proof that holds gives: how many numbers a blob has, and the number that bounds each. */
const proven = hexToBytes(
  "0x000000000000000000000000000000000000000000000000000000000000100073eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"
)

/** Verifies that a blob has a value at a point, by its commitment. The library for that is loaded with the first call. */
const pointEvaluation: CustomPrecompile = {
  address: "0x000000000000000000000000000000000000000a",
  function: async ({ data, gasLimit }) => {
    const part = (start: number, end: number): Hex => fromBytes(data.subarray(start, end))
    const fails = (reason: string) => ({
      executionGasUsed: gasLimit,
      // The machine hands the text on, and looks at none but its own.
      exceptionError: new EVMError(reason as EVMError["error"]),
      returnValue: nothing
    })
    if (gasLimit < gasOfProof) return fails("out of gas")
    if (data.length !== 192) return fails("invalid input length")
    if (versionedHash(data.subarray(96, 144)) !== part(0, 32)) return fails("mismatched versioned hash")
    const { pointFault } = await load()
    const fault = pointFault(part(96, 144), part(32, 64), part(64, 96), part(144, 192))
    return fault === undefined
      ? { executionGasUsed: gasOfProof, returnValue: proven }
      : fails(`error verifying kzg proof: ${fault}`)
  }
}

/**
 * The three precompiles that Klaytn adds: vmLog (0x3fd), feePayer (0x3fe) and validateSender (0x3ff). Also 0x0a, which
 * verifies proofs about blobs.
 */
export const klaytnPrecompiles = (context: PrecompileContext): Array<CustomPrecompile> => [
  pointEvaluation,
  precompile("0x00000000000000000000000000000000000003fd", (length) => 100 + 20 * length, () => nothing),
  precompile("0x00000000000000000000000000000000000003fe", () => 300, () => bytesOf(context.feePayer())),
  precompile(
    "0x00000000000000000000000000000000000003ff",
    (length) => 5_000 * Math.floor(length / signatureLength),
    (data) => new Uint8Array([validateSender(context, data) ? 1 : 0])
  )
]
