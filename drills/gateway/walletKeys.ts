/** The keys that a wallet holds, opened with its master key: what a drill looks for. */
import * as KeyWrapper from "@effect-klaytn/custody/KeyWrapper"
import * as SqlSecrets from "@effect-klaytn/custody/SqlSecrets"
import * as Driver from "@effect-klaytn/store/Driver"
import { fromBytes } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { sealName } from "../../packages/custody/src/internal/keyNames.js"
import * as walletFile from "../../packages/gateway/src/internal/walletFile.js"
import { keySecret, type Secret } from "./secretBytes.js"

const chain = 1001

/** More keys would make the search slow, and none is treated in another way. */
const mostKeys = 8

const bytesOf = (cell: unknown): Buffer => cell instanceof Uint8Array ? Buffer.from(cell) : Buffer.alloc(0)

/** The root key, the key of the global fee payer, and the newest keys of accounts. */
export const keysOf = (database: string, keyFile: string, master: Buffer) =>
  Effect.scoped(Effect.gen(function*() {
    const file = walletFile.beside(database)
    const { keyring, sql } = yield* walletFile.open(file, chain, { keyFile })
    const own = SqlSecrets.make(sql, chain)
    const payer = yield* own.secret(walletFile.payerName)
    const customer = (yield* own.fact("customer")) ?? ""
    const driver = Driver.open(file)
    const found: Array<Secret> = []
    const add = (name: string, bytes: Uint8Array | undefined): void => {
      if (bytes !== undefined) found.push(keySecret(name, bytes))
    }
    for (const [wrapped] of driver.prepare(`SELECT wrapped FROM wallet_roots_${chain}`).all()) {
      add("the root key", yield* KeyWrapper.ofKey(master).unwrap(bytesOf(wrapped)))
    }
    add("the key of the global fee payer", payer && keyring.open(walletFile.payerName, payer.sealed))
    const keys = driver.prepare(
      `SELECT hash, sealed FROM wallet_keys_${chain} WHERE sealed IS NOT NULL ORDER BY rowid DESC LIMIT ${mostKeys}`
    ).all()
    driver.close()
    for (const [hash, sealed] of keys) {
      add(
        "a key that the wallet made",
        keyring.open(sealName(chain, customer, fromBytes(bytesOf(hash))), bytesOf(sealed))
      )
    }
    return found
  }))
