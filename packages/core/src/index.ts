/**
 * Everything of core, one namespace for each module.
 *
 * @since 0.1.0
 */
export * as Address from "./Address.js"
export * as Amount from "./Amount.js"
export * as Chain from "./Chain.js"
export * as Checkpoint from "./Checkpoint.js"
export * as ClientConfig from "./ClientConfig.js"
export * as Credentials from "./Credentials.js"
export * as Cursor from "./Cursor.js"
export * as Deadline from "./Deadline.js"
export * as Dialect from "./Dialect.js"
export * as Endpoints from "./Endpoints.js"
export * as Hash from "./Hash.js"
export * as Hex from "./Hex.js"
export * as KeyId from "./KeyId.js"
export * as Krn from "./Krn.js"
export * as Operation from "./Operation.js"
export * as Paged from "./Paged.js"
export * as RateLimit from "./RateLimit.js"
export * as RetryPolicy from "./RetryPolicy.js"
export * as ServiceClient from "./ServiceClient.js"
export * as ServiceCode from "./ServiceCode.js"
export * as ServiceError from "./ServiceError.js"
export * as Telemetry from "./Telemetry.js"
export * as UnixTime from "./UnixTime.js"
