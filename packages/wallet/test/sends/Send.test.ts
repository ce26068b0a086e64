import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Client from "../../../core/test/support/client.js"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as SendOutcome from "../../src/SendOutcome.js"
import type * as TransactionLookup from "../../src/TransactionLookup.js"
import type * as Wallet from "../../src/Wallet.js"
import { equal, has } from "../support/assertions.js"
import * as Chain from "../support/chain.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, bob, hash, otherHash } = Records

const input: Wallet.SendValueInput = {
  from: alice,
  to: bob,
  value: 1_000_000_000_000_000_000n,
  payer: FeeDelegation.service
}

/** How one send ends, and how often it went out. */
const run = (
  chain: Chain.Chain,
  steps: ReadonlyArray<Testing.Step>,
  more: Partial<Wallet.SendValueInput> = {},
  options: Service.More = Service.withNode
) =>
  Effect.gen(function*() {
    const wire = Chain.make(chain, ...steps)
    const wallet = yield* Service.wallet(wire, options)
    const end = yield* wallet.sendValue({ ...input, ...more }).pipe(
      SendOutcome.settle,
      Client.longestWaits,
      Client.within("2 minutes")
    )
    return { end, times: Chain.toWallet(wire).length, wire }
  })

const unknown = (end: SendOutcome.SendOutcome): SendOutcome.SendUnknown => {
  assert.strictEqual(end._tag, "SendUnknown")
  return end as SendOutcome.SendUnknown
}

const notSent = (end: SendOutcome.SendOutcome): SendOutcome.NotSent => {
  assert.strictEqual(end._tag, "NotSent")
  return end as SendOutcome.NotSent
}

/** Alice has sent 7 transactions, the last of them in block 3 of 6. */
const before = (): Chain.Chain => ({
  blocks: [
    [],
    [0, 1, 2].map((nonce) => Chain.payment(nonce, { hash: `0x${String(nonce).repeat(64)}`, value: 5n })),
    [3, 4, 5].map((nonce) => Chain.payment(nonce, { hash: `0x${String(nonce).repeat(64)}`, value: 5n })),
    [Chain.payment(6, { hash: `0x${"6".repeat(64)}`, value: 5n })],
    [],
    []
  ]
})

const after = (...mined: ReadonlyArray<Chain.Mined>): Chain.Chain => ({ blocks: [...before().blocks, mined, [], []] })

const ok = Testing.json(200, Records.result)

type Ambiguity = readonly [name: string, step: Testing.Step]

/** Where a send can break so that nobody knows. */
const ambiguities: ReadonlyArray<Ambiguity> = [
  ["the connection breaks", Testing.broken(Testing.networkError("ECONNRESET"))],
  ["nothing is ever answered", Testing.silence],
  ["the answer breaks off", Testing.cutOff(200)],
  ["HTTP 500", Testing.text(500, "")],
  ["HTTP 502 of a proxy", Testing.text(502, "<html>")],
  ["HTTP 503", Testing.text(503, "")],
  ["HTTP 504", Testing.text(504, "")],
  ["HTTP 408", Testing.text(408, "")]
]

/** Answers that came whole and leave open what happened; they are not worth repeating. */
const puzzles: ReadonlyArray<Ambiguity> = [
  ["a success that is no JSON", Testing.text(200, "OK")],
  ["a success that names no transaction", Testing.json(200, { ...Records.signedOnly, rlp: undefined })],
  ["a signed transaction that was to be sent", Testing.json(200, Records.signedOnly)],
  ["a redirect elsewhere", Testing.text(307, "", { location: "http://127.0.0.1/" })],
  ["HTTP 401 without a word", Testing.text(401, "")],
  ["HTTP 404 without a word", Testing.text(404, "")],
  ["HTTP 429 without a word", Testing.text(429, "", { "retry-after": "3600" })],
  ["a redirect after the deed", Testing.text(303, "", { location: "http://127.0.0.1/" })],
  [
    "a service that can't say what its node did",
    Service.refusal(1065001, "failed to send a raw transaction to klaytn node; context deadline exceeded")
  ],
  ["a refusal whose words break off", Testing.cutOff(400)],
  ["HTTP 400 without a word", Testing.text(400, "")],
  ["HTTP 403 of somebody before the service", Testing.text(403, "<html>")],
  ["HTTP 429 without a word", Testing.text(429, "", { "retry-after": "3600" })],
  ["a redirect elsewhere", Testing.text(307, "", { location: "http://127.0.0.1/" })]
]

