import { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import * as CustodyTables from "@effect-klaytn/custody/CustodyTables"
import * as DirectSends from "@effect-klaytn/custody/DirectSends"
import * as SqlWalletStore from "@effect-klaytn/custody/SqlWalletStore"
import { Vault } from "@effect-klaytn/custody/Vault"
import type { WalletChain } from "@effect-klaytn/custody/WalletChain"
import * as LocalChain from "@effect-klaytn/local-chain/LocalChain"
import * as Database from "@effect-klaytn/store/Database"
import * as Migrations from "@effect-klaytn/store/Migrations"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { randomBytes } from "node:crypto"

/** A chain in memory as a wallet sees it: what the tests need of it. */
export const walletChain = (chain: LocalChain.LocalChain): WalletChain => ({
  chainId: 1001,
  unitPrice: Effect.succeed(chain.unitPrice),
  now: chain.now,
  genesisTime: Effect.succeed(0),
  account: (address) => Effect.catchTag(chain.account(address), "BlockNotFound", Effect.die),
  hasCode: (address) => Effect.orDie(Effect.map(chain.code(address), (code) => code !== "0x")),
  pendingNonce: chain.pendingNonce,
  transaction: () => Effect.succeedNone,
  pendingTransaction: chain.pendingTransaction,
  logsOf: () => Effect.succeed({ logs: [], logsBloom: "0x" }),
  call: () => Effect.succeed({ data: undefined }),
  submitRaw: chain.submitRaw
})

/** A wallet in a database in memory, over a chain in memory. */
export const make = Effect.gen(function*() {
  const sql = Context.get(yield* Layer.build(Database.layerSqlite({ file: ":memory:" })), SqlClient.SqlClient)
  const local = yield* LocalChain.make({ chainId: 1001 })
  yield* Effect.provideService(Migrations.upgrade(CustodyTables.make(1001)), SqlClient.SqlClient, sql)
  const wallet = new ChainWallet({
    chain: walletChain(local),
    sends: DirectSends.make(local),
    store: SqlWalletStore.make(sql, 1001),
    fees: { list: () => Effect.succeed([]), find: () => Effect.succeed(Option.none()) },
    vault: new Vault(randomBytes(32)),
    curve: noble,
    customer: "test",
    secret: () => randomBytes(32),
    globalFeePayer: { address: local.faucet.address, open: Effect.succeed(local.faucet) }
  })
  return { local, sql, wallet }
})
