// The page at /api: reads /openapi.json and makes the calls that it describes. Everything it loads is the sandbox's own.

const byId = (id) => document.getElementById(id)

/** Makes an element; text stays text, whatever it contains. */
const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

/** Text with `code` and **strong** in it. */
const prose = (text = "") =>
  text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) =>
    part.startsWith("`") && part.length > 1
      ? make("code", { textContent: part.slice(1, -1) })
      : part.startsWith("**") && part.length > 4
      ? make("strong", { textContent: part.slice(2, -2) })
      : part
  )

const api = await (await fetch("/openapi.json")).json()

/** Follows a reference; what stands beside it goes first. */
const resolve = (thing) => {
  if (thing?.$ref === undefined) return thing
  const target = thing.$ref.slice(2).split("/").reduce((at, name) => at[name], api)
  return { ...resolve(target), ...thing, $ref: undefined }
}

const nameOf = (schema) => schema?.$ref?.split("/").at(-1)

/** A type in a few words. */
const typeOf = (schema) => {
  if (schema === undefined || schema === true) return "anything"
  const name = nameOf(schema)
  if (name !== undefined) return name
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(" | ")
  const several = schema.anyOf ?? schema.oneOf
  if (several !== undefined) return several.map(typeOf).join(" | ")
  if (schema.type === "array") return `array of ${typeOf(schema.items)}`
  return [schema.type ?? "anything"].flat().join(" | ")
}

/** The records that a schema mentions, itself included. */
const recordsIn = (schema, found = new Map()) => {
  if (schema === undefined || schema === null || typeof schema !== "object") return found
  const name = nameOf(schema)
  if (name !== undefined && found.has(name)) return found
  const full = resolve(schema)
  if (name !== undefined && (full.properties !== undefined || full.anyOf !== undefined)) found.set(name, full)
  else if (full.properties !== undefined) found.set("", full)
  const parts = [full.items, full.additionalProperties, ...(full.anyOf ?? []), ...(full.oneOf ?? [])]
  for (const part of [...parts, ...(full.prefixItems ?? []), ...Object.values(full.properties ?? {})]) {
    recordsIn(part, found)
  }
  return found
}

const fieldsView = (schema) => {
  const view = make("div")
  for (const [name, record] of recordsIn(schema)) {
    const list = make("dl")
    for (const [field, of] of Object.entries(record.properties ?? {})) {
      const optional = record.required?.includes(field) ? "" : ", optional"
      list.append(
        make("dt", {}, make("code", { textContent: field }), ` ${typeOf(of)}${optional}`),
        make("dd", {}, ...prose(resolve(of).description))
      )
    }
    if (name !== "") view.append(make("h3", {}, make("code", { textContent: name })))
    if (name !== "") view.append(make("p", { className: "hint" }, ...prose(record.description)))
    if (record.anyOf !== undefined) {
      view.append(make("p", { textContent: `one of ${typeOf({ anyOf: record.anyOf })}` }))
    }
    if (list.childElementCount > 0) view.append(list)
  }
  return view
}

const access = () => ({
  authorization: `Basic ${
    btoa(String.fromCodePoint(...new TextEncoder().encode(`${byId("key").value}:${byId("secret").value}`)))
  }`,
  "x-chain-id": byId("chain").value
})

const exampleText = (value) => value === undefined ? "" : [value].flat().join(",")

