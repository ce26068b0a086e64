import { defineConfig } from "vitest/config"

// Without this file the runner would use the settings of the folder above. Files share a worker and what it has loaded:
// these libraries take longer to load than their tests take. More room for young objects: see the folder above.
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    isolate: false,
    poolOptions: { forks: { execArgv: ["--max-semi-space-size=64"] } },
    projects: [
      { extends: true, test: { name: "all" } },
      // The wallet once more: see service/walletWorld.ts.
      {
        extends: true,
        test: { name: "behind a bad proxy", include: ["service/wallet*.test.ts"], env: { WALLET_BEHIND: "proxy" } }
      }
    ]
  }
})
