/** The node of one's own that a command is about: from `--node`, or from the environment. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Failure from "./Failure.js"

/** The address and the `Authorization` header, both of them secret. */
export const read = Effect.fnUntraced(function*(node: string | undefined) {
  const url = node ?? Option.getOrUndefined(yield* Config.option(Config.nonEmptyString("KLAYTN_OWN_NODE_URL")))
  if (url === undefined) {
    return yield* Failure.usage("there is no node", "give its address with --node, or set KLAYTN_OWN_NODE_URL")
  }
  const authorization = yield* Config.option(Config.string("KLAYTN_OWN_NODE_AUTHORIZATION"))
  return { url, authorization: Option.getOrUndefined(authorization) }
})
