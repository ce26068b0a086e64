/** A caller that has a credential, limits and a pool of its own, and attacks everything else with them. */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as PublicKey from "@effect-klaytn/transaction/PublicKey"
import { noble } from "@effect-klaytn/transaction/Secp256k1"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { randomBytes } from "node:crypto"
import type { Random } from "../../packages/sandbox/src/internal/Random.js"
import type { Ask, Rpc } from "./custodyRuns.js"
import { pause } from "./processes.js"

/** What it works with. */
export interface Parts {
  readonly ask: Ask
  readonly rpc: Rpc
  readonly random: Random
  /** Its own accounts, which have coin. */
  readonly own: ReadonlyArray<string>
  /** Accounts of others. */
  readonly victims: ReadonlyArray<string>
  /** Keys of requests of others. */
  readonly keys: ReadonlyArray<string>
}

const klay = 10n ** 18n
const gkei = 10n ** 9n
const garbage = { v: 2037n, r: BigInt(`0x${"11".repeat(32)}`), s: BigInt(`0x${"22".repeat(32)}`) }
const thief = `0x${"ee".repeat(20)}` as const
const hex = (value: bigint): string => `0x${value.toString(16)}`
const bytes = (length: number): Hex => `0x${randomBytes(length).toString("hex")}`

/** A transaction that it signs with a key of its own, or not at all, whatever the sender. */
const raw = async ({ random, rpc }: Parts, from: string, change: object): Promise<unknown> => {
  const nonce = BigInt(String(await rpc("klay_getTransactionCount", from, "latest")))
  const input = bytes(random.pick([1, 40, 200_000]) ?? 1)
  const unsigned = Transaction.make({
    type: random.pick(["ValueTransferMemo", "FeeDelegatedValueTransferMemo"] as const) ?? "ValueTransferMemo",
    nonce: nonce + BigInt(random.between(0, 3)),
    gasPrice: 100n * gkei,
    gas: 1_000_000n,
    from: from.toLowerCase() as Hex,
    to: thief,
    value: klay,
    input,
    ...change
  } as Transaction.Transaction)
  if (!unsigned.ok) return undefined
  const signed = random.fraction() < 0.5
    ? { ok: true as const, value: { ...unsigned.value, signatures: [garbage] } as Transaction.Transaction }
    : Transaction.signAsSender(unsigned.value, { chainId: 1001, curve: noble, privateKey: bytes(32) })
  const encoded = signed.ok ? Transaction.encode(signed.value) : signed
  return encoded.ok ? encoded.value : undefined
}

const attacks: ReadonlyArray<(parts: Parts) => Promise<unknown>> = [
  // Nonces and signatures in the name of others, and in its own.
  ...[{}, { nonce: 2n ** 60n }, { nonce: 2n ** 53n - 1n }, { nonce: 2n ** 63n }, { gas: 2n ** 40n }, {
    gasPrice: 10n ** 15n
  }].map(
    (change) => async (parts: Parts) => {
      const from = parts.random.pick([...parts.victims, ...parts.own]) ?? thief
      const path = parts.random.pick(["/v2/tx/rlp", "/v2/tx/fd/rlp"]) ?? "/v2/tx/rlp"
      return parts.ask("POST", path, { rlp: await raw(parts, from, change), submit: true })
    }
  ),
  // Coin of others, and more of its own than it may send.
  ({ ask, random, victims }) =>
    ask("POST", "/v2/tx/value", { from: random.pick(victims), to: thief, value: "0x1", submit: true }),
  ({ ask, own, random }) =>
    ask("POST", "/v2/tx/value", { from: random.pick(own), to: thief, value: hex(2n * klay), submit: true }),
  ({ ask, own, random }) =>
    ask("POST", "/v2/tx/value", { from: random.pick(own), to: thief, value: hex(klay), submit: true }),
  ({ ask, own, random }) =>
    ask("POST", "/v2/tx/legacy", {
      from: random.pick(own),
      to: thief,
      value: "0x0",
      gas: 10 ** 8,
      input: bytes(60),
      submit: true
    }),
  ({ ask, own, random }) =>
    ask("POST", "/v2/tx/contract/deploy", {
      from: random.pick(own),
      input: bytes(60),
      value: "0x0",
      gas: 10 ** 7,
      submit: true
    }),
  // Keys of requests: those of others, and its own with connections that break.
  ({ ask, keys, own, random }) =>
    ask("POST", "/v2/tx/value", { from: random.pick(own), to: thief, value: "0x1", submit: true }, random.pick(keys)),
  async ({ ask, own, random }) => {
    const body = { from: random.pick(own), to: thief, value: hex(klay / 10n), submit: true }
    const key = bytes(16)
    for (const millis of [30, 100, 30_000]) await ask("POST", "/v2/tx/value", body, key, millis)
  },
  // What is destroyed or taken over.
  ({ ask, random, victims }) => ask("DELETE", `/v2/account/${random.pick(victims)}?withCoin=true`),
  ({ ask, random, victims }) => ask("PUT", `/v2/account/${random.pick(victims)}/disable`),
  ({ ask, own, random }) => ask("DELETE", `/v2/account/${random.pick(own)}?withCoin=true`),
  ({ ask, random, victims }) =>
    ask("POST", "/v2/registration/account", [{
      address: random.pick(victims),
      keyId: `krn:1001:wallet:${bytes(16)}:key-pool:default:${bytes(32)}`,
      rlp: bytes(100)
    }]),
  ({ ask, random, own, victims }) => {
    const publicKey = PublicKey.compressedOf(noble.publicKey(randomBytes(32)))
    const address = random.pick([...own, ...victims])
    return ask("PUT", `/v2/account/${address}/multisig`, { threshold: 1, weightedKeys: [{ publicKey, weight: 1 }] })
  },
  async ({ ask }) => {
    const made = await ask("POST", "/v2/key", { size: 1 })
    const [{ keyId }] = (made?.body["items"] ?? [{}]) as [{ readonly keyId?: string }]
    await ask("POST", `/v2/key/${encodeURIComponent(keyId ?? "")}/sign`, { data: bytes(32) })
  },
  // Bytes that are no request.
  ({ ask, random }) => ask("POST", "/v2/tx/rlp", { rlp: bytes(random.between(1, 2000)), submit: true }),
  ({ ask, random, own }) =>
    ask("POST", "/v2/tx/value", {
      from: random.pick(own),
      to: thief,
      value: "0x1",
      nonce: random.pick([-1, 2 ** 53, 1e300, "0x1", 10 ** 9]),
      submit: true
    }),
  ({ ask, random }) =>
    ask("POST", random.pick(["/v2/account", "/v2/key", "/v2/feepayer"]) ?? "/v2/key", {
      size: random.pick([1e9, -1, "x"])
    }),
  ({ ask, random, victims }) =>
    ask(
      "GET",
      random.pick([
        "/v2/account?size=1000",
        "/v2/multisig/account/0x/tx",
        `/v2/account/${random.pick(victims)}`,
        "/status"
      ]) ?? "/status"
    )
]

/** Attacks one after the other until it is told to stop. Gives how many there were, and with which statuses. */
export const attack = async (parts: Parts, isOver: () => boolean): Promise<ReadonlyMap<number, number>> => {
  const statuses = new Map<number, number>()
  while (!isOver()) {
    const answer = await (parts.random.pick(attacks) ?? pause.bind(undefined, 1))(parts)
    const status = Number(Object(answer).status ?? 0)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    await pause(parts.random.between(5, 200))
  }
  return statuses
}
