import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Client from "../../../core/test/support/client.js"
import { Receipt } from "../../src/TransactionResult.js"
import * as WalletCode from "../../src/WalletCode.js"
import { equal, has } from "../support/assertions.js"
import * as Records from "../support/records.js"
import * as Service from "../support/service.js"

const { alice, aliceChecksum, hash, otherHash, publicKey, receipt } = Records
const compressed = "0x02dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8"
const { keyId } = Records.key(1)
const keyPath = encodeURIComponent(keyId)

const changed = { address: aliceChecksum, krn: Records.poolText, updatedAt: 5 }
const signature = { R: "0x1", S: "0x2", V: "0x7f5" }
const status = {
  transactionId: hash,
  threshold: 2,
  weight: 1,
  signedWeight: 1,
  status: "Signed",
  reminders: [aliceChecksum]
}

const multiSig = {
  ...changed,
  multiSigKeys: [{ publicKey, weight: 1 }],
  threshold: 1,
  transactionHash: hash
}

const pending = {
  address: aliceChecksum,
  chainId: 1001,
  createdAt: 1,
  updatedAt: 2,
  transactionId: hash,
  threshold: 2,
  status: 2,
  type: "TX",
  multiSigKeys: [{ address: aliceChecksum, weight: 1 }],
  txData: { from: alice, gas: 1, gasPrice: "0x1", nonce: 3, typeInt: 8, to: Records.bob, value: "0x1" }
}

const fee = {
  chainId: 8217,
  from: alice,
  feePayer: Records.payer,
  feeRatio: "30",
  gasPrice: "0x1",
  gasUsed: "0x2",
  status: "0x1",
  timestamp: 9,
  transactionHash: hash,
  typeInt: 9,
  chargedByPeb: "525000000000000",
  chargedByKlay: "0.000525",
  krw: 100.5,
  usd: 0.1
}

const page = (items: ReadonlyArray<unknown>) => ({ items, cursor: "" })

type Administration = Effect.Effect.Success<ReturnType<typeof Service.administration>>

type Row = readonly [
  request: string,
  run: (client: Administration) => Effect.Effect<unknown, unknown>,
  answer: unknown
]

