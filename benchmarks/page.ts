/** FIGURES.md from the measured figures. */

/** What one line of JSON says. */
export interface Figure {
  readonly group: string
  readonly [field: string]: unknown
}

/** All figures of one run, and where they were made. */
export interface Made {
  readonly made: string
  readonly quick: boolean
  readonly node: string
  readonly machine: string
  readonly figures: ReadonlyArray<Figure>
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}

const shown = (value: unknown): string =>
  typeof value === "number" ? value.toLocaleString("en-US") : value === undefined ? "" : String(value)

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<unknown>>): string =>
  [head, head.map((_, i) => i === 0 ? "---" : "--:"), ...rows.map((row) => row.map(shown))]
    .map((row) => `| ${row.join(" | ")} |`).join("\n")

const peers = ["fetch", "undici", "bare Effect", "platform and Schema", "caver-js-ext-kas", "viem", "ethers"]

/** How many times as long the SDK takes as each peer. */
const against = (figures: ReadonlyArray<Figure>): string => {
  const rows = figures.filter(({ group }) => group === "compared").filter(({ figure }) =>
    !String(figure).startsWith("reading")
  ).map(({ cpuRatio, figure, perSecond, timeRatio }) => [
    figure,
    fieldsOf(perSecond)["sdk"],
    ...peers.map((peer) => {
      const time = fieldsOf(fieldsOf(timeRatio)[peer])["median"]
      return time === undefined ? "" : `${shown(time)} (${shown(fieldsOf(cpuRatio)[peer])})`
    })
  ])
  const starts = figures.filter(({ figure }) => String(figure).startsWith("from the start")).map(
    ({ cpuMilliseconds, figure, milliseconds }) => {
      const ratio = (all: unknown, peer: string): string => {
        const { [peer]: theirs, sdk: own } = fieldsOf(all)
        return typeof own === "number" && typeof theirs === "number" ? (own / theirs).toFixed(2) : ""
      }
      return [
        figure,
        `${shown(fieldsOf(milliseconds)["sdk"])} ms`,
        ...peers.map((peer) => {
          const cpu = ratio(cpuMilliseconds, peer)
          return `${ratio(milliseconds, peer)}${cpu === "" ? "" : ` (${cpu})`}`
        })
      ]
    }
  )
  return table(["", "SDK, per second", ...peers], [...rows, ...starts])
}

/** What a list of calls takes of the heap, beside the peers. */
const heaps = (figures: ReadonlyArray<Figure>): string => {
  const measured = figures.filter(({ heapMegabytes }) => heapMegabytes !== undefined)
  const sides = ["sdk", ...Object.keys(fieldsOf(measured[0]?.["heapRatio"]))]
  return table(
    ["", ...sides],
    measured.map(({ figure, heapMegabytes }) => [
      figure,
      ...sides.map((side) => `${shown(fieldsOf(heapMegabytes)[side])} MB`)
    ])
  )
}

const reading = (figures: ReadonlyArray<Figure>): string =>
  table(
    ["", "JSON.parse", "effect/Schema"],
    figures.filter(({ figure }) => String(figure).startsWith("reading")).map(({ figure, timeRatio }) => [
      figure,
      ...["JSON.parse", "effect/Schema"].map((peer) => fieldsOf(fieldsOf(timeRatio)[peer])["median"])
    ])
  )

const growth = (figures: ReadonlyArray<Figure>): string => {
  const sides = ["sdk", "sdk on undici", "fetch", "undici", "platform and Schema", "caver-js-ext-kas"]
  return table(
    ["Pages", ...sides],
    figures.filter(({ figure }) => figure === "pages read").map(({ megabytes, milliseconds, pages }) => [
      pages,
      ...sides.map((side) => `${shown(fieldsOf(milliseconds)[side])} ms, ${shown(fieldsOf(megabytes)[side])} MB`)
    ])
  )
}

/** The start of each program, as times of the CPU time of the first. */
const floorsOf = (figures: ReadonlyArray<Figure>): string => {
  const all = figures.find(({ cpuMilliseconds }) => fieldsOf(cpuMilliseconds)["bare Effect"] !== undefined)
  const cpu = fieldsOf(all?.["cpuMilliseconds"])
  const sides = [
    "fetch",
    "undici",
    "bare Effect",
    "bare Effect on undici",
    "platform and Schema",
    "sdk",
    "sdk on undici"
  ]
  const of = (peer: string) => (side: string): string => (Number(cpu[side]) / Number(cpu[peer])).toFixed(2)
  return table(["CPU time of a start, times that of", ...sides], [
    ["fetch", ...sides.map(of("fetch"))],
    ["bare Effect", ...sides.map(of("bare Effect"))]
  ])
}

/** Any figures of one shape, with their numbers as columns. */
const plain = (figures: ReadonlyArray<Figure>, without: ReadonlyArray<string> = []): string => {
  const names = [...new Set(figures.flatMap((figure) => Object.keys(figure)))]
    .filter((name) => name !== "group" && !without.includes(name))
  return table(names.map(spelled), figures.map((figure) => names.map((name) => figure[name])))
}

const spelled = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** A row for each number of a figure. */
const numbers = (figures: ReadonlyArray<Figure>): string =>
  table(
    ["", "", ""],
    figures.flatMap(({ figure, group: _, ...fields }) =>
      Object.entries(fields).flatMap(([name, value]) => {
        const parts = Object.entries(fieldsOf(value))
        return parts.length === 0
          ? [[figure, spelled(name), value]]
          : parts.map(([part, number]) => [figure, `${spelled(name)}, ${part}`, number])
      })
    )
  )

