/** Runs `klaytn gateway wallet`. */
import * as Amount from "@effect-klaytn/core/Amount"
import type { wallet as Wallet } from "@effect-klaytn/gateway/command"
import * as Prompt from "@effect/cli/Prompt"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Terminal from "@effect/platform/Terminal"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { text } from "node:stream/consumers"
import type { Services } from "../frame/Subcommand.js"
import * as Failure from "../terminal/Failure.js"
import * as instant from "../terminal/instant.js"
import { jsonLine, write, writeAll } from "../terminal/printed.js"
import { counted, duration } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"
import * as secretFile from "../terminal/secretFile.js"
import * as values from "../terminal/values.js"
import { failureAt, load } from "./gatewayPackage.js"
import type { WalletInput } from "./options.js"

/** The master key that the options or the environment name. */
export const keyOf = ({ keyCommand, keyFile }: Pick<WalletInput, "keyCommand" | "keyFile">) =>
  Effect.map(
    Effect.orElseSucceed(Config.option(Config.redacted("KLAYTN_WALLET_KEY")), Option.none<Redacted.Redacted>),
    (found) => ({
      keyCommand,
      keyFile,
      key: keyCommand === undefined && keyFile === undefined
        ? Option.getOrUndefined(Option.map(found, Redacted.value))
        : undefined
    })
  )

/** The terminal, with what is asked on standard error: a keystore on standard output may go into a file. */
const terminal = Layer.scoped(
  Terminal.Terminal,
  Effect.map(NodeTerminal.make(), (made) =>
    Terminal.Terminal.of({
      ...made,
      columns: Effect.sync(() => process.stderr.columns ?? 0),
      display: (text) => Effect.sync(() => void process.stderr.write(text))
    }))
)

/** Asks on the terminal, without showing what is typed. */
const ask = (message: string): Effect.Effect<string, Failure.Failure, Services> =>
  Effect.suspend(() =>
    process.stdin.isTTY
      ? Prompt.run(Prompt.hidden({ message })).pipe(
        Effect.map(Redacted.value),
        Effect.catchTag("QuitException", () => Failure.usage("nothing was typed")),
        Effect.provide(terminal)
      )
      : Failure.usage("a secret is asked on the terminal, and there is none")
  )

const askNewPassword = Effect.gen(function*() {
  const password = yield* ask("A password for the keystore, 12 characters or more")
  if (password.length < 12) return yield* Failure.usage("the password is shorter than 12 characters")
  return password === (yield* ask("The same password again"))
    ? password
    : yield* Failure.usage("the two passwords differ")
})

const readHead = (text: string) => {
  const [, number, hash] = /^(\d{1,15}):0x([0-9a-f]{64})$/.exec(text) ?? []
  return number === undefined || hash === undefined
    ? Failure.usage("--head takes what audit verify has printed: a number, a colon, and 0x with 64 digits")
    : Effect.succeed({ number: Number(number), hash: `0x${hash}` as const })
}

/** The options, with the schema in the name of the database, and the master key. */
type Input = WalletInput & { readonly key: Effect.Effect.Success<ReturnType<typeof keyOf>> }

type Commands = typeof Wallet

const needed = (what: string | undefined, meaning: string, action: string) =>
  what === undefined ? Failure.usage(`${action} takes ${meaning}`) : Effect.succeed(what)

const rekey = Effect.fnUntraced(
  function*(commands: Commands, { database, json, key, newKeyCommand, newKeyFile }: Input) {
    if ((newKeyFile === undefined) === (newKeyCommand === undefined)) {
      return yield* Failure.usage("rekey takes --new-wallet-key-file or --new-wallet-key-command")
    }
    const done = yield* commands.rekey(database, key, { keyFile: newKeyFile, keyCommand: newKeyCommand })
    yield* write(json, done, () =>
      Screen.lines([
        `the master key is changed: ${done.secrets} secrets are sealed anew; start the gateway with the new key from now on`,
        ...done.left
      ]))
  }
)

/** The node that may be asked. */
const nodeOf = (node: string | undefined) =>
  Effect.flatMap(
    Effect.orElseSucceed(Config.option(Config.nonEmptyString("KLAYTN_OWN_NODE_URL")), Option.none<string>),
    (known) => node === undefined && Option.isNone(known) ? Effect.succeed(undefined) : values.ownNode(node)
  )

