import { assert, describe, it } from "@effect/vitest"
import { RLP } from "@ethereumjs/rlp"
import * as FastCheck from "effect/FastCheck"
import * as AccountKey from "../src/AccountKey.js"
import { fromBytes, type Hex } from "../src/Hex.js"
import * as PrivateKey from "../src/PrivateKey.js"
import type { Signer } from "../src/Signature.js"
import * as Transaction from "../src/Transaction.js"
import { get, K1, K2, K3, reason } from "./fixtures.js"

const A = "0x03e4a01407460c1c03ac0c82fd84f303a699b210c0b054f4aff72ff7dcdf01512d"
const B = "0x0336f6355f5b532c3c1606f18fa2be7a16ae200c5159c8031dd25bfa389a4c9c06"
const C = "0x02c8785266510368d9372badd4c7f4a94b692e82ba74e0b5e26b34558b0f081447"

const single = (publicKey: Hex): AccountKey.AccountKeyPublic => ({ type: "AccountKeyPublic", publicKey })

const multi = (
  threshold: number,
  ...keys: ReadonlyArray<readonly [weight: number, publicKey: Hex]>
): AccountKey.AccountKeyWeightedMultiSig => ({
  type: "AccountKeyWeightedMultiSig",
  threshold,
  keys: keys.map(([weight, publicKey]) => ({ weight, publicKey }))
})

const roles = (...keys: AccountKey.AccountKeyRoleBased["keys"]): AccountKey.AccountKeyRoleBased => ({
  type: "AccountKeyRoleBased",
  keys
})

const fail: AccountKey.AccountKeyFail = { type: "AccountKeyFail" }

const vectors: ReadonlyArray<readonly [name: string, key: AccountKey.AccountKey, bytes: Hex]> = [
  ["nil", AccountKey.nil, "0x80"],
  ["legacy", AccountKey.legacy, "0x01c0"],
  ["fail", fail, "0x03c0"],
  [
    "public",
    single(K3.publicKey),
    "0x02a102dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8"
  ],
  [
    "weighted multisig",
    multi(
      3,
      [1, "0x02c734b50ddb229be5e929fc4aa8080ae8240a802d23d3290e5e6156ce029b110e"],
      [1, "0x0212d45f1cc56fbd6cd8fc877ab63b5092ac77db907a8a42c41dad3e98d7c64dfb"],
      [1, "0x02ea9a9f85065a00d7b9ffd3a8532a574035984587fd08107d8f4cbad6b786b0cd"],
      [1, "0x038551bc489d62fa2e6f767ba87fe93a62b679fca8ff3114eb5805e6487b51e8f6"]
    ),
    "0x04f89303f890e301a102c734b50ddb229be5e929fc4aa8080ae8240a802d23d3290e5e6156ce029b110ee301a10212d45f1cc56fbd6cd8fc877ab63b5092ac77db907a8a42c41dad3e98d7c64dfbe301a102ea9a9f85065a00d7b9ffd3a8532a574035984587fd08107d8f4cbad6b786b0cde301a1038551bc489d62fa2e6f767ba87fe93a62b679fca8ff3114eb5805e6487b51e8f6"
  ],
  [
    "role based",
    roles(single(A), multi(2, [1, A], [1, B]), single(C)),
    "0x05f898a302a103e4a01407460c1c03ac0c82fd84f303a699b210c0b054f4aff72ff7dcdf01512db84e04f84b02f848e301a103e4a01407460c1c03ac0c82fd84f303a699b210c0b054f4aff72ff7dcdf01512de301a10336f6355f5b532c3c1606f18fa2be7a16ae200c5159c8031dd25bfa389a4c9c06a302a102c8785266510368d9372badd4c7f4a94b692e82ba74e0b5e26b34558b0f081447"
  ],
  ["role based of one role", roles(AccountKey.legacy), "0x05c38201c0"],
  ["role based of two roles", roles(AccountKey.legacy, fail), "0x05c68201c08203c0"],
  [
    "role based that changes one role",
    roles(AccountKey.nil, single(K3.publicKey), AccountKey.nil),
    "0x05e88180a302a102dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e88180"
  ]
]

