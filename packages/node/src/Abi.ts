/**
 * ABIs: the JSON that compilers emit, or signatures as a person writes them. `Contract.make` takes either; this module
 * parses signatures for other uses. The parser is that of `ox`, the library underneath `viem`.
 *
 * **Example** (an ABI from signatures)
 *
 * ```ts
 * import * as Abi from "@effect-klaytn/node/Abi"
 * import * as Either from "effect/Either"
 *
 * export const token = Abi.parse([
 *   "function balanceOf(address owner) view returns (uint256)",
 *   "event Transfer(address indexed from, address indexed to, uint256 value)",
 *   "error TooMuch(uint256 most)"
 * ])
 * console.log(Either.map(token, (abi) => abi.length)) // right(3)
 * ```
 */
import { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as Either from "effect/Either"
import * as OxAbi from "ox/Abi"

/**
 * An ABI as JSON. Given `as const`, names, arguments and results are typed from it.
 *
 * @category models
 */
export type Abi = OxAbi.Abi

/**
 * An ABI as JSON or as signatures.
 *
 * @category models
 */
export type Source = Abi | ReadonlyArray<string>

/**
 * The ABI of a source, with its types.
 *
 * @category models
 */
export type Parsed<S extends Source> = S extends ReadonlyArray<string>
  ? OxAbi.from.ReturnType<S> extends infer A extends Abi ? A : never
  : S extends Abi ? S
  : never

const isJson = (source: Source): source is Abi => source.every((item) => typeof item !== "string")

/**
 * Parses an ABI; JSON is returned as it is. A signature that can't be parsed fails as `InvalidInput`.
 *
 * @category constructors
 */
export const parse = <const S extends Source>(source: S): Either.Either<Parsed<S>, InvalidInput> => {
  // The library computes the same from the signatures at run time as from their type.
  const typed = (abi: Abi) => abi as Parsed<S>
  return Either.try({
    try: () => typed(isJson(source) ? source : OxAbi.from(source.map(String))),
    catch: () => InvalidInput.at("node.abi", ["abi"], "expected the JSON of an ABI, or a list of its signatures")
  })
}
