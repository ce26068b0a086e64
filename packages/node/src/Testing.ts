/**
 * Stubs of a node for tests: a test gives the methods that its program calls, with typed results, and every other call is a
 * defect that names the method. For a node that answers by wire name and JSON, see `KlaytnNode.layerTest`; for a whole chain,
 * use the sandbox.
 *
 * **Example** (a program that reads a balance)
 *
 * ```ts
 * import type { Peb } from "@effect-klaytn/core/Amount"
 * import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
 * import * as Testing from "@effect-klaytn/node/Testing"
 * import * as Effect from "effect/Effect"
 *
 * declare const rich: Peb
 *
 * const Test = Testing.layer({ klay: { getBalance: () => Effect.succeed(rich) } })
 *
 * export const program = Effect.flatMap(
 *   KlaytnNode.KlaytnNode,
 *   (node) => node.klay.getBalance("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
 * ).pipe(Effect.provide(Test))
 * ```
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import { type Functions, KlaytnNode, type Service } from "./KlaytnNode.js"
import type * as Method from "./Method.js"
import * as Methods from "./Methods.js"

/**
 * The methods that a test answers, by namespace and function. Lists of calls (`runEach`, `runAll`) and `run` are answered
 * by them too.
 *
 * @category models
 */
export interface Stubs {
  /** Defaults to 1001. */
  readonly chain?: Chain | undefined
  readonly klay?: Partial<Functions<typeof Methods.klay>> | undefined
  readonly eth?: Partial<Functions<typeof Methods.eth>> | undefined
  readonly net?: Partial<Functions<typeof Methods.net>> | undefined
  readonly web3?: Partial<Functions<typeof Methods.web3>> | undefined
  readonly rpc?: Partial<Functions<typeof Methods.rpc>> | undefined
  readonly call?: Service["call"] | undefined
  readonly notify?: Service["notify"] | undefined
}

type Stub = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

const missing = (name: string): Stub => () => Effect.dieMessage(`the test has no stub for ${name}`)

type AnyMethod = Pick<Method.Any, "namespace" | "name">

const groups: { readonly [Namespace in Method.Namespace]: { readonly [name: string]: AnyMethod } } = {
  klay: Methods.klay,
  eth: Methods.eth,
  net: Methods.net,
  web3: Methods.web3,
  rpc: Methods.rpc
}

/**
 * Makes a node from stubs.
 *
 * @category constructors
 */
export const make = (stubs: Stubs = {}): Service => {
  /** The stub of each method, which is known by its identity. */
  const known = new Map<AnyMethod, Stub>()
  /** A function for each method of a namespace: the test's, or one that is a defect. */
  const functions = Record.map(groups, (group, namespace) => {
    // The public type gives each stub the type of its method.
    const given: Readonly<Record<string, Stub | undefined>> = { ...stubs[namespace] as object }
    return Record.map(group, (method, name) => {
      const stub = given[name] ?? missing(`node.${namespace}.${name}`)
      known.set(method, stub)
      return stub
    })
  })
  const stubOf = (method: AnyMethod): Stub =>
    known.get(method) ?? missing(`the method ${method.namespace}_${method.name}`)
  const service = {
    chain: stubs.chain ?? 1001,
    namespace: "klay" as const,
    ...functions,
    run: (method: AnyMethod, ...args: ReadonlyArray<unknown>) => stubOf(method)(...args),
    runEach: (method: AnyMethod, list: Iterable<ReadonlyArray<unknown>>) =>
      Effect.forEach(list, (args) => Effect.either(stubOf(method)(...args))),
    runAll: (calls: ReadonlyArray<{ readonly method: AnyMethod; readonly args: ReadonlyArray<unknown> }>) =>
      Effect.forEach(calls, ({ args, method }) => Effect.either(stubOf(method)(...args))),
    call: stubs.call ?? missing("node.call"),
    notify: stubs.notify ?? missing("node.notify")
  }
  // Each stub has the type of its method, and each group the functions of its methods.
  return service as unknown as Service
}

/**
 * Makes a node from stubs, as a layer.
 *
 * @category layers
 */
export const layer = (stubs?: Stubs): Layer.Layer<KlaytnNode> => Layer.sync(KlaytnNode, () => make(stubs))
