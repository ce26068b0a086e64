import { attempt } from "@effect-klaytn/local-chain/ChainError"
import type { AccountKey } from "@effect-klaytn/transaction/AccountKey"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import type { Status } from "@effect-klaytn/wallet/Account"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Pool, WalletAccount } from "../store/WalletRecord.js"
import { compressedOf } from "../store/WalletRecord.js"
import type { ChainWallet } from "../wallet/ChainWallet.js"
import { boundsOf, type ListQuery, servePage } from "./walletPage.js"
import type { PoolHeaders, Refused, WalletRequest } from "./WalletRequest.js"
import { checksum, wireAccount, wireFeePayer } from "./wire.js"

/** A place in a list of accounts: the pool, the address behind it, and when the account was made. */
const placeOf = (wallet: ChainWallet, account: WalletAccount) => ({
  Address: `${wallet.krn(account.pool)}:${checksum(account.address)}`,
  Type: "ACC",
  created_at: account.createdAt,
  rpn: wallet.krn(account.pool)
})

const json = HttpServerResponse.unsafeJson

const list = (
  request: WalletRequest,
  wallet: ChainWallet,
  pool: Pool,
  query: ListQuery,
  isWanted: (account: WalletAccount) => Effect.Effect<boolean, Refused>,
  write: (account: WalletAccount) => unknown
) =>
  servePage(request, {
    query,
    rowOf: ({ Address, created_at }) => {
      const krn = `${wallet.krn(pool)}:`
      return typeof Address === "string" && typeof created_at === "number" && Address.startsWith(krn) &&
          /^0x[0-9a-f]{40}$/i.test(Address.slice(krn.length))
        ? request.mapStoreFailure(
          wallet.placeOf(pool, `0x${Address.slice(krn.length + 2).toLowerCase()}`, created_at)
        )
        : Effect.succeed(undefined)
    },
    read: (before, limit) =>
      Effect.gen(function*() {
        const found: Array<WalletAccount> = []
        for (let last = before; found.length < limit;) {
          const rows = yield* request.mapStoreFailure(
            wallet.accounts(pool, { ...boundsOf(query), before: last, limit })
          )
          found.push(...yield* Effect.filter(rows, isWanted))
          last = rows.at(-1)?.id
          if (rows.length < limit) break
        }
        return found.slice(0, limit)
      }),
    place: (account) => placeOf(wallet, account),
    write
  })

/** An account of the pool that a request means, and the wallet that holds it. */
const findAccount = (
  request: WalletRequest,
  headers: PoolHeaders,
  address: string,
  type: "account-pool" | "feepayer-pool" = "account-pool"
) =>
  Effect.gen(function*() {
    const wallet = yield* request.chainWallet
    const pools = yield* request.pools(wallet, headers, [type])
    return { wallet, account: yield* request.account(wallet, pools[type], address) }
  })

const dropAccount = (request: WalletRequest, wallet: ChainWallet, account: WalletAccount) =>
  Effect.as(request.mapStoreFailure(wallet.dropAccount(account)), json({ status: "deleted" }))

/** Switches an account that is the other way round; `refuse` also answers for an account that does not exist. */
const setDisabled = (
  request: WalletRequest,
  headers: PoolHeaders,
  address: string,
  isDisabled: boolean,
  refuse: () => Refused
) =>
  Effect.gen(function*() {
    const wallet = yield* request.chainWallet
    const pools = yield* request.pools(wallet, headers)
    const account = yield* request.mapStoreFailure(wallet.account(pools["account-pool"], address))
    if (account === undefined || account.isDisabled === isDisabled) return yield* Effect.fail(refuse())
    const updatedAt = yield* request.mapStoreFailure(wallet.setDisabled(account, isDisabled))
    return json({ address: checksum(account.address), krn: wallet.krn(account.pool), updatedAt })
  })

/** Leaves an account nothing but the role of a fee payer; the service pays for it. */
const restrict = (request: WalletRequest, wallet: ChainWallet, account: WalletAccount) =>
  Effect.gen(function*() {
    const from = yield* request.signer(wallet, account)
    const feePayer = yield* request.mapStoreFailure(wallet.payer)
    const fail = { type: "AccountKeyFail" } as const
    const own = { type: "AccountKeyPublic", publicKey: compressedOf(account.key) } as const
    const key: AccountKey = { type: "AccountKeyRoleBased", keys: [fail, fail, own] }
    return yield* Effect.catchAll(
      wallet.chain.send({ kind: "updateKey", from, feePayer, key }),
      (failure): Effect.Effect<never, Refused> =>
        failure._tag === "StoreFailure"
          ? request.mapStoreFailure(Effect.fail(failure))
          : Effect.fail(request.refusals.nodeRefused(failure.message))
    )
  })

