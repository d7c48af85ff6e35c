/** The scope of a token in events and in responses. */
import { described, oneOf } from '../protocol/schema.ts';
import { scopes } from '../protocol/scope.ts';

export const tokenScope = described(
  oneOf(scopes),
  '`read`: read everything of the organization but tokens, the audit log, and messages of failure reports; `write`: also change it; `admin`: also manage tokens, read the audit log, and download failure reports',
);