const rows: ReadonlyArray<Row> = [
  [`GET /wallet/v2/account/${alice}`, (_) => _.getAccount({ address: aliceChecksum }), Records.multiSigAccount],
  [`DELETE /wallet/v2/account/${alice}`, (_) => _.deleteAccount({ address: alice }), { status: "deleted" }],
  [`PUT /wallet/v2/account/${alice}/disable`, (_) => _.disableAccount({ address: alice }), changed],
  [`PUT /wallet/v2/account/${alice}/enable`, (_) => _.enableAccount({ address: alice }), changed],
  [
    `PUT /wallet/v2/account/${alice}/multisig {"threshold":1,"weightedKeys":[{"publicKey":"${publicKey}","weight":1}]}`,
    (_) => _.updateMultiSig({ address: alice, threshold: 1, weightedKeys: [{ publicKey: compressed, weight: 1 }] }),
    multiSig
  ],
  [
    `GET /wallet/v2/pubkey/${publicKey}/account`,
    (_) => _.getAccountsByPublicKey({ publicKey: compressed }),
    { items: [{ address: aliceChecksum, chainId: 1001 }] }
  ],
  ["POST /wallet/v2/feepayer {}", (_) => _.createFeePayer(), Records.feePayer],
  [
    "POST /wallet/v2/feepayer {\"withoutAccountUpdate\":true}",
    (_) => _.createFeePayer({ withoutAccountUpdate: true }),
    Records.feePayer
  ],
  [`GET /wallet/v2/feepayer/${alice}`, (_) => _.getFeePayer({ address: alice }), Records.feePayer],
  [`DELETE /wallet/v2/feepayer/${alice}`, (_) => _.deleteFeePayer({ address: alice }), { status: "deleted" }],
  [
    `GET /wallet/v2/key?krn=${encodeURIComponent(Records.poolText)}&size=5`,
    (_) => _.getKeys({ pool: Records.pool, size: 5 }),
    page([Records.key(1)])
  ],
  [`GET /wallet/v2/key/${keyPath}`, (_) => _.getKey({ keyId }), Records.key(1)],
  [`DELETE /wallet/v2/key/${keyPath}`, (_) => _.deleteKey({ keyId }), { status: "deleted" }],
  [
    `POST /wallet/v2/key/${keyPath}/sign {"data":"${hash}"}`,
    (_) => _.sign({ keyId, data: hash }),
    { signedData: "0x00" }
  ],
  [`GET /wallet/v2/tx/${hash}`, (_) => _.getTransaction({ transactionHash: hash }), receipt],
  [
    `POST /wallet/v2/tx/contract/call {"from":"${alice}","to":"${Records.bob}","value":"0x1","gas":7,` +
    "\"data\":{\"methodName\":\"balanceOf\",\"arguments\":[{\"type\":\"uint64[2]\",\"value\":[1,2]}]}}",
    (_) =>
      _.callContract({
        from: alice,
        to: Records.bob,
        value: 1n,
        gas: 7,
        method: "balanceOf",
        arguments: [{ type: "uint64[2]", value: [1, 2] }]
      }),
    { data: "0x00", result: "0x01" }
  ],
  [
    `GET /wallet/v2/multisig/account/${alice}/tx?size=2&from-timestamp=1`,
    (_) => _.getPendingTransactions({ address: alice, size: 2, from: 1 }),
    page([pending])
  ],
  [
    `POST /wallet/v2/multisig/account/${alice}/tx/${hash}/sign`,
    (_) => _.signPending({ address: alice, transactionId: hash }),
    status
  ],
  [
    `POST /wallet/v2/multisig/tx/${hash}/sign {"signatures":[{"V":"0x7f5","R":"0x1","S":"0x2"}]}`,
    (_) => _.addSignatures({ transactionId: hash, signatures: [{ V: 2037n, R: 1n, S: 2n }] }),
    status
  ],
  [
    `POST /wallet/v2/account/${alice}/tx/${hash}/sign`,
    (_) => _.getSignature({ address: alice, transactionId: hash }),
    signature
  ],
  ["GET /wallet/v2/stat/count", (_) => _.countAccounts, { accountId: "a", count: 3 }],
  ["GET /wallet/v2/stat/count/krn", (_) => _.countAccountsInPool, { accountId: "a", count: 3, krn: Records.poolText }],
  [`GET /wallet/v2/history/fd/tx?from=${alice}`, (_) => _.getChargedFees({ from: alice }), page([fee])],
  [`GET /wallet/v2/history/fd/tx/${hash}`, (_) => _.getChargedFee({ transactionHash: hash }), fee]
]

