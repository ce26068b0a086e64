/** A sandbox with something of everything that the explorer shows. */
import * as DevAccount from "@effect-klaytn/local-chain/DevAccount"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Generator from "../../src/Generator.js"
import * as Sandbox from "../../src/Sandbox.js"
import * as TokenContract from "../../src/TokenContract.js"
import { ask, get } from "./wire.js"

const klay = 10n ** 18n

/** Texts of a contract, a memo and a token that try to get out of the page they are on. */
export const hostile = {
  name: "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>",
  symbol: "</title>&lt;\u202Eevil",
  uri: "javascript:alert(3)//\"><svg onload=alert(4)>",
  memo: "</pre><script>alert(5)</script>{{7*7}}${7}"
}

const hexOf = (text: string): Hex => `0x${Buffer.from(text).toString("hex")}`

/** Fills chain 1001: named accounts, tokens, every kind of transfer, fee payers, a failure, keys, the wallet, requests. */
export const fill = (transfers = 400) =>
  Effect.gen(function*() {
    const { control, chains } = yield* Sandbox.Sandbox
    const chain = chains.chain(1001)
    const controls = control.chain(1001)
    const [alice, bob, carol, dave, erin] = ["alice", "bob", "carol", "dave", "erin"].map(chains.account)
    if (!alice || !bob || !carol || !dave || !erin) return yield* Effect.dieMessage("an account is missing")
    const generated = yield* Generator.generate(chain, { seed: "explorer", transfers, accounts: 30 })
    const coffee = yield* controls.deploy({
      kind: "ft",
      from: "alice",
      name: "Coffee Bean",
      symbol: "BEAN",
      decimals: 6
    })
    const art = yield* controls.deploy({ kind: "nft", from: "bob", name: "Seoul by Night", symbol: "NIGHT" })
    const evil = yield* controls.deploy({ kind: "ft", from: "erin", name: hostile.name, symbol: hostile.symbol })
    yield* controls.mint(coffee.address, { kind: "ft", from: "alice", to: "alice", amount: 12_500_000_000n })
    yield* controls.mint(evil.address, { kind: "ft", from: "erin", to: "erin", amount: 5n * klay })
    for (const [id, uri] of [[1n, "https://example.com/night/1.json"], [2n, hostile.uri]] as const) {
      yield* controls.mint(art.address, { kind: "nft", from: "bob", to: "bob", tokenId: id, uri })
    }
    yield* controls.transferToken(coffee.address, { kind: "ft", from: "alice", to: "bob", amount: 42_500_000n })
    yield* controls.transferToken(art.address, { kind: "nft", from: "bob", to: "carol", tokenId: 1n, feePayer: "dave" })
    yield* chain.send({
      kind: "transfer",
      from: alice,
      to: bob.address,
      value: klay / 3n,
      memo: hexOf("for the coffee")
    })
    const memo = yield* chain.send({
      kind: "transfer",
      from: erin,
      to: bob.address,
      value: 1n,
      memo: hexOf(hostile.memo)
    })
    const ratio = yield* chain.send({
      kind: "transfer",
      from: carol,
      to: alice.address,
      value: 25n * klay / 10n,
      feePayer: dave,
      feeRatio: 30
    })
    const failed = yield* chain.send({
      kind: "execute",
      from: bob,
      to: coffee.address,
      data: TokenContract.transferCall(bob.address, { kind: "ft", to: carol.address, amount: 10n ** 30n })
    })
    const keys = ["one", "two", "three"].map((name) => DevAccount.derive("explorer keys", name).publicKey)
    const update = yield* chain.send({
      kind: "updateKey",
      from: dave,
      key: {
        type: "AccountKeyRoleBased",
        keys: [
          {
            type: "AccountKeyWeightedMultiSig",
            threshold: 3,
            keys: keys.map((publicKey, index) => ({ publicKey, weight: index + 1 }))
          },
          { type: "AccountKeyPublic", publicKey: keys[0] ?? "0x" },
          { type: "AccountKeyLegacy" }
        ]
      }
    })
    const account = yield* ask("POST", "/v2/account")
    yield* ask("POST", "/v2/account")
    yield* ask("POST", "/v2/key", { size: 2 })
    yield* controls.fund({ to: account.body.address, amount: 5n * klay })
    yield* ask("POST", "/v2/tx/fd/value", { from: account.body.address, to: bob.address, value: "0x10", submit: true })
    yield* control.addFault({ operation: "wallet.createAccount", action: { kind: "answer", status: 503 } })
    yield* ask("POST", "/v2/account").pipe(Effect.ignore, Effect.catchAllCause(() => Effect.void))
    yield* get(`/v2/transfer/account/${alice.address}?size=10`)
    yield* get(`/v2/contract/nft/${art.address}/token`)
    yield* get(`/v2/<script>alert(6)</script>`)
    yield* control.addFault({
      operation: "history.getTransfersByEoa",
      times: 3,
      action: { kind: "delay", milliseconds: 200 }
    })
    return {
      alice: alice.address,
      bob: bob.address,
      dave: dave.address,
      wallet: String(account.body.address),
      coffee: coffee.address,
      art: art.address,
      evil: evil.address,
      memo,
      ratio,
      failed,
      update,
      generated
    }
  })
