import { attempt } from "@effect-klaytn/local-chain/ChainError"
import type { AccountKey } from "@effect-klaytn/transaction/AccountKey"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { Status } from "@effect-klaytn/wallet/Account"
import { createFeePayer } from "@effect-klaytn/wallet/AccountsApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { Pool, WalletAccount } from "../store/WalletRecord.js"
import { compressedOf } from "../store/WalletRecord.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import { boundsOf, type ListQuery, servePage } from "./walletPage.js"
import { nodeMessage } from "./WalletRefusals.js"
import { type Failure, type PoolHeaders, type WalletRequest, WalletServiceApi } from "./WalletRequest.js"
import { checksum, wireAccount, wireFeePayer } from "./wire.js"

/** A place in a list of accounts: the pool, the address behind it, and when the account was made. */
const placeOf = (wallet: ChainWallet, account: WalletAccount) => ({
  Address: `${wallet.krn(account.pool)}:${checksum(account.address)}`,
  Type: "ACC",
  created_at: account.createdAt,
  rpn: wallet.krn(account.pool)
})

type AccountPool = "account-pool" | "feepayer-pool"

const listAccounts = <Item>(
  request: WalletRequest,
  { pool, wallet }: { readonly pool: Pool; readonly wallet: ChainWallet },
  query: ListQuery,
  write: (wallet: ChainWallet, account: WalletAccount) => Item,
  isWanted: (account: WalletAccount) => Effect.Effect<boolean, Failure> = () => Effect.succeed(true)
) =>
  servePage(request, {
    query,
    rowOf: ({ Address, created_at }) => {
      const krn = `${wallet.krn(pool)}:`
      return typeof Address === "string" && typeof created_at === "number" && Address.startsWith(krn) &&
          /^0x[0-9a-f]{40}$/i.test(Address.slice(krn.length))
        ? wallet.placeOf(pool, `0x${Address.slice(krn.length + 2).toLowerCase()}`, created_at)
        : Effect.succeed(undefined)
    },
    read: (before, limit) =>
      Effect.gen(function*() {
        const found: Array<WalletAccount> = []
        for (let last = before; found.length < limit;) {
          const rows = yield* wallet.accounts(pool, { ...boundsOf(query), before: last, limit })
          found.push(...yield* Effect.filter(rows, isWanted))
          last = rows.at(-1)?.id
          if (rows.length < limit) break
        }
        return found.slice(0, limit)
      }),
    place: (account) => placeOf(wallet, account),
    write: (account) => write(wallet, account)
  })

/** The accounts of a status, those that can sign unless the query says otherwise. */
export const getAccounts = (
  request: WalletRequest,
  headers: PoolHeaders,
  { status = "enabled", ...query }: ListQuery & { readonly status?: Status | undefined }
) =>
  Effect.flatMap(request.pool(headers, "account-pool"), (found) =>
    listAccounts(
      request,
      found,
      query,
      wireAccount,
      (account) =>
        status === "all"
          ? Effect.succeed(true)
          : Effect.map(found.wallet.status(account), (actual) => actual === status)
    ))

/** All fee payers of a pool. */
export const getFeePayers = (request: WalletRequest, headers: PoolHeaders, query: ListQuery) =>
  Effect.flatMap(
    request.pool(headers, "feepayer-pool"),
    (found) => listAccounts(request, found, query, wireFeePayer)
  )

/** Creates an account with a key of its own. */
export const createAccount = (request: WalletRequest, headers: PoolHeaders) =>
  Effect.flatMap(
    request.pool(headers, "account-pool"),
    ({ pool, wallet }) => Effect.map(wallet.createAccount(pool), (account) => wireAccount(wallet, account))
  )

/** An account of the pool that a request means, and the wallet that holds it. */
const findAccount = (request: WalletRequest, headers: PoolHeaders, address: string, type: AccountPool) =>
  Effect.flatMap(
    request.pool(headers, type),
    ({ pool, wallet }) => Effect.map(request.account(wallet, pool, address), (account) => ({ wallet, account }))
  )

/** Switches an account that is the other way round; the refusal also answers for an account that does not exist. */
const setDisabled = (request: WalletRequest, isDisabled: boolean) =>
  request.serve(({ headers, path }: { readonly headers: PoolHeaders; readonly path: { readonly address: string } }) =>
    Effect.gen(function*() {
      const { pool, wallet } = yield* request.pool(headers, "account-pool")
      const account = yield* wallet.account(pool, path.address)
      if (account === undefined || account.isDisabled === isDisabled) {
        return yield* request.refusals.fail(isDisabled ? "alreadyDisabled" : "alreadyEnabled")
      }
      const updatedAt = yield* wallet.setDisabled(account, isDisabled)
      return { address: checksum(account.address), krn: wallet.krn(account.pool), updatedAt }
    })
  )

