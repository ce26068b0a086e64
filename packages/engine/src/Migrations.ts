/**
 * Tables with a version: `Migrations` of `@effect-klaytn/store`.
 */
export * from "@effect-klaytn/store/Migrations"