describe("the published account keys", () => {
  for (const [name, key, bytes] of vectors) {
    it(`${name}: encodes to and decodes from its bytes`, () => {
      assert.strictEqual(get(AccountKey.encode(key)), bytes)
      assert.deepStrictEqual(get(AccountKey.decode(bytes)), key)
    })
  }

  it("are written compressed from either form of a public key", () => {
    assert.strictEqual(get(AccountKey.encode(single(K3.uncompressed))), vectors[3]?.[2])
    assert.deepStrictEqual(get(AccountKey.fromPublicKey(K3.uncompressed)), single(K3.publicKey))
    assert.deepStrictEqual(get(AccountKey.validate({ ...single(K3.uncompressed), more: 1 })), single(K3.publicKey))
    assert.deepStrictEqual(get(AccountKey.update(AccountKey.legacy, single(K3.uncompressed))), single(K3.publicKey))
  })
})

const generated = (count: number): ReadonlyArray<readonly [number, Hex]> =>
  Array.from({ length: count }, () => [1, get(PrivateKey.toPublicKey(PrivateKey.generate()))])

describe("a rule of account keys", () => {
  const broken: ReadonlyArray<readonly [name: string, key: AccountKey.RoleKey, why: string]> = [
    ["more than 10 multisig keys", multi(1, ...generated(11)), "InvalidKey"],
    ["no multisig keys", multi(1), "InvalidKey"],
    ["a multisig key twice", multi(1, [1, A], [2, A]), "InvalidKey"],
    ["a multisig key twice in two forms", multi(1, [1, K3.publicKey], [1, K3.uncompressed]), "InvalidKey"],
    ["a weight of zero", multi(1, [0, A], [1, B]), "InvalidKey"],
    ["a threshold out of reach", multi(3, [1, A], [1, B]), "InvalidKey"],
    ["a point off the curve", single(`0x02${"ff".repeat(32)}`), "InvalidKey"],
    ["a public key that is too short", single("0x02ab"), "InvalidKey"]
  ]

  for (const [name, key, why] of broken) {
    it(`refuses ${name}`, () => {
      assert.strictEqual(reason(AccountKey.validate(key)), why)
      assert.strictEqual(reason(AccountKey.validate({ type: "AccountKeyRoleBased", keys: [key] })), why)
    })
  }

  it("refuses a multisig of no keys or of more than 10, and says how many it has", () => {
    for (const count of [0, 11]) {
      const result = AccountKey.validate(multi(1, ...generated(count)))
      assert.match(result.ok ? "" : result.error.message, new RegExp(`1 to 10 keys, not ${count}`))
    }
    for (const count of [1, 10]) assert.isTrue(AccountKey.validate(multi(1, ...generated(count))).ok)
  })

  const incomplete: ReadonlyArray<readonly [json: string, why: string, path: string]> = [
    ["null", "WrongShape", ""],
    ["7", "WrongShape", ""],
    ["\"AccountKeyLegacy\"", "WrongShape", ""],
    ["[]", "WrongShape", ""],
    ["{}", "WrongShape", ""],
    ["{\"type\":\"constructor\"}", "WrongShape", ""],
    ["{\"type\":\"AccountKeyPublic\"}", "WrongShape", "publicKey"],
    ["{\"type\":\"AccountKeyPublic\",\"publicKey\":null}", "NotHex", "publicKey"],
    ["{\"type\":\"AccountKeyPublic\",\"publicKey\":[2,3]}", "NotHex", "publicKey"],
    ["{\"type\":\"AccountKeyWeightedMultiSig\",\"threshold\":1}", "WrongShape", "keys"],
    ["{\"type\":\"AccountKeyWeightedMultiSig\",\"threshold\":1,\"keys\":{\"length\":1}}", "WrongShape", "keys"],
    ["{\"type\":\"AccountKeyWeightedMultiSig\",\"threshold\":1,\"keys\":\"ab\"}", "WrongShape", "keys"],
    ["{\"type\":\"AccountKeyWeightedMultiSig\",\"threshold\":1,\"keys\":[null]}", "WrongShape", "keys[0].weight"],
    [
      `{"type":"AccountKeyWeightedMultiSig","threshold":1,"keys":[{"weight":1}]}`,
      "WrongShape",
      "keys[0].publicKey"
    ],
    [
      `{"type":"AccountKeyWeightedMultiSig","threshold":1,"keys":[{"weight":"1","publicKey":"${A}"}]}`,
      "WrongShape",
      "keys[0].weight"
    ],
    [
      `{"type":"AccountKeyWeightedMultiSig","keys":[{"weight":1,"publicKey":"${A}"}]}`,
      "WrongShape",
      "threshold"
    ],
    ["{\"type\":\"AccountKeyRoleBased\"}", "WrongShape", "keys"],
    ["{\"type\":\"AccountKeyRoleBased\",\"keys\":null}", "WrongShape", "keys"],
    ["{\"type\":\"AccountKeyRoleBased\",\"keys\":[]}", "InvalidKey", ""],
    ["{\"type\":\"AccountKeyRoleBased\",\"keys\":[null]}", "WrongShape", "keys[0]"],
    [
      "{\"type\":\"AccountKeyRoleBased\",\"keys\":[{\"type\":\"AccountKeyRoleBased\",\"keys\":[{\"type\":\"AccountKeyLegacy\"}]}]}",
      "InvalidKey",
      "keys[0]"
    ],
    [
      "{\"type\":\"AccountKeyRoleBased\",\"keys\":[{\"type\":\"AccountKeyWeightedMultiSig\",\"threshold\":1}]}",
      "WrongShape",
      "keys[0].keys"
    ]
  ]

  for (const [json, why, path] of incomplete) {
    it(`refuses ${json}, which no type kept away`, () => {
      const result = AccountKey.validate(JSON.parse(json))
      assert.deepStrictEqual(result.ok ? "accepted" : [result.error.reason, result.error.path], [why, path])
    })
  }

  it("refuses a list with a hole in it", () => {
    const key = AccountKey.legacy
    const holed: [transaction: AccountKey.RoleKey, AccountKey.RoleKey?, AccountKey.RoleKey?] = [key]
    holed[2] = key
    assert.strictEqual(reason(AccountKey.validate({ type: "AccountKeyRoleBased", keys: holed })), "WrongShape")
  })

  it.prop("judges any value without throwing", [FastCheck.anything({ withNullPrototype: true })], ([value]) => {
    const kinds = ["AccountKeyPublic", "AccountKeyWeightedMultiSig", "AccountKeyRoleBased"]
    for (const type of kinds) {
      for (const parts of [value, { keys: value }, { keys: [value] }, { publicKey: value }]) {
        const key = Object.assign({ threshold: 1 }, parts, { type }) as AccountKey.AccountKey
        assert.isFalse(AccountKey.validate(key).ok)
      }
    }
    assert.isFalse(AccountKey.validate(value as AccountKey.AccountKey).ok)
  })

  const multisig = (threshold: string, ...weights: ReadonlyArray<string>): Hex =>
    `0x04${fromBytes(RLP.encode([threshold, weights.map((weight, i) => [weight, [A, B][i] ?? C])])).slice(2)}`

  it("takes the bytes of a multisig whose weights are at least 1, and whose threshold may be 0", () => {
    assert.deepStrictEqual(get(AccountKey.decode(multisig("0x02", "0x01", "0x01"))), multi(2, [1, A], [1, B]))
    assert.deepStrictEqual(get(AccountKey.decode(multisig("0x", "0x01"))), multi(0, [1, A]))
    assert.strictEqual(get(AccountKey.encode(multi(0, [1, A]))), multisig("0x", "0x01"))
  })

  const bytes: ReadonlyArray<readonly [name: string, raw: Hex, why: string]> = [
    ["a multisig weight of zero beside one that is enough", multisig("0x01", "0x", "0x01"), "InvalidKey"],
    ["no bytes", "0x", "UnknownType"],
    ["an unknown kind", "0x06c0", "UnknownType"],
    ["nil with something behind it", "0x8000", "WrongShape"],
    ["legacy with something inside", "0x01c101", "WrongShape"],
    ["trailing bytes", "0x01c000", "TrailingBytes"],
    ["a point off the curve", `0x02a102${"ff".repeat(32)}`, "InvalidKey"],
    ["an uncompressed key", `0x02b841${K3.uncompressed.slice(2)}`, "WrongShape"],
    ["a cut key", `0x02a1${K3.publicKey.slice(2, -2)}`, "Truncated"],
    ["a multisig weight of zero", `0x04e601e4e380a1${A.slice(2)}`, "InvalidKey"],
    ["a multisig threshold with a leading zero", `0x04e8820001e4e301a1${A.slice(2)}`, "LeadingZero"],
    ["a role-based key without roles", "0x05c0", "InvalidKey"],
    ["a role-based key with four roles", "0x05cc8201c08201c08201c08201c0", "InvalidKey"],
    ["a role-based key in a role", "0x05c68505c38201c0", "InvalidKey"]
  ]

  for (const [name, raw, why] of bytes) {
    it(`refuses bytes with ${name}`, () => assert.strictEqual(reason(AccountKey.decode(raw)), why))
  }

  it("refuses AccountKeyNil as the key of an update", () => {
    const make = (key: AccountKey.AccountKey) =>
      Transaction.make({ type: "AccountUpdate", nonce: 0n, gas: 1n, gasPrice: 1n, from: K1.address, key })
    assert.strictEqual(reason(make(AccountKey.nil)), "InvalidKey")
    assert.strictEqual(reason(make(roles(AccountKey.nil, AccountKey.legacy))), "accepted")
  })
})

