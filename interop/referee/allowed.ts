/** The differences between a sandbox and a node that are meant to be, each with its reason: the only exceptions. */

/** A difference that is allowed: where it is, and what both sides may say there if not anything. */
export interface Allowed {
  readonly at: RegExp
  readonly when?: (node: unknown, sandbox: unknown, question: string) => boolean
  readonly why: string
}

const isHash = (value: unknown): boolean => typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value)

const bothHashes = (node: unknown, sandbox: unknown): boolean => isHash(node) && isHash(sandbox)

/** Both refuse bytes that are no transaction; the words of a decoder name the first thing that it meets. */
const bothDecoders = (node: unknown, sandbox: unknown): boolean =>
  [node, sandbox].every((text) =>
    typeof text === "string" &&
    /^(?:rlp: |EOF|the bytes |a length below |key is not serializable|undefined tx type|fee ratio is out of range)/
      .test(text)
  )

export const table: ReadonlyArray<Allowed> = [
  { at: /\.blockHash$/, when: bothHashes, why: "each chain has its own blocks" },
  { at: /\.(?:hash|parentHash|stateRoot|sigHash)$/, when: bothHashes, why: "each chain has its own blocks" },
  {
    at:
      /\.(?:miner|reward|proposer|originProposer|committee\[\]|committers\[\])$|(?:rewardbase|nodeAddress|getCouncil|getCommittee)\.result/,
    why: "the sandbox has a proposer of its own"
  },
  { at: /\.(?:extraData|size)$/, why: "no validator seals a block here" },
  { at: /\.(?:mixHash|mixhash|randomReveal|IsRandao|randao\w+)$/, why: "no validator draws a random number here" },
  { at: /\.governanceData$/, why: "each network has its own settings" },
  {
    at: /\.result(?:[.[]|$)/,
    when: (_node, _sandbox, question) => question.includes("\"pending\""),
    why: "the pending block is the newest one here"
  },
  {
    at: /\.error\.message$/,
    when: (node, _sandbox, question) => question.includes("\"pending\"") && /^block #\w+ not found$/.test(String(node)),
    why: "the pending block is the newest one here"
  },
  {
    at: /^(?:estimateGas|parameters of \w+_estimateGas).*\.result$/,
    when: (node, sandbox) => Number(node) < Number(sandbox) && Number(sandbox) > 500_000,
    why: "a search that runs more than 10,000,000 gas in all is left"
  },
  { at: /getStakingInfo\.result\./, why: "nobody stakes here" },
  { at: /\.timestampFoS$/, why: "a block has a whole second here" },
  {
    at: /get(?:ChainConfig|Params)\.result\.|forkStatus\.result\.IsKIP\d+$|net_(?:version|networkID)\.result$/i,
    why: "each network has its own settings"
  },
  { at: /rewards?\.result\.|getRewards\.result\./i, why: "fees are burnt here, and no coin is created" },
  {
    at: /^(?:total supply|parameters of \w+_getTotalSupply)\.result\.(?:total|burnt|zero|dead)\w+$/,
    why: "coin comes from nowhere here, and no reward is minted"
  },
  { at: /^(?:proof|parameters of \w+_getProof)\./, why: "no trie is kept here" },
  { at: /^parameters of \w+_getBlsInfos\./, why: "validators have no keys here" },
  { at: /^parameters of debug_traceBlock\./, why: "a block has no encoding here" },
  { at: /clientVersion\.result$/, why: "tools look for the name of a chain for development" },
  { at: /^parameters of rpc_modules\./, why: "each node is started with its own list" },
  {
    at: /^(?:send|parameters of \w+_sendRawTransaction|parameters of \w+_recoverFromTransaction)\.error\.message$/,
    when: bothDecoders,
    why: "the words of a decoder name the first fault that it meets"
  },
  {
    at: /^trace .*prestateTracer.*\.result\.ADDRESS\.(?:balance|nonce|code)$/,
    why: "a node takes the balance after the fee, gives back what the sender did not pay, and has set code already"
  },
  {
    at: /^request: (?:null|a list of nothing good)\./,
    why: "a node's own fault: it ends the connection without an answer"
  },
  { at: /^request: OPTIONS without a body\./, why: "browsers ask before they send to another origin" }
]

/** Why a difference is allowed; undefined if it is not. */
export const whyAllowed = (place: string, node: unknown, sandbox: unknown, question: string): Allowed | undefined =>
  table.find(({ at, when }) => at.test(place) && (when?.(node, sandbox, question) ?? true))
