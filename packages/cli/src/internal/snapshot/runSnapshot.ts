/** Runs `klaytn snapshot owners`. */
import * as Address from "@effect-klaytn/core/Address"
import type * as Checkpoint from "@effect-klaytn/core/Checkpoint"
import * as ServiceTime from "@effect-klaytn/core/ServiceTime"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as CsvCell from "@effect-klaytn/exports/CsvCell"
import * as OwnerChanges from "@effect-klaytn/tokens/OwnerChanges"
import type { MtToken, Nft } from "@effect-klaytn/tokens/Token"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Connection from "../service/Connection.js"
import * as Failure from "../terminal/Failure.js"
import { withHint } from "../terminal/failureOf.js"
import * as instant from "../terminal/instant.js"
import { jsonLine, write } from "../terminal/printed.js"
import { counted, number } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"
import * as values from "../terminal/values.js"
import type { SnapshotInput } from "./options.js"
import * as SnapshotFile from "./SnapshotFile.js"

const rowOf = (record: Nft | MtToken) => ({
  token_id: record.tokenId.toString(),
  owner: record.owner,
  balance: "balance" in record ? record.balance.toString() : "1",
  updated: new Date(record.updatedAt * 1000).toISOString()
})

const formats: Readonly<Record<string, Pick<Reading, "line"> & { readonly header: string }>> = {
  csv: {
    header: CsvCell.lines([["token_id", "owner", "balance", "updated"]]),
    line: (record) => CsvCell.lines([Object.values(rowOf(record))])
  },
  ndjson: { header: "", line: (record) => jsonLine(rowOf(record)) }
}

interface Reading {
  readonly tokens: typeof TokenData.TokenData.Service
  readonly file: SnapshotFile.SnapshotFile
  readonly size: number
  readonly line: (record: Nft | MtToken) => string
}

const from = (checkpoint: Checkpoint.Checkpoint | null) => ({ resumeFrom: checkpoint ?? undefined })

const add = (
  { file, line }: Reading,
  before: SnapshotFile.Progress,
  records: ReadonlyArray<Nft | MtToken>,
  next: Partial<SnapshotFile.Progress>
) => file.store(records.map(line).join(""), { ...before, ...next, rows: before.rows + records.length })

const readNfts = (reading: Reading, begin: SnapshotFile.Progress) =>
  reading.tokens.getNftsByContractAddress.checkpoints(
    { contract: begin.contract, size: reading.size },
    from(begin.list)
  ).pipe(
    Stream.runFoldEffect(
      begin,
      (before, { checkpoint, items }) => add(reading, before, items, { list: checkpoint, isRead: checkpoint.finished })
    )
  )

/** The owners of one token; the rest of them, if the reading was stopped among them. */
const readOwners = (reading: Reading, begin: SnapshotFile.Progress, tokenId: bigint) =>
  reading.tokens.getMtTokensByContractAddressAndTokenId.checkpoints(
    { contract: begin.contract, tokenId, size: reading.size },
    from(begin.owners)
  ).pipe(
    Stream.runFoldEffect(begin, (before, { checkpoint, items }) =>
      add(
        reading,
        before,
        items,
        checkpoint.finished ? { owners: null, tokens: [...before.tokens, tokenId.toString()] } : { owners: checkpoint }
      ))
  )

const readMts = (reading: Reading, begin: SnapshotFile.Progress) =>
  reading.tokens.getMtsByContractAddress.checkpoints(
    { contract: begin.contract, size: reading.size },
    from(begin.list)
  ).pipe(
    Stream.runFoldEffect(begin, (before, { checkpoint, items }) =>
      Effect.gen(function*() {
        let progress = before
        for (const { tokenId } of items) {
          if (!progress.tokens.includes(tokenId.toString())) progress = yield* readOwners(reading, progress, tokenId)
        }
        return yield* add(reading, progress, [], { list: checkpoint, tokens: [], isRead: checkpoint.finished })
      }))
  )

/** The service may index a transfer this long after its time, in seconds, and clocks may differ by that. */
const slack = 10

