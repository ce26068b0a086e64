import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type { Service } from "../../Control.js"
import { Reorg } from "../../ControlInput.js"
import { Fault } from "../../Fault.js"
import { formatIssues } from "../formatIssues.js"
import { type Failure, invalidParams, method, type Methods } from "../rpc/Method.js"
import { type Decoded, fail, make } from "../rpc/ParamDecoder.js"
import { count } from "./devRpcParams.js"

/** The controls that the methods run. */
export type SandboxControls = Pick<Service, "addFault" | "clearFaults" | "deleteFault" | "faults">

/** An argument as the controls take it. */
const asControl = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownEither(schema)
  return make((value): Decoded<A> =>
    Either.orElse(decode(value), (error) => fail(formatIssues(ParseResult.ArrayFormatter.formatErrorSync(error))))
  )
}

/** Answers with invalid params if the controls refuse an argument. */
const orInvalid = <A>(effect: Effect.Effect<A, { readonly message: string }>): Effect.Effect<A, Failure> =>
  Effect.mapError(effect, ({ message }) => invalidParams(message))

/** Controls of the sandbox that no other tool has a name for. */
export const sandboxMethods = (controls: Effect.Effect<SandboxControls>): Methods => ({
  sandbox_faults: method([], () => Effect.flatMap(controls, ({ faults }) => faults)),
  sandbox_reorg: method(
    [asControl(Reorg)],
    (chain, { depth, transactions }) =>
      chain.reorg(depth, { transactions }).pipe(
        Effect.catchTag("InvalidRequest", ({ message }) => invalidParams(message)),
        Effect.as(true)
      )
  ),
  sandbox_addFault: method(
    [asControl(Fault)],
    (_, wanted) => Effect.flatMap(controls, ({ addFault }) => orInvalid(addFault(wanted)))
  ),
  sandbox_deleteFault: method(
    [count],
    (_, id) => Effect.flatMap(controls, ({ deleteFault }) => Effect.as(orInvalid(deleteFault(id)), true))
  ),
  sandbox_clearFaults: method([], () => Effect.flatMap(controls, ({ clearFaults }) => Effect.as(clearFaults, true)))
})
