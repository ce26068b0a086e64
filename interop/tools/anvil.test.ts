import { bls12_381 } from "@noble/curves/bls12-381"
import { p256 } from "@noble/curves/p256"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Random, random } from "../transaction/random.js"
import { call, contents, openBoth, result, send, sender } from "./anvil.js"
import { RandomCode } from "./randomCode.js"

/** How many contracts are deployed; each is then called ten times. */
const contracts = Number(process.env["ANVIL_CONTRACTS"] ?? 30)

const seed = Number(process.env["ANVIL_SEED"] ?? 0xa2f11)

let world: Awaited<ReturnType<typeof openBoth>>
beforeAll(async () => {
  world = await openBoth()
})
afterAll(() => world.close())

/** The same of both; the sandbox's. */
const both = async <A>(what: string, look: (url: string) => Promise<A>): Promise<A> => {
  const [ours, theirs] = [await look(world.sandbox), await look(world.anvil)]
  assert.deepStrictEqual(ours, theirs, what)
  return ours
}

const { G1, G2 } = bls12_381
type G1Point = typeof G1.ProjectivePoint.BASE
type G2Point = typeof G2.ProjectivePoint.BASE

const word = (value: bigint, bytes = 32): string => value.toString(16).padStart(2 * bytes, "0")

const g1 = (point: G1Point): string => {
  if (point.equals(G1.ProjectivePoint.ZERO)) return "00".repeat(128)
  const { x, y } = point.toAffine()
  return word(x, 64) + word(y, 64)
}

const g2 = (point: G2Point): string => {
  if (point.equals(G2.ProjectivePoint.ZERO)) return "00".repeat(256)
  const { x, y } = point.toAffine()
  return [x.c0, x.c1, y.c0, y.c1].map((part) => word(part, 64)).join("")
}

/** A precompile, its input, and its output as the library computes it; undefined where only both sides are compared. */
type Case = readonly [address: number, input: string, output: string | undefined]

const sumOf = <P extends { readonly add: (other: P) => P }>(points: readonly [P, ...ReadonlyArray<P>]): P =>
  points.slice(1).reduce((sum, point) => sum.add(point), points[0])

/** Valid inputs of the precompiles of Prague and Osaka, from curves that neither the sandbox nor anvil computes here. */
const casesOf = (r: Random): ReadonlyArray<Case> => {
  const scalar = () => BigInt(r.bytes(31)) + 1n
  const [a, b] = [scalar(), scalar()]
  const [p, q] = [G1.ProjectivePoint.BASE.multiply(a), G1.ProjectivePoint.BASE.multiply(b)]
  const [s, t] = [G2.ProjectivePoint.BASE.multiply(a), G2.ProjectivePoint.BASE.multiply(b)]
  const [zero, nil] = [G1.ProjectivePoint.ZERO, G2.ProjectivePoint.ZERO]
  const digest = r.bytes(32).slice(2)
  const privateKey = r.bytes(32).slice(2)
  const signature = p256.sign(digest, privateKey)
  const key = p256.ProjectivePoint.fromPrivateKey(privateKey).toAffine()
  const signed = digest + word(signature.r) + word(signature.s) + word(key.x) + word(key.y)
  const one = word(1n)
  return [
    [0x0b, g1(p) + g1(q), g1(p.add(q))],
    [0x0b, g1(p) + g1(p), g1(p.double())],
    [0x0b, g1(p) + g1(p.negate()), g1(zero)],
    [0x0b, g1(p) + g1(zero), g1(p)],
    [0x0c, g1(p) + word(b), g1(p.multiply(b))],
    [0x0c, g1(p) + word(b) + g1(q) + word(a), g1(sumOf([p.multiply(b), q.multiply(a)]))],
    [0x0d, g2(s) + g2(t), g2(s.add(t))],
    [0x0d, g2(s) + g2(s), g2(s.double())],
    [0x0d, g2(s) + g2(nil), g2(s)],
    [0x0e, g2(s) + word(b), g2(s.multiply(b))],
    [0x0e, g2(s) + word(b) + g2(t) + word(a), g2(sumOf([s.multiply(b), t.multiply(a)]))],
    // e(aG, bH) and e(-bG, aH) cancel each other out.
    [0x0f, g1(p) + g2(t) + g1(q.negate()) + g2(s), one],
    [0x0f, g1(p) + g2(t) + g1(q) + g2(s), word(0n)],
    [0x10, word(BigInt(r.bytes(47)), 64), undefined],
    [0x11, word(BigInt(r.bytes(47)), 64) + word(BigInt(r.bytes(47)), 64), undefined],
    [0x100, signed, one],
    [0x100, word(BigInt(`0x${digest}`) ^ 1n) + signed.slice(64), ""]
  ]
}

