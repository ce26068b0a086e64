/** The tables of docs/send-outcomes.md, "Sends of the wallet": each row has tests here. */
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Client from "../../../core/test/support/client.js"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as SendOutcome from "../../src/SendOutcome.js"
import type * as SpendPolicy from "../../src/SpendPolicy.js"
import * as TransactionLookup from "../../src/TransactionLookup.js"
import type * as Transactions from "../../src/Transactions.js"
import { has } from "../support/assertions.js"
import * as Chain from "../support/chain.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, bob, hash, otherHash } = Records

const value = 10n ** 18n
const lost = Testing.text(502, "")
const ok = Testing.json(200, Records.result)
const low = Service.refusal(1065001, "failed to send a raw transaction to klaytn node; -32000::nonce too low")
const known = Service.refusal(
  1065001,
  `failed to send a raw transaction to klaytn node; -32000::known transaction: ${hash}`
)

/** Alice has sent 7 transactions. */
const before = (): Chain.Chain => ({
  blocks: [
    Array.from({ length: 7 }, (_, nonce) => Chain.payment(nonce, { hash: `0x${String(nonce).repeat(64)}`, value: 5n }))
  ]
})

const after = (...mined: ReadonlyArray<Chain.Mined>): Chain.Chain => ({ blocks: [...before().blocks, mined] })

/** How a payment ends: through the wallet, or through `Transactions`. */
const ways: ReadonlyArray<
  readonly [
    name: string,
    run: (
      wire: Testing.Wire,
      nonce: number | undefined,
      more?: Service.More
    ) => Effect.Effect<SendOutcome.SendOutcome, unknown>
  ]
> = [
  [
    "the wallet",
    (wire, nonce, more = Service.withNode) =>
      Effect.flatMap(
        Service.wallet(wire, more),
        (wallet) =>
          SendOutcome.settle(wallet.sendValue({ from: alice, to: bob, value, payer: FeeDelegation.service, nonce }))
      )
  ],
  [
    "the transactions",
    (wire, nonce, more = Service.withNode) =>
      Effect.flatMap(Service.transactions(wire, more), (transactions) =>
        SendOutcome.settle(
          transactions.send({
            request: { _tag: "Value", from: alice, to: bob, value },
            payer: FeeDelegation.service,
            nonce
          })
        ))
  ]
]

const patient = <A, E>(effect: Effect.Effect<A, E>) => effect.pipe(Client.longestWaits, Client.within("3 minutes"))

type End = "Sent" | "NotSent" | "SendUnknown"

interface Row {
  readonly name: string
  readonly chain?: () => Chain.Chain
  readonly steps: ReadonlyArray<Testing.Step>
  /** What the chain shows besides by the time that the answer arrives. */
  readonly meanwhile?: {
    readonly blocks?: ReadonlyArray<Chain.Mined>
    readonly waiting?: ReadonlyArray<Chain.Mined>
    /** The node that is asked has none of the blocks. */
    readonly behind?: boolean
  }
  /** The nonce if it has one: 7 by default, the next of the account. */
  readonly nonce?: number
  /** The end with a nonce, and without one; none where there is no such row. */
  readonly keyed: End
  readonly once?: End
  /** How it is known that it was not sent. */
  readonly proof?: SendOutcome.Proof
  readonly more?: Service.More
}

const funds = Service.refusal(1065001, "failed to send a raw transaction to klaytn node; -32000::insufficient funds")

const signed = Testing.json(200, Records.signedOnly)
const { rlp: _rlp, ...withoutBytes } = Records.result
const answer = (more: object) => Testing.json(200, { ...withoutBytes, ...more })

