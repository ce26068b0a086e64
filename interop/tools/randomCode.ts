/** Random contract code that runs: every instruction finds what it takes on the stack. */
import type { Random } from "../transaction/random.js"

const hex = (value: number, bytes = 1): string => value.toString(16).padStart(2 * bytes, "0")

/** PUSH of a value in as few bytes as it has digits. */
const push = (digits: string): string => `${hex(0x5f + digits.length / 2)}${digits}`

const number = (value: number): string =>
  value === 0 ? "5f" : push(hex(value, value > 0xffff ? 4 : value > 0xff ? 2 : 1))

/** Where code reads and writes its memory, in bytes. */
const memory = 256

/** The precompiles of Osaka but 0x0a, which looks at proofs about blobs. */
const precompiles = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x100] as const

const unary = ["15", "19", "1e", "35", "51", "54", "5c", "3b"] as const
const binary: readonly [string, ...ReadonlyArray<string>] = [
  "01",
  ..."02 03 04 05 06 07 0a 0b 10 11 12 13 14 16 17 18 1a 1b 1c 1d".split(" ")
]
const ternary = ["08", "09"] as const
const nullary = ["30", "32", "33", "34", "36", "38", "3d", "47", "58", "59", "5a"] as const

/** `Error(string)` of this text, as it is returned. */
const errorWith = (text: string): string => {
  const bytes = Buffer.from(text).toString("hex")
  return `08c379a0${hex(32, 32)}${hex(text.length, 32)}${bytes.padEnd(64, "0")}`
}

/**
 * Makes code that may call contracts at the given addresses. `isWild`: also code that fails where machines differ most: that goes past
 * its end, jumps to a wrong place, can't pay for what it creates, calls with little gas and sends coin to reserved addresses.
 */
export class RandomCode {
  constructor(readonly r: Random, readonly known: ReadonlyArray<string>, readonly isWild = false) {}

