/** Registering any number of accounts, and what became of each. */
import * as Address from "@effect-klaytn/core/Address"
import * as Chain from "@effect-klaytn/core/Chain"
import * as Hex from "@effect-klaytn/core/Hex"
import * as KeyId from "@effect-klaytn/core/KeyId"
import type { ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Registration, type RegistrationAnswer, RegistrationResult } from "../Registration.js"
import type { SpendRefused } from "../SpendPolicy.js"
import type { Change } from "./parts.js"
import * as subject from "./subject.js"

/** What a raw transaction shows to be wrong, if it can be read at all. */
const problemIn = (rlp: string, address: string, chain: Chain.Chain): string | undefined => {
  const decoded = Transaction.decode(`0x${rlp.slice(2)}`, { chainId: chain })
  if (!decoded.ok) {
    return decoded.error.reason === "WrongChain"
      ? `the account update was signed for another chain than ${Chain.label(chain)}`
      : undefined
  }
  return "from" in decoded.value && decoded.value.from !== address
    ? `the account update is of another account than ${address}`
    : undefined
}

/** The accounts as given, each at most once, and each update for its own account and this chain. */
export const input = (chain: Chain.Chain) =>
  Schema.Array(
    Schema.Struct({
      keyId: Schema.Union(Schema.typeSchema(KeyId.KeyId), KeyId.FromString),
      address: Address.FromInput,
      rlp: Schema.optional(Hex.HexDataFromWire)
    })
  ).pipe(
    Schema.filter((accounts) => {
      const seen = new Set<string>()
      return accounts.flatMap(({ address, keyId, rlp }, index) => {
        const twice = seen.has(address)
        seen.add(address)
        const problem = rlp === undefined ? undefined : problemIn(rlp, address, chain)
        return [
          ...(twice ? [{ path: [index, "address"], message: "an account can be registered once in a call" }] : []),
          ...(keyId.pool.chain === chain
            ? []
            : [{ path: [index, "keyId"], message: `the key belongs to another chain than ${Chain.label(chain)}` }]),
          ...(problem === undefined ? [] : [{ path: [index, "rlp"], message: problem }])
        ]
      })
    })
  )

/** What registering moves: the fees of the updates that come along, which change keys. */
export const changeOf = (accounts: ReadonlyArray<Registration>, chain: Chain.Chain): Change => {
  const updates = accounts.flatMap(({ rlp }) => rlp === undefined ? [] : [rlp])
  return {
    fee: updates.reduce(
      (sum, rlp) => sum + Option.match(subject.decoded(rlp, chain), { onNone: () => 0n, onSome: ({ fee }) => fee }),
      0n
    ),
    opaque: updates.length > 0
  }
}

const results = (
  accounts: ReadonlyArray<Registration>,
  answer: typeof RegistrationAnswer.Type
): ReadonlyArray<RegistrationResult> => {
  const failures = new Map(
    Object.entries(answer.failures ?? {}).map(([address, message]) => [address.toLowerCase(), message])
  )
  return accounts.map(({ address, keyId }) => {
    const message = failures.get(address)
    if (message !== undefined) return RegistrationResult.NotRegistered({ address, keyId, message })
    // Only these two statuses say that an account without a failure is registered.
    return answer.status === "ok" || answer.status === "partially failed"
      ? RegistrationResult.Registered({ address, keyId })
      : RegistrationResult.Unclear({ address, keyId, status: answer.status, error: undefined })
  })
}

/** Failures that are about the content of one call and say nothing about the next one. */
const isOfContent = (error: ServiceError): boolean => error._tag === "Rejected" || error._tag === "NotFound"

export const register = (
  accounts: ReadonlyArray<Registration>,
  chunkSize: number,
  call: (
    chunk: ReadonlyArray<Registration>
  ) => Effect.Effect<typeof RegistrationAnswer.Type, ServiceError | SpendRefused>
): Stream.Stream<RegistrationResult, ServiceError | SpendRefused> =>
  Stream.fromIterable(Arr.chunksOf(accounts, chunkSize)).pipe(
    Stream.flatMap((chunk) =>
      Stream.unwrap(Effect.match(call(chunk), {
        onSuccess: (answer) => Stream.fromIterable(results(chunk, answer)),
        onFailure: (error): Stream.Stream<RegistrationResult, ServiceError | SpendRefused> => {
          if (error._tag === "SpendRefused") return Stream.fail(error)
          const told = Stream.fromIterable(chunk.map(({ address, keyId }) =>
            error._tag === "OutcomeUnknown"
              ? RegistrationResult.Unclear({ address, keyId, status: undefined, error })
              : RegistrationResult.Refused({ address, keyId, error })
          ))
          return isOfContent(error) ? told : Stream.concat(told, Stream.fail(error))
        }
      }))
    )
  )
