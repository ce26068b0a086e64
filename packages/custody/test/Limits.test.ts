/** What a caller with one limit may still do, whichever way: the table of the guide, which this test makes. */
import { unlimited, type WalletCaller } from "@effect-klaytn/custody/WalletCaller"
import * as WalletPolicy from "@effect-klaytn/custody/WalletPolicy"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync, writeFileSync } from "node:fs"
import { type Answer, type Asked, make, serve } from "./support/guardedWallet.js"

const klay = 10n ** 18n
const friend = `0x${"ab".repeat(20)}` as const
const other = `0x${"66".repeat(20)}` as const
/** Its code writes on every call. */
const contract = `0x${"c0".repeat(20)}` as const

/** A caller with one limit, by the option that makes it. The amounts are those that the rows go beyond. */
const limited: Readonly<Record<string, WalletCaller["limits"]>> = {
  "`--max-value 1`": { largestValue: klay },
  "`--max-day 1`": { dailySum: klay },
  "`--max-fee 2`": { largestFee: 2n * klay },
  "`--receivers`": { receivers: [friend] },
  "`--no-contract-calls`": { contractCalls: false }
}

const callers: ReadonlyArray<WalletCaller> = [
  unlimited("no limit"),
  ...Object.entries(limited).map(([name, limits]): WalletCaller => ({
    name,
    rights: ["wallet"],
    pools: undefined,
    limits
  }))
]

const guide = new URL("../../../docs/guides/wallet-security.md", import.meta.url)
const marks = ["<!-- limits by operation: Limits.test.ts -->\n", "<!-- end of limits -->"] as const

const cellsOf = (line: string) => line.split("|").slice(1, -1).map((cell) => cell.trim())

/** What became of a request. */
const verdict = ({ body, status }: Answer): string => {
  if (body.code === 1069403 || body.code === 1019403) return "refused"
  return status === 200 || body.code === 1065001 || body.code === 1069410 ? "yes" : `${body.code} ${body.message}`
}

const rlpOf = (made: ReturnType<typeof Transaction.make>) => {
  assert(made.ok)
  const written = Transaction.encode(made.value)
  assert(written.ok)
  return { rlp: written.value, submit: false }
}

