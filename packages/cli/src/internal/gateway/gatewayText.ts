/** What `klaytn gateway` writes of a running gateway. */
import type { GatewayStatus } from "@effect-klaytn/gateway/command"
import { bar, duration, fitted, number } from "../terminal/progress.js"
import * as Screen from "../terminal/Screen.js"

/** How it was started. */
export interface Started {
  readonly url: string
  readonly status: GatewayStatus
  readonly database: string
  readonly hasCallers: boolean
  /** The address that pays fees for the wallet's callers; undefined without a wallet. */
  readonly globalFeePayer: string | undefined
}

/** What it is and how to reach it. */
export const page = ({ database, globalFeePayer, hasCallers, status, url }: Started): ReadonlyArray<string> => [
  `The gateway listens on ${url}`,
  `  chain ${status.chain} from block ${
    number(status.index.from)
  } on, kept in ${database}; the node is ${status.node.host}`,
  hasCallers
    ? `  callers need a credential: klaytn gateway callers add NAME --db ${database}`
    : "  any program on this machine can call it; no credential needed",
  ...(globalFeePayer === undefined ? [] : [
    `  the wallet has its keys on this machine, in ${database}.wallet: back up the file and its master key, apart`,
    `  send coin for fees to its global fee payer ${globalFeePayer}`
  ]),
  ...status.index.notIndexed.map((what) => `  not indexed: ${what}`),
  `  ${url}/ready  /status  /metrics   Stop: Ctrl-C`
]

/** How far the index is, 0 to 1; undefined as long as that is not known. */
const share = ({ index, lag, node }: GatewayStatus): number | undefined => {
  if (node.head === undefined || lag === undefined) return undefined
  const all = node.head - index.from + 1
  return all <= 0 ? 1 : Math.max(0, Math.min(1, 1 - lag.blocks / all))
}

const transfers = ({ index }: GatewayStatus): string => `${number(index.transfersIndexed)} transfers`

/** The load of a new index, over all processes. */
const loading = (
  { blocks, blocksFolded, blocksLoaded, pieces, piecesLoaded }: NonNullable<GatewayStatus["backfill"]>
): ReadonlyArray<string> => [
  `${Math.floor(100 * blocksFolded / blocks)} %`,
  `${number(piecesLoaded)} of ${number(pieces)} pieces`,
  `${number(blocksLoaded)} of ${number(blocks)} blocks loaded, ${number(blocksFolded)} folded`
]

const behind = (status: GatewayStatus, perSecond: number): ReadonlyArray<string> => {
  const { backfill, index, lag, node } = status
  if (backfill !== undefined) return loading(backfill)
  return [
    `${Math.floor(100 * (share(status) ?? 0))} %`,
    `block ${index.head === undefined ? "-" : number(index.head.number)} of ${number(node.head ?? 0)}`,
    ...(perSecond > 0 ? [`${perSecond < 10 ? perSecond.toFixed(1) : number(perSecond)} blocks/s`] : []),
    ...(perSecond > 0 && lag !== undefined ? [`${duration(lag.blocks / perSecond)} left`] : []),
    transfers(status)
  ]
}

const level = (status: GatewayStatus): ReadonlyArray<string> => {
  const { index, lag } = status
  return [
    `block ${number(index.head?.number ?? 0)}`,
    `${number(lag?.blocks ?? 0)} behind`,
    ...(lag?.seconds === undefined ? [] : [`${duration(lag.seconds)} old`]),
    transfers(status)
  ]
}

/** The parts of a line about its state, the most important first. */
export const parts = (status: GatewayStatus, perSecond: number): ReadonlyArray<string> => {
  const { isReady, node } = status
  const failure = node.failure === undefined ? [] : [Screen.clean(node.failure)]
  if (isReady) return ["ready", ...level(status), ...failure]
  return node.head === undefined
    ? ["waiting for the node", ...failure]
    : ["catching up", ...behind(status, perSecond), ...failure]
}

/** One line for a terminal of so many columns: a bar while the index is behind. */
export const line = (status: GatewayStatus, perSecond: number, columns: number): string => {
  const [first = "", ...others] = parts(status, perSecond)
  const done = share(status)
  return fitted(status.isReady || done === undefined ? first : bar(done), others, columns)
}