const signer = (publicKey: Hex, address: Hex = K2.address): Signer => ({ publicKey, address })

describe("those who signed satisfy", () => {
  const check = (key: AccountKey.AccountKey, role: AccountKey.Role, ...signers: ReadonlyArray<Signer>) =>
    AccountKey.isSatisfiedBy(key, { role, address: "0xA94F5374FCE5EDBC8E2A8697C15331677E6EBF0B", signers })

  it("a legacy key only as the one owner of the address", () => {
    assert.isTrue(check(AccountKey.legacy, "transaction", signer(K1.publicKey, K1.address)))
    assert.isFalse(check(AccountKey.legacy, "transaction", signer(K2.publicKey, K2.address)))
    assert.isFalse(
      check(AccountKey.legacy, "transaction", signer(K1.publicKey, K1.address), signer(K2.publicKey, K2.address))
    )
    assert.isFalse(check(AccountKey.legacy, "transaction"))
  })

  it("a public key only as that key, whatever the address", () => {
    assert.isTrue(check(single(A), "feePayer", signer(A)))
    assert.isFalse(check(single(A), "feePayer", signer(K1.publicKey, K1.address)))
    assert.isFalse(check(single(A), "feePayer", signer(A), signer(B)))
    assert.isFalse(check(single(A), "feePayer", signer(A), signer(A)))
    assert.isFalse(check(single(A), "feePayer"))
  })

  it("neither a fail nor a nil key", () => {
    assert.isFalse(check(fail, "transaction", signer(K1.publicKey, K1.address)))
    assert.isFalse(check(AccountKey.nil, "transaction", signer(K1.publicKey, K1.address)))
  })

  it("a multisig when their weights reach the threshold, each once and none a stranger", () => {
    const key = multi(3, [2, A], [1, B], [1, C])
    assert.isTrue(check(key, "transaction", signer(A), signer(B)))
    assert.isTrue(check(key, "transaction", signer(C), signer(B), signer(A)))
    assert.isFalse(check(key, "transaction", signer(B), signer(C)))
    assert.isFalse(check(key, "transaction", signer(A), signer(B), signer(K1.publicKey)))
    assert.isFalse(check(key, "transaction"))
    assert.isTrue(check(multi(1, [1, A]), "transaction", signer(A)))
  })

  it("a multisig with a threshold of 0 by any one of its keys, and not without a signature", () => {
    assert.isTrue(check(multi(0, [1, A], [1, B]), "transaction", signer(B)))
    assert.isFalse(check(multi(0, [1, A]), "transaction", signer(C)))
    assert.isFalse(check(multi(0, [1, A]), "transaction"))
  })

  it("no key of a kind that there is not", () => {
    const odd = { type: "constructor" } as unknown as AccountKey.AccountKey
    assert.isFalse(check(odd, "transaction", signer(K1.publicKey, K1.address)))
  })

  it("a multisig also when a key signs twice, which counts once, but not with more signatures than keys", () => {
    const key = multi(3, [2, A], [1, B], [1, C])
    assert.isTrue(check(key, "transaction", signer(A), signer(A), signer(B)))
    assert.isFalse(check(key, "transaction", signer(A), signer(A)))
    assert.isFalse(check(key, "transaction", signer(B), signer(B), signer(C)))
    assert.isFalse(check(key, "transaction", signer(A), signer(A), signer(A), signer(B)))
    assert.isFalse(check(key, "transaction", signer(A), signer(A), signer(K1.publicKey)))
  })

  it("a role-based key in their own role only", () => {
    const key = roles(single(A), single(B), single(C))
    assert.isTrue(check(key, "transaction", signer(A)))
    assert.isTrue(check(key, "accountUpdate", signer(B)))
    assert.isTrue(check(key, "feePayer", signer(C)))
    assert.isFalse(check(key, "feePayer", signer(A)))
    assert.isFalse(check(key, "accountUpdate", signer(A)))
  })

  it("a role that was left out by the transaction role", () => {
    const key = roles(single(A), single(B))
    assert.isTrue(check(key, "feePayer", signer(A)))
    assert.isFalse(check(key, "feePayer", signer(B)))
  })
})

