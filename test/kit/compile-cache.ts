/**
 * The environment of programs that tests start: Node keeps compiled code in a folder, because starting most of these
 * programs takes longer than what they do.
 */
import { fileURLToPath } from 'node:url';

export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url)),
};