const accountHandlers = (request: WalletRequest) => ({
  getAccounts: (headers: PoolHeaders, query: ListQuery & { readonly status?: Status | undefined }) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const pools = yield* request.pools(wallet, headers)
      const { status = "enabled" } = query
      const isWanted = (account: WalletAccount) =>
        status === "all"
          ? Effect.succeed(true)
          : Effect.map(request.mapStoreFailure(wallet.status(account)), (actual) => actual === status)
      return yield* list(request, wallet, pools["account-pool"], query, isWanted, (one) => wireAccount(wallet, one))
    }),

  createAccount: (headers: PoolHeaders) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const pools = yield* request.pools(wallet, headers)
      return json(wireAccount(wallet, yield* request.mapStoreFailure(wallet.createAccount(pools["account-pool"]))))
    }),

  getAccount: (headers: PoolHeaders, address: string) =>
    Effect.gen(function*() {
      const { account, wallet } = yield* findAccount(request, headers, address)
      const status = yield* request.mapStoreFailure(wallet.status(account))
      if (status === "corrupted") return yield* Effect.fail(request.refusals.corrupted())
      return json(wireAccount(wallet, account))
    }),

  deleteAccount: (headers: PoolHeaders, address: string) =>
    Effect.flatMap(
      findAccount(request, headers, address),
      ({ account, wallet }) => dropAccount(request, wallet, account)
    ),

  disableAccount: (headers: PoolHeaders, address: string) =>
    setDisabled(request, headers, address, true, () => request.refusals.alreadyDisabled()),

  enableAccount: (headers: PoolHeaders, address: string) =>
    setDisabled(request, headers, address, false, () => request.refusals.alreadyEnabled()),

  getAccountsByPublicKey: (publicKey: string) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const key = PublicKey.uncompress(`0x${publicKey.slice(2)}`)
      if (!key.ok) return yield* Effect.fail(request.refusals.outOfRange("public-key"))
      const accounts = yield* request.mapStoreFailure(wallet.accountsOfKey(key.value))
      if (accounts.length === 0) return yield* Effect.fail(request.refusals.noData())
      const { chainId } = wallet.chain
      return json({ items: accounts.map(({ address }) => ({ address: checksum(address), chainId })) })
    })
})

const feePayerHandlers = (request: WalletRequest) => ({
  getFeePayers: (headers: PoolHeaders, query: ListQuery) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const pools = yield* request.pools(wallet, headers, ["feepayer-pool"])
      const all = () => Effect.succeed(true)
      return yield* list(request, wallet, pools["feepayer-pool"], query, all, (one) => wireFeePayer(wallet, one))
    }),

  /** By default it gives the account a key that can only pay fees. */
  createFeePayer: (headers: PoolHeaders, withoutAccountUpdate: boolean) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const pools = yield* request.pools(wallet, headers, ["feepayer-pool"])
      const account = yield* request.mapStoreFailure(wallet.createAccount(pools["feepayer-pool"]))
      if (!withoutAccountUpdate) {
        yield* Effect.tapError(restrict(request, wallet, account), () => Effect.ignore(wallet.dropAccount(account)))
      }
      return json(wireFeePayer(wallet, account))
    }),

  getFeePayer: (headers: PoolHeaders, address: string) =>
    Effect.map(
      findAccount(request, headers, address, "feepayer-pool"),
      ({ account, wallet }) => json(wireFeePayer(wallet, account))
    ),

  deleteFeePayer: (headers: PoolHeaders, address: string) =>
    Effect.flatMap(
      findAccount(request, headers, address, "feepayer-pool"),
      ({ account, wallet }) => dropAccount(request, wallet, account)
    )
})

/** Accounts and fee payers: lists, numbers, creation, and what may be done to one. */
export const make = (request: WalletRequest) => ({
  ...accountHandlers(request),
  ...feePayerHandlers(request),

  /** Accounts have a key each, so the keys are both. */
  countAccounts: Effect.gen(function*() {
    const { store } = yield* request.chainWallet
    const count = yield* request.mapStoreFailure(attempt("count", () => store.countKeys()))
    return json({ accountId: request.wallet.customer, count })
  }),

  countAccountsInPool: (headers: PoolHeaders) =>
    Effect.gen(function*() {
      const wallet = yield* request.chainWallet
      const { "account-pool": pool } = yield* request.pools(wallet, headers)
      const count = yield* request.mapStoreFailure(attempt("count", () => wallet.store.countAccounts(pool)))
      return json({ accountId: request.wallet.customer, count, krn: wallet.krn(pool) })
    })
})
