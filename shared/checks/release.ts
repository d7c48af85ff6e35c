/** The version of this release, and so of its rules: evidence names it. A test compares it with that of `package.json`. */
export const RELEASE = '1.0.0';
