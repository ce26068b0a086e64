import { defineConfig } from "vitest/config"

// Without this file the runner would use the settings of the folder above.
export default defineConfig({ test: { testTimeout: 60_000, hookTimeout: 60_000 } })
