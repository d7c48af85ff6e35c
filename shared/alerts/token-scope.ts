/** The scope of a token in events and in responses. */
import * as z from 'zod/mini';
import { described } from '../protocol/schema.ts';
import { scopes } from '../protocol/scope.ts';

export const tokenScope = described(
  z.enum(scopes, `must be one of ${scopes.join(', ')}`),
  '`read`: read everything of the organization but tokens, the audit log, and messages of failure reports; `write`: also change it; `admin`: also manage tokens, read the audit log, and download failure reports',
);
