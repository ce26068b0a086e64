/**
 * Leaves every value to its schema. In bundles for browsers and Workers, where generated code may be forbidden, the field
 * `browser` of the manifest puts it in the place of the compiler.
 */
import { type Compile, fallback } from "./plan.js"

export const compile: Compile = () => () => fallback