describe("an operation beside the document's", () => {
  it.effect.each(rows)("%s", ([request, run, answer]) =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.json(200, answer))
      yield* run(yield* Service.administration(wire))
      assert.deepStrictEqual(Service.requests(wire), [request])
    }))

  it.effect.each(rows)("%s is repeated only where that is safe", ([request, run]) =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(502, ""))
      const end = yield* Effect.either(run(yield* Service.administration(wire))).pipe(
        Client.longestWaits,
        Client.within("1 minute")
      )
      const safe = request.startsWith("GET") || /\/sign|\/call/.test(request)
      // An account whose deletion has no answer is read besides.
      const made = Service.requests(wire).filter((one) => request.startsWith("GET") || !one.startsWith("GET"))
      assert.strictEqual(made.length, safe ? 4 : 1)
      assert.strictEqual(end._tag, "Left")
    }))

  it.effect("reads what it is answered", () =>
    Effect.gen(function*() {
      const answers = [
        { items: [{ address: aliceChecksum, chainId: 1001 }] },
        page([pending]),
        { ...status, status: "Submitted", transactionHash: otherHash },
        page([fee]),
        receipt
      ].map((one) => Testing.json(200, one))
      const client = yield* Service.administration(Testing.wire(...answers))
      equal(yield* client.getAccountsByPublicKey({ publicKey }), [{ address: alice, chainId: 1001 }])
      const [waiting] = (yield* client.getPendingTransactions({ address: alice })).items
      equal([waiting?.address, waiting?.txData.value, waiting?.status], [alice, 1n, 2])
      const signed = yield* client.signPending({ address: alice, transactionId: hash })
      equal([signed.status, signed.transactionHash, signed.reminders], ["Submitted", otherHash, [alice]])
      const [charged] = (yield* client.getChargedFees({})).items
      equal([charged?.chargedByPeb, charged?.feeRatio, charged?.krw], [525000000000000n, 30, 100.5])
      const found = yield* client.getTransaction({ transactionHash: hash })
      equal([found.to, found.contractAddress, found.nonce, found.logs], [undefined, undefined, 7n, undefined])
    }))

  it.effect("of a list is an empty page when there is no data, and the end behind a page", () =>
    Effect.gen(function*() {
      const client = yield* Service.administration(Testing.wire(Service.noData))
      const empty = { items: [], cursor: Option.none() }
      equal(yield* client.getKeys({ pool: Records.pool }), empty)
      equal(yield* client.getPendingTransactions({ address: alice }), empty)
      equal(yield* client.getChargedFees({}), empty)
      const more = yield* Service.administration(
        Testing.wire(Testing.json(200, { items: [Records.key(1)], cursor: "x" }), Service.noData)
      )
      assert.strictEqual(yield* Stream.runCount(more.getKeys.items({ pool: Records.pool })), 1)
    }))

  it.effect("of one thing is not found where there is none", () =>
    Effect.gen(function*() {
      const client = yield* Service.administration(Testing.wire(Service.noData))
      assert.strictEqual((yield* Effect.flip(client.getAccount({ address: alice })))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(client.getChargedFee({ transactionHash: hash })))._tag, "NotFound")
    }))

  it.effect("refuses what is none before anything is sent", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const client = yield* Service.administration(wire)
      const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        client.getAccount({ address: "../key" }),
        client.getAccountsByPublicKey({ publicKey: `0x04${"00".repeat(64)}` }),
        client.sign({ keyId, data: "0x00" }),
        client.getKey({ keyId: "krn" }),
        client.updateMultiSig({ address: alice, threshold: 0, weightedKeys: [{ publicKey, weight: 1 }] }),
        client.updateMultiSig({ address: alice, threshold: 1, weightedKeys: [] }),
        client.addSignatures({ transactionId: hash, signatures: [] }),
        client.callContract({ to: alice, method: "", arguments: [] })
      ]
      for (const call of calls) has((yield* Effect.flip(call)) as object, { _tag: "InvalidInput" })
      assert.strictEqual(wire.sent.length, 0)
    }))
})

describe("a receipt", () => {
  it("reads all three ways to say that there is no contract", () => {
    const read = Schema.decodeUnknownSync(Receipt)
    const { contractAddress: _none, ...without } = receipt
    for (const one of [receipt, { ...receipt, contractAddress: null }, without]) {
      assert.strictEqual(read(one).contractAddress, undefined)
    }
    equal(read({ ...receipt, contractAddress: aliceChecksum }).contractAddress, alice)
  })
})

