/**
 * What the bundle of the command leaves outside. The sandbox and the gateway are loaded only where they are installed and
 * asked for. So is native SQLite; the native driver of Postgres is never used.
 */
export const outside: ReadonlyArray<string> = [
  "@effect-klaytn/gateway",
  "@effect-klaytn/sandbox",
  "libsql",
  "pg-native"
]
