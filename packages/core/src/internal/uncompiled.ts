/**
 * Stands for `compiler.ts` in bundles for browsers and Workers, by the field `browser` of the manifest: what can't be
 * compiled there, or would be forbidden to run, is not shipped. The schema decodes everything.
 */
import type * as compiler from "./compiler.js"
import { fallback } from "./schemaNotes.js"

export const reader: typeof compiler.reader = () => () => fallback
