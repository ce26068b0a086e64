import { randomBytes } from "node:crypto"

/** 32 random bytes as text. */
export const randomSeed = (): string => randomBytes(32).toString("hex")
