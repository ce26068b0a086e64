/**
 * Resource names of the service: `krn:{chain-id}:{service-name}:{account-id}:{resource-type}:{resource-id}`.
 */
import type * as Brand from "effect/Brand"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Chain from "./Chain.js"
import { parser } from "./internal/values/encoding.js"

/**
 * A resource name, split into its parts.
 *
 * **Details**
 *
 * `service` and `resourceType` are open sets. The service's API document names `node`, `th`, `wallet` and `anchor` as
 * services, and `account-pool` and `feepayer-pool` as types; public clients were seen to use more. `account` is the
 * customer's account, mostly but not always a UUID. For a pool, `resource` is its name; the pool named `default` is
 * provided by the service.
 *
 * A part is not empty and contains no whitespace, no control character and no colon, so a name can't smuggle a line
 * break into the header `x-krn`. The brand makes {@link make} and {@link fromParts} the only ways to get one.
 * `Equal.equals` compares names by their parts.
 *
 * @category models
 */
export type Krn = Parts & Brand.Brand<"@effect-klaytn/core/Krn">

/**
 * The parts of a resource name, not yet validated.
 *
 * @category models
 */
export interface Parts {
  readonly chain: Chain.Chain
  readonly service: string
  readonly account: string
  readonly resourceType: string
  readonly resource: string
}

const Part = Schema.String.pipe(
  Schema.pattern(/^[^\s\p{Cc}\p{Cs}:]+$/u, {
    message: () => "expected a part that is not empty, without whitespace, control characters and colons",
    arbitrary: () => (fc) => fc.stringMatching(/^[!-9;-~]{1,40}$/)
  })
)

/**
 * A resource name as a struct of five fields.
 *
 * @category schemas
 */
export const Krn: Schema.Schema<Krn, Parts> = Schema.Data(Schema.Struct({
  chain: Chain.Chain,
  service: Part,
  account: Part,
  resourceType: Part,
  resource: Part
})).pipe(Schema.brand("@effect-klaytn/core/Krn")).annotations({ identifier: "Krn" })

const pattern = /^krn:(8217|1001):([^:]*):([^:]*):([^:]*):([^:]*)$/

/**
 * A resource name as text, its form on the wire: exactly six parts, the first of them `krn`.
 *
 * @category schemas
 */
export const FromString: Schema.Schema<Krn, string> = Schema.transformOrFail(Schema.String, Krn, {
  strict: true,
  decode: (text, _, ast) => {
    const [, id, service = "", account = "", resourceType = "", resource = ""] = pattern.exec(text) ?? []
    if (id === undefined) {
      const expected = "expected krn:{8217 or 1001}:{service}:{account}:{resource-type}:{resource-id}"
      return ParseResult.fail(new ParseResult.Type(ast, text, expected))
    }
    const chain = id === "8217" ? Chain.mainnet : Chain.testnet
    return ParseResult.succeed({ chain, service, account, resourceType, resource })
  },
  encode: (parts) => ParseResult.succeed(join(parts))
}).annotations({ identifier: "KrnFromString" })

const join = (parts: Parts): string =>
  `krn:${parts.chain}:${parts.service}:${parts.account}:${parts.resourceType}:${parts.resource}`

/**
 * Checks whether a value is a {@link Krn}.
 *
 * @category guards
 */
export const is: (value: unknown) => value is Krn = Schema.is(Krn)

/**
 * Parses a resource name.
 *
 * @example
 * ```ts
 * import * as Krn from "@effect-klaytn/core/Krn"
 * import * as Either from "effect/Either"
 *
 * const pool = Krn.make("krn:1001:wallet:local:account-pool:default")
 * console.log(Either.map(pool, (krn) => krn.resource)) // right("default")
 * ```
 *
 * @category constructors
 */
export const make = parser(FromString)

/**
 * Makes a resource name from its parts.
 *
 * @category constructors
 */
export const fromParts = parser(Krn)

/**
 * Formats a resource name as text.
 *
 * @category formatting
 */
export const format = (krn: Krn): string => join(krn)
