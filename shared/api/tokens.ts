/** Requests and responses of the token endpoints. */
import * as z from 'zod/mini';
import { formatPrefix, parsePrefix } from '../protocol/ip.ts';
import { described, timestamp, uuid } from '../protocol/schema.ts';
import { scopes, type TokenInfo } from '../store/api-tokens.ts';

const MAX_NAME = 200;
const MAX_NETWORKS = 50;

const scope = described(
  z.enum(scopes, `must be one of ${scopes.join(', ')}`),
  '`read`: read everything of the organization but tokens and the audit log; `write`: also change it; `admin`: also manage tokens and read the audit log',
);

const network = z.pipe(
  z.pipe(
    z.string('must be a string'),
    z.transform((text) => {
      const prefix = parsePrefix(text);
      return prefix === undefined ? '' : formatPrefix(prefix);
    }),
  ),
  z.string().check(z.minLength(1, 'must be an IP address or a network such as 192.0.2.0/24')),
);

export const createTokenBody = z.object(
  {
    name: described(
      z
        .string('must be a string')
        .check(
          z.trim(),
          z.minLength(1, 'must not be empty'),
          z.maxLength(MAX_NAME, `must not be longer than ${MAX_NAME} characters`),
          z.regex(/^\P{Cc}*$/u, 'must not contain control characters'),
        ),
      'What the token is for',
    ),
    scope: z._default(scope, 'read'),
    expiresAt: described(
      z.optional(z.nullable(timestamp)),
      'When the token stops working; by default, and at the latest, when the token of the request does; `null`: never',
    ),
    networks: described(
      z.optional(
        z
          .array(network, 'must be an array')
          .check(z.maxLength(MAX_NETWORKS, `must not have more than ${MAX_NETWORKS} networks`)),
      ),
      'The IP addresses and networks from which the token can be used; an empty list: all. By default those of the token of the request, and always within them',
    ),
  },
  'must be a JSON object',
);

export const token = z.object({
  id: uuid,
  name: z.string(),
  scope,
  expiresAt: z.nullable(timestamp),
  lastUsedOn: described(
    z.nullable(z.iso.date()),
    'The last day (UTC) on which the token was used; `null` if it was not used yet',
  ),
  networks: described(
    z.array(z.string()),
    'The IP addresses and networks from which the token can be used; if empty, from anywhere',
  ),
  createdAt: timestamp,
});

export const createdToken = z.object({
  ...token.shape,
  token: described(z.string(), 'The token itself, which is shown only in this response'),
});

/** A token in responses, without its hash. */
export function showToken(
  { id, name, scope, expiresAt, networks, createdAt }: TokenInfo,
  lastUsedOn: string | null,
): z.output<typeof token> {
  return { id, name, scope, expiresAt, lastUsedOn, networks, createdAt };
}