/** The text of a file, or of standard input, without the end of its last line. */
const secretIn = (name: string) => (path: string) =>
  Effect.map(
    path === "-" ? Effect.promise(() => text(process.stdin)) : values.file(name)(path),
    (found) => found.replace(/\r?\n$/, "")
  )

/** A private key or a keystore: that of a file, of standard input, or what is typed. */
const givenKey = Effect.fnUntraced(function*({ passwordFile, what }: Input) {
  if (what === undefined) return { raw: yield* ask("The private key") }
  const found = yield* secretIn("the key")(what)
  if (!found.trimStart().startsWith("{")) return { raw: found.trim() }
  const password = yield* (passwordFile === undefined
    ? ask("The password of the keystore")
    : secretIn("--password-file")(passwordFile))
  return { keystore: found, password }
})

const importing = Effect.fnUntraced(function*(commands: Commands, input: Input) {
  const { database, feePayer, json, key, pool } = input
  const given = yield* givenKey(input)
  const type = feePayer ? "feepayer-pool" : "account-pool"
  const options = { node: yield* nodeOf(input.node) }
  const address = yield* commands.importAccount(database, key, { type, name: pool }, given, options)
  yield* write(json, { address }, () => `${address} is in the pool ${pool}\n`)
})

const exporting = Effect.fnUntraced(function*(commands: Commands, { database, json, key, out, what }: Input) {
  const address = yield* values.address("ADDRESS")(yield* needed(what, "an ADDRESS", "export"))
  const keystore = Effect.flatMap(
    askNewPassword,
    (password) => Effect.map(commands.exportAccount(database, key, address, password), (text) => `${text}\n`)
  )
  if (out === undefined) {
    const screen = yield* Screen.Screen
    return yield* screen.out.write(yield* keystore)
  }
  yield* secretFile.write(out, keystore)
  yield* write(json, { exported: address, file: out }, () => `the keystore of ${address} is in ${out}\n`)
})

const audit = Effect.fnUntraced(function*(commands: Commands, { database, head, json, key, what }: Input) {
  const { out } = yield* Screen.Screen
  if (what === "list") {
    for (let last = 0;;) {
      const lines = yield* commands.auditLines(database, key, last)
      for (const { hash, line } of lines) yield* out.write(json ? jsonLine({ line, hash }) : `${line}\n`)
      const newest = lines.at(-1)
      if (newest === undefined) return
      last = newest.number
    }
  }
  if (what !== "verify") return yield* Failure.usage("audit takes verify or list")
  const found = yield* commands.verifyAudit(database, key, yield* values.ifGiven(head, readHead))
  yield* write(json, found ?? {}, () =>
    found === undefined
      ? "the log has no lines yet\n"
      : `every line is as it was written; keep ${found.number}:${found.hash}\n`)
})

const backup = Effect.fnUntraced(function*(commands: Commands, { database, json, key, what }: Input) {
  const file = yield* needed(what, "a FILE", "backup")
  const done = yield* commands.backup(database, key, file)
  yield* write(json, done, () => `${file} has ${counted(done.keys, "key")}, and each was opened\n`)
})

const restore = Effect.fnUntraced(
  function*(commands: Commands, { acceptNewKeys, database, json, key, what }: Input) {
    const file = yield* needed(what, "a FILE", "restore")
    const done = yield* commands.restore(database, key, file, acceptNewKeys)
    const callers =
      "A backup has no callers: klaytn gateway callers list shows those with rights for this wallet. Give the others new\n" +
      "credentials by klaytn gateway callers add, after callers revoke if the name is taken.\n"
    const keys = acceptNewKeys ?
      "" :
      "An Idempotency-Key that the backup does not have may have paid after it was made. Each is refused until you run\n" +
      "klaytn gateway wallet accept-keys: compare what was paid since the backup first.\n"
    yield* write(
      json,
      done,
      () => `the wallet has ${counted(done.keys, "key")}, and each was opened\n${callers}${keys}`
    )
  }
)

const acceptKeys = Effect.fnUntraced(function*(commands: Commands, { database, json, key }: Input) {
  yield* commands.acceptKeys(database, key)
  yield* write(json, { newKeys: "accepted" }, () => "each Idempotency-Key that the wallet does not know is accepted\n")
})

