/** The words behind `klaytn call METHOD` as the values that the method takes. */
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as Method from "@effect-klaytn/node/Method"
import * as Methods from "@effect-klaytn/node/Methods"
import type { Param } from "@effect-klaytn/node/Param"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { didYouMean } from "../frame/Subcommand.js"
import * as Failure from "../terminal/Failure.js"

/**
 * All methods in the order of the table, each with the name to call it by: its name on the wire, or that of its function where
 * two share one.
 */
export const listed = Object.entries({
  klay: Methods.klay,
  eth: Methods.eth,
  net: Methods.net,
  web3: Methods.web3,
  rpc: Methods.rpc
}).flatMap(([namespace, group]) => {
  const taken = new Set<string>()
  return Object.entries<Method.Any>(group).map(([key, method]) => {
    const wireName = Method.wireName(method)
    const name = taken.has(wireName) ? `${namespace}_${key}` : wireName
    taken.add(wireName)
    return { name, method }
  })
})

/** Methods by their names in lower case. A name without a namespace is that of `klay`, if there is one. */
const byName: ReadonlyMap<string, Method.Any> = new Map(
  listed.toReversed().flatMap(({ method, name }) =>
    [name, name.replace(/^.*_/, "")].map((one) => [one.toLowerCase(), method] as const)
  )
)

/** The method of a name: `klay_getBalance`, `kaia_getBalance`, `klay.getBalance` or `getBalance`. */
export const find = (name: string) => {
  const word = name.toLowerCase().replace(".", "_")
  const isKaia = word.startsWith("kaia_")
  const method = byName.get(isKaia ? word.replace("kaia", "klay") : word)
  const namespace: "kaia" | "klay" = isKaia ? "kaia" : "klay"
  if (method !== undefined) return Either.right({ method, namespace })
  const known = listed.map((one) => one.name)
  return Either.left(
    Failure.usage(
      `there is no method ${name}`,
      ...didYouMean(name, [...known, ...known.map((one) => one.replace(/^.*_/, ""))]),
      "klaytn call lists all methods; --raw sends any other"
    )
  )
}

const isFixed = ({ form }: Param): boolean => form.takes === "true" || form.takes === "false"

/** A cast: the values of a method are checked when they are encoded, parameter by parameter, before anything is sent. */
export const untyped = (method: Method.Any): Method.Method<ReadonlyArray<unknown>, unknown, "once"> =>
  method as unknown as Method.Method<ReadonlyArray<unknown>, unknown, "once">

/** All parameters, with those that the method fixes, such as whether a block comes with its transactions. */
const allParamsOf = (method: Method.Any): ReadonlyArray<Param> => untyped(method).params()

/** The parameters that a caller passes. */
export const paramsOf = (method: Method.Any): ReadonlyArray<Param> =>
  allParamsOf(method).filter((param) => !isFixed(param))

/**
 * Resolves words that follow the wire's form: `klay_getBlockByNumber latest true` means the method that fixes `true`, with
 * the word `latest`.
 */
export const resolve = (
  method: Method.Any,
  words: ReadonlyArray<string>
): { readonly method: Method.Any; readonly words: ReadonlyArray<string> } => {
  const wireName = Method.wireName(method)
  const found = listed.map((one) => one.method).find((one) => {
    const params = allParamsOf(one)
    return Method.wireName(one) === wireName && params.length === words.length && params.some(isFixed) &&
      params.every((param, i) => !isFixed(param) || param.form.takes === words[i])
  })
  if (found === undefined) return { method, words }
  const fixed = allParamsOf(found).map(isFixed)
  return { method: found, words: words.filter((_, i) => fixed[i] === false) }
}

const isRequired = (param: Param): boolean => !param.optional && param.value === undefined

/** How a method is called, as in `klay_getBalance ADDRESS [BLOCK]`. */
export const signature = (method: Method.Any): string =>
  [
    listed.find((one) => one.method === method)?.name ?? Method.wireName(method),
    ...paramsOf(method).map((param) => isRequired(param) ? param.name.toUpperCase() : `[${param.name.toUpperCase()}]`)
  ].join(" ")

