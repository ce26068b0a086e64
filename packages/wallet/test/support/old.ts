/** Accounts before their migration, and vectors of their updates. All keys are public test keys. */
import { account } from "./records.js"

/** An account with the key of its address. */
export const oldKey = "0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8"
export const oldAddress = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"
export const oldChecksum = "0xa94f5374Fce5edBC8E2a8697C15331677e6EbF0B"
/** The key of another account. */
export const otherKey = "0xc64f2cd1196e2a1791365b00c4bc07ab8f047b73152e4617c6ed06ac221a4b0c"

/** With nonce 0, gas price 25 ston and gas limit 1000000, to the key of `records.publicKey`. */
export const rlp = {
  1001:
    "0x21f8a7808505d21dba00830f424094a94f5374fce5edbc8e2a8697c15331677e6ebf0ba302a102dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8f847f8458207f5a08f3493891d07228358a2f14130e4c3e4c3f960e0088d9c74d2e3cce31de4843aa007466fd3bc5486f2576abd9623ad0ee86ac26cf3a8e8d3c12860860dd45ae125940000000000000000000000000000000000000000c4c3018080",
  8217:
    "0x21f8a7808505d21dba00830f424094a94f5374fce5edbc8e2a8697c15331677e6ebf0ba302a102dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8f847f845824056a0856167af82825e510066fe72933ebdd80fae58bcc634610f8de4cc85780d8dd5a0522493d828772d4afabb3e32e9ea693233dd5f17de6770815dfddc632e856523940000000000000000000000000000000000000000c4c3018080"
} as const

export const senderTxHash = "0xfeef91da6c3a70f22540bc7947ab92fef2acfbd78acc708557646c542cbfd53b"

/** The account in the wallet after the migration. */
export const migrated = { ...account, address: oldChecksum }
