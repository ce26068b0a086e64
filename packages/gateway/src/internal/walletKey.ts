/** The master key of a gateway's wallet: of the options, or of the file beside the wallet. */
import type { KeyWrapper } from "@effect-klaytn/custody/KeyWrapper"
import * as MasterKey from "@effect-klaytn/custody/MasterKey"
import { MasterKeyError } from "@effect-klaytn/custody/MasterKeyError"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { existsSync } from "node:fs"
import type { GatewayError } from "../GatewayError.js"
import * as postgres from "./postgres.js"
import * as refusals from "./startRefusals.js"

/** Where the master key is. One of them at most. */
export interface KeyOptions {
  readonly key?: Redacted.Redacted<string> | undefined
  readonly keyFile?: string | undefined
  readonly keyCommand?: string | undefined
  readonly keyWrapper?: KeyWrapper | undefined
}

/** Where a master key came from, in words. */
const sourceOf = ({ keyCommand, keyFile, keyWrapper }: KeyOptions, file: string | undefined): string => {
  if (keyWrapper !== undefined) return "the key wrapper of the options"
  if (keyCommand !== undefined) return "the output of the wallet's key command"
  if (keyFile !== undefined) return `the file ${keyFile}`
  return file === undefined ? "KLAYTN_WALLET_KEY, or the key of the options," : `the file ${file}`
}

/** The same key, which says where it came from if it is the wrong one. */
const naming = (source: string) => (wrapper: KeyWrapper): KeyWrapper => ({
  ...wrapper,
  unwrap: (wrapped) =>
    Effect.mapError(wrapper.unwrap(wrapped), (error) =>
      error.reason === "Wrong"
        ? new MasterKeyError({ reason: "Wrong", message: `${error.message}: ${source} has not the key of this wallet` })
        : error)
})

/** The master key that the options name, if they name one. */
const named = ({ key, keyCommand, keyFile, keyWrapper }: KeyOptions) => {
  if (keyWrapper !== undefined) return Effect.succeed(keyWrapper)
  if (keyCommand !== undefined) return MasterKey.fromCommand(keyCommand)
  if (keyFile !== undefined) return MasterKey.fromFile(keyFile)
  return key === undefined ? undefined : MasterKey.fromText(key, "the wallet key of the options")
}

/** How a master key is named. */
const ways = "--wallet-key-file FILE, --wallet-key-command CMD, KLAYTN_WALLET_KEY, or the options of a program"

/**
 * The master key. Without an option, it is that in the file beside the wallet, which a new wallet gets. A file is made only if there
 * is no wallet yet.
 */
export const read = (
  wallet: string,
  options: KeyOptions,
  isNew: boolean
): Effect.Effect<KeyWrapper, GatewayError> =>
  Effect.suspend(() => {
    const { key, keyCommand, keyFile, keyWrapper } = options
    if ([key, keyCommand, keyFile, keyWrapper].filter((one) => one !== undefined).length > 1) {
      return refusals.wallet("the master key of the wallet is named twice: by a text, a file, a command or a wrapper")
    }
    const chosen = named(options)
    if (chosen !== undefined) {
      return Effect.mapBoth(chosen, {
        onFailure: ({ message }) => refusals.wallet(message),
        onSuccess: naming(sourceOf(options, undefined))
      })
    }
    if (postgres.isAddress(wallet)) {
      return refusals.wallet(`name the master key of a wallet in Postgres, the same one for all processes: ${ways}`)
    }
    const file = `${wallet}.key`
    if (!isNew && !existsSync(file)) {
      return refusals.wallet(
        `this wallet has keys, and its master key is missing: restore ${file}, or name the key (a backup opens with that of its time): ${ways}`
      )
    }
    return Effect.mapBoth(existsSync(file) ? MasterKey.fromFile(file) : MasterKey.make(file), {
      onFailure: ({ message }) => refusals.wallet(message),
      onSuccess: naming(sourceOf(options, file))
    })
  })