describe("limits", () => {
  it.scopedLive("bound each operation as the table of the guide says", () =>
    Effect.gen(function*() {
      const opened = yield* make({ accounts: [{ address: contract, balance: 0n, code: "0x600160005500" }] })
      const { local, wallet } = opened
      const ask = yield* serve(opened, callers)
      const pool = yield* wallet.pool("account-pool")
      const account = yield* wallet.createAccount(pool)
      const payer = yield* wallet.createAccount(yield* wallet.pool("feepayer-pool"))
      const from = account.address
      yield* local.fund(from, 1000n * klay)
      const keyId = wallet.keyId(account.key)
      /** Sends 1 KLAY from a pool of this name. */
      const sendFrom = (name: string) =>
        Effect.gen(function*() {
          const pools = yield* wallet.createPools(name)
          const pool = pools.find(({ type }) => type === "account-pool")
          assert(pool !== undefined)
          const { address } = yield* wallet.createAccount(pool)
          yield* local.fund(address, 100n * klay)
          const body = { from: address, to: friend, value: `0x${klay.toString(16)}`, submit: false }
          return { method: "POST", path: "/v2/tx/value", krn: wallet.krn(pool), body }
        })
      const once = yield* sendFrom("second")
      const small = { from, to: friend, value: "0x1", submit: false }
      const post = (path: string, body: object): Asked => ({ method: "POST", path, body })
      const common = { nonce: 5n, gas: 100_000n, from }
      const price = { gasPrice: local.unitPrice }
      const two = `0x${(2n * klay).toString(16)}`
      const accountKey = { keyType: 1, key: "0x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798" }
      const publicKey = account.key.publicKey
      const rows: Readonly<Record<string, Asked | ReadonlyArray<Asked>>> = {
        "send 1 peb to a named receiver": post("/v2/tx/value", small),
        "send 2 KLAY": post("/v2/tx/value", { ...small, value: two }),
        "send 2 KLAY, raw": post(
          "/v2/tx/rlp",
          rlpOf(Transaction.make({ type: "ValueTransfer", ...common, ...price, to: friend, value: 2n * klay }))
        ),
        "send 2 KLAY, the service pays the fee": post("/v2/tx/fd/value", { ...small, value: two }),
        "send to another receiver": post("/v2/tx/value", { ...small, to: other }),
        "a fee of up to 1.5 KLAY": post("/v2/tx/value", { ...small, gas: Number(3n * klay / 2n / local.unitPrice) }),
        "a fee of up to 100 KLAY": post(
          "/v2/tx/rlp",
          rlpOf(Transaction.make({
            type: "ValueTransfer",
            ...common,
            gasPrice: klay / 1000n,
            to: friend,
            value: 1n
          }))
        ),
        "a legacy transaction without input, to an account": post("/v2/tx/legacy", small),
        "a legacy transaction without input, to a contract": post("/v2/tx/legacy", {
          ...small,
          to: contract,
          value: "0x0"
        }),
        "a call of a contract": post("/v2/tx/contract/execute", {
          ...small,
          to: contract,
          value: "0x0",
          input: "0x00"
        }),
        "a deployment": post("/v2/tx/contract/deploy", { from, value: "0x0", input: "0x00", submit: false }),
        "anchored data": post("/v2/tx/anchor", { from, input: "0x00", submit: false }),
        "a cancellation": { method: "DELETE", path: "/v2/tx", body: { from, nonce: 5, submit: false } },
        "another key for an account": {
          method: "PUT",
          path: "/v2/tx/account",
          body: { from, accountKey, submit: false }
        },
        "several keys for an account": {
          method: "PUT",
          path: `/v2/account/${from}/multisig`,
          body: { threshold: 1, weightedKeys: [{ publicKey, weight: 1 }] }
        },
        "a signature of 32 bytes": post(`/v2/key/${keyId}/sign`, { data: `0x${"11".repeat(32)}` }),
        "send 1 KLAY twice on a day, from one pool": [once, once],
        "send 1 KLAY more on that day, from another pool": yield* sendFrom("third"),
        "new accounts, keys and fee payers": post("/v2/account", {}),
        "delete an account": { method: "DELETE", path: `/v2/account/${from}` },
        "delete a fee payer": {
          method: "DELETE",
          path: `/v2/feepayer/${payer.address}`,
          krn: wallet.krn(payer.pool)
        },
        "disable an account": { method: "PUT", path: `/v2/account/${from}/disable` },
        "delete a key": { method: "DELETE", path: `/v2/key/${keyId}` }
      }
      const table = [
        ["Operation", ...callers.map(({ name }) => name)],
        ["-", ...callers.map(() => "-")]
      ]
      // Those without a limit come last: they change what the others need.
      for (const [name, row] of Object.entries(rows)) {
        const [free = unlimited("none"), ...bound] = callers
        const verdictOf = (caller: WalletCaller) =>
          Effect.map(Effect.forEach([row].flat(), (asked) => ask(caller.name, asked)), (answers) =>
            answers.map(verdict).at(-1) ?? "not asked")
        const cells = yield* Effect.forEach(bound, verdictOf)
        const isLast = /^several|^delete|^disable/.test(name)
        const first = isLast ? "yes" : yield* verdictOf(free)
        table.push([name, first, ...cells])
      }
      const text = readFileSync(guide, "utf8")
      const [before = "", rest = ""] = text.split(marks[0])
      const [written = "", after = ""] = rest.split(marks[1])
      if (process.env["UPDATE_LIMITS"] === "1") {
        const lines = table.map((row) =>
          `| ${row.join(" | ")} |`
        ).join("\n")
        writeFileSync(guide, `${before}${marks[0]}\n${lines}\n\n${marks[1]}${after}`)
      }
      const found = written.trim().split("\n").map(cellsOf).map((row) => row.map((cell) => cell.replace(/^-+$/, "-")))
      assert.deepStrictEqual(found, table, "UPDATE_LIMITS=1 writes the table anew")
    }), 60_000)

  it("refuse what gives an account's code to others (type 4), for whoever has one", () => {
    const made = Transaction.make({
      type: "EthereumSetCode",
      chainId: 1001,
      nonce: 0n,
      gas: 100_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      to: friend,
      value: 0n,
      input: "0x",
      accessList: [],
      authorizationList: []
    })
    assert(made.ok)
    const request = {
      role: "sender",
      pool: "default",
      address: friend,
      transaction: made.value,
      hasCode: false
    } as const
    const denials = callers.map((caller) =>
      WalletPolicy.ofSignature({ caller, operation: "wallet.sendRlp", isFrozen: false }, request)?.reason
    )
    assert.deepStrictEqual(denials, [undefined, ...callers.slice(1).map(() => "limit" as const)])
  })
})
