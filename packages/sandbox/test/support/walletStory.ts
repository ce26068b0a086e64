/** Fixtures of the wallet's transaction tests: funded accounts, and what signed bytes prove by themselves. */
import type { AccountKey } from "@effect-klaytn/transaction/AccountKey"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Sandbox from "../../src/Sandbox.js"
import { ask } from "./wire.js"

export const klay = 10n ** 18n

/** peb for one unit of gas. */
export const unitPrice = 27_500_000_000n

/** An address whose key is unknown. */
export const somebody = "0x1111111111111111111111111111111111111111"

/** On a sandbox that reads who pays as public clients do, unless the options say otherwise. */
export const run = <A, E>(test: Effect.Effect<A, E, Sandbox.Sandbox>, options: Sandbox.Options = {}) =>
  Effect.provide(
    test,
    Sandbox.layer({
      seed: "wallet transactions",
      clock: { start: 1_600_000_000, step: 1 },
      feePayerStyle: "paths",
      ...options
    })
  )

export const hex = (text: string): `0x${string}` => `0x${text.slice(2)}`

export const chain = Effect.map(Sandbox.Sandbox, ({ chains }) => chains.chain(1001))

export const fund = (address: string, peb = 100n * klay) => Effect.flatMap(chain, (on) => on.fund(hex(address), peb))

export const balance = (address: string) =>
  Effect.map(
    Effect.flatMap(chain, (on) => on.account(hex(address))),
    Option.match({ onNone: () => 0n, onSome: (account) => account.balance })
  )

/** The record of a new, funded account. */
export const newAccount = (path = "/v2/account", body?: unknown) =>
  Effect.tap(Effect.map(ask("POST", path, body), (answer) => answer.body), ({ address }) => fund(address))

const addressOf = (record: { readonly address: string }) => record.address.toLowerCase()

/** The address, in lower case, of a new, funded account. */
export const account = Effect.map(newAccount(), addressOf)

/** The same of a fee payer, whose key was not changed. */
export const feePayer = Effect.map(newAccount("/v2/feepayer", { withoutAccountUpdate: true }), addressOf)

/** The address of the service's own fee payer. */
export const globalPayer = Effect.map(Sandbox.Sandbox, ({ chains }) => chains.account("global fee payer").address)

/** Hash, sender and fee payer as the bytes of a transaction themselves tell. */
export const proven = (rlp: string) => {
  const decoded = Transaction.decode(hex(rlp), { chainId: 1001 })
  if (!decoded.ok) throw decoded.error
  const transaction = decoded.value
  const senders = Transaction.recoverSenders(transaction, { chainId: 1001 })
  const payers = Transaction.isFeeDelegatedTransaction(transaction) && transaction.feePayerSignatures.length > 0
    ? Transaction.recoverFeePayers(transaction, { chainId: 1001 })
    : undefined
  return {
    hash: `0x${Buffer.from(keccak_256(Buffer.from(rlp.slice(2), "hex"))).toString("hex")}`,
    sender: senders.ok ? senders.value[0]?.address : undefined,
    feePayer: payers?.ok === true ? payers.value[0]?.address : undefined,
    signatures: transaction.signatures.map(({ r, s, v }) => ({
      R: `0x${r.toString(16)}`,
      S: `0x${s.toString(16)}`,
      V: `0x${v.toString(16)}`
    }))
  }
}

/** An account key from outside the wallet. */
export const key: AccountKey = {
  type: "AccountKeyPublic",
  publicKey: "0x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
}