describe("an update of an account key", () => {
  it("replaces a key of any kind", () => {
    assert.deepStrictEqual(get(AccountKey.update(AccountKey.legacy, single(A))), single(A))
    assert.deepStrictEqual(get(AccountKey.update(roles(single(A)), AccountKey.legacy)), AccountKey.legacy)
  })

  it("keeps roles that are nil or left out", () => {
    const current = roles(single(A), single(B), single(C))
    assert.deepStrictEqual(
      get(AccountKey.update(current, roles(AccountKey.nil, single(K1.publicKey)))),
      roles(single(A), single(K1.publicKey), single(C))
    )
    assert.deepStrictEqual(
      get(AccountKey.update(roles(single(A)), roles(AccountKey.nil, single(B)))),
      roles(single(A), single(B))
    )
  })

  it("may give an account one role only", () => {
    assert.deepStrictEqual(get(AccountKey.update(AccountKey.legacy, roles(single(A)))), roles(single(A)))
  })

  it("is refused when there is nothing to keep, and names the role", () => {
    const path = (current: AccountKey.AccountKey, next: AccountKey.AccountKey) => {
      const result = AccountKey.update(current, next)
      return result.ok || [result.error.reason, result.error.path]
    }
    const { nil } = AccountKey
    assert.deepStrictEqual(path(AccountKey.legacy, nil), ["InvalidKey", ""])
    assert.deepStrictEqual(path(AccountKey.legacy, roles(nil, single(B))), ["InvalidKey", "keys[0]"])
    assert.deepStrictEqual(path(roles(single(A)), roles(single(B), nil)), ["InvalidKey", "keys[1]"])
    assert.deepStrictEqual(path(roles(single(A)), roles(nil, nil, single(C))), ["InvalidKey", "keys[1]"])
    assert.deepStrictEqual(path(roles(single(A), single(B)), roles(nil, nil, nil)), ["InvalidKey", "keys[2]"])
    assert.strictEqual(reason(AccountKey.update(AccountKey.legacy, AccountKey.nil)), "InvalidKey")
    assert.strictEqual(reason(AccountKey.update(AccountKey.legacy, roles(AccountKey.nil, single(A)))), "InvalidKey")
    assert.strictEqual(reason(AccountKey.update(roles(single(A)), roles(single(B), AccountKey.nil))), "InvalidKey")
  })
})

it("counts the public keys that cost gas", () => {
  assert.strictEqual(AccountKey.size(roles(AccountKey.legacy, multi(2, [1, A], [1, B]), single(C))), 3)
  assert.strictEqual(AccountKey.size(fail), 0)
  assert.strictEqual(AccountKey.size(roles(single(A), undefined, single(C))), 2)
})
