/**
 * A worker that is kept still has the last change of the code when it loads the next test file. A file is loaded without
 * any: what it makes once, for all its tests, would fail for another change than the one that is tried, or not load at all.
 */
import { inject } from "vitest"

const stryker = globalThis[inject("globalNamespace")]
if (stryker !== undefined && inject("mutantActivation") !== "static") stryker.activeMutant = undefined
