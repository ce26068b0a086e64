/** How much a page counts in the search: guides come before other pages, and these before the reference, which has every word. */
export const boostDocument = (id: string): number => id.includes("/guides/") ? 3 : id.includes("/api/") ? 0.5 : 1
