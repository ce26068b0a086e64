// The script of every page of the explorer: keys, copying, and once a second the newest content of the page.
"use strict"
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
const ageUnits = [[86_400, "d"], [3600, "h"], [60, "min"], [1, "s"]]
/** How long ago a time was by this machine's clock. The clock of a chain may be ahead of it. */
const ageOf = (millis) => {
  const seconds = Math.round((Date.now() - millis) / 1000)
  const size = Math.abs(seconds)
  if (size < 2) return "now"
  const [length, unit] = ageUnits.find(([length]) => size >= length)
  return `${Math.floor(size / length)} ${unit} ${seconds < 0 ? "ahead" : "ago"}`
}
const showAges = (root) => {
  for (const time of root.querySelectorAll("time[datetime]")) time.dataset.age = ageOf(Date.parse(time.dateTime))
}
const enhance = (root) => {
  for (const button of root.querySelectorAll(".copy")) button.hidden = false
  showAges(root)
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
    const root = row ? next.querySelector("[data-key=\"" + CSS.escape(row.dataset.key) + "\"]") : next
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
setInterval(() => showAges(document), 1000)
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
  setTimeout(() => {
    button.textContent = "Copy"
  }, 1500)
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
  if (event.key === "/") {
    search.select()
    search.focus()
  } else if (event.key === "j" || event.key === "ArrowDown" && isInRow) step(1)
  else if (event.key === "k" || event.key === "ArrowUp" && isInRow) step(-1)
  else if (event.key === "p") toggle()
  else return
  event.preventDefault()
})
