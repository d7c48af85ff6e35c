/**
 * `node:http`, got without an import: an import also loads the `fetch` of Node, for some of its exports, which takes
 * longer than all the rest of it.
 */
export const { createServer, request } = process.getBuiltinModule('node:http');