const deleteAccount = (request: WalletRequest, type: AccountPool) =>
  request.serve(({ headers, path }: { readonly headers: PoolHeaders; readonly path: { readonly address: string } }) =>
    Effect.flatMap(
      findAccount(request, headers, path.address, type),
      ({ account, wallet }) => Effect.as(wallet.dropAccount(account), { status: "deleted" })
    )
  )

/** Leaves an account nothing but the role of a fee payer; the service pays for it. */
const restrict = (request: WalletRequest, wallet: ChainWallet, account: WalletAccount) =>
  Effect.gen(function*() {
    const from = yield* wallet.signer(account)
    const feePayer = yield* wallet.payer
    const fail = { type: "AccountKeyFail" } as const
    const own = { type: "AccountKeyPublic", publicKey: compressedOf(account.key) } as const
    const key: AccountKey = { type: "AccountKeyRoleBased", keys: [fail, fail, own] }
    return yield* Effect.catchTag(
      wallet.chain.send({ kind: "updateKey", from, feePayer, key }),
      "InvalidRequest",
      ({ message }) => request.refusals.fail("nodeRefused", nodeMessage(message))
    )
  })

/** Creates a fee payer. By default it gives the account a key that can only pay fees. */
const newFeePayer = (request: WalletRequest, headers: PoolHeaders) =>
  Effect.gen(function*() {
    const { withoutAccountUpdate = false } = yield* request.body(createFeePayer.request.payload)
    const { pool, wallet } = yield* request.pool(headers, "feepayer-pool")
    const account = yield* wallet.createAccount(pool)
    if (!withoutAccountUpdate) {
      yield* Effect.tapError(restrict(request, wallet, account), () => Effect.ignore(wallet.dropAccount(account)))
    }
    return wireFeePayer(wallet, account)
  })

const getAccountsByPublicKey = (request: WalletRequest, publicKey: Hex) =>
  Effect.gen(function*() {
    const wallet = yield* request.chainWallet
    const key = PublicKey.uncompress(publicKey)
    if (!key.ok) return yield* request.refusals.fail("outOfRange", "public-key")
    const accounts = yield* wallet.accountsOfKey(key.value)
    if (accounts.length === 0) return yield* request.refusals.fail("noData")
    const { chainId } = wallet.chain
    return { items: accounts.map(({ address }) => ({ address: checksum(address), chainId })) }
  })

/** What may be done to an account or a fee payer, and their numbers. */
export const accountsLayer = (request: WalletRequest) => {
  const { refusals, serve } = request
  const accountId = request.wallet.customer
  return HttpApiBuilder.group(WalletServiceApi, "accounts", (handlers) =>
    handlers
      .handleRaw(
        "getAccount",
        serve(({ headers, path }) =>
          Effect.gen(function*() {
            const { account, wallet } = yield* findAccount(request, headers, path.address, "account-pool")
            if ((yield* wallet.status(account)) === "corrupted") return yield* refusals.fail("corruptedAccount")
            return wireAccount(wallet, account)
          })
        )
      )
      .handleRaw("deleteAccount", deleteAccount(request, "account-pool"))
      .handleRaw("disableAccount", setDisabled(request, true))
      .handleRaw("enableAccount", setDisabled(request, false))
      .handleRaw("getAccountsByPublicKey", serve(({ path }) => getAccountsByPublicKey(request, path.publicKey)))
      .handleRaw("createFeePayer", serve(({ headers }) => newFeePayer(request, headers)))
      .handleRaw(
        "getFeePayer",
        serve(({ headers, path }) =>
          Effect.map(
            findAccount(request, headers, path.address, "feepayer-pool"),
            ({ account, wallet }) => wireFeePayer(wallet, account)
          )
        )
      )
      .handleRaw("deleteFeePayer", deleteAccount(request, "feepayer-pool"))
      // Accounts have a key each, so the keys are both.
      .handleRaw(
        "countAccounts",
        serve(() =>
          Effect.flatMap(request.chainWallet, ({ store }) =>
            attempt("count", () => ({ accountId, count: store.countKeys() })))
        )
      )
      .handleRaw(
        "countAccountsInPool",
        serve(({ headers }) =>
          Effect.flatMap(request.pool(headers, "account-pool"), ({ pool, wallet }) =>
            attempt("count", () => ({ accountId, count: wallet.store.countAccounts(pool), krn: wallet.krn(pool) })))
        )
      ))
}
