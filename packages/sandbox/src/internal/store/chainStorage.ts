import type { SqliteIndex } from "@effect-klaytn/indexer/SqliteIndex"
import type { Viewer } from "@effect-klaytn/indexer/Viewer"
import { attempt, type StoreFailure } from "@effect-klaytn/local-chain/ChainError"
import type { BlockState } from "@effect-klaytn/local-chain/ChainStorage"
import { fromBytes } from "@effect-klaytn/transaction/Hex"
import { typeInts } from "@effect-klaytn/transaction/TransactionType"
import * as Effect from "effect/Effect"
import type { BlobStore } from "./BlobStore.js"
import type { StateStore } from "./StateStore.js"
import type { ChainStore } from "./Store.js"
import type { WaitingStore } from "./WaitingStore.js"

/** How contracts refuse, by compilers old and new. */
const refusals: ReadonlySet<string> = new Set(["revert", "invalid opcode", "invalid JUMP"])

const nothing = new Uint8Array(0)

/** The state at the end of a block, as the index asks for it. */
const viewerOf = ({ call, code }: BlockState): Viewer<StoreFailure> => ({
  call: (request) =>
    Effect.map(call(request), ({ fault, gasUsed, returnValue }) =>
      fault === undefined
        ? { kind: "returned", data: returnValue, gasUsed }
        : { kind: refusals.has(fault) ? "refused" : "failed", data: nothing, gasUsed }),
  code
})

/** Stores a block's state and its index in one transaction. */
export const chainStorage = (
  { atomically, rows, writer }: SqliteIndex,
  { blobs, state, waiting }: { readonly state: StateStore; readonly blobs: BlobStore; readonly waiting: WaitingStore },
  named: Pick<ChainStore["storage"], "rules" | "keepRules">
): ChainStore["storage"] => ({
  ...named,
  latestBlock: () => rows.latestBlock(),
  blockByNumber: (height) => rows.blockByNumber(height),
  transactionByHash: (hash) => rows.transactionByHash(hash),
  withBlobs: (hash) => blobs.get(hash),
  transactionsOf: (height) =>
    rows.transactionsOfBlock(height).map(({ from, hash, raw, typeInt }) => {
      const sent = typeInt === typeInts.EthereumBlob ? blobs.get(hash) : undefined
      return { from, raw: sent === undefined ? raw : fromBytes(sent) }
    }),
  codes: () => state.codes(),
  entries: () => state.entries(),
  changedSince: (height) => state.changedSince(height),
  before: (height, address, slot) => state.before(height, address, slot),
  restart: ({ changes, codes, header, state: ended }) =>
    Effect.flatMap(writer.prepare(header, [], viewerOf(ended)), (prepared) =>
      attempt("reset", () =>
        atomically(() => {
          writer.revert(-1)
          state.revert(-1)
          blobs.revert(-1)
          const block = writer.write(prepared)
          state.write(header.number, changes, codes)
          return block
        }))),
  write: ({ changes, codes, header, state: ended, transactions, withBlobs }) =>
    Effect.flatMap(
      writer.prepare(header, transactions, viewerOf(ended)),
      (prepared) =>
        attempt("build", () =>
          atomically(() => {
            const block = writer.write(prepared)
            state.write(header.number, changes, codes)
            blobs.write(header.number, withBlobs)
            return block
          }))
    ),
  revert: (height) =>
    atomically(() => {
      writer.revert(height)
      blobs.revert(height)
      return state.revert(height)
    }),
  keepPool: (transactions) => atomically(() => waiting.put(transactions)),
  takePool: () => atomically(() => waiting.take())
})
