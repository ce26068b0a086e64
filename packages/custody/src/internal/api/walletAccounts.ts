import type { AccountKey } from "@effect-klaytn/transaction/AccountKey"
import { type Hex, lowerCase } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type { Status } from "@effect-klaytn/wallet/Account"
import * as AccountsApi from "@effect-klaytn/wallet/AccountsApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import type { ChainWallet } from "../../ChainWallet.js"
import { CurrentRequest } from "../../CurrentRequest.js"
import type { Pool, WalletAccount } from "../../WalletRecord.js"
import { compressedOf } from "../../WalletRecord.js"
import * as signing from "../wallet/signing.js"
import { boundsOf, type ListQuery, servePage } from "./walletPage.js"
import type { Deletion, Failure, PoolHeaders, WalletRequest } from "./WalletRequest.js"
import { type WalletService, WalletServiceApi } from "./WalletService.js"
import { checksum, wireAccount, wireFeePayer } from "./wire.js"

type AccountPool = "account-pool" | "feepayer-pool"

/** A request that names an account. */
interface AccountInput {
  readonly headers: PoolHeaders
  readonly path: { readonly address: string }
}

/** A request for a list of accounts. */
interface ListInput {
  readonly headers: PoolHeaders
  readonly urlParams: ListQuery
}

/** Calls of the node that are under way together share a request. */
const atOnce = { concurrency: 100 }

const listAccounts = <Item>(
  request: WalletRequest,
  pool: Pool,
  query: ListQuery,
  write: (wallet: ChainWallet, account: WalletAccount) => Item,
  isWanted: (account: WalletAccount) => Effect.Effect<boolean, Failure> = () => Effect.succeed(true)
) => {
  const { wallet } = request
  const krn = wallet.krn(pool)
  return servePage(request, {
    query,
    rowOf: ({ Address, created_at }) => {
      const address = typeof Address === "string" && Address.startsWith(`${krn}:`) ? Address.slice(krn.length + 1) : ""
      return typeof created_at === "number" && /^0x[0-9a-f]{40}$/i.test(address)
        ? wallet.store.placeOf(pool, lowerCase(address), created_at)
        : Effect.succeed(undefined)
    },
    read: (before, limit) =>
      Effect.gen(function*() {
        const found: Array<WalletAccount> = []
        for (let last = before; found.length < limit;) {
          const rows = yield* wallet.accounts(pool, { ...boundsOf(query), before: last, limit })
          found.push(...yield* Effect.filter(rows, isWanted, atOnce))
          last = rows.at(-1)?.id
          if (rows.length < limit) break
        }
        return found.slice(0, limit)
      }),
    place: ({ address, createdAt }) => ({
      Address: `${krn}:${checksum(address)}`,
      Type: "ACC",
      created_at: createdAt,
      rpn: krn
    }),
    write: (account) => write(wallet, account)
  })
}

/** The accounts of a status: `enabled` unless the query names another. */
export const getAccounts = (
  request: WalletRequest,
  { headers, urlParams: { status = "enabled", ...query } }: ListInput & {
    readonly urlParams: { readonly status?: Status | undefined }
  }
) =>
  Effect.flatMap(request.pool(headers, "account-pool"), (pool) =>
    listAccounts(
      request,
      pool,
      query,
      wireAccount,
      (account) =>
        status === "all"
          ? Effect.succeed(true)
          : Effect.map(request.wallet.status(account), (actual) => actual === status)
    ))

/** All fee payers of a pool. */
export const getFeePayers = (request: WalletRequest, { headers, urlParams }: ListInput) =>
  Effect.flatMap(request.pool(headers, "feepayer-pool"), (pool) => listAccounts(request, pool, urlParams, wireFeePayer))

/** Creates an account with a key of its own. */
export const createAccount = (request: WalletRequest, { headers }: { readonly headers: PoolHeaders }) =>
  Effect.gen(function*() {
    const pool = yield* request.pool(headers, "account-pool")
    return wireAccount(request.wallet, yield* request.wallet.createAccount(pool))
  })

const findAccount = (request: WalletRequest, { headers, path }: AccountInput, type: AccountPool) =>
  Effect.flatMap(request.pool(headers, type), (pool) => request.account(pool, path.address))

const getAccount = (request: WalletRequest, input: AccountInput) =>
  Effect.gen(function*() {
    const account = yield* findAccount(request, input, "account-pool")
    const status = yield* request.wallet.status(account)
    return status === "corrupted"
      ? yield* request.refusals.fail("corruptedAccount")
      : wireAccount(request.wallet, account)
  })

/** Disables or enables an account. An account that does not exist is refused like one that has that status already. */
const setDisabled = (isDisabled: boolean) => (request: WalletRequest, { headers, path }: AccountInput) =>
  Effect.gen(function*() {
    const { refusals, wallet } = request
    const account = yield* wallet.account(yield* request.pool(headers, "account-pool"), path.address)
    const done = yield* wallet.store.effects(isDisabled ? "disabled" : "enabled")
    if (account !== undefined && done.includes(account.address)) {
      return { address: checksum(account.address), krn: wallet.krn(account.pool), updatedAt: account.updatedAt }
    }
    if (account === undefined || account.isDisabled === isDisabled) {
      return yield* refusals.fail(isDisabled ? "alreadyDisabled" : "alreadyEnabled")
    }
    const updatedAt = yield* wallet.setDisabled(account, isDisabled)
    return { address: checksum(account.address), krn: wallet.krn(account.pool), updatedAt }
  })

