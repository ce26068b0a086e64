import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { callContract } from "@effect-klaytn/wallet/TransactionsApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { decodeStored, findTransaction } from "../wallet/signing.js"
import { servePage } from "./walletPage.js"
import { nodeMessage } from "./WalletRefusals.js"
import type { WalletRequest } from "./WalletRequest.js"
import { type WalletService, WalletServiceApi } from "./WalletService.js"
import { wireChargedFee, wireReceipt, wireWaiting } from "./wire.js"

/** A hash in a cursor, if it is one. */
export const hashIn = (value: unknown): Hex | undefined =>
  typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value) ? `0x${value.slice(2)}` : undefined

/** A transaction by its hash: its receipt once it is in a block. */
export const getTransaction = ({ refusals, wallet: { chain } }: WalletRequest, hash: Hex) =>
  Effect.gen(function*() {
    const found = yield* findTransaction(chain, hash)
    if (Option.isNone(found)) return yield* refusals.fail("unknownTransaction")
    const known = found.value
    const transaction = yield* decodeStored("receipt", known.raw)
    return "blockHash" in known
      ? wireReceipt(transaction, known, yield* chain.logsOf(hash))
      : wireWaiting({ ...known, transaction })
  })

/** Calls a function of a contract. */
export const call = (request: WalletRequest) =>
  Effect.gen(function*() {
    const { refusals, settings: { encodeMethod }, wallet: { chain } } = request
    const { data, from, gas, to, value } = yield* request.transactionBody(callContract)
    const encoded = encodeMethod(data.methodName, data.arguments)
    if (encoded === undefined) return yield* refusals.fail("outOfRange", "arguments")
    const input = fromBytes(encoded)
    const limit = gas === undefined || gas === 0 ? undefined : BigInt(gas)
    const result = yield* chain.call({ from, to, value, data: input, gas: limit })
    // Inferred: no source shows the answer to a call that fails.
    return result.data === undefined
      ? yield* refusals.fail("nodeRefused", nodeMessage("evm: execution reverted"))
      : { data: input, result: result.data }
  })

/** Fees that the service has paid. */
export const feesLayer = ({ serve }: WalletService) =>
  HttpApiBuilder.group(WalletServiceApi, "fees", (handlers) =>
    handlers
      .handleRaw(
        "getChargedFees",
        serve((request, { urlParams: query }) =>
          servePage(request, {
            query,
            rowOf: ({ TransactionHash }) => {
              const hash = hashIn(TransactionHash)
              return hash === undefined
                ? Effect.succeed(undefined)
                : Effect.map(request.wallet.fees.find(hash), (found) => Option.getOrUndefined(found)?.id)
            },
            read: (before, limit) => request.wallet.fees.list({ before, limit, from: query.from }),
            place: ({ record }) => ({ TransactionHash: record.hash, Type: "FD", created_at: record.timestamp }),
            write: (fee) => wireChargedFee(request.wallet, request.settings.rates, fee)
          })
        )
      )
      .handleRaw(
        "getChargedFee",
        serve(({ refusals, settings: { rates }, wallet }, { path }) =>
          Effect.gen(function*() {
            const found = yield* wallet.fees.find(path.hash)
            return Option.isSome(found) ? wireChargedFee(wallet, rates, found.value) : yield* refusals.fail("noData")
          })
        )
      ))
