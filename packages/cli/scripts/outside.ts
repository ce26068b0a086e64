/**
 * What the bundle of the command leaves outside. The sandbox: its EVM is loaded only where it is installed and asked for.
 * So is native SQLite; the native driver of Postgres is never used.
 */
export const outside: ReadonlyArray<string> = ["@effect-klaytn/sandbox", "libsql", "pg-native"]
