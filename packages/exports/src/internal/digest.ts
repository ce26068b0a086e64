import { hash } from "node:crypto"

/** The first 128 bits of SHA-256 in hex, enough to distinguish records that were not made to collide. */
export const digest = (text: string): string => hash("sha256", text, "hex").slice(0, 32)
