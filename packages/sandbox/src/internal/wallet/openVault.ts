import { Vault } from "@effect-klaytn/custody/Vault"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes, scrypt } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { SandboxError } from "../../SandboxError.js"
import type { Store } from "../store/Store.js"

const size = 32
const checkName = "wallet check"
const saltName = "wallet salt"

const refuse = (message: string): SandboxError => new SandboxError({ reason: "WalletKey", message })

const toStoreError = (doing: string) => (cause: unknown): SandboxError =>
  new SandboxError({
    reason: "Store",
    message: `${doing}: ${cause instanceof Error ? cause.message : "unknown cause"}`
  })

/** 64 hexadecimal digits are the key itself; any other text is stretched to one. */
const keyOf = (store: Store, text: string): Effect.Effect<Uint8Array, SandboxError> => {
  if (text === "") return Effect.fail(refuse("the wallet key is empty"))
  if (/^[0-9a-f]{64}$/i.test(text)) return Effect.succeed(Buffer.from(text, "hex"))
  const salt = store.meta(saltName) ?? randomBytes(size).toString("hex")
  store.setMeta(saltName, salt)
  return Effect.async<Uint8Array, SandboxError>((resume) =>
    scrypt(
      text,
      salt,
      size,
      (error, key) =>
        resume(error === null ? Effect.succeed(key) : Effect.fail(refuse("the wallet key cannot be used")))
    )
  )
}

/** The key in the file beside the database; a new one if neither was used before. */
const fromFile = (store: Store, file: string): Effect.Effect<string, SandboxError> =>
  Effect.suspend(() => {
    if (existsSync(file)) {
      return Effect.try({
        try: () => readFileSync(file, "utf8").trim(),
        catch: toStoreError(`cannot read the wallet key in ${file}`)
      })
    }
    if (store.meta(checkName) !== undefined) {
      return Effect.fail(
        refuse(`this database has wallet keys: start with the wallet key it was made with, or with that in ${file}`)
      )
    }
    const text = randomBytes(size).toString("hex")
    return Effect.try({
      try: () => {
        writeFileSync(file, `${text}\n`, { mode: 0o600, flag: "wx" })
        return text
      },
      catch: toStoreError(`cannot keep a wallet key in ${file}`)
    })
  })

/** Opens a vault, and fails if the key is not the one the database was created with. */
const openChecked = (store: Store, key: Uint8Array): Effect.Effect<Vault, SandboxError> =>
  Effect.suspend(() => {
    const vault = new Vault(key)
    const check = store.meta(checkName)
    if (check === undefined) {
      store.setMeta(checkName, Buffer.from(vault.seal(checkName, Buffer.from(checkName))).toString("hex"))
      return Effect.succeed(vault)
    }
    return vault.open(checkName, Buffer.from(check, "hex")) === undefined
      ? Effect.fail(refuse("the wallet keys of this database were sealed with another wallet key"))
      : Effect.succeed(vault)
  })

/**
 * Opens the vault of a database, by the given key or else by that in the file beside the database, which it names then. In
 * memory and without a key, its key is random.
 */
export const openVault = ({ database, store, walletKey }: {
  readonly store: Store
  /** File of the database; nothing when it is in memory. */
  readonly database: string | undefined
  readonly walletKey: Redacted.Redacted<string> | undefined
}) =>
  Effect.gen(function*() {
    const keyFile = walletKey === undefined && database !== undefined ? `${database}.key` : undefined
    const text = walletKey === undefined ? keyFile && (yield* fromFile(store, keyFile)) : Redacted.value(walletKey)
    const vault = text === undefined
      ? new Vault(randomBytes(size))
      : yield* openChecked(store, yield* keyOf(store, text))
    return { vault, keyFile }
  })
