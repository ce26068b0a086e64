export * from "../../../store/test/support/frozen.js"
