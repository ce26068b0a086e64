import { type MultiSigAccount, updateMultiSig } from "@effect-klaytn/wallet/MultisigApi"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { severalKeysOf } from "../wallet/accountKeyOf.js"
import { transactionOf } from "../wallet/Draft.js"
import * as signing from "../wallet/signing.js"
import { defaultGas } from "./draftBody.js"
import { readBody } from "./transactionBody.js"
import { TransactionSender } from "./TransactionSender.js"
import type { PoolHeaders, WalletRequest } from "./WalletRequest.js"
import { checksum } from "./wireAccount.js"

/**
 * Gives an account several keys, all of them of accounts of the wallet, by a transaction that the account pays for. An
 * account that has its first key can be given them, and one that was moved in with a key of the wallet.
 */
export const makeUpdateMultiSig = (request: WalletRequest) => {
  const { refusals } = request
  const sender = new TransactionSender(request)
  return (headers: PoolHeaders, address: string) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const { threshold, weightedKeys } = yield* readBody(refusals, updateMultiSig, yield* request.json)
      const pools = yield* request.pools(wallet, headers)
      const account = yield* request.usableAccount(wallet, pools["account-pool"], address)
      const key = severalKeysOf(threshold, weightedKeys)
      const from = account.address
      const sent = yield* sender.runAlone(
        wallet,
        account,
        Effect.gen(function*() {
          const { type } = yield* wallet.accountKey(from)
          if (type !== "AccountKeyLegacy" && type !== "AccountKeyPublic") {
            return yield* Effect.fail(refusals.notLegacyAccount())
          }
          for (const { publicKey } of weightedKeys) {
            const owners = yield* wallet.accountsOfKey(publicKey)
            if (owners.length === 0) return yield* Effect.fail(refusals.noData())
          }
          if (!key.ok) return yield* Effect.fail(refusals.badAccountKey(key.error.message))
          const made = transactionOf(
            {
              from,
              nonce: undefined,
              gas: BigInt(defaultGas),
              submit: true,
              action: { kind: "update", key: key.value },
              payer: { kind: "sender" },
              feeRatio: undefined
            },
            {
              nonce: yield* wallet.chain.pendingNonce(from),
              gasPrice: wallet.chain.unitPrice,
              feePayer: undefined
            }
          )
          const transaction = yield* signing.signAsSender(wallet, yield* wallet.signer(account), made)
          return yield* sender.finish(wallet, undefined, { from, transaction, submit: true })
        })
      )
      const updated = yield* request.account(wallet, account.pool, address)
      const body: typeof MultiSigAccount.Encoded = {
        address: checksum(from),
        krn: wallet.krn(account.pool),
        multiSigKeys: weightedKeys,
        threshold,
        transactionHash: sent.transactionHash ?? "",
        updatedAt: updated.updatedAt
      }
      return HttpServerResponse.unsafeJson(body)
    })
}
