/** The style of all pages, in light and dark, for screens from 320 pixels on and for paper. */
export const style = `:root{
color-scheme:light dark;
--page:#f4f5f7;--card:#fff;--line:#e2e5ea;--soft:#f0f2f5;--text:#171b22;--quiet:#5c6675;--link:#0b5bd3;--accent:#c2570c;
--good:#0a6b3d;--good-back:#e2f5ea;--bad:#b3261e;--bad-back:#fdeae8;--warn:#8a5300;--warn-back:#fdf1dc;--plain-back:#e9ecf1;
--coin:#6b4fbb;--coin-back:#efebfa;--ft:#0b63a5;--ft-back:#e3f0fb;--nft:#a1216f;--nft-back:#fbe7f3;--mt:#0a6b62;--mt-back:#ddf4f1;
--new:#fff5d6;--shadow:0 1px 2px rgb(16 24 40/.05);
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){:root{
--page:#101318;--card:#181c23;--line:#2b313b;--soft:#1f242c;--text:#e7eaef;--quiet:#9aa5b4;--link:#82b1ff;--accent:#ffa45c;
--good:#6fdba1;--good-back:#12372a;--bad:#ff9a91;--bad-back:#431d1b;--warn:#f2c06b;--warn-back:#3b2c10;--plain-back:#2a303a;
--coin:#c3b1ff;--coin-back:#2c2547;--ft:#8cc8ff;--ft-back:#16304a;--nft:#ffa3d7;--nft-back:#43203a;--mt:#74dccf;--mt-back:#123834;
--new:#33301c;--shadow:none}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html{scroll-padding-top:1rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
a{color:var(--link);text-decoration:none}
a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:4px}
main:focus{outline:none}
code,pre{font-family:var(--mono);font-size:.87em}
code.wide,.uri,.url{overflow-wrap:anywhere;word-break:break-all}
small{font-size:.82em;color:var(--quiet);white-space:nowrap}
.quiet,.unit{color:var(--quiet)}
.unit{font-size:.85em}
.hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:1rem;top:-4rem;z-index:2;padding:.5rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:8px}
.skip:focus{top:.5rem}
header,footer,main{padding-inline:max(1rem,calc((100% - 1240px)/2))}
header{background:var(--card);border-bottom:1px solid var(--line)}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:.6rem 1rem;padding-top:.8rem}
.brand{display:flex;align-items:center;gap:.5rem;color:var(--text);font-size:1.05rem}
.brand:hover{text-decoration:none}
form{position:relative;flex:1 1 20rem;max-width:38rem}
input[type=search]{width:100%;padding:.5rem 2.4rem .5rem .8rem;font:inherit;color:inherit;background:var(--soft);border:1px solid var(--line);border-radius:8px;-webkit-appearance:none;appearance:none}
input::placeholder{color:var(--quiet);opacity:1}
input[type=search]:focus{outline:2px solid var(--link);outline-offset:0;background:var(--card)}
kbd{font:600 .75rem/1.4 var(--mono);padding:.05rem .4rem;color:var(--quiet);background:var(--soft);border:1px solid var(--line);border-bottom-width:2px;border-radius:5px}
form kbd{position:absolute;right:.6rem;top:50%;translate:0 -50%;background:var(--card)}
.chains{display:flex;padding:3px;background:var(--soft);border:1px solid var(--line);border-radius:9px}
.chains a{padding:.22rem .7rem;border-radius:6px;color:var(--quiet);white-space:nowrap}
.chains a[aria-current]{background:var(--card);color:var(--text);font-weight:600;box-shadow:0 0 0 1px var(--line)}
.pages{display:flex;gap:.1rem;align-items:center;margin:.5rem -.6rem 0;overflow-x:auto;scrollbar-width:none}
.pages a{padding:.5rem .7rem .6rem;color:var(--quiet);border-bottom:2px solid transparent;white-space:nowrap}
.pages a:hover{color:var(--text);text-decoration:none}
.pages a[aria-current]{color:var(--text);font-weight:600;border-color:var(--accent)}
.pages :focus-visible{outline-offset:-3px}
#live{margin-left:auto;padding:.15rem .7rem;font:inherit;font-size:.85rem;color:var(--good);background:var(--card);border:1px solid var(--line);border-radius:99px;cursor:pointer;white-space:nowrap}
#live::before{content:"";display:inline-block;width:.5em;height:.5em;margin-right:.4em;border-radius:50%;background:currentColor}
#live[data-state=paused]{color:var(--quiet)}
#live[data-state=lost]{color:var(--bad)}
main{padding-top:1.4rem;padding-bottom:2rem;min-height:60vh}
.heading{display:flex;flex-wrap:wrap;align-items:baseline;gap:.1rem .8rem;margin:0 0 1.1rem}
.heading p{margin:0}
.kind{color:var(--accent);font-weight:600;font-size:.85rem;flex:0 0 100%}
h1{margin:0;font-size:1.45rem;line-height:1.3;font-weight:650;overflow-wrap:anywhere}
h1 code.wide{font-size:1.02rem;font-weight:500}
.beside{color:var(--quiet)}
.name{font-weight:650;color:var(--text)}
h2{margin:0;font-size:1rem;font-weight:650}
h3{margin:0;font-size:.9rem}
.card{margin:0 0 1.1rem;background:var(--card);border:1px solid var(--line);border-radius:12px;box-shadow:var(--shadow);overflow:clip}
.card>p{padding:0 1.1rem;margin:1rem 0}
.title{display:flex;justify-content:space-between;align-items:baseline;gap:1rem;padding:.8rem 1.1rem;border-bottom:1px solid var(--line)}
.title a{font-size:.88rem}
.columns{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 1.1rem;align-items:start}
.figures{display:flex;flex-wrap:wrap;margin:0 0 1.1rem;background:var(--card);border:1px solid var(--line);border-radius:12px;box-shadow:var(--shadow)}
.figures div{flex:1 1 auto;padding:.75rem 1.1rem}
.figures dt{color:var(--quiet);font-size:.82rem}
.figures dd{margin:.1rem 0 0;font-size:1.12rem;font-weight:600;overflow-wrap:anywhere}
.facts{margin:0}
.facts>div{display:grid;grid-template-columns:10rem minmax(0,1fr);gap:.2rem 1rem;padding:.55rem 1.1rem}
.facts>div+div{border-top:1px solid var(--line)}
.facts dt{color:var(--quiet)}
.facts dd{margin:0;overflow-wrap:anywhere}
.facts dd>p,.facts dd>div>p{margin:0}
.facts .facts>div,.logs .facts>div,details .facts>div,.roles .facts>div{padding:.25rem 0;grid-template-columns:6rem minmax(0,1fr);border:0}
.facts table{margin-top:.3rem}
table{width:100%;border-collapse:collapse}
th,td{padding:.55rem .6rem;text-align:left;vertical-align:baseline}
th:first-child,td:first-child{padding-left:1.1rem}
th:last-child,td:last-child{padding-right:1.1rem}
th{color:var(--quiet);font-size:.82rem;font-weight:500;background:var(--soft);white-space:nowrap}
tbody tr{border-top:1px solid var(--line)}
tbody tr:hover,tbody tr:focus-within{background:var(--soft)}
td code:not(.wide,.url),.amount{white-space:nowrap}
.number{text-align:right}
td time{white-space:nowrap;color:var(--quiet);font-size:.93em}
.under{display:block;white-space:normal}
.number .under{white-space:nowrap}
.self{font-weight:600}
.empty{color:var(--quiet);padding:1rem 1.1rem;margin:0}
.pill,.kindof{display:inline-block;padding:.02rem .5rem;border-radius:99px;font-size:.8rem;font-weight:600;white-space:nowrap}
.good{color:var(--good);background:var(--good-back)}
.bad{color:var(--bad);background:var(--bad-back)}
.warn{color:var(--warn);background:var(--warn-back)}
.plain{color:var(--text);background:var(--plain-back)}
.kindof{border-radius:6px}
.coin{color:var(--coin);background:var(--coin-back)}
.ft{color:var(--ft);background:var(--ft-back)}
.nft{color:var(--nft);background:var(--nft-back)}
.mt{color:var(--mt);background:var(--mt-back)}
.tabs{display:flex;flex-wrap:wrap;gap:.1rem;padding:.3rem .7rem 0;border-bottom:1px solid var(--line)}
.tabs a{padding:.45rem .6rem .5rem;color:var(--quiet);border-bottom:2px solid transparent;margin-bottom:-1px}
.tabs a[aria-current]{color:var(--text);font-weight:600;border-color:var(--accent)}
.tabs+.tabs{font-size:.88rem}
.pager{display:flex;justify-content:flex-end;gap:.6rem;padding:.7rem 1.1rem;border-top:1px solid var(--line)}
.pager a,.neighbours a{padding:.25rem .8rem;border:1px solid var(--line);border-radius:8px;background:var(--card)}
.callout{margin:0 0 1.1rem;padding:.8rem 1.1rem;background:var(--card);border:1px solid var(--bad);border-left-width:4px;border-radius:12px}
.callout p{margin:.2rem 0;overflow-wrap:anywhere}
details{padding:.6rem 1.1rem}
dd details,li details{padding:0}
summary{cursor:pointer;color:var(--link);width:fit-content}
.card>*+details{border-top:1px solid var(--line)}
.data{max-height:18rem;margin:.5rem 0 0;padding:.7rem .9rem;overflow:auto;background:var(--soft);border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere;word-break:break-all}
.signature{overflow-wrap:anywhere}
.values{margin:0;padding-left:1.6rem}
.logs{margin:0;padding:0;list-style:none}
.logs>li{padding:.7rem 1.1rem}
.logs>li+li{border-top:1px solid var(--line)}
.logs p{margin:0 0 .3rem;overflow-wrap:anywhere}
.logs table{border:1px solid var(--line);border-radius:8px}
.roles{display:grid;gap:.7rem;margin-top:.6rem}
.roles section{padding:.5rem .8rem;border:1px solid var(--line);border-radius:8px}
q{quotes:"“" "”"}
.copy{margin-left:.4rem;padding:0 .4rem;font:inherit;font-size:.75rem;color:var(--quiet);background:var(--soft);border:1px solid var(--line);border-radius:5px;cursor:pointer}
.new{animation:new 3s ease-out}
@keyframes new{from{background:var(--new)}}
@media (prefers-reduced-motion:reduce){.new{animation:none}}
footer{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.2rem 2rem;padding-block:1rem;color:var(--quiet);font-size:.85rem;border-top:1px solid var(--line)}
footer p{margin:.2rem 0}
.keys kbd{margin-left:.5rem}
@media (max-width:900px){.columns{grid-template-columns:minmax(0,1fr)}}
@media (max-width:700px){
body{font-size:14.5px}
form{order:3;flex-basis:100%;max-width:none}
form kbd,.keys{display:none}
.chains small,.brand span,#live span{display:none}
.bar{gap:.6rem .5rem}
.chains a{padding-inline:.5rem}
#live{padding:.15rem .45rem}
#live::before{margin:0}
.columns .card:first-child td:nth-child(2){display:none!important}
.pages{margin-inline:-1rem;padding-inline:.4rem}
.figures div{flex-basis:45%}
.facts>div{grid-template-columns:minmax(0,1fr);gap:0}
.facts dt{font-size:.82rem}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody,tr,td{display:block}
tbody tr{padding:.6rem 1.1rem}
td,td:first-child,td:last-child{display:grid;grid-template-columns:6.5rem minmax(0,1fr);gap:.8rem;padding:.12rem 0;text-align:left;overflow-wrap:anywhere}
td>*{grid-column:2;justify-self:start}
td .amount,dd .amount{white-space:normal;overflow-wrap:anywhere}
td::before{content:attr(data-label);grid-column:1;color:var(--quiet);font-size:.85rem}
td{align-items:baseline}
.logs table{border:0}
.logs tbody tr,.facts tbody tr{padding:.4rem 0}
.columns table{display:table}
.columns tbody{display:table-row-group}
.columns tr{display:table-row}
.columns td,.columns td:first-child,.columns td:last-child{display:table-cell;padding:.5rem .4rem}
.columns td:first-child{padding-left:1.1rem}
.columns td:last-child{padding-right:1.1rem;text-align:right}
.columns td::before{content:none}
.columns td>*{justify-self:auto}
}
@media print{
:root{--page:#fff;--card:#fff;--soft:#fff;--text:#000;--quiet:#444;--link:#000;--line:#bbb}
header,.skip,.keys,.copy,.pager,.tabs{display:none!important}
.card,tr{break-inside:avoid}
}
`

