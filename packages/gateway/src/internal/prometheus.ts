/** Metrics of Effect in the text format of Prometheus. */
import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"

export const contentType = "text/plain; version=0.0.4; charset=utf-8"

type Labels = ReadonlyArray<readonly [name: string, value: string]>

/** A name as Prometheus takes one. */
const nameOf = (text: string): string => text.replace(/[^A-Za-z0-9_]/g, "_")

const escaped = (value: string): string => value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")

const numberOf = (value: number | bigint): string =>
  value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value)

const sample = (name: string, labels: Labels, value: number | bigint): string => {
  const list = labels.map(([key, text]) => `${nameOf(key)}="${escaped(text)}"`).join(",")
  return `${name}${list === "" ? "" : `{${list}}`} ${numberOf(value)}`
}

/** The samples of one metric; none of a kind that Prometheus does not know. */
const samplesOf = (name: string, labels: Labels, state: MetricState.MetricState.Untyped): ReadonlyArray<string> => {
  if (MetricState.isCounterState(state)) return [sample(name, labels, state.count)]
  if (MetricState.isGaugeState(state)) return [sample(name, labels, state.value)]
  if (!MetricState.isHistogramState(state)) return []
  const finite = state.buckets.filter(([bound]) => Number.isFinite(bound))
  return [
    ...finite.map(([bound, count]) => sample(`${name}_bucket`, [...labels, ["le", String(bound)]], count)),
    sample(`${name}_bucket`, [...labels, ["le", "+Inf"]], state.count),
    sample(`${name}_sum`, labels, state.sum),
    sample(`${name}_count`, labels, state.count)
  ]
}

const typeOf = (state: MetricState.MetricState.Untyped): string =>
  MetricState.isCounterState(state) ? "counter" : MetricState.isGaugeState(state) ? "gauge" : "histogram"

/** The label that names the unit becomes a part of the name, as Prometheus has it. */
const fullName = (text: string, unit: string | undefined, isCounter: boolean): string => {
  const name = nameOf(text)
  const seconds = unit === "s" && !name.endsWith("_seconds") ? `${name}_seconds` : name
  return isCounter && !seconds.endsWith("_total") ? `${seconds}_total` : seconds
}

/** Writes the metrics, those of one name together. Labels of `hidden` are left out. */
export const textOf = (pairs: ReadonlyArray<MetricPair.MetricPair.Untyped>, hidden: ReadonlyArray<string>): string => {
  const families = new Map<string, { readonly head: string; readonly lines: Array<string> }>()
  for (const { metricKey: { description, name: text, tags }, metricState } of pairs) {
    const unit = tags.find(({ key }) => key === "unit")?.value
    const name = fullName(text, unit, MetricState.isCounterState(metricState))
    const labels = tags.flatMap(({ key, value }): Labels =>
      key === "unit" || hidden.includes(key) ? [] : [[key, value]]
    )
    const samples = samplesOf(name, labels, metricState)
    if (samples.length === 0) continue
    const help = escaped(Option.getOrElse(description, () => ""))
    const family = families.get(name) ??
      { head: `# HELP ${name} ${help}\n# TYPE ${name} ${typeOf(metricState)}`, lines: [] }
    families.set(name, family)
    family.lines.push(...samples)
  }
  return [...families.values()].map(({ head, lines }) => `${head}\n${lines.join("\n")}\n`).join("")
}
