/** Versions of what callers change, which `If-Match` names in the API. */

/** The version of what was last changed at this time (ISO 8601); null: never. */
export const versionAt = (time: string | null): string =>
  time === null ? 'new' : Date.parse(time).toString(36);