/** The same with a bit changed, a byte less, and a byte more. */
const spoiled = (r: Random, input: string): ReadonlyArray<string> => {
  const at = 2 * r.int(input.length / 2)
  const byte = (Number.parseInt(input.slice(at, at + 2), 16) ^ (1 << r.int(8))).toString(16).padStart(2, "0")
  return [input.slice(0, at) + byte + input.slice(at + 2), input.slice(2), `${input}00`]
}

/** Hands its data to a precompile, and keeps whether that succeeded, what it returned and how long that was. */
const forwarder = (address: number): string =>
  `0x365f5f375f5f365f61${address.toString(16).padStart(4, "0")}620f4240fa5f553d5f5f3e3d5f206001553d60025500`

describe("anvil", () => {
  it("executes random contracts to the same status, data, logs, gas, storage and balances", async () => {
    const r = random(seed)
    const known: Array<string> = []
    const seen = { succeeded: 0, failed: 0, logs: 0 }
    const note = ({ logs, status }: Awaited<ReturnType<typeof send>>) => {
      seen[status === "0x1" ? "succeeded" : "failed"]++
      seen.logs += logs.length
    }
    for (let at = 0; at < contracts; at++) {
      // Base fee of anvil moves, and BASEFEE is in no code; a fixed one keeps balances equal.
      await result(world.anvil, "anvil_setNextBlockBaseFeePerGas", "0x5d21dba00")
      const code = new RandomCode(r, known)
      const data = `0x${code.creation(code.runtime())}`
      const deployed = await both(`contract ${at}: ${data}`, (url) => send(url, { data, value: "0x64" }).catch(String))
      if (typeof deployed === "string") continue
      note(deployed)
      const to = deployed.contractAddress
      if (to === null) continue
      known.push(to.slice(2))
      for (let times = 0; times < 5; times++) {
        const input = r.bytes(r.int(100))
        await both(`call ${at}.${times} of ${data}`, (url) => call(url, { to, data: input }))
        await result(world.anvil, "anvil_setNextBlockBaseFeePerGas", "0x5d21dba00")
        const value = `0x${r.int(20).toString(16)}`
        note(await both(`send ${at}.${times} of ${data} with ${input}`, (url) => send(url, { to, data: input, value })))
      }
      for (const address of known.slice(-6)) await both(`after ${at}`, (url) => contents(url, `0x${address}`))
      await both(`sender after ${at}`, (url) => contents(url, sender))
    }
    // Otherwise the code would have exercised nothing.
    assert.isAbove(seen.succeeded, contracts * 2)
    assert.isAbove(seen.failed, contracts / 4)
    assert.isAbove(seen.logs, contracts / 4)
  }, 60_000 + contracts * 10_000)

  it("runs the precompiles of Prague and Osaka to the same output and gas, which is what the curves give", async () => {
    const r = random(seed)
    for (let round = 0; round < Math.ceil(contracts / 15); round++) {
      for (const [address, input, output] of casesOf(r)) {
        const to = `0x${address.toString(16).padStart(40, "0")}`
        const through = `0x77${address.toString(16).padStart(38, "0")}`
        await both("code", (url) => result(url, "anvil_setCode", through, forwarder(address)).then(() => undefined))
        const answer = await both(`${to} ${input}`, (url) => call(url, { to, data: `0x${input}` }))
        assert.isTrue(answer.succeeded, `${to} ${input}`)
        if (output !== undefined) assert.strictEqual(answer.data, `0x${output}`, `${to} ${input}`)
        for (const data of [input, ...spoiled(r, input)]) {
          await result(world.anvil, "anvil_setNextBlockBaseFeePerGas", "0x5d21dba00")
          const sent = await both(`${to} ${data}`, (url) => send(url, { to: through, data: `0x${data}` }))
          assert.strictEqual(sent.status, "0x1")
          await both(`${to} ${data}`, (url) => contents(url, through))
        }
      }
    }
  }, 300_000)
})