/** A request to delete an account. */
interface DeletionInput extends AccountInput {
  readonly urlParams: Deletion
}

const deleteAccount = (type: AccountPool) => (request: WalletRequest, input: DeletionInput) =>
  Effect.gen(function*() {
    const { wallet } = request
    const dropped = yield* wallet.store.effects("dropped account")
    if (dropped.length > 0) return { status: "deleted" }
    const account = yield* findAccount(request, input, type)
    yield* request.leavesCoin(input.urlParams, [account.address])
    yield* wallet.dropAccount(account)
    return { status: "deleted" }
  })

/** The gas of the update that restricts a fee payer. */
const updateGas = 10_000_000n

/** Gives an account a key that can only pay fees. The service pays for the update. */
const restrict = ({ wallet }: WalletRequest, account: WalletAccount) =>
  Effect.gen(function*() {
    const from = account.address
    const before = yield* wallet.sends.prior(from)
    if (before !== undefined) return before
    const payer = yield* wallet.payer
    const fail = { type: "AccountKeyFail" } as const
    const own = { type: "AccountKeyPublic", publicKey: compressedOf(account.key) } as const
    const key: AccountKey = { type: "AccountKeyRoleBased", keys: [fail, fail, own] }
    const update = Transaction.make({
      type: "FeeDelegatedAccountUpdate",
      nonce: yield* wallet.sends.nextNonce(from),
      gasPrice: yield* wallet.chain.unitPrice,
      gas: updateGas,
      from,
      key,
      feePayer: payer.address
    })
    const unsigned = yield* signing.acceptResult(update)
    const signed = yield* signing.signAsSender(wallet, yield* wallet.signer(account), unsigned)
    const transaction = yield* signing.signAsFeePayer(wallet, payer, signed)
    return yield* wallet.sends.submit({ from, transaction, raw: yield* signing.encode(transaction), isRaisable: true })
  })

/** Creates a fee payer. By default the account gets a key that can only pay fees. */
const createFeePayer = (request: WalletRequest, { headers }: { readonly headers: PoolHeaders }) =>
  Effect.gen(function*() {
    const { wallet } = request
    const { withoutAccountUpdate = false } = yield* request.body(AccountsApi.createFeePayer.request.payload)
    const account = yield* wallet.createAccount(yield* request.pool(headers, "feepayer-pool"))
    if (!withoutAccountUpdate) {
      // A request with a key goes on with the same account when it is made again.
      const isKeyed = (yield* CurrentRequest) !== undefined
      yield* Effect.tapError(
        restrict(request, account),
        () => isKeyed ? Effect.void : Effect.ignore(wallet.dropAccount(account))
      )
    }
    return wireFeePayer(wallet, account)
  })

const getAccountsByPublicKey = ({ refusals, wallet }: WalletRequest, publicKey: Hex) =>
  Effect.gen(function*() {
    const key = PublicKey.uncompress(publicKey)
    if (!key.ok) return yield* refusals.fail("outOfRange", "public-key")
    const accounts = yield* wallet.accountsOfKey(key.value)
    if (accounts.length === 0) return yield* refusals.fail("noData")
    const { chainId } = wallet.chain
    return { items: accounts.map(({ address }) => ({ address: checksum(address), chainId })) }
  })

/** Reads, changes, deletes and counts accounts and fee payers, and creates fee payers. */
export const accountsLayer = ({ serve, wallet: { customer: accountId } }: WalletService) =>
  HttpApiBuilder.group(WalletServiceApi, "accounts", (handlers) =>
    handlers
      .handleRaw("getAccount", serve(getAccount))
      .handleRaw("deleteAccount", serve(deleteAccount("account-pool")))
      .handleRaw("disableAccount", serve(setDisabled(true)))
      .handleRaw("enableAccount", serve(setDisabled(false)))
      .handleRaw(
        "getAccountsByPublicKey",
        serve((request, { path }) => getAccountsByPublicKey(request, path.publicKey))
      )
      .handleRaw("createFeePayer", serve(createFeePayer))
      .handleRaw(
        "getFeePayer",
        serve((request, input) =>
          Effect.map(
            findAccount(request, input, "feepayer-pool"),
            (account) => wireFeePayer(request.wallet, account)
          )
        )
      )
      .handleRaw("deleteFeePayer", serve(deleteAccount("feepayer-pool")))
      // Accounts have a key each, so the number of keys is the number of accounts.
      .handleRaw(
        "countAccounts",
        serve(({ wallet }) => Effect.map(wallet.store.countKeys, (count) => ({ accountId, count })))
      )
      .handleRaw(
        "countAccountsInPool",
        serve((request, { headers }) =>
          Effect.flatMap(request.pool(headers, "account-pool"), (pool) => {
            const { wallet } = request
            return Effect.map(
              wallet.store.countAccounts(pool),
              (count) => ({ accountId, count, krn: wallet.krn(pool) })
            )
          })
        )
      ))