/** Where a deleted account or key was. */
const deleted = Effect.fnUntraced(function*(commands: Commands, { database, json, key }: Input) {
  const found = yield* commands.deleted(database, key)
  yield* writeAll(json, found, () =>
    found.length === 0
      ? "no key that was deleted can be had back\n"
      : Screen.lines(Screen.table(found.map(({ addresses, deletedAt, isUsed, keyId, pool }) => [
        addresses.length === 0 ? keyId : addresses.join(),
        `pool ${pool}`,
        `deleted ${instant.format({ unit: "second", value: deletedAt })}`,
        isUsed ? "an account uses it: it stays" : ""
      ]))))
})

const undelete = Effect.fnUntraced(function*(commands: Commands, { database, json, key, what }: Input) {
  const name = yield* needed(what, "an ADDRESS or a KEYID, which wallet deleted lists", "undelete")
  if (!/^(?:krn:.*:)?0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) {
    return yield* Failure.usage("undelete takes an ADDRESS or a KEYID, which wallet deleted lists")
  }
  const done = yield* commands.undelete(database, key, name)
  yield* write(json, done, () => `${name} is in the pool ${done.pool} again\n`)
})

const freeze = Effect.fnUntraced(function*(commands: Commands, { database, json, key }: Input) {
  const file = yield* commands.freeze(database, key)
  yield* write(
    json,
    { frozen: file ?? true },
    () =>
      file === undefined ? "nothing is signed any more\n" : `nothing is signed as long as there is the file ${file}\n`
  )
})

const unfreeze = Effect.fnUntraced(function*(commands: Commands, { database, json, key }: Input) {
  yield* commands.unfreeze(database, key)
  yield* write(json, { frozen: null }, () => "the wallet signs again\n")
})

/** The state of a wallet. */
type WalletStatus = Effect.Effect.Success<ReturnType<Commands["status"]>>

/** The most sends that are listed. */
const mostSends = 20

const indented = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  Screen.table(rows).map((line) => `  ${line}`)

const accounts = ({ keys, pools }: WalletStatus): ReadonlyArray<string> => {
  const own = pools.filter(({ type }) => type === "account-pool")
  const all = own.reduce((sum, pool) => sum + pool.accounts, 0)
  return [
    `${counted(all, "account")} in ${counted(own.length, "pool")}, ${counted(keys, "key")} in all`,
    ...indented(own.map((pool) => [pool.name, counted(pool.accounts, "account")]))
  ]
}

const has = ({ balance, isLow }: WalletStatus["feePayers"][number]): string => {
  if (balance === undefined) return "balance not asked"
  return `${Amount.format(balance)}${balance === 0n ? "  EMPTY" : isLow === true ? "  LOW" : ""}`
}

const feePayers = ({ feePayers }: WalletStatus): ReadonlyArray<string> => {
  if (feePayers.length === 0) return ["no fee payers"]
  const rows = feePayers.map((payer) => [payer.address, payer.pool ?? "the global one", has(payer)])
  const isAsked = feePayers.some(({ balance }) => balance !== undefined)
  return [
    counted(feePayers.length, "fee payer"),
    ...indented(rows),
    ...(isAsked ? [] : ["  name the node with --node or KLAYTN_OWN_NODE_URL to see what they have"])
  ]
}

/** How far a send is, and since when. */
const stageOf = ({ reason, stage, stageSeconds, waitsForNonce }: WalletStatus["sendsUnderWay"][number]): string =>
  `${stage}${waitsForNonce === undefined ? "" : ` nonce ${waitsForNonce}`} for ${duration(stageSeconds)}${
    reason === undefined ? "" : `: ${Screen.clean(reason)}`
  }`