describe("a code of the wallet", () => {
  it("is told by name, and an unknown one by none", () => {
    for (const [name, code] of Object.entries(WalletCode.codes)) {
      assert.strictEqual(WalletCode.name({ code }), name)
    }
    assert.strictEqual(WalletCode.name({ code: 1069999 }), undefined)
    assert.strictEqual(WalletCode.name({}), undefined)
  })

  it("shows what the node said, if it was the node that said it", () => {
    const say = (serviceMessage: string, code = 1065001) => WalletCode.nodeMessage({ code, serviceMessage })
    const start = "failed to send a raw transaction to klaytn node; "
    assert.strictEqual(say(`${start}-32000::nonce too low`), "nonce too low")
    assert.strictEqual(
      say(`${start}-32000::insufficient funds of the sender for value `),
      "insufficient funds of the sender for value"
    )
    assert.strictEqual(say(`${start}timeout`), undefined)
    assert.strictEqual(say("-32000::nonce too low", 1065000), undefined)
  })

  it("says that a nonce or transaction is there already, in the words that were seen", () => {
    const says = (serviceMessage: string, code = 1065001) => WalletCode.saysTaken({ code, serviceMessage })
    for (const words of ["nonce too low", "known transaction: 0x1", "already submitted transaction"]) {
      assert.isTrue(says(`x; -32000::${words}`), words)
    }
    assert.isTrue(says("", 1061914))
    assert.isFalse(says("insufficient funds"))
    assert.strictEqual(
      WalletCode.namedHash({ serviceMessage: `known transaction: ${hash.toUpperCase().replace("X", "x")}` }),
      hash
    )
    assert.strictEqual(WalletCode.namedHash({ serviceMessage: `known transaction: ${hash.slice(2)}` }), hash)
    assert.strictEqual(WalletCode.namedHash({ serviceMessage: `known transaction: ${hash.slice(2)}; x` }), hash)
    for (const serviceMessage of [`${hash}00`, `${hash.slice(2)}00`, `z${hash.slice(2)}`, `00${hash.slice(2)}`, ""]) {
      assert.strictEqual(WalletCode.namedHash({ serviceMessage }), undefined)
    }
  })
})

describe("a change of an account's state", () => {
  const already = { disable: 1061510, enable: 1061511 } as const

  it.effect.each(["disable", "enable"] as const)(
    "that another copy of the request has made is a success: %s",
    (what) =>
      Effect.gen(function*() {
        const refusal = Service.refusal(already[what], `account has been already deleted or ${what}d`)
        const wire = Testing.wire(refusal, Testing.json(200, Records.account))
        const accounts = yield* Service.administration(wire)
        const change = what === "disable" ? accounts.disableAccount : accounts.enableAccount
        equal(yield* change({ address: alice }), {
          address: alice,
          krn: (yield* accounts.getAccount({ address: alice })).krn,
          updatedAt: (yield* accounts.getAccount({ address: alice })).updatedAt
        })
        assert.deepStrictEqual(Service.requests(wire).slice(0, 2), [
          `PUT /wallet/v2/account/${alice}/${what}`,
          `GET /wallet/v2/account/${alice}`
        ])
      })
  )

  it.effect.each(["disable", "enable"] as const)(
    "of an unknown account is refused: %s",
    (what) =>
      Effect.gen(function*() {
        for (const read of [Service.noData, Testing.text(502, "")]) {
          const wire = Testing.wire(Service.refusal(already[what], "account has been already deleted"), read)
          const accounts = yield* Service.administration(wire, Service.noRetries)
          const change = what === "disable" ? accounts.disableAccount : accounts.enableAccount
          has(yield* Effect.flip(change({ address: alice })), { _tag: "Rejected", code: already[what] })
        }
      })
  )

  it.effect("that is a deletion with a lost answer is a success when the account is gone", () =>
    Effect.gen(function*() {
      const lost = Testing.text(502, "")
      const gone = yield* Service.administration(Testing.wire(lost, Service.noData))
      equal(yield* gone.deleteAccount({ address: alice }), { status: "deleted" })
      for (const read of [Testing.json(200, Records.account), lost]) {
        const accounts = yield* Service.administration(Testing.wire(lost, read), Service.noRetries)
        assert.strictEqual((yield* Effect.flip(accounts.deleteAccount({ address: alice })))._tag, "OutcomeUnknown")
      }
      const unknown = yield* Service.administration(Testing.wire(Service.noData))
      assert.strictEqual((yield* Effect.flip(unknown.deleteAccount({ address: alice })))._tag, "NotFound")
    }))
})