  /** Whether to write something wild now, one time in so many. */
  #wild(times: number): boolean {
    return this.isWild && this.r.int(times) === 0
  }

  /** A contract's code: some statements and an end. */
  runtime(): string {
    const count = 2 + this.r.int(10)
    return Array.from({ length: count }, () => this.#statement(2)).join("") + this.#end()
  }

  /** Code that creates a contract with this code, after some statements of its own. */
  creation(runtime: string): string {
    const prefix = this.r.int(3) === 0 ? this.#statement(1) : ""
    const length = runtime.length / 2
    // PUSH2 length DUP1 PUSH2 start PUSH0 CODECOPY PUSH0 RETURN: 11 bytes.
    const start = prefix.length / 2 + 11
    return `${prefix}61${hex(length, 2)}8061${hex(start, 2)}5f395ff3${runtime}`
  }

  #address(): string {
    const { known, r } = this
    const some = r.int(5)
    if (some === 0 || known.length === 0) return r.bytes(20).slice(2)
    return known[r.int(known.length)] ?? ""
  }

  #value(depth: number): string {
    const { r } = this
    const kind = depth === 0 ? r.int(3) : r.int(8)
    if (kind === 0) return number(r.int(40))
    if (kind === 1) return push(r.bytes(1 + r.int(32)).slice(2))
    // The price of blobs, which is each chain's own.
    if (kind === 2) return this.#wild(8) ? "4a" : r.pick(nullary)
    if (kind === 3) return this.#unary(depth)
    if (kind === 4) return this.#value(depth - 1) + this.#value(depth - 1) + this.#value(depth - 1) + r.pick(ternary)
    if (kind === 5) return number(32 * r.int(4)) + number(r.int(memory)) + "20"
    return this.#value(depth - 1) + this.#value(depth - 1) + r.pick(binary)
  }

  #unary(depth: number): string {
    const op = this.#wild(10) ? "49" : this.r.pick(unary)
    // Memory and storage are small, so that reads find what was written.
    if (op === "51") return number(this.r.int(memory)) + op
    if (op === "54" || op === "5c") return number(this.r.int(6)) + op
    if (op === "3b") return push(this.#address()) + op
    // A transaction has one blob at most.
    if (op === "49") return number(this.r.int(2)) + op
    return this.#value(depth - 1) + op
  }

  #statement(depth: number): string {
    const { r } = this
    switch (r.int(13)) {
      case 0:
      case 1:
      case 2:
        return this.#value(depth) + number(r.int(6)) + "55"
      case 3:
        return this.#value(depth) + number(r.int(6)) + "5d"
      case 4:
        return this.#value(depth) + number(r.int(memory)) + r.pick(["52", "53"])
      case 5:
        return this.#log(depth)
      case 6:
        return number(r.int(64)) + number(r.int(memory)) + number(r.int(memory)) + r.pick(["37", "39", "5e"])
      case 7:
        return this.#call(this.#wild(20) ? 0x0a : precompiles[r.int(precompiles.length)] ?? 4)
      case 8:
      case 9:
        return this.#call(undefined)
      case 10:
        return depth === 0 ? "" : this.#create(depth)
      case 11:
        return depth === 0 ? "" : this.#branch(depth)
      default:
        return r.int(12) === 0 ? r.pick(["fe", "0c", "3e"]) : this.#value(depth) + "50"
    }
  }

  #log(depth: number): string {
    const topics = this.r.int(5)
    const values = Array.from({ length: topics }, () => this.#value(depth)).join("")
    return values + number(this.r.int(64)) + number(this.r.int(memory)) + hex(0xa0 + topics)
  }

  /** Calls with a part of the memory as data, and keeps whether it succeeded. */
  #call(precompile: number | undefined): string {
    const { r } = this
    const kind = r.pick(["f1", "f2", "f4", "fa"])
    const reserved = this.#wild(8) ? number(1 + r.int(0x401)) : undefined
    const target = reserved ?? (precompile === undefined ? push(this.#address()) : number(precompile))
    const sends = precompile === undefined || this.#wild(4)
    const value = kind === "f1" || kind === "f2" ? number(sends ? r.int(3) : 0) : ""
    const gas = this.#wild(4) ? number(r.pick([0, 1, 700, 2_300, 3_000, 4_294_967_295])) : "61ea60"
    const input = number(precompile === undefined ? r.int(64) : 32 * r.int(8)) + number(r.int(64))
    const output = number(r.int(64)) + number(r.int(memory))
    return `${output}${input}${value}${target}${gas}${kind}${number(r.int(6))}55`
  }

  /** Creates a contract from code in memory, and keeps its address. */
  #create(depth: number): string {
    const { r } = this
    const code = this.#wild(3)
      // Returns much code, which costs 200 gas a byte, or code that begins with 0xef.
      ? r.pick(["610fa05ff3", "6160005ff3", "60ef5f5360015ff3", "6160015ff3"])
      : this.creation(this.#value(depth - 1) + number(r.int(6)) + "55").slice(0, 256)
    const words = (code.match(/.{1,64}/g) ?? []).map((word, at) => push(word.padEnd(64, "0")) + number(32 * at) + "52")
    const isSalted = r.int(2) === 0
    const salt = isSalted ? number(r.int(4)) : ""
    return `${words.join("")}${salt}${number(code.length / 2)}5f${number(r.int(2))}${isSalted ? "f5" : "f0"}${
      number(r.int(6))
    }55`
  }

  /** Skips a statement, or not: PC, what lies between and the destination after it. */
  #branch(depth: number): string {
    const body = this.#statement(depth - 1)
    // condition, PUSH2 distance, PC, ADD, JUMPI, body, JUMPDEST: PC stands 1 behind the push.
    return `${this.#value(depth - 1)}61${hex(body.length / 2 + 3, 2)}580157${body}5b`
  }

  /** Past the end, to a wrong place, a revert with a text, memory that nobody can pay, more than was returned. */
  #wildEnd(): string {
    const { r } = this
    const text = errorWith(r.pick(["", "no", "too little, \u00fcber all"]))
    const words = (text.match(/.{1,64}/g) ?? []).map((word, at) => push(word.padEnd(64, "0")) + number(32 * at) + "52")
    return r.pick([
      "",
      "60",
      `${number(r.int(300))}56`,
      `${words.join("")}${number(text.length / 2)}5ffd`,
      `${push("ff".repeat(r.pick([4, 8, 9, 32])))}5ff3`,
      `${number(1 + r.int(64))}${number(r.int(64))}5f3e`
    ])
  }

  #end(): string {
    const { r } = this
    if (this.#wild(3)) return this.#wildEnd()
    const area = number(r.int(96)) + number(r.int(memory))
    const kind = r.int(12)
    if (kind === 0) return `${area}fd`
    if (kind === 1) return "00"
    if (kind === 2) return `${push(this.#address())}ff`
    return `${area}f3`
  }
}
