/** Runs `klaytn accounts` and `klaytn fee-payers`. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import * as KlaytnNode from "@effect-klaytn/node/KlaytnNode"
import type { Account, FeePayerAccount } from "@effect-klaytn/wallet/Account"
import * as Accounts from "@effect-klaytn/wallet/Accounts"
import * as Pool from "@effect-klaytn/wallet/Pool"
import * as SpendPolicy from "@effect-klaytn/wallet/SpendPolicy"
import * as Wallet from "@effect-klaytn/wallet/Wallet"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Connection from "../service/Connection.js"
import * as Failure from "../terminal/Failure.js"
import { toJson, toLines, write, writeAll } from "../terminal/printed.js"
import * as Screen from "../terminal/Screen.js"
import * as values from "../terminal/values.js"
import type { AccountInput } from "./options.js"

type Kind = "account" | "fee payer"

type One = Account | FeePayerAccount

const timeOf = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`

/** 60 columns with the address. */
const row = ({ address, createdAt }: One): ReadonlyArray<string> => [
  Address.checksum(address),
  timeOf(createdAt).slice(0, 16).replace("T", " ")
]

const head = ["ADDRESS".padEnd(42), "CREATED, UTC"]

/** The operations of a kind. An account moves nothing, so no policy applies. */
const operationsOf = Effect.fnUntraced(function*(kind: Kind) {
  const options = { policy: SpendPolicy.unlimited }
  const wallet = yield* Wallet.make(options)
  const more = yield* Accounts.make(options)
  return kind === "account"
    ? { items: wallet.getAccounts.items({}), create: wallet.createAccount, get: more.getAccount }
    : { items: wallet.getFeePayers.items({}), create: more.createFeePayer(), get: more.getFeePayer }
})

const list = Effect.fnUntraced(function*(kind: Kind, items: Stream.Stream<One, unknown>, isJson: boolean) {
  const count = yield* items.pipe(
    Stream.chunks,
    Stream.filter(Chunk.isNonEmpty),
    Stream.runFoldEffect(0, (count, page) => {
      const all = Chunk.toReadonlyArray(page)
      const rows = count === 0 ? [head, ...all.map(row)] : all.map(row)
      return Effect.as(writeAll(isJson, all, () => Screen.lines(Screen.table(rows))), count + all.length)
    })
  )
  if (count === 0) yield* writeAll(isJson, [], () => `no ${kind} yet\n`)
})

/** What the chain shows of an account, if the node is configured. */
const onChain = Effect.fnUntraced(function*(address: Address.Address) {
  const { endpoints } = yield* ClientConfig.ClientConfig
  if (endpoints.node === undefined) return {}
  const { klay } = yield* KlaytnNode.make()
  const [balance, nextNonce] = yield* Effect.all([
    klay.getBalance(address),
    klay.getTransactionCount(address)
  ], { concurrency: 2 })
  return { balance, nextNonce }
})

const show = Effect.fnUntraced(function*(one: One, isJson: boolean) {
  const chain = yield* onChain(one.address)
  const account = {
    ...one,
    address: Address.checksum(one.address),
    krn: Krn.format(one.krn),
    keyId: KeyId.format(one.keyId)
  }
  yield* write(isJson, { ...account, ...chain }, ({ isTerminal }) =>
    Screen.lines(toLines(
      toJson({
        ...account,
        createdAt: timeOf(one.createdAt),
        updatedAt: timeOf(one.updatedAt),
        ...chain,
        balance: chain.balance === undefined ? undefined : Amount.format(chain.balance)
      }),
      isTerminal
    )))
})

const readPool = (text: string) =>
  Effect.mapError(
    Krn.make(text),
    () =>
      Failure.usage(
        `--pool ${Screen.clean(text)} is no name of a pool`,
        "such as krn:1001:wallet:...:account-pool:default"
      )
  )

const readAddress = ({ action, address }: AccountInput) => {
  if (action === "show" && address === undefined) return Failure.usage("show needs an address")
  if (action !== "show" && address !== undefined) return Failure.usage(`${action} takes no address`)
  return values.ifGiven(address, values.address("ADDRESS"))
}

/** `klaytn accounts` and `klaytn fee-payers`. */
export const run = Effect.fnUntraced(function*(kind: Kind, input: AccountInput) {
  const address = yield* readAddress(input)
  const pool = Option.fromNullable(yield* values.ifGiven(input.pool, readPool))
  const act = Effect.gen(function*() {
    const { create, get, items } = yield* operationsOf(kind)
    if (input.action === "list") return yield* list(kind, items, input.json)
    if (address !== undefined) return yield* Effect.flatMap(get({ address }), (one) => show(one, input.json))
    const made = yield* create
    yield* write(input.json, made, () => `${Address.checksum(made.address)}\n`)
  })
  yield* act.pipe(
    Effect.provideService(Pool.CurrentPool, pool),
    Effect.provide(Connection.config(input, "wallet"))
  )
})
