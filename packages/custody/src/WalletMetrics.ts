/**
 * What a wallet counts, as metrics of Effect: of all wallets of the process.
 *
 * | Metric | Of | Label |
 * | --- | --- | --- |
 * | `klaytn.wallet.signatures` | signatures that were made | `role`: `sender`, `feePayer` or `bytes` |
 * | `klaytn.wallet.refusals` | requests and signatures that were refused to a caller | `reason`: `rights`, `pool`, `limit` or `frozen` |
 * | `klaytn.wallet.sends` | sends that are decided | `state`: `mined`, `replaced` or `refused` |
 */
import * as Metric from "effect/Metric"

const counter = (name: string, description: string) =>
  Metric.counter(`klaytn.wallet.${name}`, { description, incremental: true })

/**
 * Signatures that were made, by the role of the signer.
 *
 * @category metrics
 */
export const signatures: Metric.Metric.Counter<number> = counter(
  "signatures",
  "Signatures that were made, by role (sender, feePayer, bytes)"
)

/**
 * Requests and signatures that were refused to a caller, by reason.
 *
 * @category metrics
 */
export const refusals: Metric.Metric.Counter<number> = counter(
  "refusals",
  "Requests and signatures that were refused to a caller, by reason (rights, pool, limit, frozen)"
)

/**
 * Sends that are decided, by state.
 *
 * @category metrics
 */
export const sends: Metric.Metric.Counter<number> = counter(
  "sends",
  "Sends that are decided, by state (mined, replaced, refused)"
)