/** Failures that prove that nothing was sent, whatever the chain shows. */
const certain: ReadonlyArray<
  readonly [name: string, step: Testing.Step, tag: string, proof: SendOutcome.Proof]
> = [
  ["the name of the host is unknown", Testing.broken(Testing.networkError("ENOTFOUND")), "TransportFailed", "unsent"],
  [
    "nobody listens",
    Testing.broken(Testing.networkError("ECONNREFUSED", { syscall: "connect" })),
    "TransportFailed",
    "unsent"
  ],
  ["HTTP 401", Testing.json(401, { code: 1010009, message: "no" }), "Unauthorized", "refused"],
  ["an unknown account", Service.refusal(1065100, "failed to get an account; data don't exist"), "Rejected", "refused"],
  ["an unknown fee payer", Service.refusal(1061905, "failed to get feepayer"), "Rejected", "refused"]
]

/** Refusals that depend on state: another copy of the request may be accepted. */
const denials: ReadonlyArray<readonly [name: string, step: Testing.Step, tag: string, answer?: string]> = [
  ["HTTP 429", Testing.json(429, { code: 1019999, message: "slowly" }, { "retry-after": "3600" }), "RateLimited"],
  ["a code that is not known", Service.refusal(1069999, "not today"), "Rejected"],
  [
    "a node that refuses for the funds",
    Service.refusal(
      1065001,
      "failed to send a raw transaction to klaytn node; -32000::insufficient funds of the sender for value "
    ),
    "InsufficientFunds",
    "Rejected"
  ]
]

const says = (message: string) =>
  Service.refusal(1065001, `failed to send a raw transaction to klaytn node; -32000::${message}`)

const taken: ReadonlyArray<Ambiguity> = [
  ["nonce too low", says("nonce too low")],
  ["known transaction", says(`known transaction: ${hash}`)],
  ["known transaction as a node words it", says(`known transaction: ${hash.slice(2)}`)],
  ["another tx", says("there is another tx which has the same nonce in the tx pool")],
  ["already submitted", Service.refusal(1061914, `already submitted transaction. Confirm transaction hash; ${hash}`)]
]

