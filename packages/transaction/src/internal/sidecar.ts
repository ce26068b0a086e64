import type { BlobSidecar } from "../TransactionBody.js"
import type { Faults } from "./faults.js"
import * as fields from "./fields.js"
import type { Encodable, Item } from "./rlp.js"

const versionField = fields.integer(0, 255)

const blobs = fields.list(fields.fixed(131_072))
const commitments = fields.list(fields.fixed(48))
const proofs = fields.list(fields.fixed(48))

/** Bytes name the version only if it is 1. */
const checkNamed = (version: number, faults: Faults): 1 => {
  if (version !== 1) faults.add("OutOfRange", "sidecar.version", `is ${version} instead of 1`)
  return 1
}

/** What follows the transaction: the version, unless it is 0, and the three lists. */
export const write = (sidecar: BlobSidecar, faults: Faults): Array<Encodable> => [
  ...(sidecar.version === 0 ? [] : [Uint8Array.of(checkNamed(sidecar.version, faults))]),
  blobs.write(sidecar.blobs, "sidecar.blobs", faults),
  commitments.write(sidecar.commitments, "sidecar.commitments", faults),
  proofs.write(sidecar.proofs, "sidecar.proofs", faults)
]

/** Reads what follows a transaction. */
export const read = (items: ReadonlyArray<Item>, faults: Faults): BlobSidecar => {
  const [first] = items
  const isNamed = first instanceof Uint8Array
  const lists = isNamed ? items.slice(1) : items
  const version = isNamed ? checkNamed(versionField.read(first, "sidecar.version", faults), faults) : 0
  fields.expectLength(lists, 3, "sidecar", faults)
  return {
    version,
    blobs: blobs.read(lists[0], "sidecar.blobs", faults),
    commitments: commitments.read(lists[1], "sidecar.commitments", faults),
    proofs: proofs.read(lists[2], "sidecar.proofs", faults)
  }
}
