import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

/** Replaces types with spaces, as `node file.ts` does, so that tests run the same code and positions stay exact. */
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
  getCacheKey: (source, path) =>
    createHash('sha256').update(process.version).update(path).update(source).digest('hex'),
};
