import { encodeMethod } from "@effect-klaytn/indexer/Abi"
import { toHex } from "@effect-klaytn/indexer/Column"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { callContract } from "@effect-klaytn/wallet/TransactionsApi"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { findChargedFee, listChargedFees } from "../wallet/chargedFees.js"
import { decodeStored } from "../wallet/decodeStored.js"
import { readBody } from "./bodies.js"
import { hexOf } from "./draftBody.js"
import { type ListQuery, servePage } from "./walletPage.js"
import type { WalletRequest } from "./WalletRequest.js"
import { wireChargedFee, wireReceipt, wireWaiting } from "./wire.js"

const json = HttpServerResponse.unsafeJson

const transactionOf = (request: WalletRequest, raw: Hex) => request.mapStoreFailure(decodeStored("receipt", raw))

const receiptHandlers = (request: WalletRequest) => ({
  getTransaction: (hash: string) =>
    Effect.gen(function*() {
      const { chain } = yield* request.chainWallet
      const found = yield* request.mapStoreFailure(chain.transaction(hexOf(hash)))
      if (Option.isSome(found)) {
        const record = found.value
        return json(
          wireReceipt(
            yield* transactionOf(request, record.raw),
            record,
            yield* request.mapStoreFailure(chain.logsOf(record.hash))
          )
        )
      }
      const waiting = yield* chain.pendingTransaction(hexOf(hash))
      if (Option.isNone(waiting)) return yield* Effect.fail(request.refusals.unknownTransaction())
      return json(wireWaiting({ ...waiting.value, transaction: yield* transactionOf(request, waiting.value.raw) }))
    }),

  callContract: Effect.gen(function*() {
    const { chain } = yield* request.chainWallet
    const { data, from, gas, to, value } = yield* readBody(request.refusals, callContract, yield* request.json)
    const encoded = encodeMethod(data.methodName, data.arguments)
    if (encoded === undefined) return yield* Effect.fail(request.refusals.outOfRange("arguments"))
    const input = toHex(encoded)
    const result = yield* chain.call({
      to,
      data: input,
      ...(from !== undefined && { from }),
      ...(value !== undefined && { value }),
      ...(gas !== undefined && gas > 0 && { gas: BigInt(gas) })
    }).pipe(
      Effect.catchTags({
        BlockNotFound: () => Effect.fail(request.refusals.internal()),
        StoreFailure: (failure) => request.mapStoreFailure(Effect.fail(failure))
      })
    )
    // Inferred: no source shows the answer to a call that fails.
    return result.txError === undefined
      ? json({ data: input, result: result.data })
      : yield* Effect.fail(request.refusals.nodeRefused("evm: execution reverted"))
  })
})

const feeHandlers = (request: WalletRequest) => ({
  getChargedFees: (query: ListQuery & { readonly from?: string | undefined }) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      return yield* servePage(request, {
        query,
        rowOf: ({ TransactionHash: hash }) =>
          typeof hash === "string" && /^0x[0-9a-f]{64}$/.test(hash)
            ? Effect.map(
              request.mapStoreFailure(findChargedFee(wallet, hexOf(hash))),
              (found) => Option.getOrUndefined(found)?.id
            )
            : Effect.succeed(undefined),
        read: (before, limit) =>
          request.mapStoreFailure(
            listChargedFees(wallet, { before, limit, from: query.from === undefined ? undefined : hexOf(query.from) })
          ),
        place: ({ record }) => ({
          TransactionHash: record.hash,
          Type: "FD",
          created_at: record.timestamp
        }),
        write: (fee) => wireChargedFee(wallet.chain.chainId, fee)
      })
    }),

  getChargedFee: (hash: string) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const found = yield* request.mapStoreFailure(findChargedFee(wallet, hexOf(hash)))
      return Option.isSome(found)
        ? json(wireChargedFee(wallet.chain.chainId, found.value))
        : yield* Effect.fail(request.refusals.noData())
    })
})

/** Receipts, calls of contracts, and fees that the service has paid. */
export const make = (request: WalletRequest) => ({ ...receiptHandlers(request), ...feeHandlers(request) })
