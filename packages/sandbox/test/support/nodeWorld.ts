/** A chain with a transaction of every type, for questions to its node. */
import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { RLP } from "@ethereumjs/rlp"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../../src/Sandbox.js"
import * as TokenContract from "../../src/TokenContract.js"

/** Creation code of a contract with the given code. */
export const contractOf = (code: string): Hex =>
  `0x61${(code.length / 2).toString(16).padStart(4, "0")}80600a3d393df3${code}`

/** Signs a transaction of one of Ethereum's types, or a legacy one: its raw bytes without the envelope. */
export const signed = (
  from: DevAccount,
  input: Transaction.Input<"LegacyTransaction" | "EthereumAccessList" | "EthereumDynamicFee">
): Hex => {
  const made = Transaction.make(input)
  if (!made.ok) throw made.error
  const privateKey = Redacted.value(from.privateKey)
  const done = Transaction.signAsSender(made.value, { chainId: 1001, privateKey, curve: noble })
  if (!done.ok) throw done.error
  const raw = Transaction.encode(done.value, { form: "eth" })
  if (!raw.ok) throw raw.error
  return raw.value
}

const price = 25_000_000_000n

const digests = ["11", "22", "33", "44", "55"].map((byte) => `0x${byte.repeat(32)}`)

/** What an anchoring transaction carries: five digests, and how many blocks and transactions they stand for. */
const anchored: Hex = fromBytes(RLP.encode(["0x", RLP.encode([...digests, 7, 8, 9])]))

/** Makes it on the testnet chain of the sandbox. */
export const make = Effect.gen(function*() {
  const { chains } = yield* Sandbox.Sandbox
  const chain = chains.chain(1001)
  const account = chains.account
  const [alice, bob, carol, dave] = [account("alice"), account("bob"), account("carol"), account("dave")]
  const spec = { kind: "ft", name: "Coin", symbol: "CN" } as const
  const token = yield* TokenContract.deploy(chain, alice, spec)
  yield* TokenContract.mint(chain, alice, token, { kind: "ft", to: alice.address, amount: 1_000n })
  const empty = yield* chain.execute({ kind: "deploy", from: alice, code: contractOf("60006000fd") })
  yield* chain.sendBlock([
    { kind: "transfer", from: alice, to: bob.address, value: 1n },
    { kind: "transfer", from: alice, to: bob.address, value: 2n, feePayer: carol },
    { kind: "transfer", from: alice, to: bob.address, value: 3n, feePayer: carol, feeRatio: 30 },
    { kind: "transfer", from: alice, to: bob.address, value: 4n, memo: "0x6d656d6f" },
    { kind: "transfer", from: alice, to: bob.address, value: 5n, memo: "0x", feePayer: carol },
    { kind: "transfer", from: alice, to: bob.address, value: 6n, memo: "0x00", feePayer: carol, feeRatio: 99 },
    { kind: "cancel", from: alice },
    { kind: "cancel", from: alice, feePayer: carol },
    { kind: "cancel", from: alice, feePayer: carol, feeRatio: 1 },
    { kind: "anchor", from: alice, data: anchored },
    { kind: "anchor", from: alice, data: "0x1234", feePayer: carol },
    { kind: "anchor", from: alice, data: "0x", feePayer: carol, feeRatio: 50 },
    { kind: "deploy", from: alice, code: contractOf("00"), feePayer: carol },
    { kind: "deploy", from: alice, code: contractOf("00"), feePayer: carol, feeRatio: 50 },
    // Fails, but is in its block all the same.
    { kind: "execute", from: alice, to: empty.contractAddress ?? "0x", data: "0x" },
    {
      kind: "execute",
      from: alice,
      to: token.address,
      data: TokenContract.transferCall(alice.address, { kind: "ft", to: bob.address, amount: 7n }),
      feePayer: carol
    }
  ])
  const base = { nonce: 0n, gas: 100_000n, to: bob.address, value: 9n, input: "0x" } as const
  const accessList = [{ address: token.address, storageKeys: [`0x${"01".repeat(32)}` as Hex] }]
  yield* chain.submitRaw(signed(dave, { type: "LegacyTransaction", ...base, gasPrice: 2n * price }))
  yield* chain.submitRaw(signed(dave, {
    type: "EthereumAccessList",
    ...base,
    chainId: 1001,
    nonce: 1n,
    gasPrice: price,
    accessList
  }))
  yield* chain.submitRaw(signed(dave, {
    type: "EthereumDynamicFee",
    ...base,
    chainId: 1001,
    nonce: 2n,
    maxFeePerGas: 3n * price,
    maxPriorityFeePerGas: price,
    accessList: []
  }))
  const erin = account("erin")
  const roles = [
    { type: "AccountKeyPublic", publicKey: bob.publicKey },
    {
      type: "AccountKeyWeightedMultiSig",
      threshold: 2,
      keys: [{ weight: 1, publicKey: bob.publicKey }, { weight: 1, publicKey: carol.publicKey }]
    },
    { type: "AccountKeyPublic", publicKey: carol.publicKey }
  ] as const
  yield* chain.execute({ kind: "updateKey", from: erin, key: { type: "AccountKeyRoleBased", keys: roles } })
  const head = yield* chain.head
  const records = []
  for (let number = 1; number <= head.number; number++) records.push(...(yield* chain.transactionsOf(number)))
  return { chain, records, head, token, empty: empty.contractAddress ?? "0x", alice, bob, carol, dave, erin }
})

/** What {@link make} gives. */
export type World = Effect.Effect.Success<typeof make>
