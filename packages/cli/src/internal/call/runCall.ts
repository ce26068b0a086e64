/** Calls one method of a node, or lists them. */
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Connection from "../service/Connection.js"
import * as printed from "../terminal/printed.js"
import * as Screen from "../terminal/Screen.js"
import * as callArguments from "./callArguments.js"
import type { CallInput } from "./options.js"

/** The methods, and how each is called. */
const list = callArguments.listed.map(({ method }) => callArguments.signature(method))

const listJson = callArguments.listed.map(({ method, name }) =>
  JSON.stringify({
    method: name,
    params: callArguments.paramsOf(method).map(({ form, name }) => ({ name, takes: form.takes })),
    safety: method.safety
  })
)

/** A result decoded by the method's own schema. */
const typed = Effect.fnUntraced(function*(name: string, asWritten: ReadonlyArray<string>) {
  const { method: found, namespace } = yield* callArguments.find(name)
  const { method, words } = callArguments.resolve(found, asWritten)
  const values = yield* callArguments.read(method, words)
  return {
    namespace,
    run: (node: KlaytnNode.Service) => node.run(callArguments.untyped(method), ...values)
  }
})

/** The node's own JSON. */
const raw = (name: string, words: ReadonlyArray<string>) =>
  Effect.map(callArguments.readRaw(words), (values) => ({
    namespace: "klay" as const,
    run: (node: KlaytnNode.Service) => node.call(name, values, Schema.Unknown)
  }))

/** `klaytn call`. */
export const run = Effect.fnUntraced(function*(input: CallInput) {
  const { out } = yield* Screen.Screen
  const { method: name } = input
  if (name === undefined) return yield* out.write(Screen.lines(input.json ? listJson : list))
  const { namespace, run } = yield* (input.raw ? raw(name, input.words) : typed(name, input.words))
  const result = yield* Effect.flatMap(KlaytnNode.KlaytnNode, run).pipe(
    Effect.provide(KlaytnNode.layer({ namespace }).pipe(Layer.provide(Connection.config(input, "node"))))
  )
  if (input.raw) return yield* out.write(`${printed.writeJson(result)}\n`)
  yield* printed.write(
    input.json,
    result,
    ({ isTerminal }) => Screen.lines(printed.toLines(printed.toJson(result), isTerminal))
  )
})
