import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { BlobSidecar, EthereumBlob } from "@effect-klaytn/transaction/TransactionBody"
import { assert } from "@effect/vitest"
import { createHash } from "node:crypto"
import * as DevAccount from "../../src/DevAccount.js"
import proofs from "./cellProofs.json" with { type: "json" }

const hex = (text: string): Hex => `0x${text.replace(/^0x/, "")}`

/** A blob of 4,096 different numbers, with the commitment and the proofs that c-kzg-4844 made for it. */
export const sidecar: BlobSidecar = {
  version: 1,
  blobs: [hex(Array.from({ length: 4096 }, (_, at) => (at * 7919 + 5).toString(16).padStart(64, "0")).join(""))],
  commitments: ["0xa2a150a4798c314539a98d68e149b56c5a50d97061d3aa8458a5de5a3fe6ab22b6107f1f74412ba07adc023b00b4b7c4"],
  proofs: proofs.map(hex)
}

/** A sidecar in short, so that no report of a test has a whole blob. */
export const digestOf = (one: BlobSidecar): string =>
  createHash("sha256").update(JSON.stringify([one.version, one.blobs, one.commitments, one.proofs])).digest("hex")

/** The hash of its commitment. */
export const hash: Hex = "0x01638cc81d248f2713b15ee421fbcbd715f76a07f79144e2ab3f696a996c9ba8"

/** The point at infinity: commitment and proofs of a blob of zeros. */
export const infinity: Hex = `0xc0${"00".repeat(47)}`

export const receiver: Hex = "0x00000000000000000000000000000000000a11ce"

/** A signed transaction with that blob, or with other fields. */
export const blobTransaction = (
  from: DevAccount.DevAccount,
  nonce: number,
  fields: Partial<EthereumBlob> = {}
): Transaction.Of<"EthereumBlob"> => {
  const made = Transaction.make({
    type: "EthereumBlob",
    chainId: 1001,
    nonce: BigInt(nonce),
    gas: 60_000n,
    maxPriorityFeePerGas: 10n ** 9n,
    maxFeePerGas: 100n * 10n ** 9n,
    to: receiver,
    value: 5n,
    input: "0x",
    accessList: [],
    maxFeePerBlobGas: 10n ** 15n,
    blobVersionedHashes: [hash],
    sidecar,
    ...fields
  })
  assert(made.ok)
  const signed = Transaction.signAsSender(made.value, {
    chainId: made.value.chainId,
    privateKey: DevAccount.revealPrivateKey(from)
  })
  assert(signed.ok)
  return signed.value
}

/** Its bytes as they are sent. */
export const rawOf = (transaction: Transaction.Transaction): Hex => {
  const raw = Transaction.encode(transaction)
  assert(raw.ok)
  return raw.value
}
