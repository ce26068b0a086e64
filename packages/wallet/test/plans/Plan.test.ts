import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import { createHash } from "node:crypto"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as plans from "../../src/internal/plans/plan.js"
import * as intents from "../../src/internal/plans/transactionIntent.js"
import type * as SendOutcome from "../../src/SendOutcome.js"
import * as SendPlan from "../../src/SendPlan.js"
import * as SpendPolicy from "../../src/SpendPolicy.js"
import type * as Transactions from "../../src/Transactions.js"
import type * as Wallet from "../../src/Wallet.js"
import { has } from "../support/assertions.js"
import * as Old from "../support/old.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, bob, payer, pool, result } = Records

const klay = 1_000_000_000_000_000_000n

const input: Wallet.SendValueInput = {
  from: alice,
  to: bob,
  value: 1_500_000_000_000_000_000n,
  payer: FeeDelegation.user(payer),
  nonce: 7,
  memo: "rent\n  to        0x\u202e"
}

const ok = Testing.json(200, result)

const reasonOf = (effect: Effect.Effect<unknown, SendOutcome.NotSent | SendOutcome.SendUnknown>) =>
  Effect.map(Effect.flip(effect), (end) => {
    assert.strictEqual(end._tag, "NotSent")
    return (end as SendOutcome.NotSent).reason
  })