/** Fields that hold a quantity, in the objects that methods take. */
const quantities: ReadonlySet<string> = new Set([
  "gas",
  "gasPrice",
  "maxFeePerGas",
  "maxPriorityFeePerGas",
  "value",
  "chainId",
  "nonce",
  "balance",
  "fromBlock",
  "toBlock",
  "x",
  "y"
])

const wholeNumber = (text: string): bigint | undefined =>
  /^(\d{1,78}|0x[0-9a-f]{1,64})$/i.test(text) ? BigInt(text) : undefined

/** Objects as people write them: a quantity is a number, its decimal digits, or hex. */
const withQuantities = (value: unknown, name?: string): unknown => {
  if (name !== undefined && quantities.has(name)) {
    if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value)
    return typeof value === "string" ? wholeNumber(value) ?? value : value
  }
  if (Array.isArray(value)) return value.map((one) => withQuantities(one))
  if (!Predicate.isReadonlyRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withQuantities(field, key)]))
}

const isJson = (word: string): boolean => /^\s*[[{"]/.test(word)

const numeric = new Set(["whole number", "block number", "block", "height", "slot"])

/** A number as people write it; a hash or the bytes of a slot as they are. */
const fromNumeric = (word: string): unknown => /^0x.{64}$/i.test(word) ? word : wholeNumber(word) ?? word

/** A word as a value of a parameter. One that does not fit is refused by the method later, by the parameter's name. */
const fromWord = (param: Param, word: string): Either.Either<unknown, Failure.Failure> => {
  const { takes } = param.form
  if (isJson(word)) {
    return Either.mapBoth(JsonRpc.parse(word), {
      onLeft: () => Failure.usage(`${param.name} is not JSON: quote it for the shell, as in '{"to":"0x..."}'`),
      onRight: (value) => withQuantities(value)
    })
  }
  if (numeric.has(takes)) return Either.right(fromNumeric(word))
  if (takes === "boolean") return Either.right(word === "true" ? true : word === "false" ? false : word)
  if (takes === "percentiles") return Either.right(word.split(",").map(Number))
  if (takes === "slot[]") return Either.right(word.split(",").map(fromNumeric))
  if (takes.endsWith("[]")) return Either.right(word.split(","))
  return Either.right(word)
}

/** The words as values, or what is wrong with their number or form. */
export const read = (
  method: Method.Any,
  words: ReadonlyArray<string>
): Either.Either<ReadonlyArray<unknown>, Failure.Failure> => {
  const params = paramsOf(method)
  const how = `usage: klaytn call ${signature(method)}`
  const missing = params.slice(words.length).filter(isRequired)
  if (missing.length > 0) {
    return Either.left(
      Failure.usage(
        `${missing.map(({ form, name }) => name === form.takes ? name : `${name} (${form.takes})`).join(" and ")} ${
          missing.length === 1 ? "is" : "are"
        } missing`,
        how
      )
    )
  }
  if (words.length > params.length) {
    return Either.left(Failure.usage(`it takes ${params.length} arguments at most, not ${words.length}`, how))
  }
  return Either.all(params.slice(0, words.length).map((param, i) => fromWord(param, words[i] ?? "")))
}

const holdsBigint = (value: unknown): boolean =>
  typeof value === "bigint" ||
  typeof value === "object" && value !== null && Object.values(value).some(holdsBigint)

/** The words for `--raw`: JSON where it is JSON, text otherwise. JSON is not sent with a number that would be rounded. */
export const readRaw = (words: ReadonlyArray<string>): Either.Either<ReadonlyArray<unknown>, Failure.Failure> =>
  Either.all(words.map((word) => {
    const isText = !/^\s*([[{"]|-?\d+(\.\d+)?\s*$|true\s*$|false\s*$|null\s*$)/.test(word)
    const value = isText ? word : Either.getOrElse(JsonRpc.parse(word), () => word)
    return holdsBigint(value)
      ? Either.left(Failure.usage(`${word} would lose digits as a number`, "give it as text: '\"...\"', or in hex"))
      : Either.right(value)
  }))
