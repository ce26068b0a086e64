import * as Testing from "@effect-klaytn/core/Testing"
import * as WireDialect from "@effect-klaytn/core/WireDialect"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as FeeDelegation from "../../src/FeeDelegation.js"
import * as Pool from "../../src/Pool.js"
import type * as Wallet from "../../src/Wallet.js"
import { equal } from "../support/assertions.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { account, alice, aliceChecksum, bob, feePayer, payer, pool, poolText, result } = Records

const klay = 1_000_000_000_000_000_000n

const page = (items: ReadonlyArray<unknown>, cursor = "") => Testing.json(200, { items, cursor })

const sent = (
  step: Testing.Step,
  run: (wallet: Wallet.Service) => Effect.Effect<unknown, unknown>,
  more?: Service.More
) =>
  Effect.gen(function*() {
    const wire = Testing.wire(step)
    yield* Effect.either(run(yield* Service.wallet(wire, more)))
    return Service.requests(wire)
  })

const pools = (wire: Testing.Wire) => wire.sent.map(({ headers }) => headers["x-krn"])

const value: Wallet.SendValueInput = { from: alice, to: bob, value: klay, payer: FeeDelegation.service }

const body = `"from":"${alice}","to":"${bob}","value":"0xde0b6b3a7640000"`

const separate = `{"from":"${alice}","submit":true,"to":"${bob}","value":"0xde0b6b3a7640000"`

type Row = readonly [name: string, input: Partial<Wallet.SendValueInput>, body: string, more?: Service.More]

const sends: ReadonlyArray<Row> = [
  ["nothing but what is needed", {}, `{${body},"submit":true}`],
  ["a user fee payer", { payer: FeeDelegation.user(payer) }, `{${body},"submit":true,"feePayer":"${payer}"}`],
  [
    "a user fee payer in the other spelling",
    { payer: FeeDelegation.user(payer) },
    `{${body},"submit":true,"fee_payer":"${payer}"}`,
    { dialect: WireDialect.make({ feePayer: "fee_payer" }) }
  ],
  ["the document's word for gas", { gasLimit: 5 }, `{${body},"gasLimit":5,"submit":true}`],
  [
    "the word of the public clients",
    { gasLimit: 5 },
    `{${body},"gas":5,"submit":true}`,
    { dialect: WireDialect.publicClients }
  ],
  [
    "both words with the same number",
    { gasLimit: 5 },
    `{${body},"gasLimit":5,"gas":5,"submit":true}`,
    { dialect: WireDialect.make({ gas: "both" }) }
  ],
  ["a memo as text, though it looks like hex", { memo: "0x123" }, `{${body},"memo":"0x123","submit":true}`],
  ["a nonce", { nonce: 7 }, `{${body},"nonce":7,"submit":true}`],
  ["signing only", { submit: false }, `{${body},"submit":false}`],
  [
    "an address in checksum case as lower case",
    { from: aliceChecksum },
    `{${body},"submit":true}`
  ],
  ["the smallest amount", { value: 1n }, `{"from":"${alice}","to":"${bob}","value":"0x1","submit":true}`]
]