/** The page. */
export const page = ({ figures, machine, made, node, quick }: Made): string =>
  [
    "# Figures",
    `Written by \`npx -y pnpm@10.34.9 bench\` on ${made}: Node ${node}, ${machine}.` +
    (quick ? " **With `--quick`: these show that everything runs, and no more.**" : ""),
    "All peers of a table ran in the same run, in turns, against the same server on loopback, which repeats recorded " +
    "answers from memory. Ratios compare on any machine; times only with the others here. The service across a network " +
    "takes tens of milliseconds for each answer, beside which most of these differences vanish.",
    "## Against others",
    "How many times as long the SDK takes as each peer: below 1 the SDK is faster. In parentheses the same of CPU time. " +
    "`fetch` and `undici` only parse JSON, and so does `bare Effect` with the platform's client, the floor of what is written with Effect; `platform and Schema` checks the same contract with `effect/Schema`; the last " +
    "three are published clients. An empty cell is something that a peer does not do. Medians.",
    against(figures),
    "The floor of a start:",
    floorsOf(figures),
    "The most that the heap grew in a run, garbage included:",
    heaps(figures),
    "Decoding alone, of answers that are already parsed:",
    reading(figures),
    "## From 1 to 1,000 pages",
    "Pages of 10 transfers, each program in a process of its own: the time without its start, and the most memory that " +
    "the process had.",
    growth(figures),
    "## What a start loads",
    "Kilobytes of text of each package, not minified, how many of them no call reached, and the milliseconds in which its " +
    "modules were evaluated: `pnpm bench loading`. `klaytn sandbox` and `klaytn gateway` run until they listen. The sandbox is a " +
    "bundle, the gateway is not. Packages of which less than 10 kB are unused are left out.",
    plain(
      figures.filter(({ group, unused }) => group === "loading" && Number(unused) >= 10),
      ["figure"]
    ),
    "## From 1 to 64 windows",
    "Exports of one history from a service that answers after 50 ms.",
    plain(figures.filter(({ group }) => group === "windows"), ["bench"]),
    "## Among stored transfers",
    "The sandbox: searches in its database. A block has 100 transfers, so the smallest history has 100.",
    plain(
      figures.filter(({ figure, group }) => group === "stored" && figure !== "fill")
        .toSorted((a, b) => Number(a["rows"]) - Number(b["rows"])),
      ["driver", "runs"]
    ),
    "## An index of a node",
    "Blocks of 10 transactions, each of which moves something, into SQLite. The ratios are those of CPU time: to parsing the " +
    "same answers of the node, and to inserting the rows that the index has in the end. A page of 100 transfers is answered " +
    "as JSON. Other programs ran beside these: the CPU time can be compared, the milliseconds are upper bounds.",
    numbers(figures.filter(({ group }) => group === "index")),
    "## A first sync",
    "Blocks of a sandbox with every type of transaction, tokens of all kinds and failures, 8 to 10 transactions in every second block and " +
    "none in the others, from the genesis block to the head, served from memory by another process. The floor fetches the same blocks and " +
    "receipts in batches of 20, one after the other, and parses them; the ratios are to it. Postgres is loaded and folded by one process, " +
    "whose CPU time does not include the server's.",
    numbers(figures.filter(({ group }) => group === "sync")),
    "## A wallet with keys of one's own",
    "A gateway with a wallet beside the sandbox's own wallet, both on this machine with files, eight requests at once. The ratios are those " +
    "of CPU time: of the gateway alone and with its node to the sandbox, which is its own node; and of the last pages of a list to the " +
    "first.",
    numbers(figures.filter(({ group }) => group === "custody")),
    "## What each entry weighs",
    "Everything that the package's main entry exports, bundled and minified for Node with what it needs, also compressed; " +
    "and how much longer a program runs that imports it. Programs that use a part take a part.",
    plain(figures.filter(({ figure }) => figure === "entry"), ["figure"]),
    "## What was tried, and what helped",
    [
      "- **Compiling schemas to functions** that decode valid answers in one pass: less than the time of `JSON.parse` " +
      "instead of many times that. `effect/Schema` decodes again only what is wrong. Composing functions at run time took five times " +
      "as long as `JSON.parse`; generating the code at build time is as fast and was left out, for it is 45 kB for the " +
      "transfers alone.",
      "- **One span, one metric and one deadline for each call** instead of one for each layer, and no spans under a tracer " +
      "that exports none.",
      "- **A timer of its own for each attempt** instead of a sleeping fiber: single calls are 15 % shorter.",
      "- **Contracts as plain data** instead of `HttpApiEndpoint`s: 16 of 132 kB of a compressed program.",
      "- **No compiler in bundles for browsers and Workers**, where most may not run it: 4.6 of 106 kB.",
      "- **Batching across fibers**: 100 callers share one exchange; what remains is the cost of fibers that wait, which " +
      "`bare fibers` in the JSON shows.",
      "- **`UndiciHttpClient` instead of `fetch`**: the column `sdk on fetch` in the JSON is the same client on `fetch`. Long " +
      "texts are decoded in pieces: V8 gets new memory for each text of more than 128 kB, and a first touch of memory is slow."
    ].join("\n"),
    "The JSON of all figures is in `figures.json`. [README.md](./README.md) explains the command."
  ].join("\n\n") + "\n"
