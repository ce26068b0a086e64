/** The pages in the order of a reader: path and title. */

export const guides: ReadonlyArray<readonly [string, string]> = [
  ["install", "Install"],
  ["guides/first-pipeline", "Getting started"],
  ["guides/configuration", "Configuration and rotation"],
  ["guides/retries", "Retries and deadlines"],
  ["guides/paging", "Paging"],
  ["guides/exports", "Exports"],
  ["guides/warehouse", "Into your warehouse"],
  ["guides/sends", "Safe sends"],
  ["guides/payouts", "Payouts"],
  ["guides/fees", "Fee delegation"],
  ["guides/migration", "Migrating accounts"],
  ["guides/node", "Node access and contracts"],
  ["guides/contracts", "Contracts from Effect"],
  ["guides/testing", "Testing your program"],
  ["guides/test-runners", "Testing without Effect"],
  ["guides/containers", "Containers and CI"],
  ["guides/gateway", "Your own node"],
  ["guides/many-machines", "Your node, on many machines"],
  ["guides/own-wallet", "A wallet of your own"],
  ["guides/wallet-security", "Keys of your own wallet"],
  ["guides/dapp-tools", "viem, Hardhat and other tools"],
  ["guides/observability", "Observability"],
  ["guides/deploying", "Deploying"],
  ["guides/scaling", "Scaling out"],
  ["guides/recipes", "Recipes"]
]

export const moving: ReadonlyArray<readonly [string, string]> = [
  ["moving/caver-js-ext-kas", "From caver-js-ext-kas"],
  ["moving/caver-js", "From caver-js"],
  ["moving/viem", "From viem"],
  ["moving/ethers", "From ethers"]
]

export const reference: ReadonlyArray<readonly [string, string]> = [
  ["errors", "Errors, and what to do"],
  ["send-outcomes", "What a send returns"],
  ["stored", "Stored data and upgrades"],
  ["unknown", "What is not known"],
  ["versions", "Versions and runtimes"],
  ["figures", "Figures"],
  ["api/", "API"],
  ["decisions/", "Decisions"]
]
