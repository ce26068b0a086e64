export * from "../../../store/test/support/databases.js"
