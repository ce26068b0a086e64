import type { Hardfork } from "@effect-klaytn/transaction/Hardfork"
import { bytesOf, fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { BlobSidecar, EthereumBlob } from "@effect-klaytn/transaction/TransactionBody"
import type { HashedTransaction, TransactionView } from "@effect-klaytn/transaction/TransactionView"
import { sha256 } from "@noble/hashes/sha2.js"
import * as Option from "effect/Option"
import { cellsPerBlob, current } from "./kzg.js"
import { blobFeeOf } from "./NextBlock.js"

/** How many blobs a transaction may have, and how many a block: what the chain's Osaka upgrade allows. */
const mostBlobs = 1
export const mostInBlock = 1

/** For how many blocks a node keeps blobs: 21 days, at a block a second. */
export const retention = 1_814_400

/** What the blobs of a transaction cost in a block with this base fee. */
export const feeOf = (
  { blobVersionedHashes }: Pick<TransactionView, "blobVersionedHashes">,
  baseFeePerGas: bigint,
  hardfork: Hardfork
): bigint => BigInt(blobVersionedHashes.length) * Transaction.gasPerBlob * blobFeeOf(baseFeePerGas, hardfork)

/** The most that its sender offers for them. */
export const mostOf = ({ blobFeeCap, blobVersionedHashes }: TransactionView): bigint =>
  BigInt(blobVersionedHashes.length) * Transaction.gasPerBlob * blobFeeCap

/** The hash that stands for a commitment: the first byte is its version. */
export const versionedHash = (commitment: Uint8Array): Hex => `0x01${fromBytes(sha256(commitment)).slice(4)}`

/** Why a sidecar does not belong to the hashes of its transaction, in a node's words. */
const sidecarFault = (sidecar: BlobSidecar, hashes: ReadonlyArray<Hex>): string | undefined => {
  const { blobs, commitments, proofs, version } = sidecar
  if (blobs.length !== hashes.length) {
    return `invalid number of ${blobs.length} blobs compared to ${hashes.length} blob hashes`
  }
  if (commitments.length !== hashes.length) {
    return `invalid number of ${commitments.length} blob commitments compared to ${hashes.length} blob hashes`
  }
  for (const [index, hash] of hashes.entries()) {
    const computed = versionedHash(bytesOf(commitments[index] ?? "0x"))
    if (computed !== hash) {
      return `blob ${index}: computed hash ${computed} mismatches transaction one ${hash.slice(2)}`
    }
  }
  if (version !== 1) return `blob sidecar version ${version} not supported`
  const wanted = hashes.length * cellsPerBlob
  if (proofs.length !== wanted) return `invalid number of ${proofs.length} blob proofs expected ${wanted}`
  return current().faultOf(sidecar)
}

/** The bytes of a transaction as it was sent: with its blobs. */
export const sentOf = ({ raw, view: { transaction } }: HashedTransaction): Uint8Array => {
  if (transaction.type !== "EthereumBlob" || transaction.sidecar === undefined) return raw
  const sent = Transaction.encodeBytes(transaction, { form: "eth" })
  return sent.ok ? sent.value : raw
}

/** About how many bytes that are. */
export const sizeOf = ({ raw, view: { transaction } }: HashedTransaction): number => {
  if (transaction.type !== "EthereumBlob" || transaction.sidecar === undefined) return raw.length
  const { blobs, commitments, proofs } = transaction.sidecar
  return raw.length + blobs.length * Number(Transaction.gasPerBlob) + (commitments.length + proofs.length) * 49
}

/** The blobs in such bytes. */
export const sidecarOf = (sent: Uint8Array): Option.Option<BlobSidecar> => {
  const decoded = Transaction.decode(sent)
  return decoded.ok && decoded.value.type === "EthereumBlob"
    ? Option.fromNullable(decoded.value.sidecar)
    : Option.none()
}

/** Why a node's pool refuses the blobs of a transaction, in its words; undefined if it does not. */
export const blobFault = (
  { blobVersionedHashes, maxFeePerBlobGas, sidecar }: EthereumBlob,
  blobFee: bigint
): string | undefined => {
  if (sidecar === undefined) return "missing sidecar in blob transaction"
  if (maxFeePerBlobGas < blobFee) {
    return `transaction gas price below minimum: blob fee cap ${maxFeePerBlobGas}, minimum needed ${blobFee}`
  }
  const { length } = blobVersionedHashes
  if (length === 0) return "blobless blob transaction"
  if (length > mostBlobs) return `too many blobs in transaction: have ${length}, permitted ${mostBlobs}`
  return sidecarFault(sidecar, blobVersionedHashes)
}