describe("a request of the wallet", () => {
  it.effect("carries exactly these headers", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, account))
      const wallet = yield* Service.wallet(wire)
      yield* wallet.createAccount
      yield* Effect.either(wallet.sendValue(value))
      const headers = {
        accept: "application/json",
        authorization: "Basic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA==",
        "x-chain-id": "1001"
      }
      assert.deepStrictEqual(wire.sent.map((one) => one.headers), [
        headers,
        { ...headers, "content-type": "application/json", "content-length": String(wire.sent[1]?.body?.length) }
      ])
      assert.deepStrictEqual(wire.sent[0]?.body, undefined)
    }))

  it.effect("lists accounts", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* sent(page([]), (_) => _.getAccounts({})), ["GET /wallet/v2/account"])
      const all = { status: "all", cursor: "a=", size: 5, to: 20, from: 10 } as const
      assert.deepStrictEqual(yield* sent(page([]), (_) => _.getAccounts(all)), [
        "GET /wallet/v2/account?size=5&cursor=a%3D&from-timestamp=10&to-timestamp=20&status=all"
      ])
    }))

  it.effect("lists fee payers; a bound of 0 and an empty cursor are none", () =>
    Effect.gen(function*() {
      const asked = yield* sent(page([]), (_) => _.getFeePayers({ from: 0, to: 0, cursor: "", size: 0 }))
      assert.deepStrictEqual(asked, ["GET /wallet/v2/feepayer?size=0"])
      const bounds = yield* sent(page([]), (_) => _.getFeePayers({ from: 1, to: 2 }))
      assert.deepStrictEqual(bounds, ["GET /wallet/v2/feepayer?from-timestamp=1&to-timestamp=2"])
    }))

  it.effect("creates an account without a body, and keys with their number", () =>
    Effect.gen(function*() {
      const created = yield* sent(Testing.json(200, account), (_) => _.createAccount)
      assert.deepStrictEqual(created, ["POST /wallet/v2/account"])
      const keys = yield* sent(
        Testing.json(200, { items: [Records.key(), Records.key(1), Records.key(2)] }),
        (_) => Stream.runDrain(_.createKeys(3))
      )
      assert.deepStrictEqual(keys, ["POST /wallet/v2/key {\"size\":3}"])
    }))

  it.effect("registers accounts as an array, with the address in checksum case", () =>
    Effect.gen(function*() {
      const { keyId } = Records.key(5)
      const asked = yield* sent(
        Testing.json(200, { status: "ok" }),
        (_) => Stream.runDrain(_.registerAccounts([{ keyId, address: alice, rlp: "0x21AB" }, { keyId, address: bob }]))
      )
      assert.deepStrictEqual(asked, [
        "POST /wallet/v2/registration/account " +
        `[{"keyId":"${keyId}","address":"${aliceChecksum}","rlp":"0x21ab"},{"keyId":"${keyId}","address":"${bob}"}]`
      ])
    }))

  it.effect.each(sends)("sends value with %s", ([, input, body, more]) =>
    Effect.gen(function*() {
      const asked = yield* sent(Testing.json(200, result), (_) => _.sendValue({ ...value, ...input }), more)
      assert.deepStrictEqual(asked, [`POST /wallet/v2/tx/value ${body}`])
    }))

  it.effect.each<readonly [name: string, payer: FeeDelegation.FeePayerInput, sent: string]>([
    ["the sender on the document's path", FeeDelegation.sender, `/wallet/v2/tx/value {${body},"submit":true}`],
    ["the service on a path of its own", FeeDelegation.service, `/wallet/v2/tx/fd/value ${separate}}`],
    [
      "a user fee payer on a path of its own",
      FeeDelegation.user(payer),
      `/wallet/v2/tx/fd-user/value ${separate},"feePayer":"${payer}"}`
    ]
  ])("with separate paths names %s", ([, payer, expected]) =>
    Effect.gen(function*() {
      const asked = yield* sent(
        Testing.json(200, result),
        (_) => _.sendValue({ ...value, payer }),
        Service.withPaths
      )
      assert.deepStrictEqual(asked, [`POST ${expected}`])
    }))
})

