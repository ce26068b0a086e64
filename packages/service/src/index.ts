/**
 * All modules of the package by name. Prefer to import the module you need, such as
 * `@effect-klaytn/service/ServiceAccess`.
 */
export * as Bodies from "./Bodies.js"
export * as ContractApp from "./ContractApp.js"
export * as Derive from "./Derive.js"
export * as LocalRequest from "./LocalRequest.js"
export * as RequestIds from "./RequestIds.js"
export * as Route from "./Route.js"
export * as ServiceAccess from "./ServiceAccess.js"
export * as ServiceRefusals from "./ServiceRefusals.js"
