/**
 * All modules of the package by name. Prefer to import the module you need, such as
 * `@effect-klaytn/gateway/Gateway`.
 */
export * as CallerFile from "./CallerFile.js"
export * as Gateway from "./Gateway.js"
export * as GatewayError from "./GatewayError.js"
export * as GatewayStatus from "./GatewayStatus.js"
export * as GatewayWallet from "./GatewayWallet.js"
export * as NodeAccess from "./NodeAccess.js"
export * as NodeWalletChain from "./NodeWalletChain.js"
export * as PresetFile from "./PresetFile.js"
export * as Presets from "./Presets.js"
