import { createRequire } from "node:module"

const manifest: { readonly version: string } = createRequire(import.meta.url)("@effect-klaytn/gateway/package.json")

/** The version of this package. */
export const version = manifest.version
