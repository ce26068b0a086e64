/** Registers any number of accounts and reports the result of each. */
import * as Chain from "@effect-klaytn/core/Chain"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as Input from "@effect-klaytn/core/Input"
import { InvalidInput, type ServiceError } from "@effect-klaytn/core/ServiceError"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Registration, type RegistrationAnswer, RegistrationResult } from "../../Registration.js"
import type { SpendRefused } from "../../SpendPolicy.js"
import { registerAccounts } from "../../WalletApi.js"
import type { Change } from "../client/client.js"
import * as fields from "../contract/fields.js"
import * as intents from "../plans/transactionIntent.js"

/** An account to register, and the most that its update can cost. */
interface Checked extends Registration {
  readonly fee: bigint
}

export const account = {
  /** The ID of the created key that the account was given, as a string or as returned with the key. */
  keyId: fields.keyId.keyId,
  ...fields.accountAddress,
  /**
   * The signed fee-delegated account update, in hexadecimal. The document lists it; without it, the account must
   * already have the key (seen).
   */
  rlp: Schema.optional(HexEncoding.HexDataFromWire)
}

const decode = Input.decode(registerAccounts.name, fields.accounts(Schema.Struct(account)))

/** Reads the accounts: each may be listed once, and each update must be for its own account and this chain. */
export const read = (
  accounts: ReadonlyArray<Input.Of<typeof account>>,
  chain: Chain.Chain
): Effect.Effect<ReadonlyArray<Checked>, InvalidInput> =>
  Effect.flatMap(
    decode(accounts),
    Effect.forEach((account, index) => {
      const { address, keyId, rlp } = account
      const refuse = (field: string, problem: string) => InvalidInput.at(registerAccounts.name, [index, field], problem)
      if (keyId.pool.chain !== chain) {
        return refuse("keyId", `the key belongs to another chain than ${Chain.label(chain)}`)
      }
      const read = rlp === undefined ? undefined : intents.readRaw(rlp, chain)
      if (read !== undefined && intents.isOfAnotherChain(read)) {
        return refuse("rlp", `the account update was signed for another chain than ${Chain.label(chain)}`)
      }
      // Bytes that can't be read here are left to the service.
      const update = read === undefined ? undefined : Either.getOrUndefined(read)
      return update !== undefined && "from" in update.transaction && update.from !== address
        ? refuse("rlp", `the account update belongs to another account than ${address}`)
        : Effect.succeed({ ...account, fee: update?.fee ?? 0n })
    })
  )

/** What registering moves: the fees of the account updates, which also change keys. */
const changeOf = (accounts: ReadonlyArray<Checked>): Change => ({
  fee: accounts.reduce((sum, { fee }) => sum + fee, 0n),
  opaque: accounts.some(({ rlp }) => rlp !== undefined)
})

const results = (
  accounts: ReadonlyArray<Registration>,
  answer: typeof RegistrationAnswer.Type
): ReadonlyArray<RegistrationResult> => {
  const failures = new Map(
    Object.entries(answer.failures ?? {}).map(([address, message]) => [address.toLowerCase(), message])
  )
  const known = new Set<string>(accounts.map(({ address }) => address))
  // Only these two statuses say that an account without a failure is registered, if each failure names its account.
  const isRegistered = (answer.status === "ok" || (answer.status === "partially failed" && failures.size > 0)) &&
    [...failures.keys()].every((address) => known.has(address))
  return accounts.map(({ address, keyId }) => {
    const message = failures.get(address)
    if (message !== undefined) return RegistrationResult.NotRegistered({ address, keyId, message })
    return isRegistered
      ? RegistrationResult.Registered({ address, keyId })
      : RegistrationResult.Unclear({ address, keyId, status: answer.status, error: undefined })
  })
}

/** Failures that are about the content of one call and say nothing about the next one. */
const isOfContent = (error: ServiceError): boolean => error._tag === "Rejected" || error._tag === "NotFound"

/** Registers accounts in chunks and reports the result of each. */
export const register = (
  accounts: ReadonlyArray<Checked>,
  chunkSize: number,
  call: (
    payload: ReadonlyArray<Registration>,
    change: Change
  ) => Effect.Effect<typeof RegistrationAnswer.Type, ServiceError | SpendRefused>
): Stream.Stream<RegistrationResult, ServiceError | SpendRefused> =>
  Stream.fromIterable(Arr.chunksOf(accounts, chunkSize)).pipe(
    Stream.flatMap((chunk) => {
      const payload = chunk.map(({ address, keyId, rlp }) => ({ address, keyId, rlp }))
      return Stream.unwrap(Effect.match(call(payload, changeOf(chunk)), {
        onSuccess: (answer) => Stream.fromIterable(results(chunk, answer)),
        onFailure: (error): Stream.Stream<RegistrationResult, ServiceError | SpendRefused> => {
          if (error._tag === "SpendRefused") return Stream.fail(error)
          const refused = Stream.fromIterable(chunk.map(({ address, keyId }) =>
            error._tag === "OutcomeUnknown"
              ? RegistrationResult.Unclear({ address, keyId, status: undefined, error })
              : RegistrationResult.Refused({ address, keyId, error })
          ))
          return isOfContent(error) ? refused : Stream.concat(refused, Stream.fail(error))
        }
      }))
    })
  )
