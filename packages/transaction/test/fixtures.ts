import { readFileSync } from "node:fs"
import type { Hex } from "../src/Hex.js"
import type { Result } from "../src/Result.js"
import type { Transaction } from "../src/Transaction.js"

interface Vector {
  readonly transaction: Transaction
  readonly raw: Hex
  readonly hash: Hex
  readonly senderHash: Hex
  readonly senderPayload: Hex
  readonly senderDigest: Hex
  readonly feePayerDigest?: Hex
}

interface Vectors {
  readonly chainId: number
  readonly senderPrivateKey: Hex
  readonly feePayerPrivateKey: Hex
  readonly vectors: ReadonlyArray<Vector>
}

const quantities = new Set([
  "nonce",
  "gasPrice",
  "gas",
  "value",
  "maxPriorityFeePerGas",
  "maxFeePerGas",
  "v",
  "r",
  "s"
])

/** JSON has no bigint: quantities stand as hexadecimal text. */
export const load = (name: string): Vectors =>
  JSON.parse(
    readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8"),
    (key, value) => quantities.has(key) && typeof value === "string" ? BigInt(value) : value
  )

/** The value, or a failing test that says why there is none. */
export const get = <A>(result: Result<A>): A => {
  if (!result.ok) {
    throw result.error
  }
  return result.value
}

/** Why it was refused, or `accepted`. */
export const reason = (result: Result<unknown>): string => result.ok ? "accepted" : result.error.reason

export const K1 = {
  privateKey: "0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8",
  publicKey: "0x033a514176466fa815ed481ffad09110a2d344f6c9b78c1d14afc351c3a51be33d",
  uncompressed:
    "0x043a514176466fa815ed481ffad09110a2d344f6c9b78c1d14afc351c3a51be33d8072e77939dc03ba44790779b7a1025baf3003f6732430e20cd9b76d953391b3",
  address: "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"
} as const

export const K2 = {
  privateKey: "0xb9d5558443585bca6f225b935950e3f6e69f9da8a5809a83f51c3365dff53936",
  publicKey: "0x03327434d4cfc66ef8857d431419e9deebdc53a3e415edcc55382e2d417b8dd102",
  address: "0x33f524631e573329a550296f595c820d6c65213f"
} as const

export const K3 = {
  privateKey: "0xf8cc7c3813ad23817466b1802ee805ee417001fcce9376ab8728c92dd8ea0a6b",
  publicKey: "0x02dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8",
  uncompressed:
    "0x04dbac81e8486d68eac4e6ef9db617f7fbd79a04a3b323c982a09cdfc61f0ae0e8906d7170ba349c86879fb8006134cbf57bda9db9214a90b607b6b4ab57fc026e"
} as const
