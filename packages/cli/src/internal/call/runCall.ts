/** Calls one method of a node, or lists them. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isOwnNode } from "../frame/shared.js"
import * as Connection from "../service/Connection.js"
import * as ownNode from "../service/ownNode.js"
import * as Failure from "../terminal/Failure.js"
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

/**
 * The chain that the node has to be on, if the words name one. A node of one's own does not read the chain of a request, so that of
 * the environment counts, too.
 */
const expectedChain = Effect.fnUntraced(function*(input: CallInput) {
  if (input.chain !== undefined || !isOwnNode(input)) return input.chain
  const found = yield* Config.option(Config.nonEmptyString("KLAYTN_CHAIN_ID"))
  return Option.getOrUndefined(found)?.trim()
})

/** Refuses a node of another chain: its answers would be about something else. */
const checkChain = Effect.fnUntraced(function*(node: KlaytnNode.Service, expected: string) {
  const chainId = yield* node.eth.chainId()
  if (String(chainId) === expected) return
  const message = `it is a node of chain ${chainId}, and ${expected} is asked for`
  return yield* new Failure.Failure({ message, kind: "OtherChain", exit: "refused" })
})

/** `klaytn call`. */
export const run = Effect.fnUntraced(function*(input: CallInput) {
  const { out } = yield* Screen.Screen
  const { method: name } = input
  if (name === undefined) return yield* out.write(Screen.lines(input.json ? listJson : list))
  const { namespace, run } = yield* (input.raw ? raw(name, input.words) : typed(name, input.words))
  const config = isOwnNode(input)
    ? Layer.effect(ClientConfig.ClientConfig, Effect.map(ownNode.open(input), ({ settings }) => settings))
    : Connection.config(input, "node")
  const expected = yield* expectedChain(input)
  const result = yield* Effect.flatMap(
    KlaytnNode.KlaytnNode,
    (node) => expected === undefined ? run(node) : Effect.zipRight(checkChain(node, expected), run(node))
  ).pipe(
    Effect.provide(Layer.provide(KlaytnNode.layer({ namespace }), config)),
    (call) => isOwnNode(input) ? ownNode.explained(call) : call
  )
  if (input.raw) return yield* out.write(`${printed.writeJson(result)}\n`)
  yield* printed.write(
    input.json,
    result,
    ({ isTerminal }) => Screen.lines(printed.toLines(printed.toJson(result), isTerminal))
  )
})