const sends = ({ sendsUnderWay, unknownCallers }: WalletStatus): ReadonlyArray<string> => {
  if (sendsUnderWay.length === 0) return ["no send is under way"]
  const shown = sendsUnderWay.slice(0, mostSends)
  const more = sendsUnderWay.length - shown.length
  return [
    `${counted(sendsUnderWay.length, "send")} under way`,
    ...indented(shown.map((send) => [
      send.hash,
      `${send.isCancel ? "cancels " : ""}nonce ${send.nonce} of ${send.from}`,
      `signed ${duration(send.seconds)} ago`,
      `given to the node ${send.attempts === 0 ? "once" : `${send.attempts + 1} times`}`,
      stageOf(send)
    ])),
    ...(more > 0 ? [`  and ${counted(more, "other")}: --json lists all`] : []),
    ...unknownCallers.map((name) =>
      `  the wallet knows no caller ${name}: its sends go on; to cancel them, add the caller again and revoke it`
    )
  ]
}

const limits = ({ limitsUsed }: WalletStatus): ReadonlyArray<string> => {
  if (limitsUsed.length === 0) return ["no caller with a limit by day has sent today (UTC)"]
  return [
    "signed today (UTC) for callers with a limit by day",
    ...indented(limitsUsed.map(({ caller, limit, pool, spent }) => [
      caller,
      `pool ${pool}`,
      limit === undefined
        ? `${Amount.format(spent)}, and no caller of this name has such a limit now`
        : `${Amount.toKlay(spent)} of ${Amount.format(limit)}`
    ]))
  ]
}

/** The state of a wallet for people. */
const statusPage = (status: WalletStatus): ReadonlyArray<string> => [
  `The wallet in ${status.file} is on chain ${status.chain} and ${
    status.frozen === undefined ? "signs" : `FROZEN: ${Screen.clean(status.frozen)}`
  }`,
  ...(status.newKeysRefused === undefined
    ? []
    : ["", `each unknown Idempotency-Key is REFUSED, until accept-keys: ${Screen.clean(status.newKeysRefused)}`]),
  "",
  ...accounts(status),
  "",
  ...feePayers(status),
  "",
  ...sends(status),
  "",
  ...limits(status)
]

const status = Effect.fnUntraced(function*(commands: Commands, { database, json, lowBalance, node }: Input) {
  const found = yield* commands.status(database, {
    node: yield* nodeOf(node),
    lowBalance: yield* values.ifGiven(lowBalance, values.klay("--low-balance"))
  })
  yield* write(json, found, () => Screen.lines(statusPage(found)))
})

const readRow = (text: string) => {
  const [, table, id] = /^(sends|pending):(0x[0-9a-f]{64}|\d{1,15})$/i.exec(text) ?? []
  const isHash = id?.startsWith("0x") === true
  if (id === undefined || (table !== "sends" && isHash)) {
    return Failure.usage("--end takes sends:NUMBER, sends:HASH or pending:NUMBER, as repair and status show them")
  }
  return Effect.succeed(
    table === "sends"
      ? { table: "sends" as const, id: isHash ? `0x${id.slice(2).toLowerCase()}` as const : Number(id) }
      : { table: "pending" as const, id: Number(id) }
  )
}

const repair = Effect.fnUntraced(function*(commands: Commands, { database, end, json, key }: Input) {
  const row = yield* values.ifGiven(end, readRow)
  if (row !== undefined) {
    yield* commands.endRow(database, key, row)
    return yield* write(
      json,
      { ended: row },
      () => `row ${row.id} of ${row.table} is ended; the audit log has a line of it\n`
    )
  }
  const found = yield* commands.unreadableRows(database)
  yield* write(json, { unreadable: found }, () =>
    Screen.lines(
      found.length === 0
        ? ["every row can be read"]
        : found.map(({ id, table, why }) => `${table}:${id}  ${Screen.clean(why)}`)
    ))
})

const actions = {
  repair,
  status,
  freeze,
  unfreeze,
  rekey,
  backup,
  restore,
  "accept-keys": acceptKeys,
  import: importing,
  export: exporting,
  deleted,
  undelete,
  audit
}

/** Does what is asked with the wallet of a gateway. */
export const wallet = Effect.fnUntraced(
  function*(input: WalletInput) {
    const { wallet: commands } = yield* load
    const database = yield* commands.inSchema(input.database, input.schema)
    yield* actions[input.action](commands, { ...input, database, key: yield* keyOf(input) })
  },
  (running, input) =>
    Effect.catchTag(
      running,
      "GatewayError",
      (error) => Effect.flatMap(nodeOf(input.node), (node) => failureAt(node?.url)(error))
    )
)