describe("a send without a nonce", () => {
  it.effect.each(ambiguities)("is made once and not known when %s", ([, step]) =>
    Effect.gen(function*() {
      const { end, times } = yield* run(before(), [step, ok])
      const error = unknown(end)
      assert.strictEqual(times, 1)
      assert.deepStrictEqual(
        [error.address, error.nonce, error.send.nonces?.next, error.retrySafe],
        [alice, undefined, 7, false]
      )
      equal(error.send.plan.request, { _tag: "Value", from: alice, to: bob, value: input.value })
    }))

  it.effect.each(puzzles)("is made once and not known when the answer is %s", ([, step]) =>
    Effect.gen(function*() {
      const { end, times } = yield* run(before(), [step, ok])
      assert.strictEqual(unknown(end).retrySafe, false)
      assert.strictEqual(times, 1)
    }))

  it.effect.each(taken)(
    "is not known when its only attempt is refused with \"%s\": another copy of the request may have the nonce",
    ([, step]) =>
      Effect.gen(function*() {
        for (const options of [Service.withNode, {}]) {
          const { end, times, wire } = yield* run(before(), [step, ok], {}, options)
          assert.strictEqual(times, 1)
          // Where the account stood was asked before; nothing is looked up after.
          assert.strictEqual(wire.sent.length, options === Service.withNode ? 3 : 1)
          has(unknown(end).cause ?? {}, { _tag: "Rejected" })
        }
      })
  )

  it.effect.each(certain)("is certainly not sent: %s", ([, step, tag, proof]) =>
    Effect.gen(function*() {
      for (const options of [Service.withNode, {}]) {
        const error = notSent((yield* run(after(Chain.payment(7)), [step], {}, options)).end)
        assert.deepStrictEqual([error.reason._tag, error.proof], [tag, proof])
      }
    }))

  it.effect.each(denials)("was not sent when its only attempt is denied and the chain shows nothing like it: %s", ([
    ,
    step,
    tag
  ]) =>
    Effect.gen(function*() {
      const waiting = [Chain.payment(7, { hash: otherHash })]
      const other = after(Chain.payment(7, { value: 5n, hash: otherHash }))
      for (const chain of [before(), { ...before(), waiting }, other]) {
        const error = notSent((yield* run(chain, [step])).end)
        assert.deepStrictEqual([error.reason._tag, error.proof], [tag, "lookup"])
      }
    }))

  it.effect.each(denials)("is not known when its only attempt is denied and the chain shows one like it: %s", ([
    ,
    step,
    tag
  ]) =>
    Effect.gen(function*() {
      const chain = before()
      const { end } = yield* run(chain, [(sent) => {
        chain.blocks.push([Chain.payment(7)])
        return step(sent)
      }])
      const error = unknown(end)
      assert.strictEqual(error.cause?._tag, tag)
      has(yield* error.reconcile, { _tag: "Executed", certainty: "content" })
    }))

  it.effect("is not known when its only attempt is denied and a transaction waits that did not wait before", () =>
    Effect.gen(function*() {
      const chain = before()
      const { end } = yield* run(chain, [(sent) => {
        chain.waiting = [Chain.payment(7, { value: 5n })]
        return says("insufficient funds")(sent)
      }])
      assert.include(unknown(end).reason, "the chain shows a transaction that may be this send")
    }))

  it.effect.each(denials)(
    "is not known when its only attempt is denied and nobody can be asked: %s",
    ([, step]) =>
      Effect.gen(function*() {
        const { end } = yield* run(before(), [step], {}, {})
        assert.strictEqual((yield* unknown(end).reconcile)._tag, "Ambiguous")
      })
  )

  it.effect("goes out again when it is proven that it never left", () =>
    Effect.gen(function*() {
      const { end, times } = yield* run(before(), [Testing.broken(Testing.networkError("ENOTFOUND")), ok])
      assert.strictEqual(end._tag, "Sent")
      assert.strictEqual(times, 2)
    }))

  it.effect("finds out that one transaction since then looks the same", () =>
    Effect.gen(function*() {
      const chain = before()
      const { end } = yield* run(chain, [Testing.text(502, "")])
      const error = unknown(end)
      assert.deepStrictEqual(yield* error.reconcile, SendOutcome.SendVerdict.NotExecuted({ nextNonce: 7 }))
      chain.blocks.push([Chain.payment(7, { value: 5n, hash: otherHash }), Chain.payment(8)], [])
      const verdict = yield* error.reconcile
      assert.strictEqual(verdict._tag, "Executed")
      has(verdict, { certainty: "content" })
      assert.strictEqual(verdict._tag === "Executed" ? verdict.transaction.transactionHash : "", hash)
      chain.blocks.push([Chain.payment(9, { hash: otherHash })])
      const several = yield* error.reconcile
      assert.strictEqual(several._tag === "Ambiguous" ? several.transactions.length : 0, 2)
    }))

  it.effect("does not take for its own what was waiting before it", () =>
    Effect.gen(function*() {
      const earlier = Chain.payment(7)
      const chain: Chain.Chain = { ...before(), waiting: [earlier] }
      const { end } = yield* run(chain, [Testing.text(502, "")])
      chain.blocks.push([earlier])
      const verdict = yield* unknown(end).reconcile
      assert.strictEqual(verdict._tag, "Ambiguous")
      chain.blocks.pop()
      chain.blocks.push([Chain.payment(7, { value: 3n, hash: otherHash })], [Chain.payment(8)])
      assert.strictEqual((yield* unknown(end).reconcile)._tag, "Executed")
    }))

  it.effect("that names 0 is one: the service reads 0 as none", () =>
    Effect.gen(function*() {
      const { end, times } = yield* run({ blocks: [[]] }, [Testing.text(502, ""), ok], { nonce: 0 })
      const error = unknown(end)
      assert.strictEqual(times, 1)
      assert.deepStrictEqual([error.nonce, error.send.nonces?.next, error.retrySafe], [0, 0, false])
    }))

  it.effect("asks again where the account stands when an answer can't be read, and is made also if none can", () =>
    Effect.gen(function*() {
      for (const [unreadable, nonceAtLeast] of [[1, 7], [2, 7], [3, 7], [100, undefined]] as const) {
        const answer = Chain.answering(before(), Testing.text(502, ""))
        let asked = 0
        const wire = Testing.wire((sent) =>
          (sent.url.includes("/node/") && asked++ < unreadable ? Testing.text(200, "<html>") : answer)(sent)
        )
        const wallet = yield* Service.wallet(wire, Service.withNode)
        const error = unknown(yield* SendOutcome.settle(wallet.sendValue(input)))
        assert.strictEqual(error.send.nonces?.next, nonceAtLeast)
        assert.strictEqual(error.send.nonces?.afterWaiting, nonceAtLeast)
        assert.strictEqual(Chain.toWallet(wire).length, 1)
        assert.strictEqual(wire.sent.length, 1 + Math.min(6, 2 + unreadable))
      }
    }))

  it.effect("asks again where the account stands when an answer never comes", () =>
    Effect.gen(function*() {
      const answer = Chain.answering(before(), Testing.text(502, ""))
      let asked = 0
      const wire = Testing.wire((sent) => sent.url.includes("/node/") && asked++ < 2 ? Effect.never : answer(sent))
      const wallet = yield* Service.wallet(wire, Service.withNode)
      const send = wallet.sendValue(input).pipe(SendOutcome.settle, Client.longestWaits, Client.within("10 seconds"))
      assert.strictEqual(unknown(yield* send).send.nonces?.next, 7)
    }))

  it.effect("makes 24 requests at most for where the account stands under a lasting 503, and its own", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(503, ""))
      const wallet = yield* Service.wallet(wire, Service.withNode)
      const send = wallet.sendValue(input).pipe(SendOutcome.settle, Client.longestWaits, Client.within("2 minutes"))
      assert.strictEqual(unknown(yield* send).retrySafe, false)
      assert.strictEqual(Chain.toWallet(wire).length, 1)
      assert.isAtMost(wire.sent.length, 25)
    }))

  it.effect("is made without a node, and then there is nothing to go by", () =>
    Effect.gen(function*() {
      const { end, times } = yield* run(before(), [Testing.text(502, "")], {}, {})
      const error = unknown(end)
      assert.deepStrictEqual([times, error.send.nonces?.next], [1, undefined])
      assert.strictEqual((yield* error.reconcile)._tag, "Ambiguous")
    }))
})