/** Which tokens changed since the reading began, as the records say now. */
const changedSince = Effect.fnUntraced(function*({ began, contract, kind }: SnapshotFile.Progress) {
  const since = yield* Schema.decode(UnixTime.UnixTime)(Math.max(0, began - slack))
  const address = yield* Schema.decode(Address.FromInput)(contract)
  const changed = new Set<bigint>()
  yield* Stream.runForEach(
    OwnerChanges.fromUpdateTimes({ kind, contract: address, since }),
    ({ tokenId }) => Effect.sync(() => tokenId === undefined ? undefined : changed.add(tokenId))
  )
  return [...changed].sort(Order.bigint).map(String)
})

/** The file, and the progress to continue from. */
const begin = Effect.fnUntraced(function*({ contract, kind, out: name }: SnapshotInput) {
  const format = formats[/\.(\w+)$/.exec(name ?? "")?.[1] ?? ""]
  if (name === undefined || format === undefined) {
    return yield* Failure.usage("--out takes a file that ends in .csv or .ndjson", "such as --out owners.csv")
  }
  const address = yield* values.address("CONTRACT")(contract)
  const file = SnapshotFile.make(yield* FileSystem.FileSystem, name)
  const fresh = { ...SnapshotFile.none, contract: address, kind, began: yield* UnixTime.now }
  const progress = yield* file.begin(fresh)
  if (progress.contract !== address || progress.kind !== kind) {
    return yield* Failure.usage(
      `${name} is being read from ${progress.contract} (${progress.kind})`,
      "name another file, or that contract to continue"
    )
  }
  const begun = progress.bytes === 0 ? yield* file.store(format.header, progress) : progress
  return { file, line: format.line, progress: begun }
})

/** How often the service is asked for its time at most. */
const maxAsked = 3

/** A reading that has stored nothing yet, with the second at which it began by the service's clock: its records have that time. */
const byService = Effect.fnUntraced(function*(
  { tokens }: Reading,
  time: ServiceTime.Agreed,
  progress: SnapshotFile.Progress
) {
  const { began, contract, isRead, kind, list, owners } = progress
  if (isRead || list !== null || owners !== null || progress.tokens.length > 0) return progress
  const page = { contract, size: 1 }
  const first = kind === "nft"
    ? Effect.asVoid(tokens.getNftsByContractAddress(page))
    : Effect.asVoid(tokens.getMtsByContractAddress(page))
  yield* Effect.iterate(0, {
    while: (asked) => asked === 0 || asked < maxAsked && !time.isAgreed(),
    body: (asked) => Effect.as(first, asked + 1)
  })
  if (!time.isAgreed()) {
    const message = "the answers of the service say times that are far from this machine's and from each other"
    return yield* new Failure.Failure({ message, kind: "ServiceTime", exit: "tryAgain" })
  }
  return { ...progress, began: Math.floor(began + (time.reading()?.offsetMillis ?? 0) / 1000) }
})

/** `klaytn snapshot owners`. */
export const owners = Effect.fnUntraced(function*(input: SnapshotInput) {
  const { file, line, progress } = yield* begin(input)
  const time = ServiceTime.agreed()
  return yield* Effect.gen(function*() {
    const reading = { tokens: yield* TokenData.TokenData, file, line, size: input.size ?? 1000 }
    const read = input.kind === "nft" ? readNfts : readMts
    const begun = yield* byService(reading, time, progress)
    const done = begun.isRead ? begun : yield* read(reading, begun)
    yield* Effect.sleep(slack * 1000)
    const changed = yield* changedSince(done)
    const { began, contract, kind, rows } = done
    const to = Math.floor((yield* ServiceTime.now(time)) / 1000)
    const verdict = { contract, kind, from: began, to, rows, changed }
    yield* file.finish(verdict)
    const isSame = changed.length === 0
    const times = instant.formatRange("second", verdict.from, verdict.to)
    const text = isSame
      ? `unchanged: ${number(rows)} owners, the same from ${times}`
      : `changed: ${number(rows)} owners; ${counted(changed.length, "token")} changed from ${times}`
    yield* write(
      input.json,
      verdict,
      (out) => Screen.paragraphs(out, [text, `in ${file.file}; the verdict in ${file.verdict}`])
    )
    return isSame ? "ok" as const : "found" as const
  }).pipe(
    ServiceTime.observed(time),
    withHint(`the owners so far are stored: the same command continues; to begin anew, remove ${file.parts}`)
  )
}, (self, input) => Effect.provide(self, Layer.provide(TokenData.layer(), Connection.config(input, "tokens"))))
