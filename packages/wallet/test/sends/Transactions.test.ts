import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Client from "../../../core/test/support/client.js"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as SendOutcome from "../../src/SendOutcome.js"
import type * as SpendPolicy from "../../src/SpendPolicy.js"
import type * as Transactions from "../../src/Transactions.js"
import { equal, has } from "../support/assertions.js"
import * as Chain from "../support/chain.js"
import * as Old from "../support/old.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, bob, hash, payer, publicKey, result } = Records

/** Contract calls and raw transactions need a policy that allows what can't be seen. */
const open: SpendPolicy.Service = { authorise: () => Effect.succeed({ release: Effect.void }) }

type Request = Transactions.SendInput["request"]

const accountKey = (type: string): Request => ({
  _tag: "AccountUpdate",
  from: alice,
  accountKey: type === "public"
    ? { type: "AccountKeyPublic", publicKey }
    : type === "multisig"
    ? {
      type: "AccountKeyWeightedMultiSig",
      threshold: 3,
      keys: [{ weight: 3, publicKey }]
    }
    : type === "roles"
    ? {
      type: "AccountKeyRoleBased",
      keys: [
        { type: "AccountKeyPublic", publicKey },
        { type: "AccountKeyFail" },
        { type: "AccountKeyFail" }
      ]
    }
    : { type: "AccountKeyLegacy" }
})

const from = `"from":"${alice}"`

/** Body fields that every family shares, in the order of the wire. */
const rows: ReadonlyArray<readonly [name: string, request: Request, method: string, path: string, body: string]> = [
  [
    "a value transfer",
    { _tag: "Value", from: alice, to: bob, value: 1n, memo: "hi" },
    "POST",
    "/value",
    `{${from},"submit":true,"to":"${bob}","value":"0x1","memo":"hi"`
  ],
  [
    "a deployment",
    { _tag: "Deploy", from: alice, input: "0xAB", value: 0n },
    "POST",
    "/contract/deploy",
    `{${from},"submit":true,"value":"0x0","input":"0xab"`
  ],
  [
    "a contract call",
    { _tag: "Execute", from: alice, to: bob, input: "0xd0e30db0", value: 16n },
    "POST",
    "/contract/execute",
    `{${from},"submit":true,"to":"${bob}","value":"0x10","input":"0xd0e30db0"`
  ],
  [
    "an anchor",
    { _tag: "Anchor", from: alice, input: "0x01" },
    "POST",
    "/anchor",
    `{${from},"submit":true,"input":"0x01"`
  ],
  [
    "a cancellation by nonce",
    { _tag: "Cancel", from: alice, nonce: 3 },
    "DELETE",
    "",
    `{${from},"nonce":3,"submit":true`
  ],
  [
    "a cancellation by hash",
    { _tag: "Cancel", from: alice, transactionHash: hash },
    "DELETE",
    "",
    `{${from},"submit":true,"transactionHash":"${hash}"`
  ],
  [
    "an account update to the key of the address",
    accountKey("legacy"),
    "PUT",
    "/account",
    `{${from},"submit":true,"accountKey":{"keyType":1}`
  ],
  [
    "an account update to one key",
    accountKey("public"),
    "PUT",
    "/account",
    `{${from},"submit":true,"accountKey":{"keyType":2,"key":"${publicKey}"}`
  ],
  [
    "an account update to several keys",
    accountKey("multisig"),
    "PUT",
    "/account",
    `{${from},"submit":true,"accountKey":{"keyType":4,"key":{"threshold":3,"weightedKeys":[` +
    `{"publicKey":"${publicKey}","weight":3}]}}`
  ],
  [
    "an account update to roles",
    accountKey("roles"),
    "PUT",
    "/account",
    `{${from},"submit":true,"accountKey":{"keyType":5,"key":[{"keyType":2,"key":"${publicKey}"},{"keyType":3},{"keyType":3}]}`
  ],
  [
    "a raw transaction",
    { _tag: "Rlp", rlp: Old.rlp[1001] },
    "POST",
    "/rlp",
    `{"rlp":"${Old.rlp[1001]}","submit":true`
  ]
]

const send = (input: Transactions.SendInput) =>
  Effect.gen(function*() {
    const wire = Testing.wire((sent) => {
      const { from = Old.oldAddress, nonce = from === Old.oldAddress ? 0 : 7 } = JSON.parse(sent.body ?? "{}")
      const { input: _input, rlp: _rlp, to: _to, value: _value, ...rest } = { input: "", ...result }
      return Testing.json(200, { ...rest, from, nonce })(sent)
    })
    const transactions = yield* Service.transactions(wire, { policy: open, ...Service.withPaths })
    const end = yield* SendOutcome.settle(transactions.send(input))
    assert.strictEqual(end._tag, "Sent", end._tag === "NotSent" ? end.message : "")
    return Service.requests(wire)
  })

