import type { ChainId } from "../../Chain.js"
import { type Child, type Html, html } from "./Html.js"

/** The pages that the navigation names. */
const sections = [
  ["", "Overview"],
  ["blocks", "Blocks"],
  ["transactions", "Transactions"],
  ["transfers", "Transfers"],
  ["tokens", "Tokens"],
  ["accounts", "Accounts"],
  ["wallet", "Wallet"],
  ["requests", "Requests"]
] as const

/** A part of the explorer, the last part of its path. */
export type Section = typeof sections[number][0]

/** A page without its frame. */
export interface Page {
  readonly title: string
  readonly section: Section | undefined
  readonly body: Child
}

const chains = [[1001, "Testnet"], [8217, "Mainnet"]] as const

/** The name of a chain. */
export const chainName = (chainId: ChainId): string => chainId === 1001 ? "Testnet" : "Mainnet"

/** The path of a page of a chain. */
export const pathOf = (chainId: ChainId, ...parts: ReadonlyArray<string | number | bigint>): string =>
  ["/explorer", chainId, ...parts].join("/")

const current = (isCurrent: boolean): Child => isCurrent && html` aria-current="page"`

/** A link; the pointer shows its title. */
export const link = (href: string, text: Child, title?: string): Html =>
  html`<a href="${href}"${title !== undefined && html` title="${title}"`}>${text}</a>`

/** A page in its frame. `version` changes with what the page shows. */
export const frame = (chainId: ChainId, { body, section, title }: Page, { query, version }: {
  readonly query: string
  readonly version: string
}): Html =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${chainName(chainId)} · Sandbox explorer</title>
<link rel="icon" href="/explorer/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/explorer/style.css">
<script src="/explorer/script.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<div class="bar">
<a class="brand" href="${
    pathOf(chainId)
  }"><img src="/explorer/icon.svg" alt="" width="26" height="26"><b>Sandbox</b> <span>explorer</span></a>
<form role="search" action="/explorer/search">
<input type="hidden" name="chain" value="${chainId}">
<label class="hidden" for="q">Search</label>
<input id="q" name="q" type="search" value="${query}" placeholder="Address, hash, block, name or token" autocomplete="off" spellcheck="false" autocapitalize="off">
<kbd aria-hidden="true">/</kbd>
</form>
<button id="live" type="button" hidden><span>Live</span></button>
<nav class="chains" aria-label="Chains">${
    chains.map(([id, name]) =>
      html`<a href="${pathOf(id, ...(section === undefined || section === "" ? [] : [section]))}"${
        current(id === chainId)
      }>${name} <small>${id}</small></a>`
    )
  }</nav>
</div>
<nav class="pages" aria-label="Pages">${
    sections.map(([path, name]) =>
      html`<a href="${pathOf(chainId, ...(path === "" ? [] : [path]))}"${current(path === section)}>${name}</a>`
    )
  }</nav>
</header>
<main id="content" tabindex="-1" data-version="${version}">
${body}
</main>
<footer>
<p>A sandbox on this machine: nothing here is on a real chain. Times are UTC. <a href="/api">API of the service</a></p>
<p class="keys"><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> next and previous row <kbd>Enter</kbd> open <kbd>p</kbd> pause</p>
</footer>
<p id="news" class="hidden" role="status" aria-live="polite"></p>
</body>
</html>
`

/** The head of a page: its kind, its name, and a remark beside the name. */
export const heading = (kind: string, name: Child, beside?: Child): Html =>
  html`<div class="heading"><p class="kind">${kind}</p><h1>${name}</h1>${
    beside !== undefined && html`<p class="beside">${beside}</p>`
  }</div>`

/** A page: its section, its title in the browser, and what stands on it from top to bottom. */
export const page = (section: Section | undefined, title: string, ...body: ReadonlyArray<Child>): Page => ({
  section,
  title,
  body
})

/** A page that the navigation names, of a whole chain. */
export const chainPage = (section: Section, title: string, beside: Child, ...body: ReadonlyArray<Child>): Page =>
  page(section, title, heading("Chain", title, beside), ...body)

/** A section with a title, in a box. */
export const card = (title: string, body: Child, more?: Child): Html =>
  html`<section class="card"><div class="title"><h2>${title}</h2>${more}</div>${body}</section>`

/** A name and its value; what is undefined or false is left out. */
export type Fact = readonly [name: string, value: Child]

const factList = (className: "facts" | "figures") => (rows: ReadonlyArray<Fact>): Html =>
  html`<dl class="${className}">${
    rows.map(([name, value]) =>
      value !== undefined && value !== false && html`<div><dt>${name}</dt><dd>${value}</dd></div>`
    )
  }</dl>`

/** Names and values. */
export const facts = factList("facts")

/** Figures that stand at the top of a page. */
export const figures = factList("figures")

/** A column of a table: its title, the cell of a row, and whether cells are aligned right, as numbers. */
export type Column<Row> = readonly [title: string, cell: (row: Row) => Child, align?: "number"]

const aligned = (align: "number" | undefined): Child => align !== undefined && html` class="number"`

/**
 * A table; a row keeps its key when the page is renewed. Roles are named because narrow screens show the rows as boxes,
 * which would lose them.
 */
export const table = <Row>(label: string, rows: ReadonlyArray<Row>, { columns, empty, key }: {
  readonly key: (row: Row) => string | number
  readonly columns: ReadonlyArray<Column<Row>>
  /** What stands in place of a table without rows. */
  readonly empty: Child
}): Html =>
  rows.length === 0
    ? html`<p class="empty">${empty}</p>`
    : html`<table role="table" aria-label="${label}"><thead role="rowgroup"><tr role="row">${
      columns.map(([title, _, align]) => html`<th role="columnheader" scope="col"${aligned(align)}>${title}</th>`)
    }</tr></thead><tbody role="rowgroup">${
      rows.map((row) =>
        html`<tr role="row" data-key="${key(row)}">${
          columns.map(([title, cell, align]) =>
            html`<td role="cell" data-label="${title}"${aligned(align)}>${cell(row)}</td>`
          )
        }</tr>
`
      )
    }</tbody></table>`

/** Links to the views of a page, by the value of a parameter. The first view is the one without the parameter. */
export const tabs = (
  label: string,
  path: string,
  name: string,
  shown: string,
  views: ReadonlyArray<readonly [title: string, value: string]>
): Html =>
  html`<nav class="tabs" aria-label="${label}">${
    views.map(([title, value], index) =>
      html`<a href="${address(path, index === 0 ? {} : { [name]: value })}"${current(value === shown)}>${title}</a>`
    )
  }</nav>`

/**
 * Links to the newest and the next page of a long list. `begin` is the place where this page begins, undefined on the
 * newest page; `older` is the place where the next page begins, undefined on the last page.
 */
export const pager = (
  path: string,
  begin: unknown,
  older: Readonly<Record<string, string | number>> | undefined,
  keep: Readonly<Record<string, string>> = {}
): Child =>
  begin === undefined && older === undefined
    ? undefined
    : html`<nav class="pager" aria-label="Pages of the list">${
      begin !== undefined && link(address(path, keep), "Newest")
    }${older !== undefined && html`<a rel="next" href="${address(path, { ...keep, ...older })}">Older</a>`}</nav>`

/** A path with a query. */
export const address = (path: string, query: Readonly<Record<string, string | number>>): string => {
  const params = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  ).toString()
  return params === "" ? path : `${path}?${params}`
}
