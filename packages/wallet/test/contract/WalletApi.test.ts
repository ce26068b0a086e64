import * as Address from "@effect-klaytn/core/Address"
import * as OperationApi from "@effect-klaytn/core/OperationApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { Account, FeePayerAccount, Key } from "../../src/Account.js"
import { AccountKeyBody } from "../../src/AccountKeyBody.js"
import * as AccountsApi from "../../src/AccountsApi.js"
import * as FeesApi from "../../src/FeesApi.js"
import * as KeysApi from "../../src/KeysApi.js"
import * as MultisigApi from "../../src/MultisigApi.js"
import { Registration } from "../../src/Registration.js"
import * as ResourcesApi from "../../src/ResourcesApi.js"
import { TransactionResult } from "../../src/TransactionResult.js"
import * as TransactionsApi from "../../src/TransactionsApi.js"
import * as WalletApi from "../../src/WalletApi.js"
import { equal } from "../support/assertions.js"
import * as Records from "../support/records.js"

const routes = (paths: object): ReadonlyArray<string> =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`)
  ).sort()

describe("the contract", () => {
  it("has the document's six operations", () => {
    assert.deepStrictEqual(routes(OpenApi.fromApi(OperationApi.api("wallet", WalletApi)).paths), [
      "GET /v2/account",
      "GET /v2/feepayer",
      "POST /v2/account",
      "POST /v2/key",
      "POST /v2/registration/account",
      "POST /v2/tx/value"
    ])
  })

  it("has the list of resources, which is at another address", () => {
    const { paths } = OpenApi.fromApi(OperationApi.api("wallet", ResourcesApi))
    assert.deepStrictEqual(routes(paths), ["GET /v1/resource/account/{accountId}"])
    const parameters = paths["/v1/resource/account/{accountId}"]?.get?.parameters.map(({ name }) => name).sort()
    assert.deepStrictEqual(parameters, [
      "accountId",
      "cursor",
      "from-timestamp",
      "resource-type",
      "service-id",
      "size",
      "to-timestamp"
    ])
  })

  it("prints all of its parts, and no operation twice", () => {
    const parts = [
      OpenApi.fromApi(OperationApi.api("wallet", WalletApi)),
      OpenApi.fromApi(OperationApi.api("wallet", TransactionsApi)),
      OpenApi.fromApi(OperationApi.api("wallet", AccountsApi)),
      OpenApi.fromApi(OperationApi.api("wallet", KeysApi)),
      OpenApi.fromApi(OperationApi.api("wallet", MultisigApi)),
      OpenApi.fromApi(OperationApi.api("wallet", FeesApi))
    ]
    const all = parts.flatMap(({ paths }) => routes(paths))
    assert.deepStrictEqual(parts.map(({ paths }) => routes(paths).length), [6, 23, 10, 4, 5, 2])
    assert.strictEqual(new Set(all).size, all.length)
    const names = parts.flatMap(({ paths }) =>
      Object.values(paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId }) => operationId.split(".")[1])
      )
    )
    assert.strictEqual(new Set(names).size, 50)
  })
})

describe("a record of the wallet", () => {
  const again = <A, I>(schema: Schema.Schema<A, I>) => (record: unknown): unknown =>
    Schema.encodeSync(schema)(Schema.decodeUnknownSync(schema)(record))

  it.each<readonly [name: string, readAndWrite: (record: unknown) => unknown, record: unknown]>([
    ["an account", again(Account), Records.account],
    ["a multisig account", again(Account), Records.multiSigAccount],
    ["a fee payer", again(FeePayerAccount), Records.feePayer],
    ["a key", again(Key), Records.key(3)],
    ["a transaction that was sent", again(TransactionResult), Records.result],
    ["a transaction that was signed", again(TransactionResult), Records.signedOnly],
    ["a transaction that waits", again(TransactionResult), Records.pending],
    ["a resource", again(ResourcesApi.Resource), Records.resource],
    ["a registration", again(Registration), {
      keyId: Records.key().keyId,
      address: Records.aliceChecksum,
      rlp: "0x21"
    }]
  ])("is written as it was seen: %s", (_, readAndWrite, record) => {
    assert.deepStrictEqual(readAndWrite(record), record)
  })

  it("ignores fields that nobody knows, and may lack those that were seen to be missing", () => {
    const read = Schema.decodeUnknownSync(TransactionResult)
    const { from, gas, gasPrice, nonce, typeInt } = Records.result
    const least = { from, gas, gasPrice, nonce, typeInt }
    assert.deepStrictEqual<unknown>(read({ ...least, code: 0, rlp: null, to: null, feePayer: "" }), {
      ...least,
      gasPrice: 750000000000n
    })
  })

  it.effect.prop("has its address in checksum case on the wire and in lower case here", [
    FastCheck.uint8Array({ minLength: 20, maxLength: 20 })
  ], ([bytes]) =>
    Effect.gen(function*() {
      const address = yield* Address.make(`0x${Buffer.from(bytes).toString("hex")}`)
      const account = yield* Schema.decodeUnknown(Account)({ ...Records.account, address: Address.checksum(address) })
      assert.strictEqual(account.address, address)
      assert.strictEqual((yield* Schema.encode(Account)(account)).address, Address.checksum(address))
    }))

  it("reads account keys of every kind", () => {
    const read = Schema.decodeUnknownSync(AccountKeyBody)
    const single = { keyType: 2, key: Records.publicKey }
    const several = { keyType: 4, key: { threshold: 1, weightedKeys: [{ publicKey: Records.publicKey, weight: 1 }] } }
    for (
      const body of [{ keyType: 1 }, { keyType: 3 }, single, several, {
        keyType: 5,
        key: [single, several, { keyType: 3, key: {} }]
      }]
    ) {
      equal(Schema.encodeSync(AccountKeyBody)(read(body)), body)
    }
    assert.throws(() => read({ keyType: 5, key: [single] }))
  })
})