describe("a send with a nonce", () => {
  it.effect.each(ambiguities)("is made again when %s, and sent", ([, step]) =>
    Effect.gen(function*() {
      const { end, times, wire } = yield* run(before(), [step, ok], { nonce: 7 })
      assert.strictEqual(end._tag, "Sent")
      assert.strictEqual(times, 2)
      const [first, second] = Chain.toWallet(wire)
      assert.strictEqual(first?.body, second?.body)
      assert.include(first?.body ?? "", "\"nonce\":7")
    }))

  it.effect.each(ambiguities)("that breaks every time is not known: %s", ([, step]) =>
    Effect.gen(function*() {
      const { end, times } = yield* run(before(), [step], { nonce: 7 })
      const error = unknown(end)
      assert.isAtLeast(times, 3)
      assert.deepStrictEqual([error.nonce, error.retrySafe], [7, true])
      assert.deepStrictEqual(yield* error.reconcile, SendOutcome.SendVerdict.NotExecuted({ nextNonce: 7 }))
    }))

  it.effect.each(puzzles)("is not known when the answer is %s", ([, step]) =>
    Effect.gen(function*() {
      const { end, times } = yield* run(before(), [step], { nonce: 7 })
      assert.strictEqual(unknown(end).retrySafe, true)
      assert.strictEqual(times, 1)
    }))

  it.effect.each(certain)("is certainly not sent: %s", ([, step, tag, proof]) =>
    Effect.gen(function*() {
      for (const options of [Service.withNode, {}]) {
        const error = notSent((yield* run(after(Chain.payment(7)), [step], { nonce: 7 }, options)).end)
        assert.deepStrictEqual([error.reason._tag, error.proof], [tag, proof])
      }
    }))

  it.effect.each(denials)("was not sent when its only attempt is denied and its nonce is free, in one question: %s", ([
    ,
    step,
    tag
  ]) =>
    Effect.gen(function*() {
      const { end, wire } = yield* run(before(), [step], { nonce: 7 })
      const error = notSent(end)
      assert.deepStrictEqual([error.reason._tag, error.proof], [tag, "lookup"])
      assert.deepStrictEqual(
        wire.sent.filter(({ url }) => url.includes("/node/")).map(({ body }) => JSON.parse(body ?? "{}").params),
        [[alice, "pending"]]
      )
    }))

  it.effect.each(denials)("is not known when its only attempt is denied and an equal payment has its nonce: %s", ([
    ,
    step
  ]) =>
    Effect.gen(function*() {
      const error = unknown((yield* run(after(Chain.payment(7)), [step], { nonce: 7 })).end)
      assert.deepStrictEqual([error.send.hash, error.retrySafe], [hash, true])
      has(yield* error.reconcile, { _tag: "Executed", certainty: "nonce" })
    }))

  it.effect.each(denials)("was not sent when its only attempt is denied and a block gives its nonce to another: %s", ([
    ,
    step,
    tag,
    answer = tag
  ]) =>
    Effect.gen(function*() {
      const other = after(Chain.payment(7, { value: 5n, hash: otherHash }))
      const { proof, reason } = notSent((yield* run(other, [step], { nonce: 7 })).end)
      assert.strictEqual(proof, "block")
      has(reason, { _tag: "NonceTaken", nonce: 7, content: "different" })
      assert.strictEqual(reason._tag === "NonceTaken" ? reason.refusal?._tag : "", answer)
    }))

  it.effect.each(denials)(
    "is not known when its only attempt is denied and its nonce waits, or nobody can be asked: %s",
    ([
      ,
      step
    ]) =>
      Effect.gen(function*() {
        const waiting: Chain.Chain = { ...before(), waiting: [Chain.payment(7, { value: 5n })] }
        assert.isTrue(unknown((yield* run(waiting, [step], { nonce: 7 })).end).retrySafe)
        const blind = unknown((yield* run(before(), [step], { nonce: 7 }, {})).end)
        assert.include(
          blind.reason,
          "the look-up of what became of it failed: klay_getTransactionCount needs the node"
        )
      })
  )

  it.effect("is not called unsent by a certain refusal that follows an uncertain attempt", () =>
    Effect.gen(function*() {
      const funds = says("insufficient funds of the sender for value ")
      const { end } = yield* run(after(Chain.payment(7)), [Testing.text(502, ""), funds], { nonce: 7 })
      const verdict = yield* unknown(end).reconcile
      assert.strictEqual(verdict._tag === "Executed" ? verdict.certainty : "", "nonce")
    }))

  it.effect.each(taken)(
    "was sent when the service says \"%s\" after an uncertain attempt, and the chain shows it",
    ([, step]) =>
      Effect.gen(function*() {
        const { end } = yield* run(after(Chain.payment(7)), [Testing.text(502, ""), step], { nonce: 7 })
        has(end, { _tag: "Sent", transactionHash: hash, nonce: 7, from: alice, result: undefined })
        assert.strictEqual(end._tag === "Sent" ? end.found?.state : "", "succeeded")
      })
  )

  it.effect.each(taken)(
    "is not known when its only attempt is refused with \"%s\" and an equal payment has the nonce",
    ([, step]) =>
      Effect.gen(function*() {
        const error = unknown((yield* run(after(Chain.payment(7)), [step], { nonce: 7 })).end)
        assert.deepStrictEqual([error.send.hash, error.cause?._tag], [hash, "Rejected"])
        has(yield* error.reconcile, { _tag: "Executed", certainty: "nonce" })
      })
  )

  it.effect.each(taken)(
    "was not sent when the service says \"%s\" and another has the nonce",
    ([, step]) =>
      Effect.gen(function*() {
        const other = after(Chain.payment(7, { value: 5n, hash: otherHash }), Chain.payment(8))
        for (const steps of [[step], [Testing.text(502, ""), step]]) {
          const { proof, reason } = notSent((yield* run(other, steps, { nonce: 7 })).end)
          assert.strictEqual(proof, "block")
          has(reason, { _tag: "NonceTaken", nonce: 7, content: "different" })
          assert.strictEqual(reason._tag === "NonceTaken" ? reason.by.transactionHash : "", otherHash)
        }
      })
  )

  it.effect.each(taken)(
    "is not known when the service says \"%s\" after an uncertain attempt, and no block shows it",
    ([, step]) =>
      Effect.gen(function*() {
        const { end } = yield* run(before(), [Testing.text(502, ""), step], { nonce: 7 })
        assert.strictEqual(unknown(end).retrySafe, true)
      })
  )

  it.effect.each(taken)(
    "is not known when its only attempt is refused with \"%s\" and the look-up finds nothing or fails",
    ([, step]) =>
      Effect.gen(function*() {
        for (const options of [Service.withNode, {}]) {
          const error = unknown((yield* run(before(), [step], { nonce: 7 }, options)).end)
          assert.deepStrictEqual([error.cause?._tag, error.retrySafe], ["Rejected", true])
        }
      })
  )

  it.effect("is not known when the look-up fails, and can be looked up later", () =>
    Effect.gen(function*() {
      const { end } = yield* run(before(), [Testing.text(502, ""), says("nonce too low")], { nonce: 7 }, {})
      const error = unknown(end)
      assert.strictEqual(error.cause?._tag, "OutcomeUnknown")
      assert.include(error.reason, "KLAYTN_NODE_URL")
      assert.strictEqual(error.send.hash, undefined)
      const failed = yield* Effect.flip(error.reconcile)
      assert.include(failed.message, "KLAYTN_NODE_URL")
    }))

  it.effect("was sent when the service names it after an uncertain attempt, and it still waits", () =>
    Effect.gen(function*() {
      const answer = Chain.answering(before(), Testing.text(502, ""), says(`known transaction: ${hash}`))
      const waits = { ...Records.receipt, typeInt: 8, to: bob, value: Records.result.value }
      const wire = Testing.wire((sent) => (sent.method === "GET" ? Testing.json(200, waits) : answer)(sent))
      const wallet = yield* Service.wallet(wire, Service.withNode)
      const end = yield* wallet.sendValue({ ...input, nonce: 7 }).pipe(Client.longestWaits, Client.within("1 minute"))
      has(end, { _tag: "Sent", transactionHash: hash, nonce: 7, result: undefined })
      assert.strictEqual(end._tag === "Sent" ? end.found?.state : "", "waiting")
    }))

  it.effect("that is not known keeps the hash that the service named", () =>
    Effect.gen(function*() {
      const { end } = yield* run(before(), [Testing.text(502, ""), says(`known transaction: ${hash}`)], { nonce: 7 })
      assert.strictEqual(unknown(end).send.hash, hash)
    }))

  it.effect("is found wherever in the chain it was mined, in few questions", () =>
    Effect.gen(function*() {
      for (const [at, length] of [[0, 1], [1, 40], [17, 40], [39, 40], [999, 1000], [3, 1000]] as const) {
        const chain: Chain.Chain = {
          blocks: Array.from({ length }, (_, number) => number === at ? [Chain.payment(1)] : [])
        }
        const { end, wire } = yield* run(chain, [Testing.text(502, ""), says("nonce too low")], { nonce: 1 })
        assert.strictEqual(end._tag, "Sent", `block ${at} of ${length}`)
        assert.isBelow(wire.sent.length, 30)
      }
    }))

  it.effect("is told by receiver, value and memo", () =>
    Effect.gen(function*() {
      const others = [
        Chain.payment(7, { to: Records.payer }),
        Chain.payment(7, { value: 10n ** 18n + 1n }),
        Chain.payment(7, { typeInt: 16, input: "0x6869" }),
        Chain.payment(7, { typeInt: 57, to: null }),
        Chain.payment(7, { typeInt: 48, input: "0x" })
      ]
      for (const other of others) {
        const { end } = yield* run(after(other), [Testing.text(502, ""), says("nonce too low")], { nonce: 7 })
        assert.strictEqual(notSent(end).reason._tag, "NonceTaken")
      }
      const memo = after(Chain.payment(7, { typeInt: 17, input: "0x6869" }))
      const { end } = yield* run(memo, [Testing.text(502, ""), says("nonce too low")], { nonce: 7, memo: "hi" })
      assert.strictEqual(end._tag, "Sent")
    }))
})