describe("the pool", () => {
  it.effect("of the configuration goes where the document lists the header, that of a call everywhere", () =>
    Effect.gen(function*() {
      const everything = (wallet: Wallet.Service) =>
        Effect.gen(function*() {
          yield* Effect.either(wallet.createAccount)
          yield* Effect.either(wallet.sendValue(value))
          yield* Effect.either(wallet.getAccounts({}))
          yield* Effect.either(wallet.getFeePayers({}))
          yield* Effect.either(Stream.runDrain(wallet.createKeys(1)))
          yield* Effect.either(
            Stream.runDrain(wallet.registerAccounts([{ keyId: Records.key().keyId, address: alice }]))
          )
        })
      const configured = Testing.wire(Service.noData)
      yield* everything(yield* Service.wallet(configured, { pool }))
      assert.deepStrictEqual(pools(configured), [poolText, poolText, undefined, undefined, undefined, undefined])
      const called = Testing.wire(Service.noData)
      yield* Pool.withPool(everything(yield* Service.wallet(called)), pool)
      assert.deepStrictEqual(pools(called), Array.from({ length: 6 }, () => poolText))
    }))

  it.effect("of a call takes the place of the configured one", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, account))
      const wallet = yield* Service.wallet(wire, { pool })
      yield* Pool.withPool(wallet.createAccount, Records.feePayerPool)
      yield* wallet.createAccount
      assert.deepStrictEqual(pools(wire), [Records.feePayerPoolText, poolText])
    }))

  it.effect("and the fee-payer pool stand in one header on the paths of a user fee payer", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, result))
      const wallet = yield* Service.wallet(wire, { pool, ...Service.withPaths })
      yield* wallet.sendValue({ ...value, payer: FeeDelegation.user(payer) }).pipe(
        Pool.withFeePayerPool(Records.feePayerPool)
      )
      assert.deepStrictEqual(pools(wire), [`${poolText},${Records.feePayerPoolText}`])
    }))
})

describe("an answer of the wallet", () => {
  it.effect("is decoded to the letter", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(page([Records.multiSigAccount, account], "next="), page([feePayer]))
      const wallet = yield* Service.wallet(wire)
      const accounts = yield* wallet.getAccounts({})
      assert.deepStrictEqual(accounts.cursor, Option.some("next="))
      const [multiSig, plain] = accounts.items
      assert.strictEqual(multiSig?.address, alice)
      assert.strictEqual(multiSig?.createdAt, 1600000000)
      assert.strictEqual(multiSig?.updatedAt, 1600000001)
      equal(multiSig?.multiSigKeys, [{ publicKey: Records.publicKey, weight: 2 }])
      assert.strictEqual(multiSig?.threshold, 2)
      assert.strictEqual(plain?.keyId.hash, `0x${"12".repeat(32)}`)
      assert.strictEqual(plain?.keyId.pool.resourceType, "account-pool")
      assert.strictEqual(plain?.threshold, undefined)
      const payers = yield* wallet.getFeePayers({})
      assert.strictEqual(payers.items[0]?.krn.resourceType, "feepayer-pool")
      assert.deepStrictEqual(payers.cursor, Option.none())
    }))
})

describe("a list", () => {
  it.effect("that is empty is a failure of the service and an empty page here", () =>
    Effect.gen(function*() {
      const wallet = yield* Service.wallet(Testing.wire(Service.noData))
      assert.deepStrictEqual(yield* wallet.getAccounts({}), { items: [], cursor: Option.none() })
      assert.deepStrictEqual(yield* wallet.getFeePayers({}), { items: [], cursor: Option.none() })
    }))

  it.effect("ends where a later page has no data", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(page([account], "one"), Service.noData)
      const wallet = yield* Service.wallet(wire)
      assert.strictEqual(yield* Stream.runCount(wallet.getAccounts.items({ size: 1, from: 9 })), 1)
      assert.deepStrictEqual(Service.requests(wire), [
        "GET /wallet/v2/account?size=1&from-timestamp=9",
        "GET /wallet/v2/account?size=1&cursor=one&from-timestamp=9"
      ])
      const payers = yield* Service.wallet(Testing.wire(page([feePayer, feePayer], "one"), Service.noData))
      assert.strictEqual(yield* Stream.runCount(payers.getFeePayers.items({})), 2)
    }))

  it.effect("does not take another refusal for an empty page", () =>
    Effect.gen(function*() {
      const wallet = yield* Service.wallet(
        Testing.wire(Service.refusal(1061615, "its value is out of range; size"), Testing.text(404, ""))
      )
      const refused = yield* Effect.flip(wallet.getAccounts({ size: 1 }))
      assert.strictEqual(refused._tag, "Rejected")
      const missing = yield* Effect.flip(wallet.getAccounts({}))
      assert.strictEqual(missing._tag, "NotFound")
    }))
})
