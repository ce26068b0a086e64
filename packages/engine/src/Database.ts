/**
 * The database in which an engine stores its work: `Database` of `@effect-klaytn/store`.
 */
export * from "@effect-klaytn/store/Database"
