/**
 * Stryker's runner of vitest, which starts a new worker for every mutant: loading the code takes longer there than most
 * tests do. This one keeps the worker, and only the test files are loaded anew, which vitest does by itself. A mutant that
 * never ends takes the whole process with it, so that the next gets a new one.
 */
import { strykerPlugins as plugins } from "@stryker-mutator/vitest-runner"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const vitest = createRequire(import.meta.url).resolve("vitest/package.json")
const { Tinypool } = await import(pathToFileURL(createRequire(vitest).resolve("tinypool")).href)
Tinypool.prototype.recycleWorkers = async () => {}

export const strykerPlugins = plugins
