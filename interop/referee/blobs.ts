/** Blobs with their sidecars, right ones and wrong ones. */
import { bls12_381 } from "@noble/curves/bls12-381"
import { createHash } from "node:crypto"
import proofsOfRamp from "../../packages/local-chain/test/support/cellProofs.json" with { type: "json" }
import type { Hex } from "../../packages/transaction/src/Hex.js"
import type { BlobSidecar, EthereumBlob } from "../../packages/transaction/src/TransactionBody.js"
import type { Random } from "../transaction/random.js"

/** How many numbers a blob has. */
const count = 4096

const word = (value: bigint): string => value.toString(16).padStart(64, "0")

const infinity: Hex = `0xc0${"00".repeat(47)}`

const everyCell = (proof: Hex): ReadonlyArray<Hex> => Array.from({ length: 128 }, () => proof)

/** A blob of one number all over: its commitment is so many times the generator, and its proofs are the point at infinity. */
const constant = (value: bigint): BlobSidecar => ({
  version: 1,
  blobs: [`0x${word(value).repeat(count)}`],
  commitments: [value === 0n ? infinity : `0x${bls12_381.G1.ProjectivePoint.BASE.multiply(value).toHex(true)}`],
  proofs: everyCell(infinity)
})

/** A blob of numbers that rise, with proofs that were made for it once. */
const ramp: BlobSidecar = {
  version: 1,
  blobs: [`0x${Array.from({ length: count }, (_, at) => word(BigInt(at * 7919 + 5))).join("")}`],
  commitments: [
    "0xa2a150a4798c314539a98d68e149b56c5a50d97061d3aa8458a5de5a3fe6ab22b6107f1f74412ba07adc023b00b4b7c4"
  ],
  proofs: proofsOfRamp.map((proof): Hex => `0x${proof.slice(2)}`)
}

const hashOf = (commitment: Hex): Hex =>
  `0x01${createHash("sha256").update(Buffer.from(commitment.slice(2), "hex")).digest("hex").slice(2)}`

type Blobs = Pick<EthereumBlob, "blobVersionedHashes" | "maxFeePerBlobGas" | "sidecar">

const ston = 10n ** 9n

/** The fields of a transaction with a blob that a node takes. */
const right = (r: Random): Blobs & { readonly sidecar: BlobSidecar } => {
  const sidecar = r.int(2) === 0 ? ramp : constant(r.bigint(240))
  return {
    blobVersionedHashes: sidecar.commitments.map(hashOf),
    maxFeePerBlobGas: r.pick([200n, 201n, 400n, 6_000n]) * ston,
    sidecar
  }
}

/** What may be wrong with blobs. */
const mistakes: Readonly<Record<string, (blobs: Blobs & { readonly sidecar: BlobSidecar }, r: Random) => Blobs>> = {
  "no sidecar": ({ sidecar: _, ...rest }) => rest,
  "version 0": (blobs) => ({ ...blobs, sidecar: { ...blobs.sidecar, version: 0, proofs: [infinity] } }),
  "no blob and no hash": (blobs) => ({ ...blobs, blobVersionedHashes: [] }),
  "two hashes": (blobs) => ({ ...blobs, blobVersionedHashes: [...blobs.blobVersionedHashes, hashOf(infinity)] }),
  "another hash": (blobs, r) => ({ ...blobs, blobVersionedHashes: [r.bytes(32)] }),
  "a hash of version 2": (blobs) => ({
    ...blobs,
    blobVersionedHashes: blobs.blobVersionedHashes.map((hash): Hex => `0x02${hash.slice(4)}`)
  }),
  "a low price": (blobs, r) => ({ ...blobs, maxFeePerBlobGas: r.pick([0n, 1n, 199n]) * ston }),
  "a price that nobody can pay": (blobs) => ({ ...blobs, maxFeePerBlobGas: 10n ** 30n }),
  "no blob": (blobs) => ({ ...blobs, sidecar: { ...blobs.sidecar, blobs: [] } }),
  "no commitment": (blobs) => ({ ...blobs, sidecar: { ...blobs.sidecar, commitments: [] } }),
  "a proof too few": (blobs) => ({ ...blobs, sidecar: { ...blobs.sidecar, proofs: blobs.sidecar.proofs.slice(1) } }),
  "other proofs": (blobs) => ({
    ...blobs,
    sidecar: {
      ...blobs.sidecar,
      proofs: everyCell(blobs.sidecar.commitments[0] ?? infinity)
    }
  }),
  "another blob": (blobs) => ({ ...blobs, sidecar: { ...blobs.sidecar, blobs: constant(3n).blobs } }),
  "a number that is too large": (blobs) => ({
    ...blobs,
    sidecar: {
      ...blobs.sidecar,
      blobs: blobs.sidecar.blobs.map((blob): Hex => `0x${"ff".repeat(32)}${blob.slice(66)}`)
    }
  }),
  "a proof that is no point": (blobs, r) => ({
    ...blobs,
    sidecar: {
      ...blobs.sidecar,
      proofs: [
        `0x${r.pick(["0", "2", "4", "6", "8", "a", "c", "e"])}${r.bytes(48).slice(3)}`,
        ...blobs.sidecar.proofs.slice(1)
      ]
    }
  })
}

/** The fields of a transaction with a blob, and what is wrong with them if anything. */
export const someBlobs = (r: Random): { readonly fields: Blobs; readonly what: string } => {
  const blobs = right(r)
  const names = Object.keys(mistakes)
  const name = r.int(3) === 0 ? names[r.int(names.length)] : undefined
  const spoil = name === undefined ? undefined : mistakes[name]
  return spoil === undefined
    ? { fields: blobs, what: "with a blob" }
    : { fields: spoil(blobs, r), what: `blobs, ${name}` }
}
