/** Lists of calls: many reads in one fiber, each with its own outcome. */
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Deadline from "@effect-klaytn/core/Deadline"
import type * as Decoder from "@effect-klaytn/core/Decoder"
import type { Endpoint } from "@effect-klaytn/core/Endpoints"
import * as Input from "@effect-klaytn/core/Input"
import type { Safety } from "@effect-klaytn/core/Operation"
import * as Recording from "@effect-klaytn/core/Recording"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Telemetry from "@effect-klaytn/core/Telemetry"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Method from "../../Method.js"
import type { Param } from "../../Param.js"
import type { CallDescriptor, NodeError } from "../errors/failure.js"
import * as preparedMethod from "../methods/preparedMethod.js"
import type { ListItem } from "./listedCalls.js"
import type { Transport } from "./transport.js"

/** What the calls of a node have in common. */
export interface Settings {
  readonly chain: Chain
  readonly namespace: "klay" | "kaia"
  /** `undefined` if nothing is sent over a network. */
  readonly endpoint?: Endpoint | undefined
}

type Outcome = Either.Either<unknown, NodeError>

/** Lists whose answers came in more than one exchange. */
const torn = new WeakSet<object>()

/**
 * Whether all answers of a list came in one exchange, and so from one copy of a node: not if some were asked again alone, or the list was
 * sent in parts.
 */
export const isFromOneExchange = (results: ReadonlyArray<unknown>): boolean => !torn.has(results)

/** What the calls of a list share. */
class Outcomes {
  readonly all: Array<Outcome> = []
  #exchange: object | undefined
  readonly #began: number
  /** The calls that ended since the last record, by operation and then by outcome: those of a request end together. */
  #ended = new Map<string, Map<string, number>>()

  constructor(
    private readonly fiber: Fiber.RuntimeFiber<unknown, unknown>,
    private readonly endpoint: Endpoint | undefined,
    private readonly clock: Clock.Clock
  ) {
    this.#began = Deadline.now(clock)
  }

  settle(at: number, { operation }: CallDescriptor, outcome: Outcome, exchange?: object): void {
    this.all[at] = outcome
    if (exchange !== this.#exchange) {
      if (this.#exchange === undefined) this.#exchange = exchange
      else torn.add(this.all)
    }
    const tags = this.#ended.get(operation) ?? new Map<string, number>()
    const tag = Either.isRight(outcome) ? "success" : outcome.left._tag
    tags.set(tag, (tags.get(tag) ?? 0) + 1)
    this.#ended.set(operation, tags)
  }

  record(): void {
    const millis = Deadline.now(this.clock) - this.#began
    for (const [operation, tags] of this.#ended) {
      for (const [tag, times] of tags) Recording.operation(this.fiber, this.endpoint, operation, tag, millis, times)
    }
    this.#ended = new Map()
  }
}

class Item implements ListItem {
  #exchange: object | undefined

  constructor(
    readonly call: CallDescriptor,
    readonly params: ReadonlyArray<unknown>,
    private readonly decode: Decoder.Decoder<unknown>,
    private readonly outcomes: Outcomes,
    private readonly at: number
  ) {}

  onSent(exchange: object): void {
    this.#exchange = exchange
  }

  onResult(result: unknown): void {
    const outcome = preparedMethod.decodeResult(this.call, this.decode, result)
    this.outcomes.settle(this.at, this.call, outcome, this.#exchange)
  }

  onError(error: NodeError): void {
    this.outcomes.settle(this.at, this.call, Either.left(error), this.#exchange)
  }
}

const notSafe = (operation: string): InvalidInput =>
  InvalidInput.at(operation, ["method"], "only methods that change nothing can be called in a list")

interface Next {
  readonly prepared: preparedMethod.PreparedMethod<unknown>
  readonly params: ReadonlyArray<Param>
}

const listOptions = Schema.Struct({
  maxCount: Schema.optional(Input.Count),
  concurrency: Schema.optional(Input.wholeNumber("expected a whole number from 1 to 1000", 1, 1000))
})

type ListOptions = typeof listOptions.Encoded

export const make = (list: Transport["list"], { chain, endpoint, namespace }: Settings) => {
  /** Makes a call of each item when its turn comes. */
  const run = <A>(
    name: string,
    items: Iterable<A>,
    toCall: (item: A) => Next,
    options: ListOptions = {}
  ) =>
    Effect.withFiberRuntime<ReadonlyArray<Outcome>, InvalidInput>((fiber) => {
      const read = Input.decodeEither(name, listOptions)(options)
      if (Either.isLeft(read)) return Effect.fail(read.left)
      const problem = ServiceClient.limitsProblem(name, fiber.currentContext)
      if (Option.isSome(problem)) return Effect.fail(problem.value)
      const { concurrency = 4, maxCount } = read.right
      const clock = Context.get(fiber.currentDefaultServices, Clock.Clock)
      const outcomes = new Outcomes(fiber, endpoint, clock)
      const rest = items[Symbol.iterator]()
      let count = 0
      const next = (): ListItem | undefined => {
        for (let one = rest.next(); one.done !== true; one = rest.next()) {
          const { params, prepared: { call, decode } } = toCall(one.value)
          const at = count++
          const wire = call.safety === "safe"
            ? preparedMethod.encodeParams(call.operation, params)
            : Either.left(notSafe(call.operation))
          if (Either.isRight(wire)) return new Item(call, wire.right, decode, outcomes, at)
          outcomes.settle(at, call, Either.left(wire.left))
        }
        return undefined
      }
      const whole = Recording.inSpan(
        fiber,
        name,
        () => ({ attributes: { [Telemetry.attributes.operation]: name, [Telemetry.attributes.chainId]: chain } }),
        (span) =>
          list({
            next,
            onSettled: () => outcomes.record(),
            maxCount,
            concurrency
          }, { fiber, clock, span })
      )
      return Effect.map(whole, () => {
        outcomes.record()
        return outcomes.all
      })
    })

  const runEach = <Args extends ReadonlyArray<unknown>, A>(
    method: Method.Method<Args, A, "safe">,
    args: Iterable<Readonly<NoInfer<Args>>>,
    options?: ListOptions
  ): Effect.Effect<ReadonlyArray<Either.Either<A, Method.CallError<"safe">>>, InvalidInput> => {
    const prepared = preparedMethod.make(method, namespace)
    const outcomes = run("node.runEach", args, (one) => ({ prepared, params: method.params(...one) }), options)
    // Each outcome is decoded by the method's schema, and a call that changes nothing never fails with `OutcomeUnknown`.
    return outcomes as never
  }

  const runAll = (
    calls: ReadonlyArray<Method.AnyRead>,
    options?: ListOptions
  ): Effect.Effect<never, InvalidInput> => {
    const known = new Map<unknown, preparedMethod.PreparedMethod<unknown>>()
    const outcomes = run("node.runAll", calls, (call) => {
      // The schema of any method decodes unknown JSON.
      const method = call.method as unknown as Omit<Method.Method<never, unknown, Safety>, "params">
      const prepared = known.get(method) ?? preparedMethod.make(method, namespace)
      known.set(method, prepared)
      return { prepared, params: call.params() }
    }, options)
    // As above, with each call's own schema.
    return outcomes as never
  }

  return { runEach, runAll }
}