describe("a send", () => {
  it.effect("ends as what the answer is", () =>
    Effect.gen(function*() {
      const sent = yield* run(before(), [Testing.json(200, { ...Records.result, feePayer: Records.payer, typeInt: 9 })])
      has(sent.end, {
        _tag: "Sent",
        transactionHash: hash,
        nonce: 7,
        paidBy: { _tag: "AsAsked", address: Records.payer },
        found: undefined
      })
      const signed = yield* run(before(), [Testing.json(200, Records.signedOnly)], { submit: false })
      has(signed.end, { _tag: "SignedOnly", rlp: "0x08f8", nonce: 7 })
      const pending = yield* run(before(), [Testing.json(200, Records.pending)])
      has(pending.end, { _tag: "Pending", transactionId: otherHash })
    }))

  it.effect("that is only to be signed is not known when the answer shows nothing signed", () =>
    Effect.gen(function*() {
      const empty = Testing.json(200, { ...Records.signedOnly, rlp: undefined })
      const { end } = yield* run(before(), [empty], { submit: false })
      assert.include(unknown(end).reason, "names no transaction")
    }))

  it.effect("that was only signed takes no nonce: the next one may be told of it", () =>
    Effect.gen(function*() {
      for (const nonce of [undefined, 7]) {
        const wallet = yield* Service.wallet(
          Chain.make(before(), Testing.json(200, Records.signedOnly), ok),
          Service.withNode
        )
        assert.strictEqual((yield* wallet.sendValue({ ...input, nonce, submit: false }))._tag, "SignedOnly")
        assert.strictEqual((yield* wallet.sendValue(input))._tag, "Sent")
      }
    }))

  it.effect("asks once where the account stands if its look-up says no without a cause", () =>
    Effect.gen(function*() {
      let asked = 0
      const no = new SendOutcome.LookupFailed({ problem: "not today" })
      const lookup: TransactionLookup.Service = {
        nextNonce: () => Effect.suspend(() => (asked++, no)),
        byHash: () => no,
        byNonce: () => no,
        byNonces: () => no
      }
      const wallet = yield* Service.wallet(Testing.wire(ok), { lookup })
      assert.strictEqual((yield* wallet.sendValue(input))._tag, "Sent")
      assert.isAtMost(asked, 2)
    }))

  it.effect("that is refused for its nonce is looked for by that alone: it has no hash", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const no = new SendOutcome.LookupFailed({ problem: "not today" })
      const lookup: TransactionLookup.Service = {
        nextNonce: () => Effect.succeed(7),
        byHash: () => Effect.suspend(() => (asked.push("hash"), no)),
        byNonce: (_, nonce) => Effect.suspend(() => (asked.push(`nonce ${nonce}`), no)),
        byNonces: () => no
      }
      const wallet = yield* Service.wallet(Testing.wire(says("nonce too low")), { lookup })
      assert.include(unknown(yield* SendOutcome.settle(wallet.sendValue({ ...input, nonce: 7 }))).reason, "not today")
      assert.deepStrictEqual(asked, ["nonce 7"])
    }))

  it.effect("of which nothing is known shows no client, no credential and no body when it is logged", () =>
    Effect.gen(function*() {
      const { end } = yield* run(before(), [Testing.text(502, "not-a-secret")])
      const error = unknown(end)
      const { inspect } = yield* Effect.promise(() => import("node:util"))
      for (const text of [inspect(error, { depth: 20, showHidden: false }), JSON.stringify(error), String(error)]) {
        assert.notInclude(text, "not-a-secret")
        assert.notInclude(text, "S0FTSzBFWEFNUExF")
        assert.notInclude(text, "reconcile")
      }
      assert.include(error.message, "find out before sending again")
    }))
})

