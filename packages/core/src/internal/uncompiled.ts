/**
 * Replaces `compiler.ts` in bundles for browsers and Workers, by the field `browser` of the manifest: they ship no
 * compiler that may be forbidden to run there. The schema decodes everything.
 */
import type * as compiler from "./compiler.js"
import { fallback } from "./schemaNotes.js"

export const reader: typeof compiler.reader = () => () => fallback
