/**
 * Classifies an error of a database: `DatabaseFault` of `@effect-klaytn/store`.
 */
export * from "@effect-klaytn/store/DatabaseFault"
