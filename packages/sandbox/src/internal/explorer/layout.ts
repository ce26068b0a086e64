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
  readonly body: Html
}

const chains = [[1001, "Testnet"], [8217, "Mainnet"]] as const

/** The name of a chain. */
export const chainName = (chainId: ChainId): string => chainId === 1001 ? "Testnet" : "Mainnet"

/** The path of a page of a chain. */
export const pathOf = (chainId: ChainId, ...parts: ReadonlyArray<string | number | bigint>): string =>
  ["/explorer", chainId, ...parts].join("/")

const current = (isCurrent: boolean): Html => isCurrent ? html` aria-current="page"` : html``

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

/** The head of a page: what it is, its name, and what belongs beside it. */
export const heading = (kind: string, name: Child, beside?: Child): Html =>
  html`<div class="heading"><p class="kind">${kind}</p><h1>${name}</h1>${
    beside !== undefined && html`<p class="beside">${beside}</p>`
  }</div>`

/** A section with a title, in a box. */
export const card = (title: string, body: Child, more?: Html): Html =>
  html`<section class="card"><div class="title"><h2>${title}</h2>${more}</div>${body}</section>`

/** Names and values; what is undefined is left out. */
export const facts = (rows: ReadonlyArray<readonly [name: string, value: Child]>): Html =>
  html`<dl class="facts">${
    rows.map(([name, value]) =>
      value !== undefined && value !== false && html`<div><dt>${name}</dt><dd>${value}</dd></div>`
    )
  }</dl>`

/** Figures that stand at the top of a page. */
export const figures = (rows: ReadonlyArray<readonly [name: string, value: Child]>): Html =>
  html`<dl class="figures">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

/** A column of a table; a number is aligned at its right. */
export interface Column {
  readonly title: string
  readonly isNumber?: boolean
}

/** A row: what it is known by when the page is renewed, and its cells. */
export interface Row {
  readonly key: string | number
  readonly cells: ReadonlyArray<Child>
}

/** A table. Its roles are named because narrow screens show the rows as boxes, which would lose them. */
export const table = (label: string, columns: ReadonlyArray<Column>, rows: ReadonlyArray<Row>, empty: Child): Html =>
  rows.length === 0
    ? html`<p class="empty">${empty}</p>`
    : html`<table role="table" aria-label="${label}"><thead role="rowgroup"><tr role="row">${
      columns.map(({ isNumber = false, title }) =>
        html`<th role="columnheader" scope="col"${isNumber && html` class="number"`}>${title}</th>`
      )
    }</tr></thead><tbody role="rowgroup">${
      rows.map(({ cells, key }) =>
        html`<tr role="row" data-key="${key}">${
          cells.map((cell, index) =>
            html`<td role="cell" data-label="${columns[index]?.title}"${
              columns[index]?.isNumber === true && html` class="number"`
            }>${cell}</td>`
          )
        }</tr>
`
      )
    }</tbody></table>`

/** Links to other views of the same thing. */
export const tabs = (
  label: string,
  links: ReadonlyArray<{ readonly title: string; readonly href: string; readonly isCurrent: boolean }>
): Html =>
  html`<nav class="tabs" aria-label="${label}">${
    links.map(({ href, isCurrent, title }) => html`<a href="${href}"${current(isCurrent)}>${title}</a>`)
  }</nav>`

/** The way through a long list, newest first. */
export const pager = (path: string, { newer, older }: {
  /** Whether the list begins before this page. */
  readonly newer: boolean
  /** Where the next page begins, if there is one. */
  readonly older: Readonly<Record<string, string | number>> | undefined
}, keep: Readonly<Record<string, string>> = {}): Html =>
  !newer && older === undefined
    ? html``
    : html`<nav class="pager" aria-label="Pages of the list">${
      newer && html`<a href="${address(path, keep)}">Newest</a>`
    }${older !== undefined && html`<a rel="next" href="${address(path, { ...keep, ...older })}">Older</a>`}</nav>`

/** A path with a query. */
export const address = (path: string, query: Readonly<Record<string, string | number>>): string => {
  const params = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  ).toString()
  return params === "" ? path : `${path}?${params}`
}
