import { toText } from "@effect-klaytn/indexer/Cursors"
import { deriveKey } from "@effect-klaytn/service/Derive"
import { pairOf } from "@effect-klaytn/service/ServiceAccess"
import * as Redacted from "effect/Redacted"
import { timingSafeEqual } from "node:crypto"

/** A credential of the service. */
export interface Pair {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
}

const number = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`)

/** The credentials of the sandbox's only customer: two at most, as in the API document. */
export class CredentialStore {
  readonly #seed: string
  readonly #pairs = new Map<string, Pair>()
  #made = 0
  /** The credential that the sandbox starts with. */
  readonly first: Pair

  constructor(seed: string, first?: Pair) {
    this.#seed = seed
    this.first = first ?? this.#derive()
    this.#pairs.set(this.first.accessKeyId, this.first)
  }

  list(): ReadonlyArray<Pair> {
    return [...this.#pairs.values()]
  }

  /** Creates the next credential of the seed; undefined if there are two already. */
  create(): Pair | undefined {
    if (this.#pairs.size >= 2) return undefined
    const pair = this.#derive()
    this.#pairs.set(pair.accessKeyId, pair)
    return pair
  }

  remove(accessKeyId: string): boolean {
    return this.#pairs.delete(accessKeyId)
  }

  /** Checks an `Authorization` header. */
  check(header: string | undefined): "ok" | "malformed" | "wrong" {
    const pair = pairOf(header)
    if (pair === undefined) return "malformed"
    const isKnown = this.list().some(({ accessKeyId, secretAccessKey }) => {
      const known = Buffer.from(`${accessKeyId}:${Redacted.value(secretAccessKey)}`)
      return known.length === pair.length && timingSafeEqual(known, pair)
    })
    return isKnown ? "ok" : "wrong"
  }

  #derive(): Pair {
    const key = deriveKey(this.#seed, `credential ${this.#made++}`)
    return {
      accessKeyId: `KASK${toText(number(key.subarray(0, 12)), 36, 16)}`,
      secretAccessKey: Redacted.make(toText(number(deriveKey(Buffer.from(key).toString("hex"), "secret")), 62, 42))
    }
  }
}