describe("a transaction", () => {
  it.effect.each(rows)("of the sender: %s", ([, request, method, path, body]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* send({ request, payer: FeeDelegation.sender }), [
        `${method} /wallet/v2/tx${path} ${
          // The value transfer of the sender is the document's operation, whose fields stand in another order.
          request._tag === "Value"
            ? `{${from},"to":"${bob}","value":"0x1","memo":"hi","submit":true`
            : body}}`
      ])
    }))

  it.effect.each(rows)("of the service: %s", ([, request, method, path, body]) =>
    Effect.gen(function*() {
      const whole = yield* send({ request, payer: FeeDelegation.service })
      assert.deepStrictEqual(whole, [`${method} /wallet/v2/tx/fd${path} ${body}}`])
      const shared = yield* send({ request, payer: FeeDelegation.service, feeRatio: 30 })
      assert.deepStrictEqual(shared, [`${method} /wallet/v2/tx/fd${path} ${body},"feeRatio":30}`])
    }))

  it.effect.each(rows)("of a user fee payer: %s", ([, request, method, path, body]) =>
    Effect.gen(function*() {
      const asked = yield* send({ request, payer: FeeDelegation.user(payer), feeRatio: 99 })
      assert.deepStrictEqual(asked, [
        `${method} /wallet/v2/tx/fd-user${path} ${body},"feeRatio":99,"feePayer":"${payer}"}`
      ])
    }))

  it.effect("of the legacy form is the sender's", () =>
    Effect.gen(function*() {
      const request: Request = { _tag: "Legacy", from: alice, to: bob, value: 1n, input: "0x" }
      assert.deepStrictEqual(yield* send({ request, payer: FeeDelegation.sender, nonce: 3, gasLimit: 5 }), [
        `POST /wallet/v2/tx/legacy {${from},"nonce":3,"gas":5,"submit":true,"to":"${bob}","value":"0x1","input":"0x"}`
      ])
      const creation: Request = { _tag: "Legacy", from: alice }
      assert.deepStrictEqual(yield* send({ request: creation, payer: FeeDelegation.sender, submit: false }), [
        `POST /wallet/v2/tx/legacy {${from},"submit":false}`
      ])
    }))

  it.effect("that is signed is safe to repeat, and known again by its content", () =>
    Effect.gen(function*() {
      const request: Request = { _tag: "Rlp", rlp: Old.rlp[1001] }
      const key = "0x02a102dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8"
      const update = { hash, from: Old.oldAddress, nonce: 0, typeInt: 33, key }
      const { key: _key, ...withoutKey } = update
      const low = Service.refusal(1065001, "failed to send a raw transaction to klaytn node; -32000::nonce too low")
      const rows: ReadonlyArray<readonly [mined: ReadonlyArray<Chain.Mined>, end: string]> = [
        [[update], "Sent"],
        [[{ ...update, key: key.replace("0e8", "0e9") }], "NotSent"],
        [[withoutKey], "SendUnknown"],
        [[], "SendUnknown"]
      ]
      for (const [mined, tag] of rows) {
        const wire = Chain.make({ blocks: [[], mined] }, Testing.text(502, ""), low)
        const transactions = yield* Service.transactions(wire, { ...Service.withNode, policy: open })
        const end = yield* transactions.send({ request, payer: FeeDelegation.service }).pipe(
          SendOutcome.settle,
          Client.longestWaits,
          Client.within("1 minute")
        )
        assert.strictEqual(Chain.toWallet(wire).length, 2)
        assert.strictEqual(end._tag, tag)
        if (end._tag === "SendUnknown") has(end, { address: Old.oldAddress, nonce: 0, retrySafe: true })
      }
    }))

  it.effect("by name of its nonce cancels once and for all", () =>
    Effect.gen(function*() {
      const wire = Chain.make(
        { blocks: [[Chain.payment(3, { typeInt: 57, to: null, value: 0n })]] },
        Testing.text(502, ""),
        Service.refusal(1065001, "failed to send a raw transaction to klaytn node; -32000::nonce too low")
      )
      const transactions = yield* Service.transactions(wire, Service.withNode)
      const end = yield* transactions.send({
        request: { _tag: "Cancel", from: alice, nonce: 3 },
        payer: FeeDelegation.service
      }).pipe(Client.longestWaits, Client.within("1 minute"))
      equal(end._tag === "Sent" ? end.found?.typeInt : undefined, 57)
    }))
})

