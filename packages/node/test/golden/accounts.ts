import * as Option from "effect/Option"
import { alice, hash, json, other, type Row, zeroHash } from "./row.js"

const key = { keyType: 2, key: { x: "0x3a514176", y: "0x8072e779" } }
const keyMeaning = { keyType: 2, key: { x: 0x3a514176n, y: 0x8072e779n } }

const roles = {
  keyType: 5,
  key: [
    { keyType: 1, key: {} },
    {
      keyType: 4,
      key: {
        threshold: 3,
        keys: [{ weight: 1, key: { x: "0x1", y: "0x2" } }, { weight: 2, key: { x: "0x3", y: "0x4" } }]
      }
    },
    { keyType: 3, key: {} }
  ]
}

const rolesMeaning = {
  keyType: 5,
  key: [
    { keyType: 1, key: {} },
    {
      keyType: 4,
      key: { threshold: 3, keys: [{ weight: 1, key: { x: 1n, y: 2n } }, { weight: 2, key: { x: 3n, y: 4n } }] }
    },
    { keyType: 3, key: {} }
  ]
}

const address = `"0x1111111111111111111111111111111111111111"`

export const accounts: ReadonlyArray<Row> = [
  ["klay_accountCreated", (n) => n.klay.accountCreated(alice), `[${address},"latest"]`, "true", true],
  [
    "klay_getAccount",
    (n) => n.klay.getAccount(alice, 436n),
    `[${address},"0x1b4"]`,
    json({ accType: 1, account: { nonce: 5, balance: "0xde0b6b3a7640000", humanReadable: false, key } }),
    Option.some({
      accType: 1,
      account: { nonce: 5n, balance: 10n ** 18n, humanReadable: false, key: keyMeaning }
    })
  ],
  [
    "klay_getAccount",
    (n) => n.klay.getAccount(alice),
    `[${address},"latest"]`,
    json({
      accType: 2,
      account: {
        nonce: 1,
        balance: "0x0",
        humanReadable: false,
        key: { keyType: 3, key: {} },
        storageRoot: hash,
        codeHash: "xdJGAYb3IzySfn2y3McDwOUAtlPKgic7e/rYBF2FpHA=",
        codeFormat: 0,
        vmVersion: 1
      }
    }),
    Option.some({
      accType: 2,
      account: {
        nonce: 1n,
        balance: 0n,
        humanReadable: false,
        key: { keyType: 3, key: {} },
        storageRoot: hash,
        codeHash: "xdJGAYb3IzySfn2y3McDwOUAtlPKgic7e/rYBF2FpHA=",
        codeFormat: 0,
        vmVersion: 1
      }
    })
  ],
  ["klay_getAccount", (n) => n.klay.getAccount(alice), `[${address},"latest"]`, "null", Option.none()],
  [
    "klay_getAccountKey",
    (n) => n.klay.getAccountKey(alice, "pending"),
    `[${address},"pending"]`,
    json(roles),
    Option.some(rolesMeaning)
  ],
  [
    "klay_getBalance",
    (n) => n.klay.getBalance("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", `0x${"AbC0".repeat(16)}`),
    `["0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed","0x${"abc0".repeat(16)}"]`,
    `"0x1B1AE4D6E2EF500000"`,
    500n * 10n ** 18n
  ],
  ["klay_getBalance", (n) => n.klay.getBalance(alice, 0n), `[${address},"0x0"]`, `"0x00"`, 0n],
  ["klay_getCode", (n) => n.klay.getCode(alice, "earliest"), `[${address},"earliest"]`, `"0x"`, "0x"],
  [
    "klay_getStorageAt",
    (n) => n.klay.getStorageAt(alice, 2n),
    `[${address},"0x2","latest"]`,
    json(zeroHash),
    zeroHash
  ],
  [
    "klay_getStorageAt",
    (n) => n.klay.getStorageAt(alice, other, 7n),
    `[${address},"${other}","0x7"]`,
    json(hash),
    hash
  ],
  [
    "klay_getTransactionCount",
    (n) => n.klay.getTransactionCount(alice, "pending"),
    `[${address},"pending"]`,
    `"0x4d2"`,
    1234n
  ],
  ["klay_isContractAccount", (n) => n.klay.isContractAccount(alice), `[${address},"latest"]`, "false", false],
  [
    "klay_encodeAccountKey",
    (n) => n.klay.encodeAccountKey({ keyType: 2, key: { x: 0x3a514176n, y: 0x8072e779n } }),
    `[{"keyType":2,"key":{"x":"0x3a514176","y":"0x8072e779"}}]`,
    `"0x01c0"`,
    "0x01c0"
  ],
  [
    "klay_decodeAccountKey",
    (n) => n.klay.decodeAccountKey("0x01C0"),
    `["0x01c0"]`,
    `{"keyType":1,"key":{}}`,
    { keyType: 1, key: {} }
  ],
  [
    "klay_getProof",
    (n) => n.klay.getProof(alice, [0n, other]),
    `[${address},["0x0","${other}"],"latest"]`,
    json({
      address: alice,
      accountProof: ["0xf851"],
      balance: "0x1",
      codeHash: hash,
      nonce: "0x2",
      storageHash: other,
      storageProof: [{ key: "0x0", value: "0x3", proof: [] }]
    }),
    {
      address: alice,
      accountProof: ["0xf851"],
      balance: 1n,
      codeHash: hash,
      nonce: 2n,
      storageHash: other,
      storageProof: [{ key: "0x0", value: 3n, proof: [] }]
    }
  ]
]
