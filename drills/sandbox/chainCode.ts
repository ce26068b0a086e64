/** Contracts that try to break the EVM. Code is in hexadecimal digits without 0x. */
import type { Random } from "../../packages/sandbox/src/internal/Random.js"

/** A program, and whether it may burn the KLAY that it receives. */
export interface Program {
  readonly name: string
  readonly code: string
  readonly burns?: boolean
}

const hex = (value: number, bytes: number): string => value.toString(16).padStart(bytes * 2, "0")

/** PUSH with as few bytes as the value needs. */
const push = (value: number): string => {
  if (value === 0) return "5f"
  const digits = value.toString(16)
  const even = digits.length % 2 === 0 ? digits : `0${digits}`
  return hex(0x5f + even.length / 2, 1) + even
}

/** Repeats a piece of code until the gas is used up. */
const forever = (body: string): string => `5b${body}5f56`

/** The same up to 255 times. */
const repeated = (times: number, body: string): string => {
  // The counter is on the stack; the body leaves the stack as it was.
  const start = push(times)
  return `${start}5b${body}6001900380${push(start.length / 2)}57`
}

const randomBytes = (random: Random, count: number): string =>
  Array.from({ length: count }, () => hex(random.between(0, 255), 1)).join("")

/** Creation code of a contract with the given code. */
export const creationOf = (code: string): string => `61${hex(code.length / 2, 2)}80600a3d393df3${code}`

/** Creation code in memory, at 0, up to 32 bytes of it. */
const inMemory = (code: string): string => `${hex(0x5f + code.length / 2, 1)}${code}5f52`

const precompiles = [...Array.from({ length: 0x13 }, (_, index) => index + 1), 0x3fd, 0x3fe, 0x3ff, 0x100]

const callOf = (random: Random, address: string, size: number, gas: string): string => {
  const [kind = "f1"] = [random.pick(["f1", "f2", "f4", "fa"])]
  const value = kind === "f1" || kind === "f2" ? "5f" : ""
  return `${push(random.pick([0, 1, 32, 64, 4096]) ?? 0)}5f${push(size)}5f${value}${address}${gas}${kind}50`
}

const oddSizes = [0, 1, 31, 32, 33, 63, 64, 65, 96, 117, 128, 129, 192, 213, 256, 288, 384, 512, 1000, 5000]

/** Calls precompiles with input of odd sizes and odd content. */
const askPrecompiles = (random: Random): string =>
  Array.from({ length: random.between(1, 20) }, () => {
    const fill = Array.from({ length: random.between(0, 4) }, () =>
      `7f${randomBytes(random, 32)}${push(random.between(0, 200))}52`)
    const gas = random.pick(["5a", push(random.between(0, 100_000))]) ?? "5a"
    return fill.join("") + callOf(random, push(random.pick(precompiles) ?? 1), random.pick(oddSizes) ?? 0, gas)
  }).join("")

const self = "30"
const all = "5a"

/** The programs: everything that a contract can do to whoever runs it. */
const programs: ReadonlyArray<readonly [name: string, code: (random: Random) => string, burns?: boolean]> = [
  ["precompiles", askPrecompiles],
  ["endless loop", () => forever("")],
  ["stores without end", () => forever("5a805500".slice(0, 6))],
  ["logs without end", (random) => forever(`${push(random.between(0, 600))}5fa0`)],
  ["large logs", (random) => repeated(random.between(1, 20), `5a5a5a5a${push(random.between(0, 20_000))}5fa4`)],
  ["large answer", (random) => `${push(random.between(0, 200_000))}5ff3`],
  ["large revert", (random) => `${push(random.between(0, 200_000))}5ffd`],
  ["memory far out", (random) => `60ff${hex(0x5f + random.between(3, 32), 1)}${"ff".repeat(40)}`],
  ["memory grows", () => forever("5f595260ff5952")],
  ["creates without end", () => forever(`${inMemory("5f5ff3")}6003601d5ff050`)],
  ["creates twice with one salt", () => `${inMemory("60016000f3")}${"60056005601b5ff550".repeat(3)}`],
  ["creates what destroys itself", () => repeated(5, `${inMemory("30ff")}6002601e5ff050`)],
  ["creates itself", () => `365f5f37385f5f39385f5ff050`],
  ["calls itself", (random) => callOf(random, self, random.between(0, 64), all)],
  ["calls itself twice", (random) => callOf(random, self, 0, all) + callOf(random, self, 0, all)],
  ["delegates to itself without end", () => forever("5f5f5f5f305af450")],
  ["overflows the stack", () => forever("5a5a")],
  ["underflows the stack", (random) => "50".repeat(random.between(1, 4))],
  ["jumps nowhere", (random) => `${push(random.between(0, 70_000))}56`],
  ["jumps into data", () => "6001565b"],
  ["keeps for a transaction", () => repeated(40, "5a805d5c50")],
  ["copies memory", (random) => repeated(9, `${push(random.between(0, 30_000))}5f${push(random.between(0, 9_000))}5e`)],
  ["looks at blobs, fees and blocks", () => repeated(20, "5f49504a5048504450600143034050415042504350455046504750")],
  ["looks at accounts", () => repeated(20, "5a3b505a3f505a31505f5f5f5a3c")],
  [
    "copies far out",
    (random) =>
      `${push(random.between(0, 50_000))}7f${"ff".repeat(32)}5f37${push(random.between(0, 50_000))}5f7f${
        "ff".repeat(32)
      }3e`
  ],
  ["destroys itself for another", (random) => `73${randomBytes(random, 20)}ff`, true],
  ["destroys itself for itself", () => "30ff", true],
  ["destroys itself for a precompile", (random) => `${push(random.pick(precompiles) ?? 1)}ff`, true],
  ["stores and takes it back", () => repeated(20, "5a8055") + "5f5ffd"],
  ["gives all gas away", () => "fe"],
  [
    "no such instruction",
    (random) => random.pick(["0c", "1e", "21", "4b", "a5", "b0", "c0", "ef", "e0", "f6", "fb"]) ?? "0c"
  ],
  ["returns code that begins with ef", () => "60ef5f5360015ff3"],
  ["returns code that is too large", (random) => `${push(random.between(24_570, 24_600))}5ff3`],
  ["sends its coin on", (random) => `5f5f5f5f4773${randomBytes(random, 20)}5af1505f5f5f5f4730${all}f150`],
  ["random bytes", (random) => randomBytes(random, random.between(1, 400)), true]
]

export const programCount = programs.length

/** A program by its index, which wraps around. */
export const programOf = (random: Random, index: number): Program => {
  const [name, code, burns] = programs[index % programs.length] ?? ["stops", () => "00"]
  return { name, code: code(random), ...(burns === true && { burns }) }
}