const rows: ReadonlyArray<Row> = [
  {
    name: "no name",
    steps: [Testing.broken(Testing.networkError("ENOTFOUND"))],
    keyed: "NotSent",
    once: "NotSent",
    proof: "unsent"
  },
  {
    name: "no connection",
    steps: [Testing.broken(Testing.networkError("ECONNREFUSED", { syscall: "connect" }))],
    keyed: "NotSent",
    once: "NotSent",
    proof: "unsent"
  },
  {
    name: "no answer",
    steps: [Testing.broken(Testing.networkError("ECONNRESET"))],
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  { name: "an answer that breaks off", steps: [Testing.cutOff(200)], keyed: "SendUnknown", once: "SendUnknown" },
  {
    name: "no answer, then a good one",
    steps: [Testing.broken(Testing.networkError("ECONNRESET")), ok],
    keyed: "Sent",
    once: "SendUnknown"
  },
  {
    name: "303",
    steps: [Testing.text(303, "", { location: "http://127.0.0.1/" })],
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  {
    name: "a code with which every copy is refused",
    steps: [Service.refusal(1065100, "failed to get an account")],
    chain: () => after(Chain.payment(7)),
    keyed: "NotSent",
    once: "NotSent",
    proof: "refused"
  },
  {
    name: "another code or a node's refusal, and the chain shows nothing alike",
    steps: [funds],
    keyed: "NotSent",
    once: "NotSent",
    proof: "lookup"
  },
  {
    name: "another code or a node's refusal, and the chain shows an equal one",
    steps: [funds],
    meanwhile: { blocks: [Chain.payment(7)] },
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  {
    name: "another code or a node's refusal, and one waits that did not wait before",
    steps: [funds],
    meanwhile: { waiting: [Chain.payment(7)] },
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  {
    name: "another code or a node's refusal, and the look-up fails",
    steps: [funds],
    more: {},
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  {
    name: "another code or a node's refusal, and a nonce before it is free",
    steps: [funds],
    nonce: 9,
    keyed: "SendUnknown"
  },
  {
    name: "another code or a node's refusal, and the node is behind",
    steps: [funds],
    meanwhile: { behind: true },
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  {
    name: "another code or a node's refusal, and less waits than before",
    chain: () => ({ ...before(), waiting: [Chain.payment(7, { value: 5n })] }),
    steps: [funds],
    meanwhile: { waiting: [] },
    nonce: 8,
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  {
    name: "another code or a node's refusal, and a block gives the nonce to another",
    steps: [funds],
    meanwhile: { blocks: [Chain.payment(7, { value: 5n, hash: otherHash })] },
    keyed: "NotSent",
    proof: "block"
  },
  ...[301, 302, 307, 308].map((status): Row => ({
    name: String(status),
    steps: [Testing.text(status, "", { location: "http://127.0.0.1/" })],
    keyed: "SendUnknown",
    once: "SendUnknown"
  })),
  ...[401, 403, 404, 409, 422].map((status): Row => ({
    name: `${status} without the service's code`,
    steps: [Testing.text(status, "<html>")],
    keyed: "SendUnknown",
    once: "SendUnknown"
  })),
  {
    name: "429 without the service's code, then \"taken\"",
    chain: () => after(Chain.payment(7)),
    steps: [Testing.text(429, ""), low],
    keyed: "Sent"
  },
  { name: "400 without it", steps: [Testing.text(400, "")], keyed: "SendUnknown", once: "SendUnknown" },
  { name: "5xx", steps: [lost], keyed: "SendUnknown", once: "SendUnknown" },
  {
    name: "the node's refusal without its words",
    steps: [Service.refusal(1065001, "failed to send a raw transaction to klaytn node; context deadline exceeded")],
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  {
    name: "the node's refusal without its words, repeated as the policy says, then \"taken\"",
    steps: [
      Service.refusal(1065001, "failed to send a raw transaction to klaytn node; context deadline exceeded"),
      low
    ],
    more: { ...Service.withNode, retry: RetryPolicy.make({ statuses: [400] }) },
    keyed: "SendUnknown"
  },
  { name: "2xx that can't be read", steps: [Testing.text(200, "OK")], keyed: "SendUnknown", once: "SendUnknown" },
  { name: "2xx that names no transaction", steps: [signed], keyed: "SendUnknown", once: "SendUnknown" },
  { name: "2xx of another sender", steps: [answer({ from: bob })], keyed: "SendUnknown", once: "SendUnknown" },
  { name: "2xx of another nonce", steps: [answer({ nonce: 6 })], keyed: "SendUnknown", once: "SendUnknown" },
  { name: "2xx of another amount", steps: [answer({ value: "0x1" })], keyed: "SendUnknown", once: "SendUnknown" },
  { name: "2xx of another receiver", steps: [answer({ to: alice })], keyed: "SendUnknown", once: "SendUnknown" },
  {
    name: "2xx whose bytes do not have its hash",
    steps: [Testing.json(200, { ...Records.result, transactionHash: otherHash })],
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  {
    name: "2xx with CommitError",
    steps: [answer({ status: "CommitError" })],
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  {
    name: "\"taken\" to the only attempt, and the chain shows an equal one",
    chain: () => after(Chain.payment(7)),
    steps: [low],
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  {
    name: "\"taken\" to the only attempt, and no block shows what took it",
    steps: [low],
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  {
    name: "\"taken\" to the only attempt, and the look-up fails",
    steps: [low],
    more: {},
    keyed: "SendUnknown",
    once: "SendUnknown"
  },
  {
    name: "\"taken\" to the only attempt, and a block gives the nonce to another",
    chain: () => after(Chain.payment(7, { value: 5n, hash: otherHash })),
    steps: [low],
    keyed: "NotSent",
    proof: "block"
  },
  {
    name: "429 with the service's code, then \"taken\", and the chain shows it",
    chain: () => after(Chain.payment(7)),
    steps: [Testing.json(429, { code: 1019999, message: "slowly" }), low],
    keyed: "Sent"
  },
  {
    name: "\"taken\" after an uncertain attempt, and the chain shows it",
    chain: () => after(Chain.payment(7)),
    steps: [lost, known],
    keyed: "Sent"
  },
  {
    name: "\"taken\" after an uncertain attempt, and the chain shows another",
    chain: () => after(Chain.payment(7, { value: 5n, hash: otherHash })),
    steps: [lost, low],
    keyed: "NotSent",
    proof: "block"
  },
  { name: "\"taken\" after an uncertain attempt, and no block shows it", steps: [lost, low], keyed: "SendUnknown" },
  {
    name: "\"taken\" after an uncertain attempt, and the look-up fails",
    steps: [lost, low],
    more: {},
    keyed: "SendUnknown"
  },
  {
    name: "\"taken\" by the hash of a transaction of somebody else",
    chain: () => after(Chain.payment(7, { from: bob })),
    steps: [lost, known],
    keyed: "SendUnknown"
  },
  {
    name: "another refusal after an uncertain attempt",
    steps: [lost, Service.refusal(1065100, "failed to get an account")],
    keyed: "SendUnknown"
  }
]

/** Makes the send of a row, and compares its end. */
const check = (
  run: (typeof ways)[number][1],
  { chain: start = before, meanwhile = {}, more, proof, steps }: Omit<Row, "name" | "nonce" | "keyed" | "once">,
  nonce: number | undefined,
  expected: End
) =>
  Effect.gen(function*() {
    const chain = start()
    const answers = steps.map((step): Testing.Step => (sent) => {
      chain.blocks.push(meanwhile.blocks ?? [])
      if (meanwhile.behind === true) chain.blocks = [[]]
      if (meanwhile.waiting !== undefined) chain.waiting = meanwhile.waiting
      return step(sent)
    })
    const end = yield* patient(run(Chain.make(chain, ...answers), nonce, more))
    assert.strictEqual(end._tag, expected, "message" in end ? end.message : "")
    if (end._tag === "NotSent") assert.strictEqual(end.proof, proof)
  })

for (const [way, run] of ways) {
  describe(`what a send through ${way} is told`, () => {
    for (const { keyed, name, nonce = 7, once, ...row } of rows) {
      it.effect(`with a nonce: ${name}`, () => check(run, row, nonce, keyed))
      if (once !== undefined) it.effect(`without a nonce: ${name}`, () => check(run, row, undefined, once))
    }
  })
}

describe("equal sends without a nonce", () => {
  const pair = (chain: Chain.Chain, ...steps: ReadonlyArray<Testing.Step>) =>
    Effect.gen(function*() {
      const wallet = yield* Service.wallet(Chain.make(chain, ...steps), { ...Service.withNode, ...Service.noRetries })
      const send = SendOutcome.settle(wallet.sendValue({ from: alice, to: bob, value, payer: FeeDelegation.service }))
      return [yield* send, yield* send] as const
    })

  it.effect("are not told of the same transaction twice", () =>
    Effect.gen(function*() {
      const ends = yield* pair(before(), ok, ok)
      assert.deepStrictEqual(ends.map(({ _tag }) => _tag), ["Sent", "SendUnknown"])
    }))

  it.effect("do not find each other's transaction", () =>
    Effect.gen(function*() {
      const chain = before()
      const [sent, unknown] = yield* pair(chain, ok, lost)
      assert.deepStrictEqual([sent._tag, unknown._tag], ["Sent", "SendUnknown"])
      if (unknown._tag !== "SendUnknown") return
      assert.include((yield* Effect.flip(unknown.reconcile)).message, "the node is behind")
      chain.blocks.push([Chain.payment(7)])
      assert.strictEqual((yield* unknown.reconcile)._tag, "NotExecuted")
      chain.blocks.push([Chain.payment(8, { hash: otherHash })])
      has(yield* unknown.reconcile, { _tag: "Executed", certainty: "content" })
      assert.strictEqual((yield* unknown.reconcile)._tag, "Executed")
    }))

  it.effect("that are both unknown are found one each", () =>
    Effect.gen(function*() {
      const chain = before()
      const ends = yield* pair(chain, lost, lost)
      chain.blocks.push([Chain.payment(7)])
      const verdicts = yield* Effect.forEach(ends, (end) =>
        end._tag === "SendUnknown" ? end.reconcile : Effect.dieMessage(end._tag))
      assert.deepStrictEqual(
        verdicts.map(({ _tag }) =>
          _tag
        ),
        ["Executed", "NotExecuted"]
      )
    }))
})

/** Raw transactions that can't be read need a policy that allows what can't be seen. */
const policy: SpendPolicy.Rules = { opaque: "allow", maxFeePerTransaction: 10n ** 20n }

describe("signed bytes", () => {
  /** Who signed them. */
  const from = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"

  const bytes = (nonce = 7n) => {
    const made = Transaction.make({
      type: "LegacyTransaction",
      nonce,
      gas: 21_000n,
      gasPrice: 25_000_000_000n,
      to: bob,
      value,
      input: "0x"
    })
    const privateKey = "0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8"
    const whole = made.ok ? Transaction.signAsSender(made.value, { chainId: 1001, privateKey }) : made
    const encoded = whole.ok ? Transaction.encode(whole.value) : whole
    const hash = whole.ok ? Transaction.hash(whole.value) : whole
    return { rlp: encoded.ok ? encoded.value : "", hash: hash.ok ? hash.value : "" }
  }

  it.effect("that the chain knows are sent, whoever sent them", () =>
    Effect.gen(function*() {
      const { hash, rlp } = bytes()
      const send: Transactions.SendInput = { request: { _tag: "Rlp", rlp }, payer: FeeDelegation.sender }
      const there = Chain.make({ blocks: [[Chain.payment(7, { hash, from, typeInt: 0 })]] }, low)
      const found = yield* Effect.flatMap(Service.transactions(there, Service.withNode), (_) => _.send(send))
      has(found, { _tag: "Sent", transactionHash: hash })
      const absent = Chain.make({ blocks: [[]] }, low)
      const end = yield* Effect.flatMap(
        Service.transactions(absent, Service.withNode),
        (_) => Effect.flip(_.send(send))
      )
      assert.strictEqual(end._tag, "SendUnknown")
    }))

  const told = (more: object) => answer({ from, typeInt: 0, transactionHash: undefined, ...more })

  it.effect("are what was asked for only where the answer has their hash, or none", () =>
    Effect.gen(function*() {
      const { hash, rlp } = bytes()
      const ends: Array<string> = []
      for (const more of [{ transactionHash: hash }, { transactionHash: otherHash }, { transactionId: otherHash }]) {
        const transactions = yield* Service.transactions(Testing.wire(told(more)))
        const send = transactions.send({ request: { _tag: "Rlp", rlp }, payer: FeeDelegation.sender })
        ends.push((yield* SendOutcome.settle(send))._tag)
      }
      assert.deepStrictEqual(ends, ["Sent", "SendUnknown", "Pending"])
    }))

  it.effect("that nobody knows the end of are found by their hash, also while they wait", () =>
    Effect.gen(function*() {
      const { hash, rlp } = bytes()
      const receipt = { ...Records.receipt, hash, from, typeInt: 0, to: bob, value: Records.result.value }
      const wire = Testing.wire((sent) => (sent.method === "GET" ? Testing.json(200, receipt) : lost)(sent))
      const transactions = yield* Service.transactions(wire, Service.noRetries)
      const end = yield* Effect.flip(
        transactions.send({ request: { _tag: "Rlp", rlp }, payer: FeeDelegation.sender })
      )
      has(end, { _tag: "SendUnknown", address: from, nonce: 7, retrySafe: true })
      if (end._tag === "SendUnknown") assert.strictEqual(end.send.hash, hash)
      if (end._tag === "SendUnknown") assert.strictEqual((yield* end.reconcile)._tag, "Waiting")
    }))

  it.effect("with a nonce that no account can reach are refused before anything is sent", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const transactions = yield* Service.transactions(wire)
      const { rlp } = bytes(1n << 53n)
      const end = yield* Effect.flip(
        transactions.send({ request: { _tag: "Rlp", rlp }, payer: FeeDelegation.sender })
      )
      has(end._tag === "NotSent" ? end.reason : end, { _tag: "InvalidInput", path: ["rlp"], retrySafe: true })
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("that nobody signed, or that can't be read, are sent without a question to the node, and not found again", () =>
    Effect.gen(function*() {
      const unsigned = "0xec078505d21dba00825208942222222222222222222222222222222222222222880de0b6b3a764000080018080"
      for (const rlp of ["0x1234", unsigned]) {
        for (const step of [lost, low, funds]) {
          const wire = Chain.make(before(), step)
          const transactions = yield* Service.transactions(wire, { ...Service.withNode, ...Service.noRetries, policy })
          const end = yield* Effect.flip(
            transactions.send({ request: { _tag: "Rlp", rlp }, payer: FeeDelegation.sender })
          )
          assert.strictEqual(end._tag, "SendUnknown")
          assert.strictEqual(wire.sent.length, 1)
          if (end._tag === "SendUnknown") has(yield* end.reconcile, { _tag: "Ambiguous", transactions: [] })
        }
      }
    }))
})

describe("an unknown send", () => {
  it.effect("keeps the code, the words and the request's name of its cause in JSON", () =>
    Effect.gen(function*() {
      const requestId = "0b1a5d2e-request"
      const refusal = Testing.json(400, {
        code: 1065001,
        message: "failed to send; context deadline exceeded",
        requestId
      })
      const wallet = yield* Service.wallet(Chain.make(before(), refusal), Service.withNode)
      const end = yield* Effect.flip(
        wallet.sendValue({ from: alice, to: bob, value, payer: FeeDelegation.service, nonce: 7 })
      )
      const text = JSON.stringify(end)
      for (
        const part of ["1065001", requestId, "context deadline exceeded", "\"status\":400", value.toString(), alice]
      ) {
        assert.include(text, part)
      }
    }))

  it.effect("that was kept as JSON is found out by a program that starts later", () =>
    Effect.gen(function*() {
      const chain = before()
      const wire = Chain.make(chain, lost)
      for (const nonce of [undefined, 7]) {
        const wallet = yield* Service.wallet(wire, { ...Service.withNode, ...Service.noRetries })
        const end = yield* Effect.flip(
          wallet.sendValue({ from: alice, to: bob, value, payer: FeeDelegation.service, nonce })
        )
        assert.instanceOf(end, SendOutcome.SendUnknown)
        if (end._tag !== "SendUnknown") return
        const stored = JSON.stringify(Schema.encodeSync(SendOutcome.SendUnknown)(end))
        const read = Schema.decodeUnknownSync(Schema.parseJson(SendOutcome.SendUnknown))(stored)
        assert.strictEqual((yield* Effect.flip(read.reconcile))._tag, "LookupFailed")
        const service = yield* Service.lookup(wire, Service.withNode)
        const ask = Effect.provideService(
          TransactionLookup.reconcile(read.send),
          TransactionLookup.TransactionLookup,
          service
        )
        assert.strictEqual((yield* ask)._tag, "NotExecuted")
        chain.blocks.push([Chain.payment(7)])
        has(yield* ask, { _tag: "Executed", certainty: nonce === undefined ? "content" : "nonce" })
        chain.blocks.pop()
      }
    }))

  it.effect("is looked up in 50 requests at most, however long the account goes on sending", () =>
    Effect.gen(function*() {
      const chain = before()
      const wire = Chain.make(chain, lost)
      const wallet = yield* Service.wallet(wire, { ...Service.withNode, ...Service.noRetries })
      const end = yield* Effect.flip(wallet.sendValue({ from: alice, to: bob, value, payer: FeeDelegation.service }))
      for (let nonce = 7; nonce < 7 + 300; nonce++) {
        chain.blocks.push([Chain.payment(nonce, { value: 3n, hash: `0x${String(nonce).padStart(64, "0")}` })])
        if (![8, 15, 22, 300].includes(nonce)) continue
        const sent = wire.sent.length
        if (end._tag === "SendUnknown") yield* Effect.either(end.reconcile)
        assert.isAtMost(wire.sent.length - sent, 42)
        assert.isAbove(wire.sent.length - sent, 0)
      }
    }))

  it.effect("can't be looked up where the look-up fails, and says so", () =>
    Effect.gen(function*() {
      const failing: TransactionLookup.Service = {
        nextNonce: () => Effect.succeed(7),
        byHash: () => Effect.succeed(Option.none()),
        byNonce: () => new SendOutcome.LookupFailed({ problem: "no node" }),
        byNonces: () => new SendOutcome.LookupFailed({ problem: "no node" })
      }
      const wallet = yield* Service.wallet(Testing.wire(lost), { ...Service.noRetries, lookup: failing })
      const end = yield* Effect.flip(
        wallet.sendValue({ from: alice, to: bob, value, payer: FeeDelegation.service, nonce: 7 })
      )
      assert.strictEqual(end._tag === "SendUnknown" ? (yield* Effect.flip(end.reconcile)).problem : "", "no node")
    }))
})
