import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { callContract } from "@effect-klaytn/wallet/TransactionsApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ChainWallet } from "../../ChainWallet.js"
import { isDead } from "../../SendOutcome.js"
import { zeroHash } from "../../TransactionFields.js"
import { CurrentCaller } from "../../WalletCaller.js"
import { decodeStored, findTransaction } from "../wallet/signing.js"
import { statusOf, wireOutcome } from "./sendAnswer.js"
import { servePage } from "./walletPage.js"
import { nodeMessage } from "./WalletRefusals.js"
import type { WalletRequest } from "./WalletRequest.js"
import { type WalletService, WalletServiceApi } from "./WalletService.js"
import { wireChargedFee, wireReceipt, wireWaiting } from "./wire.js"

/** A hash in a cursor, if it is one. */
export const hashIn = (value: unknown): Hex | undefined =>
  typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value) ? `0x${value.slice(2)}` : undefined

/** The outcome of a send of the wallet, if the caller sees its account. */
const outcomeOf = ({ sends, store }: ChainWallet, hash: Hex) =>
  Effect.gen(function*() {
    const outcome = yield* sends.outcome?.(hash) ?? Effect.succeed(undefined)
    if (outcome === undefined) return undefined
    const pools = (yield* CurrentCaller)?.caller.pools
    return pools === undefined || (yield* store.account(outcome.account)) !== undefined ? outcome : undefined
  })

/** What the chain has of a hash: its receipt once it is in a block. */
const foundOf = ({ chain }: ChainWallet, hash: Hex) =>
  Effect.gen(function*() {
    const found = yield* findTransaction(chain, hash)
    if (Option.isNone(found)) return undefined
    const known = found.value
    const transaction = yield* decodeStored("receipt", known.raw)
    return "blockHash" in known
      ? wireReceipt(transaction, known, yield* chain.logsOf(hash))
      : wireWaiting({ ...known, transaction })
  })

/**
 * A transaction by its hash: its receipt once it is in a block. A send of the wallet may have been signed again at a higher price: any
 * of its hashes gives the receipt of the one that a block has.
 */
export const getTransaction = ({ refusals, wallet }: WalletRequest, hash: Hex) =>
  Effect.gen(function*() {
    const known = yield* outcomeOf(wallet, hash)
    const standing = known?.stage === "mined" ? known.hash ?? hash : hash
    const found = known !== undefined && isDead(known) ? undefined : yield* foundOf(wallet, standing)
    if (known === undefined) return found ?? (yield* refusals.fail("unknownTransaction"))
    // A block may have what the keeper has not seen yet.
    if (found !== undefined && found.blockHash !== zeroHash) {
      return known.stage === "mined"
        ? { ...found, hash, outcome: wireOutcome(known) }
        : found
    }
    const { raw, senderHash } = known.payment
    const waiting = wireWaiting({
      hash,
      senderTxHash: senderHash,
      from: known.account,
      transaction: yield* decodeStored("receipt", raw)
    })
    return { ...waiting, status: statusOf(known), outcome: wireOutcome(known) }
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