describe("before anything is sent", () => {
  const refusals: ReadonlyArray<readonly [name: string, input: Transactions.SendInput, path: string]> = [
    ["a fee payer for the legacy form", {
      request: { _tag: "Legacy", from: alice },
      payer: FeeDelegation.service
    }, "payer"],
    ["a share of a fee that nobody shares", {
      request: { _tag: "Anchor", from: alice, input: "0x" },
      payer: FeeDelegation.sender,
      feeRatio: 50
    }, "feeRatio"],
    ["a nonce beside a raw transaction", {
      request: { _tag: "Rlp", rlp: Old.rlp[1001] },
      payer: FeeDelegation.service,
      nonce: 1
    }, "nonce"],
    ["a gas limit beside a raw transaction", {
      request: { _tag: "Rlp", rlp: Old.rlp[1001] },
      payer: FeeDelegation.service,
      gasLimit: 1
    }, "gasLimit"],
    ["a nonce beside a cancellation", {
      request: { _tag: "Cancel", from: alice, transactionHash: hash },
      payer: FeeDelegation.sender,
      nonce: 1
    }, "nonce"],
    ["a raw transaction of another chain", {
      request: { _tag: "Rlp", rlp: Old.rlp[8217] },
      payer: FeeDelegation.service
    }, "rlp"],
    ["a raw transaction of another account than it is said to be of", {
      request: { _tag: "Rlp", rlp: Old.rlp[1001], from: alice },
      payer: FeeDelegation.service
    }, "rlp"],
    ["cancelling nonce 0, which the service reads as none", {
      request: { _tag: "Cancel", from: alice, nonce: 0 },
      payer: FeeDelegation.sender
    }, "nonce"],
    ["an account key that the service has no form for", {
      request: {
        _tag: "AccountUpdate",
        from: alice,
        accountKey: { type: "AccountKeyRoleBased", keys: [{ type: "AccountKeyFail" }] }
      },
      payer: FeeDelegation.sender
    }, "accountKey"]
  ]

  it.effect.each(refusals)("%s is refused", ([, input, path]) =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const transactions = yield* Service.transactions(wire, { policy: open })
      const end = yield* Effect.flip(transactions.send(input))
      assert.strictEqual(end._tag, "NotSent")
      has(end._tag === "NotSent" ? end.reason : {}, { _tag: "InvalidInput", path: [path] })
      assert.strictEqual(wire.sent.length, 0)
    }))

  const untyped = (value: unknown) => value as Transactions.SendInput

  it.effect.each<readonly [name: string, input: unknown, path: ReadonlyArray<string>]>([
    ["no account key at all", { _tag: "AccountUpdate", from: alice, accountKey: 7 }, ["request", "accountKey"]],
    [
      "an account key without its parts",
      { _tag: "AccountUpdate", from: alice, accountKey: { type: "AccountKeyRoleBased" } },
      ["request", "accountKey"]
    ],
    ["an odd number of digits", { _tag: "Anchor", from: alice, input: "0x123" }, ["request", "input"]],
    ["a cancellation of nothing", { _tag: "Cancel", from: alice }, ["request"]],
    ["a cancellation of two", { _tag: "Cancel", from: alice, nonce: 1, transactionHash: hash }, ["request"]]
  ])("%s is refused", ([, request, path]) =>
    Effect.gen(function*() {
      const transactions = yield* Service.transactions(Testing.wire(), { policy: open })
      const end = yield* Effect.flip(transactions.send(untyped({ request, payer: FeeDelegation.sender })))
      const reason = end._tag === "NotSent" ? end.reason : undefined
      assert.strictEqual(reason?._tag, "InvalidInput")
      equal(reason?._tag === "InvalidInput" ? reason.path.slice(0, path.length) : [], path)
    }))

  it.effect("an account key is copied: nothing else that its object holds is part of the plan", () =>
    Effect.gen(function*() {
      const transactions = yield* Service.transactions(Testing.wire(), { policy: open })
      const endless: Record<string, unknown> = { type: "AccountKeyLegacy" }
      endless["self"] = endless
      for (const accountKey of [endless, { type: "AccountKeyLegacy", sign: () => 1 }, new Proxy(endless, {})]) {
        const request = { _tag: "AccountUpdate", from: alice, accountKey }
        const plan = yield* transactions.plan(untyped({ request, payer: FeeDelegation.sender }))
        equal(plan.request, { _tag: "AccountUpdate", from: alice, accountKey: { type: "AccountKeyLegacy" } })
      }
    }))
})