describe("a plan", () => {
  it.effect("says everything in words, and asks nobody", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const wallet = yield* Service.wallet(wire, { pool })
      const plan = yield* wallet.plan(input)
      assert.strictEqual(
        plan.preview,
        [
          "Send 1.5 KLAY (1500000000000000000 peb)",
          "  network   testnet (1001)",
          "  service   127.0.0.1:8080",
          "  from      0x71C7656EC7ab88b098defB751B7401B5f6d8976F",
          "  to        0x2222222222222222222222222222222222222222",
          "  memo      \"rent\\n  to        0x\\u{202e}\"",
          "  fee       paid by 0x3333333333333333333333333333333333333333",
          "  nonce     7",
          "  gas limit the service's default",
          "  pool      krn:1001:wallet:local:account-pool:payouts",
          "  submit    yes"
        ].join("\n")
      )
      assert.match(plan.digest, /^[0-9a-f]{64}$/)
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("says what is left to the service", () =>
    Effect.gen(function*() {
      const wallet = yield* Service.wallet(Testing.wire())
      const { preview } = yield* wallet.plan({
        from: alice,
        to: bob,
        value: 1n,
        payer: FeeDelegation.service,
        submit: false
      })
      assert.include(preview, "Send 0.000000000000000001 KLAY (1 peb)")
      assert.include(preview, "nonce     chosen by the service; never repeated by itself")
      assert.include(
        preview,
        "paid by the service's global fee payer, charged to you later; the request names no fee payer"
      )
      assert.include(preview, "pool      the customer's default")
      assert.include(preview, "submit    no: sign only")
      const zero = yield* wallet.plan({ ...input, nonce: 0 })
      assert.include(zero.preview, "0, which the service reads as: choose one")
    }))

  const key = Records.publicKey
  const compressed = "0x02dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8"
  const to = "  to        0x2222222222222222222222222222222222222222"
  const requests: ReadonlyArray<
    readonly [request: Transactions.SendInput["request"], headline: string, ...lines: ReadonlyArray<string>]
  > = [
    [{ _tag: "Value", from: alice, to: bob, value: klay }, "Send 1 KLAY (1000000000000000000 peb)", to],
    [
      { _tag: "Legacy", from: alice, to: bob, value: klay, input: "0xabcd" },
      "Send 1 KLAY (1000000000000000000 peb) (legacy)",
      to,
      "  input     2 bytes, 0xabcd"
    ],
    [{ _tag: "Legacy", from: alice, to: bob }, "Send 0 KLAY (0 peb) (legacy)", to, "  input     0 bytes, 0x"],
    [
      { _tag: "Legacy", from: alice, value: 2n * klay, input: "0xabcdef" },
      "Create a contract (legacy)",
      "  value     2 KLAY (2000000000000000000 peb)",
      "  input     3 bytes, 0xabcdef"
    ],
    [
      { _tag: "Legacy", from: alice },
      "Create a contract (legacy)",
      "  value     0 KLAY (0 peb)",
      "  input     0 bytes, 0x"
    ],
    [
      { _tag: "Deploy", from: alice, input: "0x0102" },
      "Create a contract",
      "  value     0 KLAY (0 peb)",
      "  code      2 bytes, 0x0102"
    ],
    [
      { _tag: "Deploy", from: alice, input: "0x0102", value: klay },
      "Create a contract",
      "  value     1 KLAY (1000000000000000000 peb)",
      "  code      2 bytes, 0x0102"
    ],
    [
      { _tag: "Execute", from: alice, to: bob, input: "0x0102" },
      "Call a contract",
      to,
      "  value     0 KLAY (0 peb)",
      "  input     2 bytes, 0x0102"
    ],
    [
      { _tag: "Execute", from: alice, to: bob, input: "0x0102", value: klay },
      "Call a contract",
      to,
      "  value     1 KLAY (1000000000000000000 peb)",
      "  input     2 bytes, 0x0102"
    ],
    [{ _tag: "Anchor", from: alice, input: "0x01" }, "Anchor data", "  data      1 bytes, 0x01"],
    [{ _tag: "Cancel", from: alice, nonce: 3 }, "Cancel a transaction that waits", "  of nonce  3"],
    [
      { _tag: "Cancel", from: alice, transactionHash: Records.hash },
      "Cancel a transaction that waits",
      `  of hash   ${Records.hash}`
    ],
    [
      {
        _tag: "AccountUpdate",
        from: alice,
        accountKey: {
          type: "AccountKeyRoleBased",
          keys: [{ type: "AccountKeyPublic", publicKey: key }, { type: "AccountKeyFail" }, { type: "AccountKeyFail" }]
        }
      },
      "Give the account another key",
      `  key       {"keys":[{"publicKey":"${compressed}","type":"AccountKeyPublic"},{"type":"AccountKeyFail"},` +
      "{\"type\":\"AccountKeyFail\"}],\"type\":\"AccountKeyRoleBased\"}"
    ]
  ]

  it.effect("says what each kind of request does", () =>
    Effect.gen(function*() {
      const transactions = yield* Service.transactions(Testing.wire(), Service.withPaths)
      for (const [request, ...said] of requests) {
        const { preview } = yield* transactions.plan({ request, payer: FeeDelegation.sender })
        const [headline, ...lines] = preview.split("\n")
        assert.deepStrictEqual([headline, ...lines.slice(3, -5)], said)
        assert.strictEqual(lines[2], "  from      0x71C7656EC7ab88b098defB751B7401B5f6d8976F")
        assert.strictEqual(lines.at(-5), "  fee       paid by the sender")
      }
    }))

  it.effect("of raw bytes says what is inside, as far as that can be read", () =>
    Effect.gen(function*() {
      const transactions = yield* Service.transactions(Testing.wire())
      const told = (rlp: string) =>
        Effect.map(
          transactions.plan({ request: { _tag: "Rlp", rlp }, payer: FeeDelegation.sender }),
          ({ preview }) => preview.split("\n")
        )
      assert.deepStrictEqual(yield* told("0x1234"), [
        "Submit a transaction that was built elsewhere",
        "  network   testnet (1001)",
        "  service   127.0.0.1:8080",
        "  from      not known",
        "  inside    can't be read here",
        "  rlp       2 bytes, 0x1234",
        "  fee       paid by the sender",
        "  nonce     chosen by the service; never repeated by itself",
        "  gas limit as its bytes say",
        "  pool      the customer's default",
        "  submit    yes"
      ])
      const payment = "0xec078505d21dba0082520894222222222222222222222222222222222222222288" +
        "0de0b6b3a764000080018080"
      const lines = yield* told(payment)
      assert.deepStrictEqual(lines.slice(3, 8), [
        "  from      not known",
        "  type      LegacyTransaction",
        to,
        "  value     1 KLAY (1000000000000000000 peb)",
        `  rlp       ${payment.length / 2 - 1} bytes, ${payment}`
      ])
      assert.deepStrictEqual((yield* told(Old.rlp[1001])).slice(3, 6), [
        `  from      ${Old.oldChecksum}`,
        "  type      FeeDelegatedAccountUpdate",
        "  value     0 KLAY (0 peb)"
      ])
      assert.include(yield* told(Old.rlp[1001]), "  nonce     0")
    }))

  it.effect("says who pays which part of the fee", () =>
    Effect.gen(function*() {
      const transactions = yield* Service.transactions(Testing.wire(), Service.withPaths)
      const request = { _tag: "Value", from: alice, to: bob, value: 1n } as const
      const fees: ReadonlyArray<readonly [more: Omit<Transactions.SendInput, "request">, fee: string]> = [
        [{ payer: FeeDelegation.service }, "paid by the service's global fee payer, charged to you later"],
        [
          { payer: FeeDelegation.service, feeRatio: 30 },
          "paid by the service's global fee payer, charged to you later, 30 percent of it; the sender pays the rest"
        ],
        [
          { payer: FeeDelegation.user(payer), feeRatio: 70 },
          "paid by 0x3333333333333333333333333333333333333333, 70 percent of it; the sender pays the rest"
        ]
      ]
      for (const [more, fee] of fees) {
        const { preview } = yield* transactions.plan({ request, gasLimit: 9, ...more })
        assert.include(preview.split("\n"), `  fee       ${fee}`)
        assert.include(preview.split("\n"), "  gas limit 9")
      }
    }))

  it.effect("is the same when its fields come back in another order, and without those that are absent", () =>
    Effect.gen(function*() {
      const wallet = yield* Service.wallet(Testing.wire())
      const plan = yield* wallet.plan(input)
      const entries = Object.entries(plan).filter(([, value]) => value !== undefined)
      assert.isBelow(entries.length, Object.keys(plan).length)
      // The cast: entries forget whose they are.
      const back = Object.fromEntries(entries.reverse()) as unknown as SendPlan.SendPlan
      assert.isTrue(SendPlan.isUnchanged(back))
    }))

  it.effect("is frozen to its last field, and the same for the same input", () =>
    Effect.gen(function*() {
      const wallet = yield* Service.wallet(Testing.wire())
      const plan = yield* wallet.plan(input)
      assert.isTrue([plan, plan.request, plan.payer].every((part) => Object.isFrozen(part)))
      assert.throws(() => Object.assign(plan.request, { to: alice }))
      assert.strictEqual((yield* wallet.plan(input)).digest, plan.digest)
      assert.notStrictEqual((yield* wallet.plan({ ...input, memo: "other" })).digest, plan.digest)
    }))

  it.effect("is carried out as it is", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, { ...Records.result, value: `0x${input.value.toString(16)}` }))
      const wallet = yield* Service.wallet(wire)
      const plan = yield* wallet.plan(input)
      const end = yield* wallet.execute(plan, plan.digest)
      assert.strictEqual(end._tag, "Sent")
      assert.isTrue(SendPlan.isUnchanged(plan))
      assert.isTrue(SendPlan.isUnchanged(structuredClone(plan)))
    }))

  const changes: ReadonlyArray<readonly [name: string, change: (plan: SendPlan.SendPlan) => object]> = [
    ["another receiver", (plan) => ({ request: { ...plan.request, to: alice } })],
    ["another amount", (plan) => ({ request: { ...plan.request, value: 2n } })],
    ["another memo", (plan) => ({ request: { ...plan.request, memo: "x" } })],
    ["another sender", (plan) => ({ request: { ...plan.request, from: bob } })],
    ["another kind", () => ({ request: { _tag: "Anchor", from: alice, input: "0x" } })],
    ["another payer", () => ({ payer: { _tag: "ServiceFeePayer" } })],
    ["another fee payer style", () => ({ feePayerStyle: "paths" })],
    ["another pool", () => ({ pool: "krn:1001:wallet:local:account-pool:other" })],
    ["another nonce", () => ({ nonce: 8 })],
    ["no nonce", () => ({ nonce: undefined })],
    ["another gas limit", () => ({ gasLimit: 1 })],
    ["a fee ratio", () => ({ feeRatio: 1 })],
    ["no submission", () => ({ submit: false })],
    ["another chain", () => ({ chain: 8217 })],
    ["another host", () => ({ host: "evil.example" })],
    ["another preview", (plan) => ({ preview: plan.preview.replace("1.5", "0.5") })],
    ["another digest", () => ({ digest: "0".repeat(64) })],
    ["something that is no plan", () => ({ request: undefined, run: () => 1 })]
  ]

  it.effect.each(changes)("with %s is refused", ([, change]) =>
    Effect.gen(function*() {
      const wire = Testing.wire(ok)
      const wallet = yield* Service.wallet(wire)
      const plan = yield* wallet.plan(input)
      const changed: SendPlan.SendPlan = Object.assign({ ...plan }, change(plan))
      assert.strictEqual((yield* reasonOf(wallet.execute(changed)))._tag, "PlanChanged")
      assert.isFalse(SendPlan.isUnchanged(changed))
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("with a forged preview is refused, also with the digest that belongs to it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(ok)
      const wallet = yield* Service.wallet(wire)
      const plan = yield* wallet.plan({ from: alice, to: bob, value: 5n, payer: FeeDelegation.service, nonce: 7 })
      const digest = (preview: string) =>
        createHash("sha256").update(
          "{\"contents\":{\"chain\":1001,\"feePayerStyle\":\"document\",\"host\":\"127.0.0.1:8080\",\"nonce\":7,\"payer\":{\"_tag\":\"ServiceFeePayer\"}," +
            `"request":{"_tag":"Value","from":"${alice}","to":"${bob}","value":5n},"submit":true},` +
            `"preview":${JSON.stringify(preview)}}`
        ).digest("hex")
      assert.strictEqual(plan.digest, digest(plan.preview))
      const preview = plan.preview.replace("5 peb", "1 peb")
      const forged = { ...plan, preview, digest: digest(preview) }
      assert.strictEqual((yield* reasonOf(wallet.execute(forged, forged.digest)))._tag, "PlanChanged")
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("that nothing on the wire stands for is refused, whoever made it", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(ok)
      const wallet = yield* Service.wallet(wire)
      const { _tag, digest: _digest, preview: _preview, ...contents } = yield* wallet.plan(input)
      const plan = plans.seal({ ...contents, payer: { _tag: "SenderPays" } }, intents.make(contents))
      has(yield* reasonOf(wallet.execute(plan)), { _tag: "InvalidInput", path: ["request"] })
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("that is not the approved one, or is of another client, is refused", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(ok)
      const wallet = yield* Service.wallet(wire)
      const approved = yield* wallet.plan(input)
      const other = yield* wallet.plan({ ...input, to: alice })
      assert.strictEqual((yield* reasonOf(wallet.execute(other, approved.digest)))._tag, "PlanChanged")
      const mainnet = yield* Service.wallet(wire, { chain: 8217 })
      assert.strictEqual((yield* reasonOf(mainnet.execute(approved)))._tag, "PlanChanged")
      const elsewhere = yield* Service.wallet(wire, { endpoints: { wallet: "http://127.0.0.1:9090" } })
      assert.strictEqual((yield* reasonOf(elsewhere.execute(approved)))._tag, "PlanChanged")
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("whose fields answer differently when read again is refused or carried out as read", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(ok)
      const wallet = yield* Service.wallet(wire)
      const plan = yield* wallet.plan(input)
      let reads = 0
      const shifty = Object.defineProperty({ ...plan }, "request", {
        enumerable: true,
        get: () => (reads++ === 0 ? plan.request : { ...plan.request, to: alice })
      })
      yield* Effect.either(wallet.execute(shifty))
      for (const { body } of wire.sent) assert.include(body ?? "", `"to":"${bob}"`)
    }))
})

describe("the spending policy", () => {
  const send = (wallet: Wallet.Service, more: Partial<Wallet.SendValueInput> = {}) =>
    wallet.sendValue({ from: alice, to: bob, value: klay, payer: FeeDelegation.service, nonce: 7, ...more })

  it.effect("that nobody provided lets everything through on testnet and nothing on mainnet", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(ok)
      assert.strictEqual((yield* send(yield* Service.wallet(wire)))._tag, "Sent")
      assert.strictEqual(wire.sent.length, 1)
      const mainnet = yield* Service.wallet(wire, { chain: 8217 })
      has(yield* reasonOf(send(mainnet)), { _tag: "SpendRefused", rule: "chain" })
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("without limits opens mainnet", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(ok)
      const wallet = yield* Service.wallet(wire, { chain: 8217, policy: SpendPolicy.unlimited })
      assert.strictEqual((yield* send(wallet))._tag, "Sent")
    }))

  it.effect.each<readonly [rule: string, options: SpendPolicy.Rules, more: Partial<Wallet.SendValueInput>]>([
    ["chain", { chains: [8217] }, {}],
    ["transaction", { maxPerTransaction: klay }, { value: klay + 1n }],
    ["recipient", { recipients: [bob] }, { to: alice }],
    ["window", { window: { max: klay, duration: "1 hour" } }, { value: klay + 1n }]
  ])("refuses by its rule for the %s before anything is sent", ([rule, options, more]) =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const policy = yield* SpendPolicy.make(options)
      const wallet = yield* Service.wallet(wire, { ...Service.withNode, policy })
      has(yield* reasonOf(send(wallet, { nonce: undefined, ...more })), { _tag: "SpendRefused", rule })
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("lets through what keeps all rules, to the last peb", () =>
    Effect.gen(function*() {
      const policy = yield* SpendPolicy.make({
        chains: [1001],
        maxPerTransaction: klay,
        recipients: [bob],
        window: { max: klay, duration: "1 hour" }
      })
      const wallet = yield* Service.wallet(Testing.wire(ok), { policy })
      assert.strictEqual((yield* send(wallet))._tag, "Sent")
    }))

  it.effect("counts what was sent in the latest stretch, and what may have been", () =>
    Effect.gen(function*() {
      const policy = yield* SpendPolicy.make({ window: { max: 2n * klay, duration: "1 hour" } })
      const unknown = Testing.text(502, "")
      const wallet = yield* Service.wallet(Testing.wire(ok, unknown, ok), { policy, ...Service.noRetries })
      yield* send(wallet)
      yield* Effect.either(send(wallet, { nonce: 9 }))
      has(yield* reasonOf(send(wallet, { nonce: 8 })), { rule: "window" })
      yield* TestClock.adjust("59 minutes")
      has(yield* reasonOf(send(wallet, { nonce: 8 })), { rule: "window" })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* send(wallet))._tag, "Sent")
    }))

  it.effect("takes back what was certainly not sent", () =>
    Effect.gen(function*() {
      const policy = yield* SpendPolicy.make({ window: { max: klay, duration: "1 hour" } })
      const refused = Service.refusal(1065100, "failed to get an account; data don't exist")
      const wallet = yield* Service.wallet(Testing.wire(refused, refused, ok), { policy })
      yield* reasonOf(send(wallet))
      yield* reasonOf(send(wallet))
      assert.strictEqual((yield* send(wallet))._tag, "Sent")
    }))

  it.effect("lets no two fibers spend the same rest", () =>
    Effect.gen(function*() {
      const policy = yield* SpendPolicy.make({ window: { max: 3n * klay, duration: "1 hour" } })
      const wallet = yield* Service.wallet(Testing.wire(ok), { policy })
      const ends = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index + 1),
        (nonce) => Effect.either(send(wallet, { nonce })),
        { concurrency: "unbounded" }
      )
      const refused = ends.filter((end) =>
        Either.isLeft(end) && end.left._tag === "NotSent" && end.left.reason._tag === "SpendRefused"
      )
      assert.strictEqual(refused.length, 17)
    }))

  it.effect("counts a send with a nonce once, however often it is made: the chain carries out one of them", () =>
    Effect.gen(function*() {
      const policy = yield* SpendPolicy.make({ window: { max: klay, duration: "1 hour" } })
      const wallet = yield* Service.wallet(Testing.wire(ok), { policy })
      yield* send(wallet, { nonce: 7 })
      yield* send(wallet, { nonce: 7 })
      has(yield* reasonOf(send(wallet, { nonce: 8 })), { rule: "window" })
    }))

  it.effect("is one for all that share it, its window included", () =>
    Effect.gen(function*() {
      const policy = yield* SpendPolicy.make({ window: { max: klay, duration: "1 hour" }, opaque: "allow" })
      const wire = Testing.wire(ok)
      const wallet = yield* Service.wallet(wire, { policy })
      const transactions = yield* Service.transactions(wire, { policy })
      yield* send(wallet)
      const request = { _tag: "Value", from: alice, to: bob, value: 1n } as const
      has(yield* reasonOf(transactions.send({ request, payer: FeeDelegation.service })), { rule: "window" })
    }))

  it.effect("refuses what can move more than can be seen, unless it is allowed", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(ok)
      const policy = yield* SpendPolicy.make({ maxPerTransaction: klay })
      const transactions = yield* Service.transactions(wire, { policy })
      const call = { _tag: "Execute", from: alice, to: bob, input: "0x", value: klay } as const
      has(yield* reasonOf(transactions.send({ request: call, payer: FeeDelegation.service })), { rule: "opaque" })
      const additions = yield* Service.administration(wire, { policy })
      const { keyId } = Records.key()
      const pending = { address: alice, transactionId: Records.hash }
      const guarded: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        additions.sign({ keyId, data: Records.hash }),
        additions.signPending(pending),
        additions.getSignature(pending),
        additions.addSignatures({
          transactionId: Records.hash,
          signatures: [{ V: 1n, R: 1n, S: 1n }]
        }),
        additions.updateMultiSig({
          address: alice,
          threshold: 1,
          weightedKeys: [{ publicKey: Records.publicKey, weight: 1 }]
        })
      ]
      for (const one of guarded) assert.strictEqual((yield* Effect.flip(one))._tag, "SpendRefused")
      assert.strictEqual(wire.sent.length, 0)
      const allowing = yield* SpendPolicy.make({ maxPerTransaction: klay, opaque: "allow" })
      const open = yield* Service.transactions(wire, { policy: allowing })
      const end = yield* open.send({ request: call, payer: FeeDelegation.service })
      assert.strictEqual(end._tag, "Sent")
    }))

  it.effect("is made of addresses and limits that make sense", () =>
    Effect.gen(function*() {
      const options: ReadonlyArray<object> = [
        { recipients: ["alice"] },
        { maxPerTransaction: -1n },
        { window: { max: 1n, duration: "soon" } },
        { window: { max: 1n, duration: 0 } }
      ]
      for (const one of options) {
        assert.strictEqual((yield* Effect.flip(SpendPolicy.make(one)))._tag, "InvalidInput")
      }
    }))
})