/** The form of one operation, and what came back. */
const callView = (method, path, operation) => {
  const form = make("form", { className: "call" })
  const parameters = (operation.parameters ?? []).map(resolve).filter(({ name }) => name !== "x-chain-id")
  const inputs = parameters.map((parameter) => {
    const input = make("input", {
      value: parameter.required || parameter.name === "size" ? exampleText(parameter.example) : "",
      placeholder: exampleText(parameter.example),
      required: parameter.required,
      spellcheck: false
    })
    form.append(make(
      "label",
      { className: "field" },
      make(
        "span",
        {},
        make("code", { textContent: parameter.name }),
        ` ${typeOf(parameter.schema)}, in ${parameter.in}${parameter.required ? "" : ", optional"}`
      ),
      input,
      make("span", { className: "hint" }, ...prose(parameter.description))
    ))
    return [parameter, input]
  })
  const content = operation.requestBody?.content["application/json"]
  const examples = Object.values(content?.examples ?? { only: { summary: "", value: content?.example } })
  const body = make("textarea", { value: JSON.stringify(examples[0]?.value, null, 2) ?? "", spellcheck: false })
  if (content !== undefined) {
    form.append(make("label", { className: "field" }, "Body, in JSON", body))
    if (examples.length > 1) {
      for (const { summary, value } of examples) {
        form.append(make("button", {
          type: "button",
          textContent: summary,
          onclick: () => (body.value = JSON.stringify(value, null, 2))
        }))
      }
    }
  }
  const next = make("button", { type: "button", textContent: "Next page", hidden: true })
  const status = make("output")
  const answer = make("pre", { hidden: true, tabIndex: 0 })
  form.append(make("button", { textContent: "Call" }), next, status)
  form.onsubmit = async (event) => {
    event.preventDefault()
    const query = new URLSearchParams()
    let url = path
    const headers = access()
    for (const [parameter, input] of inputs) {
      if (input.value === "") continue
      if (parameter.in === "path") url = url.replace(`{${parameter.name}}`, encodeURIComponent(input.value))
      else if (parameter.in === "query") query.set(parameter.name, input.value)
      else headers[parameter.name] = input.value
    }
    if (content !== undefined) headers["content-type"] = "application/json"
    status.className = ""
    status.textContent = "Waiting."
    const began = performance.now()
    try {
      const response = await fetch(query.size === 0 ? url : `${url}?${query}`, {
        method: method.toUpperCase(),
        headers,
        credentials: "omit",
        body: content === undefined ? undefined : body.value
      })
      const text = await response.text()
      status.className = response.ok ? "good" : "bad"
      status.textContent = `${response.status} in ${Math.round(performance.now() - began)} ms`
      let shown = text
      let cursor = ""
      try {
        const value = JSON.parse(text)
        shown = JSON.stringify(value, null, 2)
        cursor = typeof value?.cursor === "string" ? value.cursor : ""
      } catch {
        // Not JSON: shown as it came.
      }
      answer.textContent = shown
      answer.hidden = false
      const field = inputs.find(([{ name }]) => name === "cursor")?.[1]
      next.hidden = cursor === "" || field === undefined
      next.onclick = () => {
        field.value = cursor
        form.requestSubmit()
      }
    } catch (error) {
      status.className = "bad"
      status.textContent = `No answer: ${error.message}`
    }
  }
  return [form, answer]
}

const bodyView = (method, path, operation) => {
  const answer = operation.responses["200"].content["application/json"].schema
  const request = operation.requestBody?.content["application/json"].schema
  return make(
    "div",
    { className: "body" },
    make("p", {}, ...prose(operation.description)),
    ...callView(method, path, operation),
    ...(request === undefined
      ? []
      : [make("details", {}, make("summary", { textContent: "Fields of the body" }), fieldsView(request))]),
    make("details", {}, make("summary", { textContent: "Fields of the answer" }), fieldsView(answer)),
    make(
      "details",
      {},
      make("summary", { textContent: "Errors" }),
      ...Object.entries(operation.responses).filter(([code]) => code !== "200").map(([code, response]) =>
        make("p", {}, make("code", { textContent: code }), " ", ...prose(resolve(response).description))
      ),
      make("p", { className: "hint" }, ...prose(api.components.schemas.ErrorBody.description))
    )
  )
}

const operationView = (method, path, operation) => {
  const view = make(
    "details",
    { className: "operation", id: operation.operationId },
    make(
      "summary",
      {},
      make("code", { className: "method", textContent: method.toUpperCase() }),
      make("code", { textContent: path }),
      make("span", { className: "what" }, ...prose(operation.summary))
    )
  )
  view.dataset.words = `${method} ${path} ${operation.operationId} ${operation.description}`.toLowerCase()
  const open = () => {
    if (view.open && view.children.length === 1) view.append(bodyView(method, path, operation))
  }
  view.addEventListener("toggle", open)
  return view
}

const all = Object.entries(api.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, operation }))
)
const sections = api.tags.map((tag) =>
  make(
    "section",
    {},
    make("h2", { textContent: tag.name }),
    make("p", { className: "hint" }, ...prose(tag.description)),
    ...all.filter(({ operation }) => operation.tags.includes(tag.name)).map(({ method, operation, path }) =>
      operationView(method, path, operation)
    )
  )
)
byId("operations").replaceChildren(
  make("details", {}, make("summary", { textContent: "About" }), make("p", {}, ...prose(api.info.description))),
  ...sections
)
byId("count").textContent = `OpenAPI ${api.openapi}, ${all.length} operations`

byId("find").oninput = ({ target }) => {
  const word = target.value.toLowerCase()
  for (const section of sections) {
    let some = false
    for (const view of section.querySelectorAll(".operation")) {
      view.hidden = !view.dataset.words.includes(word)
      some ||= !view.hidden
    }
    section.hidden = !some
  }
}

byId("access").onsubmit = async (event) => {
  event.preventDefault()
  const { accessKeyId, secretAccessKey } = await (await fetch("/api/credential")).json()
  byId("key").value = accessKeyId
  byId("secret").value = secretAccessKey
  byId("accessNote").textContent = "It is good for this sandbox alone."
}
byId("access").noValidate = true

/** A link to an operation opens it. */
const follow = () => {
  const view = byId(decodeURIComponent(location.hash.slice(1)))
  if (view?.classList.contains("operation")) {
    view.open = true
    view.scrollIntoView()
  }
}
addEventListener("hashchange", follow)
follow()
