/**
 * The inventory of all that this project stores or hands on: `npx tsx scripts/stored.ts` writes it into docs/stored.md, and the
 * check of conventions compares it. A source that writes a file or creates a table, and that no entry names, is a finding; so is
 * a schema with a version that no entry names. Versions are read from the sources.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { filesBelow, packages, root } from "./workspace.js"

interface Stored {
  readonly name: string
  /**
   * Where its version is, in `packages`, and the pattern of the line that holds the number; or, with the flag `g`, of each
   * migration, whose count is the version.
   */
  readonly version: readonly [file: string, pattern: RegExp]
  /** The other sources that write it, in `packages`. */
  readonly writers?: ReadonlyArray<string>
  readonly readBy: string
  readonly older: string
  readonly newer: string
}

const literal = /version: Schema\.(?:optional\(Schema\.)?Literal\((\d+)/

/** A migration in a list of `Tables`. */
const migration = /^ {4}migration\("|\{ name: "\w+", make: /gm
const inPackageOrder = "refused as invalid JSON of this schema"

const inventory: ReadonlyArray<Stored> = [
  {
    name: "Index of a gateway (SQLite file)",
    version: ["indexer/src/IndexTables.ts", /indexVersion = (\d+)/],
    writers: ["store/src/Table.ts", "store/src/DatabaseFile.ts", "gateway/src/internal/IndexFile.ts"],
    readBy: "`klaytn gateway`, `Gateway`, `SqliteIndex`",
    older: "upgraded in one transaction when it is opened",
    newer: "refused before anything is written (`DatabaseFileError`, `Newer`)"
  },
  {
    name: "Index of a gateway, its callers, lease and backfill (schema in Postgres)",
    version: ["indexer/src/internal/postgres/released.ts", /name: "\w+", statements:/g],
    readBy: "`klaytn gateway`, `Gateway`, `PostgresIndex`",
    older: "upgraded in one transaction when it is opened",
    newer: "refused before anything is written (`NewerTables`)"
  },
  {
    name: "Callers of a gateway's wallet (tables beside the wallet)",
    version: ["gateway/src/internal/WalletCallers.ts", /name: "\w+",\s+make:/g],
    readBy: "`klaytn gateway --wallet`, `klaytn gateway callers`, `CallerFile`",
    older: "upgraded, a transaction for each version",
    newer: "refused before anything is written (`NewerTables`)"
  },
  {
    name: "Callers of a gateway (`FILE.callers`, SQLite)",
    version: ["gateway/src/CallerFile.ts", /version: (\d+),/],
    readBy: "`klaytn gateway`, `CallerFile`",
    older: "upgraded when it is opened",
    newer: "refused before anything is written"
  },
  {
    name: "Database of a sandbox: chain, index, wallet (SQLite file)",
    version: ["sandbox/src/internal/store/Schema.ts", /ownVersion = (\d+)/],
    readBy: "`klaytn sandbox --db`, `Sandbox`",
    older: "upgraded in one transaction when it is opened",
    newer: "refused before anything is written"
  },
  {
    name: "Presets of a gateway (`FILE.presets`, SQLite)",
    version: ["gateway/src/PresetFile.ts", /version: (\d+),/],
    readBy: "`klaytn gateway`, `klaytn gateway presets`, `PresetFile`",
    older: "upgraded when it is opened",
    newer: "refused before anything is written"
  },
  {
    name: "Wallet of a gateway (`FILE.wallet`, SQLite, or tables in Postgres)",
    version: ["custody/src/CustodyTables.ts", migration],
    writers: ["store/src/Migrations.ts"],
    readBy: "`klaytn gateway --wallet`, `SqlWalletStore`",
    older: "upgraded, a transaction for each version",
    newer: "refused before anything is written (`NewerTables`)"
  },
  {
    name: "Guard of a wallet: root keys, audit log, sums, freezing (tables beside the wallet)",
    version: ["custody/src/GuardTables.ts", migration],
    writers: ["store/src/Migrations.ts"],
    readBy: "`klaytn gateway --wallet`, `klaytn gateway wallet`, `Keyring`, `AuditLog`, `WalletGuard`",
    older: "upgraded, a transaction for each version",
    newer: "refused before anything is written (`NewerTables`)"
  },
  {
    name: "Sealed secret of a wallet (bytes in a row)",
    version: ["custody/src/internal/dataKey.ts", /const version = (\d+)/],
    readBy: "`Keyring`",
    older: "read",
    newer: "refused: the secret can't be opened"
  },
  {
    name: "Limits of a caller (JSON in a row)",
    version: ["gateway/src/internal/callerRights.ts", /version: (\d+), fields/],
    readBy: "`klaytn gateway`, `CallerFile`",
    older: "read; limits without a version have version 1",
    newer: "refused: the caller is let in nowhere"
  },
  {
    name: "Backup of a wallet (sealed file)",
    version: ["custody/src/WalletBackup.ts", /const version = (\d+)/],
    writers: ["gateway/src/internal/walletCommands.ts"],
    readBy: "`klaytn gateway wallet restore`, `WalletBackup`",
    older: "upgraded in memory, and restored",
    newer: "refused before anything is written (`WalletBackupError`, `Version`)"
  },
  {
    name: "Keystore of an account (Web3, JSON)",
    version: ["custody/src/Keystore.ts", /version: Schema\.Literal\((\d+),/],
    writers: ["custody/src/MasterKey.ts", "store/src/NewFile.ts"],
    readBy: "`klaytn gateway wallet import`, `Keystore`, other wallets",
    older: "refused (`KeystoreError`, `Form`)",
    newer: "refused (`KeystoreError`, `Form`)"
  },
  {
    name: "Payouts, their changes, nonces and spends (tables in SQLite or Postgres)",
    version: ["payouts/src/internal/migrations.ts", migration],
    writers: ["store/src/Migrations.ts"],
    readBy: "`klaytn pay`, `klaytn payouts`, `Payouts`, `SqlNonces`, `SqlSpendPolicy`",
    older: "upgraded, a transaction for each version; tables without a version have version 1",
    newer: "refused before anything is written (`NewerTables`)"
  },
  {
    name: "Commits and processes of the engine (tables in SQLite or Postgres)",
    version: ["engine/src/internal/setup.ts", migration],
    readBy: "`Engine`; the other tables of the engine belong to `@effect/cluster`, which upgrades them itself",
    older: "upgraded like the tables of payouts",
    newer: "refused before anything is written (`EngineError`, `Newer`)"
  },
  {
    name: "Content, states and changes of payouts, openings of accounts (JSON in rows)",
    version: ["payouts/src/internal/stored.ts", /version: (\d+), fields/],
    readBy: "`Payouts`",
    older: "read; text without a version has version 1",
    newer: "refused in words (`DatabaseFailed`); the other payouts go on"
  },
  {
    name: "Limits of payouts (JSON in a row)",
    version: ["payouts/src/internal/limitRows.ts", /version: (\d+), fields/],
    readBy: "`Payouts`",
    older: "read; text without a version has version 1",
    newer: "refused in words, also for a limit that this program does not know (`DatabaseFailed`)"
  },
  {
    name: "Scope of an index (JSON in a row)",
    version: ["indexer/src/IndexScope.ts", /version: (\d+),/],
    readBy: "`klaytn gateway`, `SqliteIndex`, `PostgresIndex`",
    older: "read; text without a version has version 1",
    newer: "refused in words, also for a field that this program does not know"
  },
  {
    name: "State of a window of an export (JSON in a row)",
    version: ["exports/src/internal/databaseSink.ts", /version: (\d+),/],
    readBy: "`klaytn export`, `SqlSink`",
    older: "read; text without a version has version 1",
    newer: "refused (`SinkError`, `io`)"
  },
  {
    name: "Position in a list (`Checkpoint`, JSON)",
    version: ["core/src/Checkpoint.ts", literal],
    readBy: "lists of history, tokens and wallet; exports; snapshots",
    older: "read",
    newer: inPackageOrder
  },
  {
    name: "Record of a send (`SendRecord`, JSON)",
    version: ["wallet/src/SendRecord.ts", literal],
    readBy: "`Wallet.execute`, `TransactionLookup.reconcile`, payouts",
    older: "read; a record without a version has version 1",
    newer: inPackageOrder
  },
  {
    name: "Nonces of an account (`NonceBook`, JSON)",
    version: ["wallet/src/NonceBook.ts", literal],
    readBy: "`NonceSource`, payouts",
    older: "read; a book without a version has version 1",
    newer: inPackageOrder
  },
  {
    name: "Journal of a migration (`MigrationJournal.Entry`, JSON)",
    version: ["wallet/src/MigrationJournal.ts", literal],
    writers: ["wallet/src/internal/migration/migrationSteps.ts"],
    readBy: "`Migration`, `klaytn accounts`",
    older: "read",
    newer: "refused (`JournalFailed`), and nothing is sent"
  },
  {
    name: "Progress of a snapshot of owners (JSON file)",
    version: ["cli/src/internal/snapshot/SnapshotFile.ts", literal],
    writers: ["cli/src/internal/snapshot/runSnapshot.ts"],
    readBy: "`klaytn snapshot owners`",
    older: "read",
    newer: "refused as a file of another program"
  },
  {
    name: "Plan of an export (`plan.json`, or a row)",
    version: ["exports/src/Plan.ts", /version: Schema\.Literal\([\d, ]*?(\d+)\)/],
    writers: ["exports/src/internal/exportDirectory.ts", "exports/src/internal/joining.ts"],
    readBy: "`klaytn export`, `Exports`",
    older: "read; a plan without a version of its columns has columns of version 1",
    newer: "refused before anything is written (`SinkError`, `newer`)"
  },
  {
    name: "Columns of an export (parts of a directory, `load.sql`, tables `transfers` and `rejected`)",
    version: ["exports/src/Row.ts", /columnsVersion = (\d+)/],
    writers: [
      "exports/src/internal/directorySink.ts",
      "exports/src/internal/FileSeries.ts",
      "exports/src/internal/sqlSchema.ts"
    ],
    readBy: "people, warehouses, `klaytn export`, `Exports`",
    older: "continued in the older columns, which plan, manifest and `load.sql` name",
    newer: "refused before anything is written (`SinkError`, `newer`)"
  },
  {
    name: "Tables of an export (`export_*`, SQLite or Postgres)",
    version: ["exports/src/internal/tables.ts", /^ {2}name: "\w+",$/gm],
    writers: ["exports/src/internal/migrations.ts"],
    readBy: "`klaytn export`, `SqlSink`",
    older: "upgraded when they are opened, a transaction for each version; tables without a version have version 1",
    newer: "refused before anything is written (`SinkError`, `newer`)"
  },
  {
    name: "Manifest of an export (`manifest.json`)",
    version: ["exports/src/Manifest.ts", literal],
    writers: ["exports/src/internal/contents.ts"],
    readBy: "people, warehouses, `klaytn export`",
    older: "written anew when the export continues",
    newer: "refused before anything is written"
  }
]

/** Sources that write what has no version of its own, and why it needs none. */
const without: Readonly<Record<string, string>> = {
  "cli/src/internal/terminal/secretFile.ts":
    "credentials and keystores that `--out` names, which a shell or another program reads",
  "cli/src/internal/sandbox/runSandbox.ts":
    "`--out` writes the OpenAPI document, which carries the version of the contract",
  "store/src/internal/wholeFile.ts":
    "table `effect_klaytn_wal`: a row that says whether a SQLite file lacks what is in its `-wal`",
  "sandbox/src/internal/wallet/openVault.ts": "the file of the wallet's key holds 64 hexadecimal digits",
  "gateway/src/internal/newKeys.ts":
    "FILE.wallet.head: number and hash of the last line of the audit log, in one line of text",
  "gateway/src/internal/ownFile.ts": "creates the empty files of wallets and callers, whose tables have versions",
  "exports/src/internal/directoryLock.ts":
    "the lock of an export is read as JSON, and an unreadable lock counts as held"
}

const writes =
  /CREATE TABLE|writeFileString|writeFileSync|\bwriteFile\(|appendFile|\bopenSync\(|createWriteStream|renameSync|\.rename\(/
const versioned = /\bversion: Schema\.(?:optional\(Schema\.)?Literal\(\d|[vV]ersion = [1-9]|^\s+version: \d+,?$/m

const read = (file: string): string => readFileSync(join(root, "packages", file), "utf8")

const numberOf = ({ version: [file, pattern] }: Stored): string => {
  const text = read(file)
  const counted = pattern.global ? text.match(pattern)?.length : undefined
  return pattern.global ? String(counted ?? "?") : pattern.exec(text)?.[1] ?? "?"
}

const table = (): string =>
  [
    "| What | Version | Read by | An older one | A newer one |",
    "| --- | --- | --- | --- | --- |",
    ...inventory.map((one) =>
      `| ${one.name} | ${numberOf(one)}, in \`${one.version[0]}\` | ${one.readBy} | ${one.older} | ${one.newer} |`
    ),
    "",
    "Written without a version:",
    "",
    ...Object.entries(without).map(([file, why]) => `- \`${file}\`: ${why}`)
  ].join("\n")

const page = join(root, "docs/stored.md")
const marked = /(<!-- made by scripts\/stored\.ts -->\n\n)[\s\S]*?(\n\n<!-- end -->)/

const squeezed = (text: string): string => text.replace(/ +/g, " ").replace(/-{3,}/g, "---")

/** Sources that no entry names, entries without a version, and a page that is not the inventory. */
export const inventoryFindings = (): ReadonlyArray<string> => {
  const named = new Set([
    ...inventory.flatMap(({ version: [file], writers = [] }) => [file, ...writers]),
    ...Object.keys(without)
  ])
  const sources = packages.flatMap(({ dir }) => filesBelow(join(dir, "src"), ".ts"))
    .map((file) => relative(join(root, "packages"), file))
    .filter((file) => !file.endsWith(".generated.ts"))
  const text = readFileSync(page, "utf8")
  return [
    ...sources.filter((file) => !named.has(file) && (writes.test(read(file)) || versioned.test(read(file))))
      .map((file) => `packages/${file}: stores something that scripts/stored.ts does not name`),
    ...[...named].filter((file) => !sources.includes(file)).map((file) => `scripts/stored.ts: there is no ${file}`),
    ...inventory.filter((one) => numberOf(one) === "?").map(({ version: [file] }) =>
      `packages/${file}: has no version`
    ),
    ...(squeezed(text.replace(marked, `$1${table()}$2`)) === squeezed(text)
      ? []
      : ["docs/stored.md: is not the inventory; npx tsx scripts/stored.ts writes it"])
  ]
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(page, readFileSync(page, "utf8").replace(marked, `$1${table()}$2`))
}
