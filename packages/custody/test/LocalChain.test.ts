import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as localWallet from "./support/localWallet.js"

it.scoped("creates an account and sends through it, on a chain in memory and without HTTP", () =>
  Effect.gen(function*() {
    const { local, wallet } = yield* localWallet.make
    const account = yield* wallet.createAccount(yield* wallet.pool("account-pool"))
    yield* local.fund(account.address, 10n ** 18n)
    const signer = yield* wallet.signer(account)
    const signed = Transaction.signAsSender(
      {
        type: "ValueTransfer",
        nonce: 0n,
        gasPrice: local.unitPrice,
        gas: 21_000n,
        from: account.address,
        to,
        value: 5n,
        signatures: []
      },
      { chainId: 1001, privateKey: Redacted.value(signer.privateKey) }
    )
    assert(signed.ok)
    yield* local.submit(signed.value)
    assert.strictEqual(Option.getOrThrow(yield* wallet.chain.account(to)).balance, 5n)
  }))

const to = `0x${"ab".repeat(20)}` as const
