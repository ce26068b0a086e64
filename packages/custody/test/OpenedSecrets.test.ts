import { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import * as OwnSigner from "@effect-klaytn/custody/OwnSigner"
import { unlimited } from "@effect-klaytn/custody/WalletCaller"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { make, serve } from "./support/guardedWallet.js"

describe("a secret that was opened", () => {
  it.scoped("is overwritten when its request ends, and what is opened at the start at once", () =>
    Effect.gen(function*() {
      const { guard, keyring, wallet } = yield* make()
      const account = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
      const opened: Array<Uint8Array> = []
      const vault = {
        seal: (name: string, secret: Uint8Array) => keyring.seal(name, secret),
        open: (name: string, sealed: Uint8Array) => {
          const secret = keyring.open(name, sealed)
          if (secret !== undefined) opened.push(secret)
          return secret
        }
      }
      const ask = yield* serve(
        { guard, wallet: new ChainWallet({ ...wallet, vault, secret: () => randomBytes(32) }) },
        [unlimited("shop")]
      )
      const body = { from: account.address, to: account.address, value: "0x1", submit: false }
      assert.strictEqual((yield* ask("shop", { method: "POST", path: "/v2/tx/value", body })).status, 200)
      const sealed = keyring.seal("payer", randomBytes(32))
      yield* OwnSigner.make({ secret: () => Effect.succeed({ publicKey: "0x", sealed }) }, vault, noble, "payer")
      assert.deepStrictEqual(opened.map((secret) => secret.every((byte) => byte === 0)), [true, true])
    }))
})
