/**
 * What other roles of Postgres may run with the rights of a gateway. A trigger on a table runs as the role that writes the table: whoever may
 * put one on a table of the index would write the wallet's schema, too.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"

interface Row {
  readonly kind: "create" | "trigger" | "owner" | "present"
  readonly role: string
  readonly schema: string
  /** What is in the schema; `*` for the schema itself. */
  readonly name: string
  /** Of a trigger that is there. */
  readonly trigger: string
}

const quoted = (name: string): string => name === "PUBLIC" ? name : `"${name.replaceAll("\"", "\"\"")}"`

const texts: { readonly [Kind in Row["kind"]]: (row: Row) => string } = {
  create: ({ role, schema }) =>
    `${role} may make functions in ${schema}: REVOKE CREATE ON SCHEMA ${quoted(schema)} FROM ${quoted(role)}`,
  trigger: ({ role, schema }) =>
    `${role} may put triggers on the tables of ${schema}: ` +
    `REVOKE TRIGGER ON ALL TABLES IN SCHEMA ${quoted(schema)} FROM ${quoted(role)}`,
  owner: ({ name, role, schema }) => `${role} owns ${schema}.${name}: drop it, or give it to the role of the gateway`,
  present: ({ name, role, schema, trigger }) =>
    `${schema}.${name} has a trigger of ${role}: DROP TRIGGER ${quoted(trigger)} ON ${schema}.${name}`
}

/**
 * Which other roles may run code as the gateway, by what they own, have put or may put into these schemas; undefined if none
 * may. Superusers and the owner of the wallet's schema are trusted.
 */
export const found = (
  sql: SqlClient,
  { index, wallet }: { readonly index: string; readonly wallet: string }
): Effect.Effect<string | undefined, SqlError> =>
  sql<Row>`
    WITH spaces AS (SELECT oid, nspname, nspowner, nspacl FROM pg_namespace WHERE ${
    sql.in("nspname", [index, wallet])
  }),
      things AS (SELECT c.oid, c.relname, c.relowner, c.relacl, s.nspname FROM pg_class c JOIN spaces s ON s.oid = c.relnamespace),
      trusted AS (
        SELECT oid FROM pg_roles WHERE rolsuper OR rolname = current_user
        UNION SELECT nspowner FROM spaces WHERE nspname = ${wallet}
      ),
      known AS (
        SELECT 'owner' AS kind, nspowner AS role, nspname AS schema, '*' AS name, '' AS trigger FROM spaces
        UNION SELECT 'owner', relowner, nspname, relname, '' FROM things
        UNION SELECT 'owner', p.proowner, s.nspname, p.proname, '' FROM pg_proc p JOIN spaces s ON s.oid = p.pronamespace
        UNION SELECT 'create', a.grantee, nspname, '*', '' FROM spaces, aclexplode(nspacl) a WHERE a.privilege_type = 'CREATE'
        UNION SELECT 'trigger', a.grantee, nspname, '*', '' FROM things, aclexplode(relacl) a WHERE a.privilege_type = 'TRIGGER'
        UNION SELECT 'present', p.proowner, t.nspname, t.relname, g.tgname
          FROM pg_trigger g JOIN things t ON t.oid = g.tgrelid JOIN pg_proc p ON p.oid = g.tgfoid WHERE NOT g.tgisinternal
      )
    SELECT k.kind, COALESCE(r.rolname, 'PUBLIC') AS role, k.schema, k.name, k.trigger FROM known k LEFT JOIN pg_roles r ON r.oid = k.role
    WHERE k.role NOT IN (SELECT oid FROM trusted)
    ORDER BY 1, 2, 3, 4, 5 LIMIT 20`.pipe(
    Effect.map((rows) =>
      rows.length === 0
        ? undefined
        : "other roles of the database may run code with the rights of the gateway, and so use the wallet: " +
          rows.map((row) => texts[row.kind](row)).join("; ")
    )
  )
