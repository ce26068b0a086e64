/**
 * All of exports, one namespace per module, without `SqlSink` and `Workers`: they need `@effect/sql` and
 * `@effect/workflow`, which are optional peers.
 */
export * as Budget from "./Budget.js"
export * as CsvCell from "./CsvCell.js"
export * as ExportError from "./ExportError.js"
export * as Exports from "./Exports.js"
export * as FileSink from "./FileSink.js"
export * as Manifest from "./Manifest.js"
export * as Plan from "./Plan.js"
export * as Row from "./Row.js"
export * as Sink from "./Sink.js"
