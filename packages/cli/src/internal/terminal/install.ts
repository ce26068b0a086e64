/** How packages are had as long as none is published: the one place to change then. */
export const installs = (...packages: ReadonlyArray<string>): string =>
  `in a clone of effect-klaytn, \`npx -y pnpm@10.34.9 tarballs ${packages.join(" ")}\` prints the line that installs ` +
  (packages.length === 1 ? "it" : "them")
