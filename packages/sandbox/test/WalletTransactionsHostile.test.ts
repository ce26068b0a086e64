import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FC from "effect/FastCheck"
import { account, chain, feePayer, hex, proven, run, somebody } from "./support/walletStory.js"
import { ask } from "./support/wire.js"

const paths = [
  ["POST", "/value"],
  ["POST", "/contract/deploy"],
  ["POST", "/contract/execute"],
  ["POST", "/anchor"],
  ["PUT", "/account"],
  ["DELETE", ""]
] as const

const weights = (weight: number, threshold: number) => ({
  keyType: 4,
  key: { threshold, weightedKeys: [{ publicKey: `0x04${"79be".padEnd(128, "0")}`, weight }] }
})

/** One of the values that can be read, and now and then one that cannot. */
const mostly = (good: ReadonlyArray<unknown>, bad: ReadonlyArray<unknown>) =>
  FC.oneof(
    { weight: 24, arbitrary: FC.constantFrom(...good) },
    { weight: 1, arbitrary: FC.constantFrom(...bad) }
  )

/** What the fields of a body may hold; the account is a real one. */
const fields = (from: string, payer: string) =>
  FC.record({
    from: mostly([from, from.toUpperCase().replace("0X", "0x")], [somebody, "0x12"]),
    to: mostly([somebody, from, payer, `0x${"0".repeat(40)}`, `0x${"1".padStart(40, "0")}`], ["", null, 5]),
    value: mostly(["0x0", "0x00012", "0x1", `0x${"f".repeat(64)}`], [`0x1${"0".repeat(64)}`, "0x", "-0x1", 1, null]),
    input: mostly(["0x", "0x60", `0x${"5b600056".repeat(4)}`, "0xfe"], [`0x${"ff".repeat(140_000)}`, "0x0", "0xzz"]),
    memo: mostly([undefined, "", "0x12", "\u0000\uD800"], ["m".repeat(140_000), 5]),
    nonce: mostly([undefined, undefined, null, 0, 1, 1_000], [Number.MAX_SAFE_INTEGER, 2 ** 60, -1, 0.5, "1"]),
    gas: mostly([undefined, 0, 21_000, 100_000], [1, 5_000_000_000, Number.MAX_SAFE_INTEGER, -1]),
    submit: mostly([true, true, false, undefined, null], ["true"]),
    feeRatio: mostly([undefined, 0, 1, 99], [100, -1, "5"]),
    feePayer: mostly([payer], [from, undefined]),
    transactionHash: mostly([undefined], [`0x${"12".repeat(32)}`, "0x12"]),
    accountKey: mostly([{ keyType: 1 }], [
      { keyType: 2, key: "0x04" },
      weights(1, 2),
      weights(-1, -1),
      weights(2 ** 40, 1),
      { keyType: 5, key: [] },
      "none"
    ])
  })

describe("A transaction that is nearly sense", () => {
  it.effect("is made, or refused in the service's own form, and the account goes on", () =>
    run(
      Effect.gen(function*() {
        const from = yield* account
        const payer = yield* feePayer
        const on = yield* chain
        const seen = new Map<unknown, number>()
        const asked = FC.sample(
          FC.tuple(FC.constantFrom(...paths), FC.constantFrom("", "/fd", "/fd-user"), fields(from, payer)),
          { numRuns: 300, seed: 7 }
        )
        for (const [[method, path], prefix, body] of asked) {
          const { body: answer, status } = yield* ask(method, `/v2/tx${prefix}${path}`, body)
          const shown = `${method} ${prefix}${path} ${JSON.stringify(body).slice(0, 300)}: ${
            JSON.stringify(answer).slice(0, 300)
          }`
          const code = status === 200 ? "made" : answer.code
          seen.set(code, (seen.get(code) ?? 0) + 1)
          if (status === 200) {
            const proof = proven(answer.rlp)
            assert.deepStrictEqual([answer.from, proof.sender], [from, from], shown)
            if (answer.status === "Submitted") assert.strictEqual(answer.transactionHash, proof.hash, shown)
          } else {
            assert.strictEqual(status, 400, shown)
            assert.isTrue(Number.isInteger(code) && code > 1_061_000 && code < 1_066_000, shown)
          }
        }
        for (const code of ["made", 1061607, 1061608, 1061609, 1061615, 1061616, 1065001, 1065100]) {
          assert.isTrue(seen.has(code), `no answer ${code} among ${JSON.stringify([...seen])}`)
        }
        const nonce = yield* on.pendingNonce(hex(from))
        const last = yield* ask("POST", "/v2/tx/value", { from, to: somebody, value: "0x1", submit: true })
        assert.deepStrictEqual([last.body.status, last.body.nonce], ["Submitted", Number(nonce)])
      })
    ))
})