/**
 * Keys, copying, and pages that renew themselves. A page requests itself once a second, and gets no body if nothing
 * has changed. A hidden page requests nothing, and the sandbox has no connection to keep open or to cut.
 */
export const script = `"use strict"
const live = document.getElementById("live")
const news = document.getElementById("news")
const search = document.getElementById("q")
const main = () => document.getElementById("content")
let isPaused = sessionStorage.getItem("paused") === "yes"
let isLost = false
const showState = () => {
  live.dataset.state = isPaused ? "paused" : isLost ? "lost" : "live"
  live.firstElementChild.textContent = isPaused ? "Paused" : isLost ? "No answer" : "Live"
  live.title = isPaused ? "Paused: renew this page as blocks come" : "Live: stop renewing this page"
  live.setAttribute("aria-label", live.title)
}
const toggle = () => {
  isPaused = !isPaused
  sessionStorage.setItem("paused", isPaused ? "yes" : "no")
  showState()
}
const enhance = (root) => {
  for (const button of root.querySelectorAll(".copy")) button.hidden = false
}
/** Puts the new content in place of the old one, and leaves focus and opened boxes as they are. */
const renew = (page) => {
  const old = main()
  const next = page.getElementById("content")
  const keys = new Set([...old.querySelectorAll("[data-key]")].map((row) => row.dataset.key))
  for (const row of next.querySelectorAll("[data-key]")) if (!keys.has(row.dataset.key)) row.classList.add("new")
  for (const box of old.querySelectorAll("details[open][id]")) {
    const same = page.getElementById(box.id)
    if (same) same.open = true
  }
  const focused = old.contains(document.activeElement) ? document.activeElement : undefined
  const row = focused && focused.closest("[data-key]")
  const links = (root) => [...root.querySelectorAll("a,button,summary")]
  const place = focused && links(row || old).indexOf(focused)
  enhance(next)
  old.replaceWith(next)
  if (focused) {
    const root = row ? next.querySelector('[data-key="' + CSS.escape(row.dataset.key) + '"]') : next
    const same = root && links(root)[place]
    if (same) same.focus({ preventScroll: true })
    else next.focus({ preventScroll: true })
  }
  document.title = page.title
  const first = next.querySelector(".new a")
  if (first) news.textContent = "New: " + first.textContent
}
const ask = async () => {
  const selection = getSelection()
  const isSelecting = selection && !selection.isCollapsed && main().contains(selection.anchorNode)
  if (document.hidden || isPaused || isSelecting) return
  try {
    const answer = await fetch(location.href, { cache: "no-cache" })
    isLost = false
    const page = new DOMParser().parseFromString(await answer.text(), "text/html")
    const next = page.getElementById("content")
    if (next && next.dataset.version !== main().dataset.version && !isPaused) renew(page)
  } catch {
    isLost = true
  }
  showState()
}
const again = () => setTimeout(() => ask().finally(again), isLost ? 3000 : 1000)
live.hidden = false
live.addEventListener("click", toggle)
showState()
enhance(document)
again()
document.addEventListener("click", async ({ target }) => {
  const button = target.closest(".copy")
  if (!button) return
  try {
    await navigator.clipboard.writeText(button.dataset.copy)
    button.textContent = "Copied"
  } catch {
    button.textContent = "Not copied"
  }
  setTimeout(() => { button.textContent = "Copy" }, 1500)
})
/** Moves the focus to the first link of the next or previous row. */
const step = (by) => {
  const rows = [...main().querySelectorAll("tbody tr")].filter((row) => row.querySelector("a"))
  if (rows.length === 0) return
  const at = rows.indexOf(document.activeElement.closest("tbody tr"))
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))]
  next.querySelector("a").focus()
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target === search) {
    if (event.key === "Escape") search.blur()
    return
  }
  const isInRow = event.target.closest("tbody tr") !== null
  if (event.key === "/") search.select(), search.focus()
  else if (event.key === "j" || event.key === "ArrowDown" && isInRow) step(1)
  else if (event.key === "k" || event.key === "ArrowUp" && isInRow) step(-1)
  else if (event.key === "p") toggle()
  else return
  event.preventDefault()
})
`

/** A cube of sand. */
export const icon =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#f6b26b" d="M16 2 28 9 16 16 4 9z"/><path fill="#e08a3c" d="M4 9l12 7v14L4 23z"/><path fill="#b8621b" d="M28 9 16 16v14l12-7z"/></svg>`
