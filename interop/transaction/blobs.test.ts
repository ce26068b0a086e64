import * as ethers from "ethers"
import * as viem from "viem"
import { describe, expect, it } from "vitest"
import type { Hex } from "../../packages/transaction/src/Hex.js"
import * as Transaction from "../../packages/transaction/src/Transaction.js"
import { someBlobs } from "../referee/blobs.js"
import { get, owner, type Random, random } from "./random.js"

/** A signed transaction with a blob, and with the sidecar of a version. */
const signed = (r: Random, version: 0 | 1) => {
  let blobs = someBlobs(r)
  while (blobs.what !== "with a blob") blobs = someBlobs(r)
  const { sidecar, ...fields } = blobs.fields
  const sender = owner(r)
  const made = get(Transaction.make({
    type: "EthereumBlob",
    chainId: 1001,
    nonce: BigInt(r.int(9)),
    gas: 100_000n + r.bigint(24),
    maxFeePerGas: r.bigint(64),
    maxPriorityFeePerGas: 0n,
    to: r.bytes(20),
    value: r.bigint(90),
    input: r.bytes(r.int(40)),
    accessList: [{ address: r.bytes(20), storageKeys: [r.bytes(32)] }],
    ...fields,
    ...(sidecar !== undefined && {
      sidecar: version === 1 ? sidecar : { ...sidecar, version, proofs: sidecar.proofs.slice(0, 1) }
    })
  }))
  return { sender, transaction: get(Transaction.signAsSender(made, { chainId: 1001, privateKey: sender.privateKey })) }
}

const eth = (transaction: Transaction.Transaction): Hex => get(Transaction.encode(transaction, { form: "eth" }))

// Reports of a whole blob are of no use.
const expectSame = (one: string, other: string): void => expect(one === other).toBe(true)

describe("a transaction with blobs", () => {
  for (const version of [0, 1] as const) {
    it(`has the bytes, the hash and the sender that ethers finds, with a sidecar of version ${version} and without`, () => {
      const r = random(0xb10b + version)
      for (let count = 0; count < 4; count++) {
        const { sender, transaction } = signed(r, version)
        for (const ours of [transaction, Transaction.withoutSidecar(transaction)]) {
          const theirs = ethers.Transaction.from(eth(ours))
          expectSame(theirs.serialized, eth(ours))
          expect(theirs.hash).toBe(get(Transaction.hash(ours)))
          expect(theirs.from?.toLowerCase()).toBe(sender.address)
          expect(theirs.blobVersionedHashes).toEqual(transaction.blobVersionedHashes)
        }
        expect(ethers.Transaction.from(eth(transaction)).blobs?.length).toBe(1)
      }
    })
  }

  it("has the bytes that viem writes, with a sidecar of version 0 and without", async () => {
    const r = random(0x71e3)
    for (let count = 0; count < 4; count++) {
      const { sender, transaction } = signed(r, 0)
      for (const ours of [transaction, Transaction.withoutSidecar(transaction)]) {
        const parsed = viem.parseTransaction(eth(ours) as viem.TransactionSerializedEIP4844)
        expectSame(viem.serializeTransaction(parsed), eth(ours))
      }
      const bare = eth(Transaction.withoutSidecar(transaction))
      expect(viem.keccak256(bare)).toBe(get(Transaction.hash(transaction)))
      expect((await viem.recoverTransactionAddress({
        serializedTransaction: bare as viem.TransactionSerializedEIP4844
      })).toLowerCase()).toBe(sender.address)
    }
  })
})
