/** Bad bodies, derived from good ones by a seed. */
import type { Random } from "../../packages/sandbox/src/internal/Random.js"

/** A placeholder for text that goes into the body unescaped. */
const raw = (texts: Array<string>, text: string): string => `\u0000raw ${texts.push(text) - 1}\u0000`

const written = (value: unknown, texts: ReadonlyArray<string>): string =>
  (JSON.stringify(value) ?? "").replace(/"\\u0000raw (\d+)\\u0000"/g, (_, at: string) => texts[Number(at)] ?? "null")

/** The deepest that a body is nested. */
export const deepest = 250_000

/** Usually a few levels, rarely as many as a body can hold. */
const depth = (random: Random): number =>
  Math.floor(10 ** (1 + random.fraction() * (random.fraction() < 0.04 ? Math.log10(deepest) - 1 : 2.5)))

const nested = (random: Random): string => {
  const levels = depth(random)
  return random.fraction() < 0.5
    ? "[".repeat(levels) + "]".repeat(levels)
    : `${"{\"a\":".repeat(levels)}1${"}".repeat(levels)}`
}

/** Names of inherited members, and names that code looks for. */
const names = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "toJSON",
  "hasOwnProperty",
  "then",
  "_tag",
  "length",
  "0",
  "",
  "message",
  "code",
  "error",
  "extra",
  "cause",
  "\u202ename",
  "n\u0000me"
]

const hexes = (random: Random): string =>
  random.pick(["0x", "0x0g", "-0x1", "0X1F", "1e3", " 0x1", "0x1 ", "12", "0x00", "٣", `0x${"f".repeat(10_000)}`]) ?? ""

const texts = (random: Random): string =>
  random.pick([
    "",
    " ",
    "\ud800",
    "\udfff\ud800",
    "\u0000",
    "\u001b[31mred\u001b[0m\r\nforged: a line",
    "\u202eright to left",
    "\u200b".repeat(50),
    "é".repeat(20_000),
    "__proto__",
    "<script>",
    "${jndi:x}",
    "{\"json\":1}",
    "9".repeat(400)
  ]) ?? ""

const numbers = [
  "1e400",
  "-1e400",
  "-0",
  "-1",
  "0.1",
  "1e-400",
  "9007199254740993",
  "1e21",
  "8640000000001",
  "9".repeat(3000),
  `0.${"3".repeat(3000)}`
]

/** A value to replace another. */
const other = (random: Random, raws: Array<string>, secret: string): unknown => {
  switch (random.between(0, 9)) {
    case 0:
      return null
    case 1:
      return random.fraction() < 0.5
    case 2:
      return raw(raws, random.pick(numbers) ?? "0")
    case 3:
      return texts(random)
    case 4:
      return hexes(random)
    case 5:
      return []
    case 6:
      return {}
    case 7:
      return raw(raws, nested(random))
    case 8:
      return raw(
        raws,
        `{"${random.pick(names.slice(0, 14)) ?? ""}":${random.pick(["1", "null", "{}", "[1]", "\"x\""])}}`
      )
    default:
      return `echo ${secret} of it`
  }
}

type Tree = Array<unknown> | { [name: string]: unknown }

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null

/** All places in a tree: the object or array, and the key in it. */
const places = (value: unknown): ReadonlyArray<readonly [Tree, string]> =>
  isTree(value)
    ? Object.entries(value).flatMap(([name, inner]) => [[value, name] as const, ...places(inner)])
    : []

const put = (tree: Tree, name: string, value: unknown): void => {
  Object.defineProperty(tree, name, { value, configurable: true, enumerable: true, writable: true })
}

/** Changes one place of a tree. */
const change = (random: Random, root: unknown, raws: Array<string>, secret: string): unknown => {
  const place = random.pick(places(root))
  if (place === undefined || random.fraction() < 0.05) return other(random, raws, secret)
  const [tree, name] = place
  const value = Reflect.get(tree, name)
  switch (random.between(0, 7)) {
    case 0:
      if (Array.isArray(tree)) tree.splice(Number(name), 1)
      else Reflect.deleteProperty(tree, name)
      return root
    case 1:
      put(tree, name, [value])
      return root
    case 2:
      put(tree, name, { a: value })
      return root
    case 3:
      if (Array.isArray(tree)) tree.push(value, value)
      else put(tree, random.pick(names) ?? "", other(random, raws, secret))
      return root
    case 4:
      if (typeof value === "string") put(tree, name, random.fraction() < 0.5 ? hexes(random) : value.slice(0, -1))
      else put(tree, name, other(random, raws, secret))
      return root
    default:
      put(tree, name, other(random, raws, secret))
      return root
  }
}

/** Changes the text of a body. */
const scribble = (random: Random, text: string): string => {
  const at = random.between(0, text.length)
  switch (random.between(0, 5)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + (random.pick(["\u0000", "{", "]", ",", "\"", "\\u", "\ufeff", "NaN"]) ?? "") +
        text.slice(at)
    case 2:
      // Every member twice, once with another value.
      return text.replace(/"(\w+)":/g, "\"$1\":null,\"$1\":")
    case 3:
      return `${text}${text}`
    case 4:
      return random.pick(["", " ", "null", "[]", "{}", "0", "\"\"", "true", "<html>", "\ufeff{}"]) ?? ""
    default:
      return nested(random)
  }
}

/** An answer as it is sent. */
export interface Answer {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: string
}

const statuses = [
  201,
  202,
  204,
  206,
  299,
  300,
  302,
  304,
  307,
  400,
  401,
  403,
  404,
  409,
  413,
  418,
  429,
  500,
  502,
  503,
  599
]

const contentTypes = [
  undefined,
  "",
  "text/html",
  "text/plain",
  "application/json; charset=utf-16",
  "a/b",
  "é",
  "application/x"
]

/** An error response, well formed or not. */
const refusal = (random: Random, secret: string): unknown => ({
  code: random.pick([1_040_400, 1_061_010, 1_010_009, 1_041_000, "0x1", 1.5, null, { toString: 1 }, [1_040_400], -1]),
  message: random.pick(["refused", `refused ${secret}`, { toString: 1 }, ["a"], null, texts(random)]),
  requestId: random.pick(["r-1", secret, 7, null, "\u001b[2J"])
})

/** Turns a good body, or an envelope around it, into an answer that is usually bad in one to three places. */
export const garbage = (random: Random, good: unknown, secret: string): Answer => {
  const raws: Array<string> = []
  const isRefusal = random.fraction() < 0.12
  let root: unknown = isRefusal ? refusal(random, secret) : structuredClone(good)
  for (let left = random.between(isRefusal ? 0 : 1, 3); left > 0; left--) root = change(random, root, raws, secret)
  const text = written(root, raws)
  const status = isRefusal || random.fraction() < 0.06 ? random.pick(statuses) ?? 200 : 200
  return {
    status,
    contentType: random.fraction() < 0.06 ? random.pick(contentTypes) : "application/json",
    body: status === 204 || status === 304 ? "" : random.fraction() < 0.12 ? scribble(random, text) : text
  }
}