describe("equal sends, one with a nonce and one without", () => {
  /** The one with a nonce ends unknown; then the other is made, and then there may be more blocks. */
  const both = (answer: Testing.Step, mined: ReadonlyArray<Chain.Mined>) =>
    Effect.gen(function*() {
      const chain = before()
      const wallet = yield* Service.wallet(
        Chain.make(chain, Testing.text(502, ""), answer),
        { ...Service.withNode, ...Service.noRetries }
      )
      const named = unknown(yield* SendOutcome.settle(wallet.sendValue({ ...input, nonce: 7 })))
      const other = yield* SendOutcome.settle(wallet.sendValue(input))
      chain.blocks.push(mined)
      return { named, other }
    })

  it.effect("are told apart by the nonce: what has it is the transaction of the one that names it", () =>
    Effect.gen(function*() {
      const { named, other } = yield* both(Testing.text(502, ""), [Chain.payment(7)])
      assert.strictEqual((yield* unknown(other).reconcile)._tag, "NotExecuted")
      assert.strictEqual((yield* named.reconcile)._tag, "Executed")
    }))

  it.effect("are not told apart where the service told the other of the first one's nonce: answers get mixed up", () =>
    Effect.gen(function*() {
      const { named, other } = yield* both(ok, [Chain.payment(7)])
      assert.strictEqual(other._tag, "Sent")
      assert.strictEqual((yield* named.reconcile)._tag, "Ambiguous")
    }))

  it.effect("are told apart where the one that names its nonce was certainly not sent: the transaction is the other's", () =>
    Effect.gen(function*() {
      const chain = before()
      const refusal = says("insufficient funds of the sender for value ")
      const wallet = yield* Service.wallet(
        Chain.make(chain, refusal, Testing.text(502, "")),
        { ...Service.withNode, ...Service.noRetries }
      )
      notSent(yield* SendOutcome.settle(wallet.sendValue({ ...input, nonce: 7 })))
      const other = unknown(yield* SendOutcome.settle(wallet.sendValue(input)))
      chain.blocks.push([Chain.payment(7)])
      assert.strictEqual((yield* other.reconcile)._tag, "Executed")
    }))

  it.effect("are told apart where the one that names its nonce was found: the other did not happen", () =>
    Effect.gen(function*() {
      const chain = before()
      const answers = Chain.answering(chain, Testing.text(502, ""), Testing.text(502, ""), says("nonce too low"))
      const wallet = yield* Service.wallet(Testing.wire(answers), Service.withNode)
      const other = unknown(yield* SendOutcome.settle(wallet.sendValue(input)))
      chain.blocks.push([Chain.payment(7)])
      const found = wallet.sendValue({ ...input, nonce: 7 }).pipe(Client.longestWaits, Client.within("1 minute"))
      assert.strictEqual((yield* found)._tag, "Sent")
      assert.strictEqual((yield* other.reconcile)._tag, "NotExecuted")
    }))

  it.effect("are both found where both happened", () =>
    Effect.gen(function*() {
      const { named, other } = yield* both(Testing.text(502, ""), [
        Chain.payment(7),
        Chain.payment(8, { hash: otherHash })
      ])
      const verdict = yield* unknown(other).reconcile
      assert.strictEqual(verdict._tag === "Executed" ? verdict.transaction.nonce : verdict._tag, 8)
      assert.strictEqual((yield* named.reconcile)._tag, "Executed")
    }))
})
