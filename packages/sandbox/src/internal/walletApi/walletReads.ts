import { encodeMethod } from "@effect-klaytn/indexer/Abi"
import { toHex } from "@effect-klaytn/indexer/Column"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { callContract } from "@effect-klaytn/wallet/TransactionsApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { findChargedFee, listChargedFees } from "../wallet/chargedFees.js"
import { decodeStored } from "../wallet/signing.js"
import { readBody } from "./bodies.js"
import { servePage } from "./walletPage.js"
import { nodeMessage } from "./WalletRefusals.js"
import { type WalletRequest, WalletServiceApi } from "./WalletRequest.js"
import { wireChargedFee, wireReceipt, wireWaiting } from "./wire.js"

/** A hash in a cursor, if it is one. */
export const hashIn = (value: unknown): Hex | undefined =>
  typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value) ? `0x${value.slice(2)}` : undefined

/** A transaction by its hash: its receipt once it is in a block. */
export const getTransaction = (request: WalletRequest, hash: Hex) =>
  Effect.gen(function*() {
    const { chain } = yield* request.chainWallet
    const found = yield* chain.transaction(hash)
    if (Option.isSome(found)) {
      const transaction = yield* decodeStored("receipt", found.value.raw)
      return wireReceipt(transaction, found.value, yield* chain.logsOf(found.value.hash))
    }
    const waiting = yield* chain.pendingTransaction(hash)
    if (Option.isNone(waiting)) return yield* request.refusals.fail("unknownTransaction")
    return wireWaiting({ ...waiting.value, transaction: yield* decodeStored("receipt", waiting.value.raw) })
  })

/** Calls a function of a contract. */
export const call = (request: WalletRequest) =>
  Effect.gen(function*() {
    const { refusals } = request
    const { chain } = yield* request.chainWallet
    const { data, from, gas, to, value } = yield* readBody(refusals, callContract, yield* request.json)
    const encoded = encodeMethod(data.methodName, data.arguments)
    if (encoded === undefined) return yield* refusals.fail("outOfRange", "arguments")
    const input = toHex(encoded)
    const limit = gas === undefined || gas === 0 ? undefined : BigInt(gas)
    const result = yield* chain.call({ from, to, value, data: input, gas: limit }).pipe(
      Effect.catchTag("BlockNotFound", () => Effect.failSync(() => refusals.internal()))
    )
    // Inferred: no source shows the answer to a call that fails.
    return result.txError === undefined
      ? { data: input, result: result.data }
      : yield* refusals.fail("nodeRefused", nodeMessage("evm: execution reverted"))
  })

/** Fees that the service has paid. */
export const feesLayer = (request: WalletRequest) =>
  HttpApiBuilder.group(WalletServiceApi, "fees", (handlers) =>
    handlers
      .handleRaw(
        "getChargedFees",
        request.serve(({ urlParams: query }) =>
          Effect.flatMap(request.chainWallet, (wallet) =>
            servePage(request, {
              query,
              rowOf: ({ TransactionHash }) => {
                const hash = hashIn(TransactionHash)
                return hash === undefined
                  ? Effect.succeed(undefined)
                  : Effect.map(findChargedFee(wallet, hash), (found) => Option.getOrUndefined(found)?.id)
              },
              read: (before, limit) => listChargedFees(wallet, { before, limit, from: query.from }),
              place: ({ record }) => ({ TransactionHash: record.hash, Type: "FD", created_at: record.timestamp }),
              write: (fee) => wireChargedFee(wallet.chain.chainId, fee)
            }))
        )
      )
      .handleRaw(
        "getChargedFee",
        request.serve(({ path }) =>
          Effect.gen(function*() {
            const wallet = yield* request.chainWallet
            const found = yield* findChargedFee(wallet, path.hash)
            return Option.isSome(found)
              ? wireChargedFee(wallet.chain.chainId, found.value)
              : yield* request.refusals.fail("noData")
          })
        )
      ))
