import { defineConfig } from "vitest/config"

// Its own settings: without this file the runner would take those of the folder above.
export default defineConfig({ test: { testTimeout: 60_000, hookTimeout: 60_000 } })
