/**
 * What a wallet counts, as metrics of Effect: of all wallets of the process.
 *
 * | Metric | Of | Label |
 * | --- | --- | --- |
 * | `klaytn.wallet.signatures` | signatures that were made | `role`: `sender`, `feePayer` or `bytes` |
 * | `klaytn.wallet.refusals` | requests and signatures that were refused to a caller | `reason`: `rights`, `pool`, `limit` or `frozen` |
 * | `klaytn.wallet.unreadable` | rows that can't be read, and are passed over | `table` |
 * | `klaytn.wallet.impossible` | answers of the node that can't be so | `operation`: `nonce`, `verdict`, `blockNumber`, `block` or `receipt` |
 * | `klaytn.wallet.sends` | sends that are decided | `state`: `mined`, `replaced` or `refused` |
 */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"

const nameOf = (name: string): string => `klaytn.wallet.${name}`

const counter = (name: string, description: string) => Metric.counter(nameOf(name), { description, incremental: true })

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

/**
 * Rows that can't be read and are passed over, by table. Each is counted once in the life of a process.
 *
 * @category metrics
 */
export const unreadable: Metric.Metric.Counter<number> = counter(
  "unreadable",
  "Rows that can't be read and are passed over, by table"
)

/**
 * Answers of the node that can't be so, by operation: a nonce far above those that were used, or another transaction with the nonce of a
 * send that the account's key has not signed.
 *
 * @category metrics
 */
export const impossible: Metric.Metric.Counter<number> = counter(
  "impossible",
  "Answers of the node that can't be so, by operation (nonce, verdict, blockNumber, block, receipt)"
)

/**
 * What a counter has counted, whatever the labels.
 *
 * @category getters
 */
export const total = (name: "unreadable" | "impossible"): Effect.Effect<number> =>
  Effect.map(
    Metric.snapshot,
    (pairs) =>
      pairs.reduce((sum, { metricKey, metricState }) =>
        metricKey.name === nameOf(name) && MetricState.isCounterState(metricState)
          ? sum + Number(metricState.count)
          : sum, 0)
  )
