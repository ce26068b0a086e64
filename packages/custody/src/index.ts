/**
 * All modules of the package by name. Prefer to import the module you need, such as
 * `@effect-klaytn/custody/ChainWallet`.
 */
export * as ChainWallet from "./ChainWallet.js"
export * as CustodyError from "./CustodyError.js"
export * as CustodyTables from "./CustodyTables.js"
export * as SqlWalletStore from "./SqlWalletStore.js"
export * as TransactionFields from "./TransactionFields.js"
export * as Vault from "./Vault.js"
export * as Wallet from "./Wallet.js"
export * as WalletApp from "./WalletApp.js"
export * as WalletChain from "./WalletChain.js"
export * as WalletRecord from "./WalletRecord.js"
export * as WalletRoutes from "./WalletRoutes.js"
export * as WalletSettings from "./WalletSettings.js"
export * as WalletStore from "./WalletStore.js"
